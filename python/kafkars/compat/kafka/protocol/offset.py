"""`OffsetResetStrategy`, where kafka-python 2.0 has it (`kafka.protocol.offset`)."""

from __future__ import annotations

from kafkars.compat.kafka.protocol.list_offsets import OffsetResetStrategy

__all__ = ["OffsetResetStrategy"]
