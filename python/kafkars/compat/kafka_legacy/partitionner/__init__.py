"""`kafka.partitioner` as the document of 0.9.5 spells it in places."""

from __future__ import annotations

from kafkars.compat.kafka_legacy.partitioner import (
    HashedPartitioner,
    LegacyPartitioner,
    Murmur2Partitioner,
    RoundRobinPartitioner,
)

__all__ = ["HashedPartitioner", "LegacyPartitioner", "Murmur2Partitioner", "RoundRobinPartitioner"]
