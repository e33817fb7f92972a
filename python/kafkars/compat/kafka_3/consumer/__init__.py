"""The consumer (`kafka.consumer`)."""

from __future__ import annotations

from kafkars.compat.kafka_3.consumer.group import KafkaConsumer

__all__ = ["KafkaConsumer"]
