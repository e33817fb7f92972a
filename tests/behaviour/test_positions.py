"""Where a consumer reads: assigned, sought, found by time, and asked about."""

from __future__ import annotations

import pytest
from kafkars import OffsetAndTimestamp, TopicPartition, Watermarks
from kafkars.errors import ClientStateError, InvalidArgumentError, NoOffsetError, OffsetOutOfRangeError

from tests.support import admin
from tests.support.clients import Clients, numbers, read, values
from tests.support.waiting import SECONDS, Stopwatch, eventually


def test_an_assignment_with_offsets_starts_there(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=2)
    clients.fill(topic, range(10), partition=0)
    clients.fill(topic, range(100, 110), partition=1)
    consumer = clients.consumer({(topic, 0): 7, (topic, 1): None})
    records = read(consumer, 13)
    assert values(record for record in records if record.partition == 0) == numbers(7, 10)
    assert values(record for record in records if record.partition == 1) == numbers(100, 110)


def test_earliest_starts_at_the_oldest_record(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(3))
    assert values(read(clients.consumer([(topic, 0)], auto_offset_reset="earliest"), 3)) == numbers(3)


def test_latest_starts_after_the_newest_record(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(3))
    consumer = clients.consumer([(topic, 0)], auto_offset_reset="latest")
    assert consumer.position((topic, 0), timeout=SECONDS) == 3
    clients.fill(topic, [3])
    assert values(read(consumer, 1)) == [b"3"]


def test_none_raises_instead_of_choosing(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(3))
    consumer = clients.consumer([(topic, 0)], auto_offset_reset="none")
    with pytest.raises(NoOffsetError, match=topic) as caught:
        consumer.poll(timeout=SECONDS)
    assert (caught.value.topic, caught.value.partition) == (topic, 0)
    consumer.seek((topic, 0), 1)
    assert values(read(consumer, 2)) == numbers(1, 3)


def test_whoever_asks_for_a_position_hears_that_there_is_none(clients: Clients, topic: str) -> None:
    consumer = clients.consumer([(topic, 0)], auto_offset_reset="none")
    for _ in range(2):
        with pytest.raises(NoOffsetError, match=topic):
            consumer.position((topic, 0), timeout=5)


def test_a_seek_goes_back_and_forth(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(100))
    consumer = clients.consumer([(topic, 0)])
    for offset in (90, 0, 50, 99, 10):
        consumer.seek((topic, 0), offset)
        assert consumer.position((topic, 0)) == offset
        record = consumer.poll(timeout=SECONDS)
        assert record is not None
        assert record.value == str(offset).encode()
        assert consumer.position((topic, 0)) == offset + 1


def test_a_seek_during_a_long_poll_does_not_wait_for_it(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(10))
    consumer = clients.consumer([(topic, 0)], fetch_max_wait_ms=30_000)
    read(consumer, 10)
    with Stopwatch() as watch:
        consumer.seek((topic, 0), 4)
        assert values(read(consumer, 6)) == numbers(4, 10)
    assert watch.seconds < 10


def test_many_seeks_during_long_polls_do_not_wait_for_them(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(10))
    consumer = clients.consumer([(topic, 0)], fetch_max_wait_ms=30_000)
    read(consumer, 10)
    with Stopwatch() as watch:
        for offset in (4, 9, 0, 7):
            consumer.seek((topic, 0), offset)
            # To the end, so that the next thing the client does is to wait for more.
            assert values(read(consumer, 10 - offset)) == numbers(offset, 10)
            assert consumer.poll(timeout=0.05) is None
    assert watch.seconds < 10


def test_seeking_to_the_beginning_and_the_end(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=2)
    for partition in (0, 1):
        clients.fill(topic, range(5), partition=partition)
    consumer = clients.consumer([(topic, 0), (topic, 1)])
    read(consumer, 4)
    consumer.seek_to_end([(topic, 0)])
    consumer.seek_to_beginning([(topic, 1)])
    assert consumer.position((topic, 0), timeout=SECONDS) == 5
    assert values(read(consumer, 5)) == numbers(5)
    consumer.seek_to_beginning()
    assert len(read(consumer, 10)) == 10
    consumer.seek_to_end()
    for partition in (0, 1):
        assert consumer.position((topic, partition), timeout=SECONDS) == 5
    assert consumer.poll(timeout=0.1) is None
    clients.fill(topic, [5], partition=1)
    assert values(read(consumer, 1)) == [b"5"]


def test_seeking_by_time_finds_the_first_record_that_is_not_older(clients: Clients, topic: str) -> None:
    with clients.producer() as producer:
        for number in range(10):
            producer.send(topic, str(number), timestamp=1_000_000 + number * 1_000)
    consumer = clients.consumer([(topic, 0)])
    consumer.seek_to_timestamp(1_003_500)
    assert values(read(consumer, 6)) == numbers(4, 10)
    consumer.seek_to_timestamp(1_003_000, [(topic, 0)])
    assert values(read(consumer, 7)) == numbers(3, 10)
    consumer.seek_to_timestamp(0)
    assert values(read(consumer, 10)) == numbers(10)
    consumer.seek_to_timestamp(2_000_000)
    assert consumer.position((topic, 0), timeout=SECONDS) == 10


def test_offsets_are_found_by_time(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=2)
    with clients.producer() as producer:
        for number in range(10):
            producer.send(topic, str(number), partition=0, timestamp=1_000_000 + number * 1_000)
    consumer = clients.consumer([(topic, 0)])
    found = consumer.offsets_for_times({TopicPartition(topic, 0): 1_003_500, TopicPartition(topic, 1): 0})
    place = found[TopicPartition(topic, 0)]
    assert isinstance(place, OffsetAndTimestamp)
    assert (place.offset, place.timestamp) == (4, 1_004_000)
    assert place.leader_epoch is None or place.leader_epoch >= 0
    assert found[TopicPartition(topic, 1)] is None
    assert consumer.offsets_for_times({(topic, 0): 5_000_000}) == {TopicPartition(topic, 0): None}


def test_the_position_follows_what_was_handed_out(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(100))
    consumer = clients.consumer([(topic, 0)])
    assert consumer.position((topic, 0), timeout=SECONDS) == 0
    consumer.poll(timeout=SECONDS)
    assert consumer.position((topic, 0)) == 1
    read(consumer, 41)
    assert consumer.position((topic, 0)) == 42


def test_beginning_and_end_offsets_need_no_assignment(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=3)
    clients.fill(topic, range(7), partition=1)
    consumer = clients.consumer()
    places = [TopicPartition(topic, partition) for partition in range(3)]
    assert consumer.beginning_offsets(places) == dict.fromkeys(places, 0)
    assert consumer.end_offsets(places) == dict(zip(places, (0, 7, 0), strict=True))
    assert consumer.end_offsets(places[1]) == {places[1]: 7}
    # Brokers refuse a partition that is named twice.
    assert consumer.end_offsets([places[1], places[1]]) == {places[1]: 7}
    assert consumer.beginning_offsets([places[1], places[1]]) == {places[1]: 0}


def test_watermarks_and_lag_come_with_the_records(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(10))
    consumer = clients.consumer()
    consumer.assign([(topic, 0)])
    read(consumer, 4)
    assert consumer.watermarks((topic, 0)) == Watermarks(low=0, high=10)
    assert consumer.lag((topic, 0)) == 6
    read(consumer, 6)
    assert consumer.lag((topic, 0)) == 0
    clients.fill(topic, range(10, 13))
    assert eventually(lambda: consumer.lag((topic, 0)) == 3, "the lag has grown")


def test_watermarks_come_again_to_a_partition_that_is_back(clients: Clients, topic: str) -> None:
    """Brokers leave out what has not changed since they told it to the assignment before."""
    clients.fill(topic, range(10))
    consumer = clients.consumer({(topic, 0): 10})
    for _ in range(3):
        assert eventually(lambda: consumer.watermarks((topic, 0)), "the broker has told them") == Watermarks(0, 10)
        assert consumer.lag((topic, 0)) == 0
        consumer.unassign()
        consumer.assign({(topic, 0): 10})


def test_deleted_records_move_the_beginning(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(10))
    admin.delete_records(clients.broker, topic, 0, before=6)
    consumer = clients.consumer([(topic, 0)])
    assert consumer.beginning_offsets([(topic, 0)]) == {TopicPartition(topic, 0): 6}
    assert values(read(consumer, 4)) == numbers(6, 10)
    assert consumer.watermarks((topic, 0)) == Watermarks(low=6, high=10)


def test_an_offset_outside_the_log_starts_over_by_policy(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(10))
    admin.delete_records(clients.broker, topic, 0, before=6)
    for offset in (0, 999):
        assert values(read(clients.consumer({(topic, 0): offset}), 4)) == numbers(6, 10)


@pytest.mark.parametrize("offset", [0, 999])
def test_an_offset_outside_the_log_is_an_error_without_a_policy(clients: Clients, topic: str, offset: int) -> None:
    clients.fill(topic, range(10))
    admin.delete_records(clients.broker, topic, 0, before=6)
    consumer = clients.consumer({(topic, 0): offset}, auto_offset_reset="none")
    with pytest.raises(OffsetOutOfRangeError, match=f"{offset}") as caught:
        consumer.poll(timeout=SECONDS)
    assert (caught.value.topic, caught.value.partition, caught.value.offset) == (topic, 0, offset)
    consumer.seek((topic, 0), 8)
    assert values(read(consumer, 2)) == numbers(8, 10)


def test_only_assigned_partitions_have_a_position(clients: Clients, topic: str) -> None:
    consumer = clients.consumer([(topic, 0)])
    elsewhere = TopicPartition(topic, 5)
    for call in (
        lambda: consumer.seek(elsewhere, 0),
        lambda: consumer.seek_to_beginning([elsewhere]),
        lambda: consumer.seek_to_end([elsewhere]),
        lambda: consumer.seek_to_timestamp(0, [elsewhere]),
        lambda: consumer.pause([elsewhere]),
        lambda: consumer.resume([elsewhere]),
        lambda: consumer.watermarks(elsewhere),
        lambda: consumer.lag(elsewhere),
        lambda: consumer.position(elsewhere, timeout=SECONDS),
    ):
        with pytest.raises(ClientStateError, match=f"{topic}-5"):
            call()


def test_a_negative_offset_is_refused(clients: Clients, topic: str) -> None:
    consumer = clients.consumer([(topic, 0)])
    with pytest.raises(InvalidArgumentError, match="-3"):
        consumer.seek((topic, 0), -3)
    with pytest.raises(InvalidArgumentError, match="-3"):
        consumer.assign({(topic, 0): -3})
    assert consumer.assignment() == {TopicPartition(topic, 0)}


@pytest.mark.parametrize("places", ["topic", [("topic",)], [("topic", "0")], [(1, 0)], 5, [None]])
def test_what_is_no_partition_is_a_type_error(clients: Clients, places: object) -> None:
    consumer = clients.consumer()
    with pytest.raises(TypeError):
        consumer.assign(places)  # type: ignore[arg-type]
    assert consumer.assignment() == frozenset()
