"""What the members of a group did, and whether that is at least once: nothing lost, and again only what was not
committed.

Each member writes its own journal, a line for each thing: what it was given, what it read, what it knows to be
committed. The lines have the machine's monotonic clock, which all its programs share, so that the journals can be laid
side by side.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

ASSIGNED, READ, COMMITTED = "assigned", "read", "committed"
SHOWN = 20


class Entry(NamedTuple):
    """One thing that a member did."""

    what: str
    time: float
    partition: int
    offset: int


class Journal:
    """Where one member writes. What is written is there even when the member is killed right after."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        # Behind the torn line of a member that was killed.
        os.write(self._file, b"\n")

    def write(self, what: str, places: Iterable[tuple[int, int]]) -> None:
        """Notes the same of several partitions and offsets, in one piece."""
        now = time.monotonic()
        os.write(self._file, b"".join(b"%s %.6f %d %d .\n" % (what.encode(), now, *place) for place in places))

    def close(self) -> None:
        os.close(self._file)


def entries(path: Path) -> Iterator[Entry]:
    """What a journal says, without lines that a kill has torn."""
    for line in path.read_text().splitlines():
        what, *rest = line.split() or [""]
        if len(rest) == 4:
            yield Entry(what, float(rest[0]), int(rest[1]), int(rest[2]))


class Told:
    """All journals of a group together."""

    def __init__(self, journals: Iterable[Path]) -> None:
        self.members = {path.name: list(entries(path)) for path in journals}
        commits = defaultdict(list)
        for entry in self.all(COMMITTED):
            commits[entry.partition].append((entry.time, entry.offset))
        self._commits = {partition: sorted(found) for partition, found in commits.items()}

    def all(self, what: str) -> Iterator[Entry]:
        """Every entry of one kind."""
        return (entry for found in self.members.values() for entry in found if entry.what == what)

    def committed_before(self, moment: float, partition: int) -> int:
        """The highest offset that a member knew to be committed then."""
        return max((offset for when, offset in self._commits.get(partition, []) if when <= moment), default=0)

    def differences(self, stored: Collection[tuple[int, int]]) -> list[str]:
        """What is wrong; the first few."""
        read = {(entry.partition, entry.offset) for entry in self.all(READ)}
        lost = sorted(set(stored) - read)
        wrong = [f"{len(lost)} of {len(stored)} never read: {lost[:5]}"] if lost else []
        invented = sorted(read - set(stored))
        wrong += [f"{len(invented)} read that were never stored: {invented[:5]}"] if invented else []
        for name, found in self.members.items():
            wrong += self._differences_of(name, found)
        return wrong[:SHOWN]

    def _differences_of(self, name: str, found: list[Entry]) -> Iterator[str]:
        """From what is given to a member on, it reads one record after the other, and none that had been committed."""
        floors: dict[int, int] = {}
        nexts: dict[int, int] = {}
        for what, when, partition, offset in found:
            if what == ASSIGNED:
                floors[partition] = self.committed_before(when, partition)
                nexts.pop(partition, None)
            elif what == READ:
                floor, expected = floors.get(partition, 0), nexts.get(partition, offset)
                nexts[partition] = offset + 1
                if partition not in floors:
                    yield f"{name} read {offset} of partition {partition}, which it was never given"
                if offset < floor:
                    yield f"{name} read {offset} of partition {partition}, got when {floor} was committed"
                if offset != expected:
                    yield f"{name} read {offset} of partition {partition} where {expected} was next"

    def duplicates(self) -> int:
        """How many reads were of records that had been read before."""
        places = [(entry.partition, entry.offset) for entry in self.all(READ)]
        return len(places) - len(set(places))
