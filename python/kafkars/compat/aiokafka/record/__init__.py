"""aiokafka's classes for batches (`aiokafka.record`): only their names, kafkars has its own."""

from __future__ import annotations

from kafkars.compat.aiokafka._not_offered import NotOffered

__all__ = ["MemoryRecords"]


class MemoryRecords(NotOffered):
    """Batches of a fetched partition."""
