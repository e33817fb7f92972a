"""Automatic commits of a `KafkaConsumer`."""

from __future__ import annotations

import time


class AutoCommit:
    """Counts messages and time since the last commit.

    Args:
        enabled: True commits automatically.
        interval_ms: Milliseconds between commits; None or 0 for no such interval.
        interval_messages: Messages between commits; None or 0 for no such number.
    """

    def __init__(self, enabled: bool, interval_ms: float | None, interval_messages: int | None) -> None:
        self._seconds = (interval_ms or 0) / 1000 if enabled else 0
        self._messages = (interval_messages or 0) if enabled else 0
        self._count = 0
        self._next = 0.0
        self.reset()

    def reset(self) -> None:
        """Restarts the counts, after a commit."""
        self._count = 0
        self._next = time.monotonic() + self._seconds

    def is_due(self) -> bool:
        """Counts a message; True if a commit is due."""
        self._count += 1
        by_time = self._seconds > 0 and time.monotonic() >= self._next
        return by_time or 0 < self._messages <= self._count
