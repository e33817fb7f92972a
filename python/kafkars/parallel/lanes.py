"""Records that must be worked on one after the other, and those that need not be."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lanes(Generic[T]):
    """Lets one item of each lane start at a time, in the order in which they came."""

    def __init__(self) -> None:
        # A lane is here while an item of it is under way; the others of it wait.
        self._waiting: dict[Hashable, deque[T]] = {}

    def add(self, lane: Hashable | None, item: T) -> T | None:
        """Puts an item at the end of its lane. Returns it if it may start now. An item without a lane always may."""
        if lane is None:
            return item
        waiting = self._waiting.get(lane)
        if waiting is None:
            self._waiting[lane] = deque()
            return item
        waiting.append(item)
        return None

    def finish(self, lane: Hashable | None) -> T | None:
        """The item of this lane that was under way is done with. Returns the one that may start now, if any."""
        if lane is None:
            return None
        waiting = self._waiting[lane]
        if waiting:
            return waiting.popleft()
        del self._waiting[lane]
        return None

    def __len__(self) -> int:
        """Lanes with an item under way."""
        return len(self._waiting)
