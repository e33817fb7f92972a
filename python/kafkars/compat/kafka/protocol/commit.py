"""Responses to commits (`kafka.protocol.commit`), which documents of kafka-python 2 name as the argument of a commit's
callback.
"""

from __future__ import annotations

from typing import ClassVar

from kafkars.compat.kafka.protocol.struct import Struct
from kafkars.compat.kafka.protocol.types import Array, Int16, Int32, Schema, String

__all__ = ["OffsetCommitResponse", "OffsetCommitResponse_v3"]


class OffsetCommitResponse_v3(Struct):  # noqa: N801  the name programs use
    """The outcome for each partition of a commit. Callbacks get None or an exception instead, as in kafka-python."""

    throttle_time_ms: int
    topics: list[tuple[str, list[tuple[int, int]]]]
    API_KEY = 8
    API_VERSION = 3
    SCHEMA: ClassVar[Schema] = Schema(
        ("throttle_time_ms", Int32),
        ("topics", Array(("topic", String()), ("partitions", Array(("partition", Int32), ("error_code", Int16))))),
    )


OffsetCommitResponse = OffsetCommitResponse_v3
