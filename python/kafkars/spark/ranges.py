"""Ranges of offsets: how they are divided into tasks, and how much one trigger takes. The arithmetic is that of Spark's
own source.
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
        """The number of offsets; there may be fewer records."""
        return self.end - self.start


def tasks(ranges: Iterable[OffsetRange], at_least: int | None, records_at_most: int | None) -> list[OffsetRange]:
    """Returns the ranges of the tasks. They depend on the arguments only, so that a replay has the same tasks.

    Args:
        ranges: The ranges to be read; empty ones are left out.
        at_least: `minPartitions`.
        records_at_most: `maxRecordsPerPartition`.
    """
    wanted = sorted(each for each in ranges if each.size > 0)
    if records_at_most is not None:
        wanted = [part for each in wanted for part in divide(each, math.ceil(each.size / records_at_most))]
    if at_least is None or len(wanted) >= at_least:
        return wanted
    # Ranges that are too small to be divided get one task each; the others share the remaining tasks.
    total = sum(each.size for each in wanted)
    small = [each for each in wanted if parts(each.size, total, at_least) == 1]
    large_total = total - sum(each.size for each in small)
    rest = max(at_least - len(small), 1)
    kept = set(small)
    return [
        part for each in wanted for part in divide(each, 1 if each in kept else parts(each.size, large_total, rest))
    ]


def parts(size: int, total: int, at_least: int) -> int:
    """Returns the number of tasks for a range, in proportion to its size; halves are rounded up, as in Java."""
    return max(math.floor(size / total * at_least + 0.5), 1)


def divide(whole: OffsetRange, count: int) -> list[OffsetRange]:
    """Divides a range into `count` parts, or less where it has fewer offsets; the remainder is spread over the last
    ones.
    """
    count = min(count, whole.size)
    cut: list[OffsetRange] = []
    start, left = whole.start, whole.size
    for index in range(count):
        size = left // (count - index)
        left -= size
        cut.append(OffsetRange(whole.partition, start, start + size))
        start += size
    return cut


def limit(start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int], at_most: int) -> Offsets:
    """Returns the end of a trigger that takes `at_most` offsets, shared by the partitions in proportion to their sizes.

    Args:
        start: The start of the trigger for each partition of `end`.
        end: The ends of the partitions.
        at_most: `maxOffsetsPerTrigger`. Every partition gets at least one offset, so it may be a few more.
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
