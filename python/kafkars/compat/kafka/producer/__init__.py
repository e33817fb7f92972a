"""The producer (`kafka.producer`)."""

from __future__ import annotations

from kafkars.compat.kafka.producer.kafka import KafkaProducer

__all__ = ["KafkaProducer"]
