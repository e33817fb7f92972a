"""The producers (`kafka.producer`)."""

from __future__ import annotations

from kafkars.compat.kafka_legacy.producer.keyed import KeyedProducer
from kafkars.compat.kafka_legacy.producer.simple import SimpleProducer

__all__ = ["KeyedProducer", "SimpleProducer"]
