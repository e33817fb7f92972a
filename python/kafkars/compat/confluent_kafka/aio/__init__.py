"""`confluent_kafka.aio`: clients for asyncio."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.aio._producer import AIOProducer

__all__ = ["AIOProducer"]
