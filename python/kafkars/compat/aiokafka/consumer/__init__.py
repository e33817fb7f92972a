"""The consumer (`aiokafka.consumer`)."""

from __future__ import annotations

from kafkars.compat.aiokafka.consumer.consumer import AIOKafkaConsumer

__all__ = ["AIOKafkaConsumer"]
