"""Ranges are cut, and triggers limited, so that nothing is lost, doubled or left to starve."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from kafkars.spark.offsets import from_json, to_json
from kafkars.spark.ranges import OffsetRange, limit, tasks
from kafkars.types import TopicPartition

from tests.support.waiting import Stopwatch

PARTITIONS = st.builds(TopicPartition, st.sampled_from(["a", "b"]), st.integers(0, 5))
RANGES = st.dictionaries(PARTITIONS, st.tuples(st.integers(0, 10**12), st.integers(0, 10**6))).map(
    lambda found: [OffsetRange(partition, start, start + size) for partition, (start, size) in found.items()]
)


@given(RANGES, st.none() | st.integers(1, 50), st.none() | st.integers(10_000, 10**6))
def test_tasks_cover_everything_once_in_order(
    ranges: list[OffsetRange], at_least: int | None, at_most: int | None
) -> None:
    cut = tasks(ranges, at_least, at_most)
    assert cut == tasks(reversed(ranges), at_least, at_most), "the order of the ranges plays no part"
    for whole in ranges:
        pieces = [each for each in cut if each.partition == whole.partition]
        ends = [whole.start, *(each.end for each in pieces)]
        assert [each.start for each in pieces] == ends[:-1]
        assert ends[-1] == whole.end
    assert all(each.size > 0 for each in cut)
    assert at_most is None or all(each.size <= at_most for each in cut)


def test_a_large_partition_is_cut_and_a_small_one_is_not() -> None:
    a, b = TopicPartition("t", 0), TopicPartition("t", 1)
    assert tasks([OffsetRange(a, 0, 1_000), OffsetRange(b, 0, 10)], 4, None) == [
        OffsetRange(a, 0, 333),
        OffsetRange(a, 333, 666),
        OffsetRange(a, 666, 1_000),
        OffsetRange(b, 0, 10),
    ]


def test_more_tasks_than_there_are_offsets_are_none_and_take_no_time() -> None:
    a, b = TopicPartition("t", 0), TopicPartition("t", 1)
    with Stopwatch() as watch:
        cut = tasks([OffsetRange(a, 5, 8), OffsetRange(b, 0, 1)], 10**9, None)
    assert cut == [*(OffsetRange(a, at, at + 1) for at in (5, 6, 7)), OffsetRange(b, 0, 1)]
    assert watch.seconds < 10


@given(RANGES, st.integers(1, 10**6))
def test_a_trigger_takes_some_of_every_partition_and_never_more_than_there_is(
    ranges: list[OffsetRange], at_most: int
) -> None:
    start = {each.partition: each.start for each in ranges}
    end = {each.partition: each.end for each in ranges}
    taken = limit(start, end, at_most)
    assert taken.keys() == end.keys()
    for partition, offset in taken.items():
        assert start[partition] <= offset <= end[partition]
        assert offset > start[partition] or end[partition] == start[partition]
    assert sum(taken[each] - start[each] for each in taken) <= at_most + len(taken)


@given(st.dictionaries(PARTITIONS, st.integers(0, 2**63 - 1)))
def test_the_json_of_the_checkpoint_comes_back(offsets: dict[TopicPartition, int]) -> None:
    assert from_json(to_json(offsets)) == offsets
