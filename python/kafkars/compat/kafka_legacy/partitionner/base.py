"""`kafka.partitioner.base` as the document of 0.9.5 spells it in places."""

from __future__ import annotations

from kafkars.compat.kafka_legacy.partitioner.base import Partitioner

__all__ = ["Partitioner"]
