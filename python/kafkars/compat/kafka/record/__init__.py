"""Record batches as logs and requests hold them (`kafka.record`). kafkars' clients use the engine's own."""

from __future__ import annotations

from kafkars.compat.kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder

__all__ = ["MemoryRecords", "MemoryRecordsBuilder"]
