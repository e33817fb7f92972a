"""`confluent_kafka.deserializing_share_consumer`: not offered."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._share import DeserializingShareConsumer

__all__ = ["DeserializingShareConsumer"]
