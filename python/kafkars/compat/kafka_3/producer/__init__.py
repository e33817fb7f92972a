"""The producer (`kafka.producer`)."""

from __future__ import annotations

from kafkars.compat.kafka_3.producer.kafka import KafkaProducer

__all__ = ["KafkaProducer"]
