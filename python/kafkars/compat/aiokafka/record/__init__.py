"""Batches as aiokafka reads and builds them (`aiokafka.record`): the names are there, the engine has its own."""

from __future__ import annotations

from kafkars.compat.aiokafka._not_offered import NotOffered

__all__ = ["MemoryRecords"]


class MemoryRecords(NotOffered):
    """Batches of a fetched partition."""
