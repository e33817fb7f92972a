"""`confluent_kafka.aio._AIOConsumer`: where the library has its consumer, and its tests import it from."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.aio._consumer import AIOConsumer

__all__ = ["AIOConsumer"]
