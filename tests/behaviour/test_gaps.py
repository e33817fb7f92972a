"""Offsets are not dense: compaction and transactions leave gaps, and readers step over them."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars import TopicPartition

from tests.support.clients import Clients, numbers, read, values
from tests.support.waiting import SECONDS

COMPACTED = {
    "cleanup.policy": "compact",
    "segment.ms": "100",
    "min.cleanable.dirty.ratio": "0.01",
    "min.compaction.lag.ms": "0",
    "max.compaction.lag.ms": "100",
}


@pytest.mark.kafka
@pytest.mark.timeout(120)
def test_compacted_records_are_stepped_over(kafka_clients: Clients) -> None:
    topic = kafka_clients.broker.new_topic(settings=COMPACTED)
    producer = kafka_clients.producer()
    for number in range(100):
        key = f"only {number}" if number % 10 == 0 else f"key {number % 10}"
        producer.send(topic, str(number), key)
    producer.flush(SECONDS)

    kept: list[Any] = []
    # A segment that is written to is not compacted: each new record closes the one before.
    for round_number in range(1_000):
        last = producer.send(topic, "filler", f"filler {round_number}").result(SECONDS).offset
        found = read_to(kafka_clients, topic, last)
        # Fillers have keys of their own.
        kept = [record for record in found if record.value != b"filler"]
        if len(kept) <= 19:
            break
    assert [record.offset for record in kept] == [*range(0, 100, 10), *range(91, 100)]
    assert values(kept) == [str(record.offset).encode() for record in kept]

    # A position in a gap goes on at the next record that is there.
    for gap, next_offset in [(1, 10), (85, 90)]:
        consumer = kafka_clients.consumer({(topic, 0): gap})
        (record,) = read(consumer, 1)
        assert record.offset == next_offset
        assert consumer.position((topic, 0)) == next_offset + 1


def read_to(clients: Clients, topic: str, last: int) -> list[Any]:
    """Everything from the oldest record to offset `last`."""
    with clients.api.Consumer(bootstrap_servers=clients.broker.bootstrap_servers) as consumer:
        consumer.assign([(topic, 0)])
        consumer.seek_to_beginning()
        found: list[Any] = []
        while not found or found[-1].offset < last:
            found.extend(read(consumer, 1))
        return found


@pytest.mark.kafka
def test_committed_readers_see_committed_transactions_only(kafka_clients: Clients) -> None:
    topic = kafka_clients.broker.new_topic()
    producer = transactional(kafka_clients, topic)
    write(producer, topic, range(10), commit=True)
    write(producer, topic, range(10, 20), commit=False)
    write(producer, topic, range(20, 30), commit=True)

    committed = kafka_clients.consumer([(topic, 0)], isolation_level="read_committed")
    records = read(committed, 20)
    assert values(records) == numbers(10) + numbers(20, 30)
    # Ten records, a commit marker, ten aborted ones, an abort marker.
    assert [record.offset for record in records] == [*range(10), *range(22, 32)]
    assert committed.poll(timeout=0.1) is None
    # Past the last marker, so that no lag is left.
    assert committed.position((topic, 0), timeout=SECONDS) == 33
    assert committed.lag((topic, 0)) == 0

    everything = read(kafka_clients.consumer([(topic, 0)]), 30)
    assert values(everything) == numbers(30)


@pytest.mark.kafka
def test_committed_readers_stop_before_an_open_transaction(kafka_clients: Clients) -> None:
    topic = kafka_clients.broker.new_topic()
    producer = transactional(kafka_clients, topic)
    write(producer, topic, range(5), commit=True)
    producer.begin_transaction()
    producer.produce(topic, b"open")
    producer.flush(SECONDS)

    place = TopicPartition(topic, 0)
    committed = kafka_clients.consumer([place], isolation_level="read_committed")
    uncommitted = kafka_clients.consumer([place])
    assert values(read(committed, 5)) == numbers(5)
    assert committed.poll(timeout=0.2) is None
    assert values(read(uncommitted, 6)) == [*numbers(5), b"open"]
    assert committed.end_offsets([place]) == {place: 6}
    assert uncommitted.end_offsets([place]) == {place: 7}

    producer.commit_transaction(SECONDS)
    assert values(read(committed, 1)) == [b"open"]


def transactional(clients: Clients, name: str) -> Any:
    """Another library's producer with a transactional id: ours has none yet."""
    peer = pytest.importorskip("confluent_kafka")
    producer = peer.Producer({"bootstrap.servers": clients.broker.bootstrap_servers, "transactional.id": name})
    producer.init_transactions(SECONDS)
    return producer


def write(producer: Any, topic: str, written: range, *, commit: bool) -> None:
    producer.begin_transaction()
    for number in written:
        producer.produce(topic, str(number).encode())
    producer.flush(SECONDS)
    (producer.commit_transaction if commit else producer.abort_transaction)(SECONDS)
