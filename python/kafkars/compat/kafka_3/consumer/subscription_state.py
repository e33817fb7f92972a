"""What hears of partitions that come and go (`kafka.consumer.subscription_state`)."""

from __future__ import annotations

import abc
from typing import Any

from kafkars.compat.kafka.consumer import subscription_state

__all__ = ["AsyncConsumerRebalanceListener", "ConsumerRebalanceListener"]


class ConsumerRebalanceListener(subscription_state.ConsumerRebalanceListener):
    """Given to `KafkaConsumer.subscribe`. What its methods raise is raised by the call they run in, as `KafkaError`."""

    def on_partitions_lost(self, lost: Any) -> None:
        """Partitions are gone without having been given back; the others are told by `on_partitions_revoked`, and so is
        this.
        """
        self.on_partitions_revoked(lost)


class AsyncConsumerRebalanceListener(subscription_state.ConsumerRebalanceListener):
    """The same with coroutines, each of which is run to its end on the caller's thread, in an event loop of its own."""

    @abc.abstractmethod
    async def on_partitions_revoked(self, revoked: Any) -> None:
        """Before a rebalance."""

    @abc.abstractmethod
    async def on_partitions_assigned(self, assigned: Any) -> None:
        """After a rebalance."""

    async def on_partitions_lost(self, lost: Any) -> None:
        """Partitions are gone without having been given back."""
        await self.on_partitions_revoked(lost)
