"""What was sent, and whether what is read is exactly that: each record once, in order per key."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass
class Ledger:
    """Numbers per key, given out in order. A record's key is `key`, its value `key:number`."""

    keys: int
    sent: int = 0
    _next: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def next_record(self) -> tuple[bytes, bytes]:
        """The next record, of the keys in turn."""
        key = self.sent % self.keys
        number = self._next[key]
        self._next[key] += 1
        self.sent += 1
        return b"%d" % key, b"%d:%d" % (key, number)

    def differences(self, records: Iterable[tuple[bytes | None, bytes | None]]) -> list[str]:
        """What is wrong with records in the order of their partitions; the first few of each kind."""
        found: dict[int, list[int]] = defaultdict(list)
        wrong = []
        for key, value in records:
            if key is None or value is None or not value.startswith(key + b":"):
                wrong.append(f"not a record of this load: {key!r} {value!r}")
                continue
            found[int(key)].append(int(value.partition(b":")[2]))
        for key, count in sorted(self._next.items()):
            wrong += differences_of_key(key, found.pop(key, []), count)
        wrong += [f"key {key} was never sent" for key in found]
        return wrong[:20]


def differences_of_key(key: int, numbers: list[int], count: int) -> list[str]:
    """Missing, doubled and misplaced numbers of one key."""
    if numbers == list(range(count)):
        return []
    times = Counter(numbers)
    missing = [number for number in range(count) if number not in times]
    doubled = [number for number, seen in times.items() if seen > 1]
    backwards = [(before, after) for before, after in pairwise(numbers) if after < before]
    wrong = []
    if missing:
        wrong.append(f"key {key}: {len(missing)} of {count} missing: {missing[:5]}")
    if doubled:
        wrong.append(f"key {key}: {len(doubled)} more than once: {doubled[:5]}")
    if backwards:
        wrong.append(f"key {key}: out of order: {backwards[:5]}")
    return wrong or [f"key {key}: numbers that were never sent: {sorted(set(times) - set(range(count)))[:5]}"]
