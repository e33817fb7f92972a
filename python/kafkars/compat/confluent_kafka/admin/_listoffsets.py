"""Which offsets are asked for, and the answers, by the path of the library."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.admin._results import ListOffsetsResultInfo, OffsetSpec

__all__ = ["ListOffsetsResultInfo", "OffsetSpec"]
