"""Where reading begins without a position (`kafka.protocol.list_offsets`)."""

from __future__ import annotations

__all__ = ["OffsetResetStrategy"]


class OffsetResetStrategy:
    """Numbers of places in a log."""

    LATEST = -1
    EARLIEST = -2
    NONE = 0
