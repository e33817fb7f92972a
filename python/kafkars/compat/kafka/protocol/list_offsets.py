"""Where reading begins without a committed offset (`kafka.protocol.list_offsets`)."""

from __future__ import annotations

__all__ = ["OffsetResetStrategy"]


class OffsetResetStrategy:
    """The offsets of ListOffsets requests that stand for the ends of a log."""

    LATEST = -1
    EARLIEST = -2
    NONE = 0
