"""Ranges of offsets: how they are cut into tasks, and how much one trigger takes. Pure arithmetic, as Spark's own
source does it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kafkars.spark.offsets import Offsets
from kafkars.types import TopicPartition


class OffsetRange(NamedTuple):
    """Offsets of one partition, the end not included."""

    partition: TopicPartition
    start: int
    end: int

    @property
    def size(self) -> int:
        """How many offsets; of records there may be fewer."""
        return self.end - self.start


def tasks(ranges: Iterable[OffsetRange], at_least: int | None, records_at_most: int | None) -> list[OffsetRange]:
    """The ranges of the tasks, in an order that depends on nothing but the arguments: a replay has the same tasks.

    Args:
        ranges: What is to be read; empty ranges are left out.
        at_least: `minPartitions`.
        records_at_most: `maxRecordsPerPartition`.
    """
    wanted = sorted(each for each in ranges if each.size > 0)
    if records_at_most is not None:
        wanted = [part for each in wanted for part in divide(each, math.ceil(each.size / records_at_most))]
    if at_least is None or len(wanted) >= at_least:
        return wanted
    # What is too small to be cut does not count when the others share the rest of the tasks.
    total = sum(each.size for each in wanted)
    small = [each for each in wanted if parts(each.size, total, at_least) == 1]
    large_total = total - sum(each.size for each in small)
    rest = max(at_least - len(small), 1)
    kept = set(small)
    return [
        part
        for each in wanted
        for part in divide(each, 1 if each in kept else parts(each.size, large_total, rest))
        if part.size > 0
    ]


def parts(size: int, total: int, at_least: int) -> int:
    """Into how many tasks a range is cut, in proportion to its size; halves are rounded up, as Java does."""
    return max(math.floor(size / total * at_least + 0.5), 1)


def divide(whole: OffsetRange, count: int) -> list[OffsetRange]:
    """A range in `count` parts; what does not divide is spread over the last ones."""
    cut: list[OffsetRange] = []
    start, left = whole.start, whole.size
    for index in range(count):
        size = left // (count - index)
        left -= size
        cut.append(OffsetRange(whole.partition, start, start + size))
        start += size
    return cut


def limit(start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int], at_most: int) -> Offsets:
    """Where a trigger ends that takes `at_most` offsets, shared among the partitions in proportion to what each has.

    Args:
        start: Where it begins; each partition of `end` is there.
        end: Where everything ends that there is.
        at_most: `maxOffsetsPerTrigger`. No partition is left without any, so it may be a few more.
    """
    sizes = {partition: offset - start[partition] for partition, offset in end.items()}
    total = sum(size for size in sizes.values() if size > 0)
    if total <= 0:
        return dict(end)
    limited: Offsets = {}
    for partition, offset in end.items():
        size = sizes[partition]
        share = at_most * (size / total)
        taken = math.ceil(share) if share < 1 else math.floor(share)
        limited[partition] = min(offset, start[partition] + taken) if size > 0 else offset
    return limited
