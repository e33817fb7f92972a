"""Keeps which records of a partition are finished, when they are not finished in order."""

from __future__ import annotations

from collections import OrderedDict


class FinishedOffsets:
    """Knows how far a partition may be committed: to the first record that is not finished.

    Offsets are started in ascending order and finished in any. Gaps between them, such as compaction and transactions
    leave, do not matter. Both calls take constant time on average.
    """

    def __init__(self) -> None:
        # Offsets that were started and are at or behind the first that is not finished: whether they are, and their
        # epoch.
        self._started: OrderedDict[int, tuple[bool, int | None]] = OrderedDict()
        self._unfinished = 0
        self._committable: tuple[int, int | None] | None = None

    def start(self, offset: int, leader_epoch: int | None = None) -> None:
        """A record is going to be worked on."""
        self._started[offset] = (False, leader_epoch)
        self._unfinished += 1

    def finish(self, offset: int) -> None:
        """A record that was started is done with. For each once."""
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
        """Tells how many records are started and not finished."""
        return self._unfinished

    @property
    def committable(self) -> tuple[int, int | None] | None:
        """The offset behind the last record before which all are finished, and that record's leader epoch.

        None while there is no such record.
        """
        return self._committable
