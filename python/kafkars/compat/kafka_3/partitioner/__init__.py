"""Partitioners (`kafka.partitioner`)."""

from __future__ import annotations

from kafkars.compat.kafka.partitioner.default import murmur2
from kafkars.compat.kafka_3.partitioner.abc import Partitioner
from kafkars.compat.kafka_3.partitioner.default import DefaultPartitioner
from kafkars.compat.kafka_3.partitioner.sticky import StickyPartitioner

__all__ = ["DefaultPartitioner", "Partitioner", "StickyPartitioner", "murmur2"]
