"""The consumer (`kafka.consumer`)."""

from __future__ import annotations

from kafkars.compat.kafka.consumer.group import KafkaConsumer

__all__ = ["KafkaConsumer"]
