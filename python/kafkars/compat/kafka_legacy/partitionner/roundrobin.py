"""`kafka.partitioner.roundrobin` as the document of 0.9.5 spells it in places."""

from __future__ import annotations

from kafkars.compat.kafka_legacy.partitioner.roundrobin import RoundRobinPartitioner

__all__ = ["RoundRobinPartitioner"]
