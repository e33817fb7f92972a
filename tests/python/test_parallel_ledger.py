"""The bookkeeping of parallel work: what may start, and how far partitions may be committed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafkars import OffsetAndMetadata, TopicPartition
from kafkars.parallel.lanes import Lanes
from kafkars.parallel.ledger import RecordWork, WorkLedger
from kafkars.parallel.offsets import FinishedOffsets
from kafkars.parallel.settings import ParallelSettings

pytestmark = pytest.mark.timeout(60)

P0 = TopicPartition("t", 0)


@dataclass
class Fake:
    """A record as the ledger sees it."""

    offset: int
    partition: int = 0
    raw_key: bytes | None = None
    topic: str = "t"
    leader_epoch: int | None = 3
    serialized_key_size: int = 1
    serialized_value_size: int = 9


def ledger(**settings: Any) -> WorkLedger:
    given = {"workers": 1, "ordering": "key", "max_in_flight": 100, "max_in_flight_bytes": 10_000}
    return WorkLedger(ParallelSettings(drain_timeout=1, commit_interval=1, **{**given, **settings}))  # type: ignore[arg-type]


@given(st.sets(st.integers(0, 1_000), min_size=1).flatmap(lambda offsets: st.permutations(sorted(offsets))))
def test_what_may_be_committed_is_what_is_finished_without_a_gap(order: list[int]) -> None:
    finished = FinishedOffsets()
    started = sorted(order)
    for offset in started:
        finished.start(offset, offset)
    done: set[int] = set()
    for offset in order:
        finished.finish(offset)
        done.add(offset)
        before = [each for each in started if all(other in done for other in started if other <= each)]
        assert finished.committable == ((before[-1] + 1, before[-1]) if before else None)
        assert finished.unfinished == len(started) - len(done)


@given(st.lists(st.one_of(st.none(), st.integers(0, 3))), st.randoms(use_true_random=False))
def test_one_item_of_a_lane_at_a_time_and_in_order(lanes_of_items: list[int | None], random: Any) -> None:
    lanes: Lanes[tuple[int, int | None]] = Lanes()
    running = [
        started
        for number, lane in enumerate(lanes_of_items)
        if (started := lanes.add(lane, (number, lane))) is not None
    ]
    seen = []
    while running:
        in_lanes = [lane for _, lane in running if lane is not None]
        assert len(in_lanes) == len(set(in_lanes))
        item = running.pop(random.randrange(len(running)))
        seen.append(item)
        following = lanes.finish(item[1])
        if following is not None:
            running.append(following)
    assert sorted(seen) == list(enumerate(lanes_of_items))
    for lane in set(lanes_of_items) - {None}:
        numbers = [number for number, other in seen if other == lane]
        assert numbers == sorted(numbers)
    assert len(lanes) == 0


def test_a_record_that_failed_is_never_committed_past() -> None:
    book = ledger()
    first, second = started(book, Fake(5)), started(book, Fake(6))
    book.finish(second)
    book.give_up(first)
    assert book.committable() == {}
    assert (book.in_flight, book.bytes_in_flight) == (0, 0)


def test_what_was_committed_is_not_committed_again() -> None:
    book = ledger()
    book.finish(started(book, Fake(5)))
    offsets = book.committable()
    assert offsets == {P0: OffsetAndMetadata(6, "", 3)}
    book.note_committed(offsets)
    assert book.committable() == {}
    book.finish(started(book, Fake(9)))
    assert book.committable() == {P0: OffsetAndMetadata(10, "", 3)}


def test_work_of_a_partition_that_is_gone_does_not_count() -> None:
    book = ledger()
    running, waiting = started(book, Fake(1, raw_key=b"k")), book.take(Fake(2, raw_key=b"k"))
    assert waiting is None
    assert book.close([P0]) == 2
    following = book.finish(running)
    assert following is not None
    assert not book.start(following)
    assert book.finish(following) is None
    assert (book.in_flight, book.finished, book.committable()) == (0, 0, {})
    # The partition comes back: its history starts anew.
    book.finish(started(book, Fake(1, raw_key=b"k")))
    assert book.committable() == {P0: OffsetAndMetadata(2, "", 3)}


@pytest.mark.parametrize(
    ("ordering", "together"),
    [("key", 4), ("partition", 2), ("unordered", 6)],
)
def test_orderings(ordering: str, together: int) -> None:
    book = ledger(ordering=ordering)
    records = [
        Fake(1, raw_key=b"a"),
        Fake(2, raw_key=b"a"),
        Fake(3),
        Fake(4),
        Fake(1, partition=1, raw_key=b"a"),
        Fake(2, partition=1, raw_key=b"a"),
    ]
    assert sum(book.take(record) is not None for record in records) == together


def test_room_is_bounded_by_records_and_by_bytes() -> None:
    book = ledger(max_in_flight=3, max_in_flight_bytes=25)
    assert book.room() == 3
    first, _ = started(book, Fake(1)), started(book, Fake(2))
    assert book.room() == 1
    third = started(book, Fake(3))
    assert book.room() == 0
    book.finish(first)
    assert book.room() == 1
    assert not book.is_half_empty
    book.finish(third)
    assert book.is_half_empty


def started(book: WorkLedger, record: Fake) -> RecordWork:
    work = book.take(record)
    assert work is not None
    assert book.start(work)
    return work
