"""Base classes for programs (`aiokafka.abc`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["AbstractTokenProvider", "ConsumerRebalanceListener"]


class ConsumerRebalanceListener(abc.ABC):
    """A listener for rebalances, to be passed to `AIOKafkaConsumer.subscribe`.

    Both methods may be plain functions or coroutines, which are awaited before the group goes on. What they raise is
    logged and not raised. `stop()` does not call them.
    """

    @abc.abstractmethod
    def on_partitions_revoked(self, revoked: Any) -> Any:
        """Called before a rebalance with the set of partitions that are revoked; empty when the consumer joins."""

    @abc.abstractmethod
    def on_partitions_assigned(self, assigned: Any) -> Any:
        """Called after a rebalance and before anything is fetched, with the set of all assigned partitions."""


class AbstractTokenProvider(abc.ABC):
    """A provider of tokens for SASL's OAUTHBEARER."""

    @abc.abstractmethod
    async def token(self) -> str:
        """Returns a token that is valid now."""

    def extensions(self) -> dict[str, str]:
        """Returns SASL extensions to send with the token."""
        return {}
