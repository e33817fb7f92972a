"""Choosing partitions, as documents of kafka-python spell it (`kafka.partitioners`); the module is
`kafka.partitioner`.
"""

from __future__ import annotations

from kafkars.compat.kafka.partitioner import DefaultPartitioner, murmur2

__all__ = ["DefaultPartitioner", "murmur2"]
