"""`confluent_kafka.aio.producer._AIOProducer`: where the library has its producer, and its tests import it from."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.aio._producer import AIOProducer

__all__ = ["AIOProducer"]
