"""`confluent_kafka.aio.producer`: the package in which the library has its producer."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.aio._producer import AIOProducer

__all__ = ["AIOProducer"]
