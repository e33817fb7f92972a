"""The consumer (`kafka.consumer`)."""

from __future__ import annotations

# The same module for both versions, reached by its name in this package, too.
from kafkars.compat.kafka.consumer import fetcher as fetcher
from kafkars.compat.kafka_3.consumer.group import KafkaConsumer

__all__ = ["KafkaConsumer"]
