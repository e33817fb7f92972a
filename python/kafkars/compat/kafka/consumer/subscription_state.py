"""What hears of partitions that come and go (`kafka.consumer.subscription_state`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["ConsumerRebalanceListener"]


class ConsumerRebalanceListener(abc.ABC):
    """Given to `KafkaConsumer.subscribe`. Its methods run within `poll()` and iteration, on the caller's thread.

    What they raise is logged and goes no further, as in kafka-python 2.
    """

    @abc.abstractmethod
    def on_partitions_revoked(self, revoked: Any) -> object:
        """Before a rebalance: the set of partitions the consumer gives back; empty when it joins."""

    @abc.abstractmethod
    def on_partitions_assigned(self, assigned: Any) -> object:
        """After a rebalance and before anything is fetched: the set of partitions the consumer has now."""
