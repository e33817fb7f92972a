"""Keeps track of the finished records of a partition, which may finish in any order."""

from __future__ import annotations

from collections import OrderedDict


class FinishedOffsets:
    """Knows how far a partition may be committed: to the first record that is not finished.

    Offsets are started in ascending order and finished in any. Gaps between them, such as compaction and transactions
    leave, do not matter. Both calls take constant time on average.
    """

    def __init__(self) -> None:
        # Started offsets from the first unfinished one on: whether each is finished, and its leader epoch.
        self._started: OrderedDict[int, tuple[bool, int | None]] = OrderedDict()
        self._unfinished = 0
        self._committable: tuple[int, int | None] | None = None

    def start(self, offset: int, leader_epoch: int | None = None) -> None:
        """Notes that a record is going to be handled."""
        self._started[offset] = (False, leader_epoch)
        self._unfinished += 1

    def finish(self, offset: int) -> None:
        """Notes that a started record is finished; to be called once for each."""
        _, leader_epoch = self._started[offset]
        self._started[offset] = (True, leader_epoch)
        self._unfinished -= 1
        while self._started:
            first, (finished, leader_epoch) = next(iter(self._started.items()))
            if not finished:
                return
            del self._started[first]
            self._committable = (first + 1, leader_epoch)

    @property
    def unfinished(self) -> int:
        """Returns how many records are started and not finished."""
        return self._unfinished

    @property
    def committable(self) -> tuple[int, int | None] | None:
        """Returns the offset to commit, after the last record up to which all are finished, and its leader epoch.

        Returns None while there is no such record.
        """
        return self._committable
