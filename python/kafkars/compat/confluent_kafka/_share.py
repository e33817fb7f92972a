"""`confluent_kafka.ShareConsumer`: not offered."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import classes

__all__ = ["DeserializingShareConsumer", "ShareConsumer"]

ShareConsumer, DeserializingShareConsumer = classes(
    __name__,
    "share groups (KIP-932) are not part of this version; a Consumer with more partitions, or kafkars.ParallelConsumer, which "
    "handles records of a partition at once, spreads work",
    "ShareConsumer",
    "DeserializingShareConsumer",
)
