"""Constants of consumers' requests (`kafka.protocol.consumer`)."""

from __future__ import annotations

from enum import IntEnum

from kafkars.compat.kafka.util import EnumHelper

__all__ = ["UNKNOWN_OFFSET", "IsolationLevel", "OffsetResetStrategy", "OffsetSpec", "OffsetTimestamp"]

UNKNOWN_OFFSET = -1


class IsolationLevel(EnumHelper, IntEnum):
    """Which records of transactions are read."""

    READ_UNCOMMITTED = 0
    READ_COMMITTED = 1


class OffsetResetStrategy(EnumHelper, IntEnum):
    """Where reading begins without a committed offset."""

    LATEST = -1
    EARLIEST = -2
    NONE = 0


class OffsetSpec(EnumHelper, IntEnum):
    """Special offsets of ListOffsets requests."""

    LATEST = -1
    EARLIEST = -2
    MAX_TIMESTAMP = -3
    EARLIEST_LOCAL = -4
    LATEST_TIERED = -5


class OffsetTimestamp(int):
    """A timestamp in milliseconds since 1970, in arguments where an `int` is an offset."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"OffsetTimestamp({int(self)})"
