"""`confluent_kafka.aio`: clients for asyncio."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.aio._consumer import AIOConsumer
from kafkars.compat.confluent_kafka.aio._serdes import AsyncDeserializingConsumer, AsyncSerializingProducer
from kafkars.compat.confluent_kafka.aio.producer import AIOProducer

__all__ = ["AIOConsumer", "AIOProducer", "AsyncDeserializingConsumer", "AsyncSerializingProducer"]
