"""Batches filled by hand and sent to one partition."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars import AppendedRecord
from kafkars.errors import InvalidArgumentError, InvalidPartitionError, MessageTooLargeError, RecordTooLargeError

from tests.support.clients import Clients, numbers, read, values
from tests.support.waiting import SECONDS


def test_a_batch_is_stored_as_a_whole_in_its_partition(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=2)
    producer: Any = clients.producer()
    batch = producer.create_batch()
    assert (batch.record_count(), len(batch), batch.closed) == (0, 0, False)
    empty = batch.size()
    first = batch.append(b"a", b"key", timestamp=5, headers=[("name", b"x")])
    assert isinstance(first, AppendedRecord)
    assert (first.offset, first.timestamp) == (0, 5)
    assert batch.size() == empty + first.size
    assert batch.append(None, "text").offset == 1
    metadata = producer.send_batch(batch, topic, partition=1).result(SECONDS)
    assert (metadata.partition, metadata.offset, metadata.timestamp) == (1, 0, 5)
    assert (metadata.serialized_key_size, metadata.serialized_value_size) == (3, 1)
    records = read(clients.consumer([(topic, 1)]), 2)
    assert [(record.key, record.value) for record in records] == [(b"key", b"a"), (b"text", None)]
    assert (records[0].timestamp, records[0].headers) == (5, (("name", b"x"),))


def test_a_full_batch_takes_no_more(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer(batch_size=10_000, compression_type="gzip")
    batch = producer.create_batch()
    count = 0
    while batch.append(bytes(100)) is not None:
        count += 1
    assert 80 < count < 100
    assert batch.size() <= 10_000
    assert batch.record_count() == count
    # A smaller one may still fit.
    assert producer.send_batch(batch, topic, partition=0).result(SECONDS).offset == 0
    assert len(read(clients.consumer([(topic, 0)]), count)) == count


def test_the_first_record_may_be_larger_than_a_batch_but_not_than_a_request(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer(batch_size=1_000, max_request_size=50_000)
    batch = producer.create_batch()
    with pytest.raises(RecordTooLargeError, match=r"max_request_size.*50000"):
        batch.append(bytes(60_000))
    assert batch.append(bytes(40_000)) is not None
    assert batch.append(b"more") is None
    assert producer.send_batch(batch, topic, partition=0).result(SECONDS).offset == 0


def test_a_closed_batch_takes_no_more_and_sending_closes(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer()
    batch = producer.create_batch()
    batch.append(b"value")
    batch.close()
    assert batch.append(b"late") is None
    other = producer.create_batch()
    other.append(b"value")
    producer.send_batch(batch, topic, partition=0)
    producer.send_batch(other, topic, partition=0)
    assert other.closed
    assert other.append(b"late") is None
    producer.flush(SECONDS)
    assert len(read(clients.consumer([(topic, 0)]), 2)) == 2


def test_batches_keep_their_place_among_records(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer(linger_ms=50)
    batch = producer.create_batch()
    for number in numbers(1, 4):
        batch.append(number)
    producer.send(topic, b"0")
    assert producer.send_batch(batch, topic, partition=0).result(SECONDS).offset == 1
    producer.send(topic, b"4").result(SECONDS)
    assert values(read(clients.consumer([(topic, 0)]), 5)) == numbers(5)


def test_a_batch_may_go_to_several_partitions(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=2)
    producer: Any = clients.producer()
    batch = producer.create_batch()
    batch.append(b"value")
    sent = [producer.send_batch(batch, topic, partition=partition) for partition in range(2)]
    assert [each.result(SECONDS).offset for each in sent] == [0, 0]


def test_an_impossible_batch_is_told(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer()
    batch = producer.create_batch()
    with pytest.raises(InvalidArgumentError, match="no record"):
        producer.send_batch(batch, topic, partition=0)
    with pytest.raises(ValueError, match="-1"):
        batch.append(b"value", timestamp=-1)
    with pytest.raises(TypeError, match=r"value.*int"):
        batch.append(5)
    batch.append(b"value")
    with pytest.raises(InvalidPartitionError, match="7"):
        producer.send_batch(batch, topic, partition=7).result(SECONDS)
    assert producer.send_batch(batch, topic, partition=0).result(SECONDS).offset == 0


@pytest.mark.parametrize("large", [False, True], ids=["too many records", "one too large"])
def test_a_batch_too_large_for_its_topic_fails_as_a_whole(clients: Clients, large: bool) -> None:
    topic = clients.broker.new_topic(settings={"max.message.bytes": "700"})
    producer: Any = clients.producer()
    batch = producer.create_batch()
    for number in range(12):
        assert batch.append(bytes(1_000 if large and number == 1 else 200)) is not None
    with pytest.raises(MessageTooLargeError):
        producer.send_batch(batch, topic, partition=0).result(SECONDS)
    # Nothing of it is stored: there is one outcome for all of its records.
    assert producer.send(topic, b"next", partition=0).result(SECONDS).offset == 0
