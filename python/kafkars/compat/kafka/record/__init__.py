"""Record batches in the form of logs and requests (`kafka.record`). kafkars' clients have their own."""

from __future__ import annotations

from kafkars.compat.kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder

__all__ = ["MemoryRecords", "MemoryRecordsBuilder"]
