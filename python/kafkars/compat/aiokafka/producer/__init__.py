"""The producer (`aiokafka.producer`)."""

from __future__ import annotations

from kafkars.compat.aiokafka.producer.producer import AIOKafkaProducer

__all__ = ["AIOKafkaProducer"]
