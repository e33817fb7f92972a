"""Records in the form in which logs and requests have them (`kafka.record`). Clients' own are made by the engine."""

from __future__ import annotations

from kafkars.compat.kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder

__all__ = ["MemoryRecords", "MemoryRecordsBuilder"]
