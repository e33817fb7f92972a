"""Rebalance listeners (`kafka.consumer.subscription_state`)."""

from __future__ import annotations

import abc
from typing import Any

from kafkars.compat.kafka.consumer import subscription_state

__all__ = ["AsyncConsumerRebalanceListener", "ConsumerRebalanceListener"]


class ConsumerRebalanceListener(subscription_state.ConsumerRebalanceListener):
    """A listener for `KafkaConsumer.subscribe`. `poll()` raises exceptions of its methods as `KafkaError`."""

    def on_partitions_lost(self, lost: Any) -> None:
        """Called with partitions that were lost without a revocation; `on_partitions_revoked` is called for others, and
        for these by default.
        """
        self.on_partitions_revoked(lost)


class AsyncConsumerRebalanceListener(subscription_state.ConsumerRebalanceListener):
    """A listener with coroutines, each of which runs to its end on the caller's thread, in an event loop of its own."""

    @abc.abstractmethod
    async def on_partitions_revoked(self, revoked: Any) -> None:
        """Called before a rebalance."""

    @abc.abstractmethod
    async def on_partitions_assigned(self, assigned: Any) -> None:
        """Called after a rebalance."""

    async def on_partitions_lost(self, lost: Any) -> None:
        """Called with partitions that were lost without a revocation."""
        await self.on_partitions_revoked(lost)
