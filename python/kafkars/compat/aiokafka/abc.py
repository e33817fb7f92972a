"""What programs derive from (`aiokafka.abc`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["AbstractTokenProvider", "ConsumerRebalanceListener"]


class ConsumerRebalanceListener(abc.ABC):
    """Hears of partitions that come and go; given to `AIOKafkaConsumer.subscribe`.

    Both methods may be plain functions or coroutines, which are awaited before the group goes on. What they raise is
    logged and goes no further. `stop()` does not call them.
    """

    @abc.abstractmethod
    def on_partitions_revoked(self, revoked: Any) -> Any:
        """Before a rebalance: the set of partitions the consumer gives back; empty when it joins."""

    @abc.abstractmethod
    def on_partitions_assigned(self, assigned: Any) -> Any:
        """After a rebalance and before anything is fetched: the set of partitions the consumer has now."""


class AbstractTokenProvider(abc.ABC):
    """Gives tokens for SASL's OAUTHBEARER."""

    @abc.abstractmethod
    async def token(self) -> str:
        """A token that is valid now."""

    def extensions(self) -> dict[str, str]:
        """SASL extensions to send with the token."""
        return {}
