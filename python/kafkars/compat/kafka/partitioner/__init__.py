"""Partitioners (`kafka.partitioner`)."""

from __future__ import annotations

from kafkars.compat.kafka.partitioner.default import DefaultPartitioner, murmur2

__all__ = ["DefaultPartitioner", "murmur2"]
