"""Partitioners of keyed messages (`kafka.partitioner`)."""

from __future__ import annotations

from kafkars.compat.kafka_legacy.partitioner.hashed import HashedPartitioner, LegacyPartitioner, Murmur2Partitioner
from kafkars.compat.kafka_legacy.partitioner.roundrobin import RoundRobinPartitioner

__all__ = ["HashedPartitioner", "LegacyPartitioner", "Murmur2Partitioner", "RoundRobinPartitioner"]
