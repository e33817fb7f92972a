"""The time limit of a call that makes several requests."""

from __future__ import annotations

import time
from typing import NamedTuple


class TimeLimit(NamedTuple):
    """A time limit, and when it is over."""

    until: float | None

    @classmethod
    def of(cls, seconds: float | None) -> TimeLimit:
        """One that begins now; None is without end."""
        return cls(None if seconds is None else time.monotonic() + seconds)

    def left(self) -> float | None:
        """Seconds that are left; None without end."""
        return None if self.until is None else max(self.until - time.monotonic(), 0.0)

    def within(self, most: float) -> float:
        """Seconds that are left, but no more than `most`."""
        left = self.left()
        return most if left is None else min(left, most)
