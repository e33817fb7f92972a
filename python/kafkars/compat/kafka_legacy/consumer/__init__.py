"""The consumers (`kafka.consumer`)."""

from __future__ import annotations

from kafkars.compat.kafka_legacy.consumer.kafka import KafkaConsumer
from kafkars.compat.kafka_legacy.consumer.multiprocess import MultiProcessConsumer
from kafkars.compat.kafka_legacy.consumer.simple import SimpleConsumer

__all__ = ["KafkaConsumer", "MultiProcessConsumer", "SimpleConsumer"]
