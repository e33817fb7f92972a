"""What `poll_batch` returns is a sequence of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from kafkars import TopicPartition

from tests.support.clients import Clients, numbers, values
from tests.support.waiting import SECONDS, eventually


@pytest.fixture
def batch(clients: Clients) -> Any:
    """One batch of 300 records of three partitions, fetched in several pieces."""
    topic = clients.broker.new_topic(partitions=3)
    for partition in range(3):
        for start in range(0, 100, 25):
            first = partition * 100 + start
            clients.fill(topic, range(first, first + 25), partition=partition)
    consumer = clients.consumer([(topic, partition) for partition in range(3)])
    consumer.pause()
    ends = consumer.end_offsets([(topic, partition) for partition in range(3)])
    assert set(ends.values()) == {100}
    consumer.resume()
    found: list[Any] = []

    def all_in_one() -> bool:
        consumer.seek_to_beginning()
        eventually(lambda: consumer.metrics()["buffered_bytes"] > 0 or None, "something is buffered")
        found[:] = [consumer.poll_batch(max_records=1_000, timeout=SECONDS)]
        return len(found[0]) == 300

    eventually(all_in_one, "all records are buffered before one call")
    return found[0]


def test_it_has_a_length(batch: Any) -> None:
    assert len(batch) == 300
    assert batch


def test_an_empty_one_is_false(clients: Clients, topic: str) -> None:
    consumer = clients.consumer([(topic, 0)])
    empty = consumer.poll_batch(timeout=0.05)
    assert not empty
    assert list(empty) == []
    assert empty.by_partition() == {}
    with pytest.raises(IndexError):
        empty[0]


def test_it_is_iterated_as_often_as_one_likes(batch: Any) -> None:
    once, twice = values(batch), values(batch)
    assert once == twice
    assert sorted(once, key=int) == numbers(300)


def test_it_is_indexed_from_both_ends(batch: Any) -> None:
    everything = list(batch)
    for index in (0, 1, 99, 100, 250, 299, -1, -2, -300):
        assert batch[index] == everything[index]
    for index in (300, -301):
        with pytest.raises(IndexError, match=str(index)):
            batch[index]


def test_it_is_sliced_into_batches(batch: Any) -> None:
    everything = list(batch)
    for part in (slice(10), slice(95, 205), slice(-10, None), slice(5, 5), slice(290, 1_000), slice(None)):
        assert list(batch[part]) == everything[part]
        assert len(batch[part]) == len(everything[part])
    assert list(batch[50:250][20:30]) == everything[70:80]


def test_a_slice_with_steps_is_refused_with_a_hint(batch: Any) -> None:
    with pytest.raises(ValueError, match="list"):
        batch[::2]


def test_something_else_than_a_number_is_no_index(batch: Any) -> None:
    with pytest.raises(TypeError, match="number or a slice"):
        batch["0"]


def test_each_partition_keeps_its_order(batch: Any) -> None:
    for partition in range(3):
        mine = [record for record in batch if record.partition == partition]
        assert [record.offset for record in mine] == list(range(100))


def test_it_splits_by_partition(batch: Any) -> None:
    topic = batch[0].topic
    parts = batch.by_partition()
    assert set(parts) == {TopicPartition(topic, partition) for partition in range(3)}
    for place, part in parts.items():
        first = place.partition * 100
        assert values(part) == numbers(first, first + 100)


def test_it_gives_bytes_without_records(batch: Any) -> None:
    assert batch.raw_values() == values(batch)
    assert batch.raw_keys() == [None] * 300


def test_it_is_searched_and_reversed(batch: Any) -> None:
    assert batch[3] in batch
    assert values(reversed(batch)) == values(batch)[::-1]


def test_it_is_a_sequence(batch: Any) -> None:
    assert isinstance(batch, Sequence)
    assert batch.index(batch[3]) == 3
    assert batch.count(batch[3]) == 1


def test_it_outlives_its_consumer(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(10))
    consumer = clients.consumer([(topic, 0)])
    batch = consumer.poll_batch(timeout=SECONDS)
    consumer.close()
    assert values(batch) == numbers(len(batch))
