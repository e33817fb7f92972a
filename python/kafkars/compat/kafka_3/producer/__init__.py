"""The producer (`kafka.producer`)."""

from __future__ import annotations

# The same module for both versions, reached by its name in this package, too.
from kafkars.compat.kafka.producer import future as future
from kafkars.compat.kafka_3.producer.kafka import KafkaProducer

__all__ = ["KafkaProducer"]
