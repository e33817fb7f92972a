"""Lanes: items of one lane (a key or a partition) are worked on one after the other, others at the same time."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lanes(Generic[T]):
    """Lets one item of each lane start at a time, in the order in which they came."""

    def __init__(self) -> None:
        # The waiting items of each lane that has an item under way.
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
        """Notes that the item of this lane that was under way is finished. Returns the one that may start now."""
        if lane is None:
            return None
        waiting = self._waiting[lane]
        if waiting:
            return waiting.popleft()
        del self._waiting[lane]
        return None

    def __len__(self) -> int:
        """The number of lanes with an item under way."""
        return len(self._waiting)
