"""Sending: what is acknowledged is stored, in order, and the caller learns where."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars import TopicPartition
from kafkars.errors import (
    BufferFullError,
    ClosedError,
    InvalidPartitionError,
    InvalidRecordTimestampError,
)
from kafkars.testing import EmbeddedBroker

from tests.support.clients import Clients, numbers, read, values
from tests.support.waiting import SECONDS, Stopwatch


def test_what_was_sent_comes_back(clients: Clients, topic: str) -> None:
    headers = [("trace", b"1"), ("trace", b"2"), ("empty", b""), ("none", None)]
    stored = clients.producer().send(topic, b"value", b"key", headers=headers, timestamp=1_700_000_000_000)
    metadata = stored.result(SECONDS)

    (record,) = read(clients.consumer([(topic, 0)]), 1)

    assert (record.topic, record.partition, record.offset) == (topic, 0, metadata.offset)
    assert (record.key, record.value) == (b"key", b"value")
    assert list(record.headers) == headers
    assert record.timestamp == 1_700_000_000_000


def test_the_metadata_says_where_a_record_is(clients: Clients, topic: str) -> None:
    producer = clients.producer()
    first = producer.send(topic, b"value", b"key", timestamp=5).result(SECONDS)
    second = producer.send(topic, None).result(SECONDS)

    assert (first.topic, first.partition, first.offset, first.timestamp) == (topic, 0, 0, 5)
    assert (first.serialized_key_size, first.serialized_value_size) == (3, 5)
    assert (second.offset, second.serialized_key_size, second.serialized_value_size) == (1, -1, -1)


def test_records_of_a_partition_keep_the_order_they_were_sent_in(clients: Clients, topic: str) -> None:
    stored = clients.fill(topic, range(2_000))
    assert [metadata.offset for metadata in stored] == list(range(2_000))
    assert values(read(clients.consumer([(topic, 0)]), 2_000)) == numbers(2_000)


@pytest.mark.parametrize("value", [b"bytes", bytearray(b"bytes"), memoryview(b"bytes"), "bytes"])
def test_anything_that_holds_bytes_is_a_value_and_a_key(clients: Clients, topic: str, value: object) -> None:
    clients.producer().send(topic, value, value).result(SECONDS)
    (record,) = read(clients.consumer([(topic, 0)]), 1)
    assert (record.key, record.value) == (b"bytes", b"bytes")


def test_empty_and_absent_are_different(clients: Clients, topic: str) -> None:
    producer = clients.producer()
    for key, value in [(b"", b""), (None, b""), (b"", None), (None, None)]:
        producer.send(topic, value, key)
    producer.flush(SECONDS)
    records = read(clients.consumer([(topic, 0)]), 4)
    assert [(record.key, record.value) for record in records] == [(b"", b""), (None, b""), (b"", None), (None, None)]


def test_a_tombstone_has_a_key_and_no_value(clients: Clients, topic: str) -> None:
    clients.producer().send(topic, key=b"gone").result(SECONDS)
    (record,) = read(clients.consumer([(topic, 0)]), 1)
    assert (record.key, record.value, record.serialized_value_size) == (b"gone", None, -1)


@pytest.mark.parametrize("acks", ["all", -1, 1, 0])
def test_every_kind_of_acknowledgement_stores_everything(clients: Clients, topic: str, acks: str | int) -> None:
    producer = clients.producer(acks=acks)
    sent = [producer.send(topic, number) for number in numbers(100)]
    assert producer.flush(SECONDS) == 0
    offsets = [each.result(SECONDS).offset for each in sent]
    assert offsets == ([-1] * 100 if acks == 0 else list(range(100)))
    assert values(read(clients.consumer([(topic, 0)]), 100)) == numbers(100)


@pytest.mark.parametrize("idempotence", [True, False])
def test_idempotence_can_be_chosen(clients: Clients, topic: str, idempotence: bool) -> None:
    producer = clients.producer(enable_idempotence=idempotence)
    sent = [producer.send(topic, number) for number in numbers(10)]
    assert [each.result(SECONDS).offset for each in sent] == list(range(10))


def test_a_batch_waits_for_as_long_as_it_may_linger(clients: Clients, topic: str) -> None:
    producer = clients.producer(linger_ms=2_000)
    producer.partitions_for(topic)
    with Stopwatch() as watch:
        first, second = producer.send(topic, b"1"), producer.send(topic, b"2")
        first.result(SECONDS)
        second.result(SECONDS)
    assert watch.seconds >= 1.9
    assert producer.metrics()["batches_sent"] == 1


def test_a_full_batch_does_not_linger(clients: Clients, topic: str) -> None:
    producer = clients.producer(linger_ms=60_000, batch_size=2_000)
    sent = [producer.send(topic, bytes(1_000)) for _ in range(10)]
    with Stopwatch() as watch:
        assert sent[0].result(SECONDS).offset == 0
    assert watch.seconds < 10
    producer.flush(SECONDS)
    assert producer.metrics()["batches_sent"] >= 5


def test_records_beyond_a_batch_go_out_in_several(clients: Clients, topic: str) -> None:
    producer = clients.producer(batch_size=1_000, linger_ms=50)
    sent = [producer.send(topic, bytes([number]) * 300) for number in range(100)]
    assert producer.flush(SECONDS) == 0
    assert [each.result(SECONDS).offset for each in sent] == list(range(100))
    read_back = values(read(clients.consumer([(topic, 0)]), 100))
    assert read_back == [bytes([number]) * 300 for number in range(100)]


def test_a_flush_sends_what_lingers_and_returns_zero(clients: Clients, topic: str) -> None:
    producer = clients.producer(linger_ms=60_000)
    sent = [producer.send(topic, number) for number in numbers(10)]
    with Stopwatch() as watch:
        assert producer.flush() == 0
    assert watch.seconds < 10
    assert all(each.done() for each in sent)
    assert producer.metrics()["unacknowledged"] == 0


def test_a_flush_of_nothing_returns_at_once(clients: Clients) -> None:
    with Stopwatch() as watch:
        assert clients.producer().flush() == 0
    assert watch.seconds < SECONDS / 2


def test_time_running_out_tells_what_is_left(client_api: Any) -> None:
    with EmbeddedBroker() as broker, client_api.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send("any", b"value").result(SECONDS)
        broker.stop()
        sent = [producer.send("any", number) for number in numbers(3)]
        with Stopwatch() as watch:
            assert producer.flush(0.2) == 3
        assert 0.15 < watch.seconds < 5
        assert producer.close(0.1) == 3
        for each in sent:
            with pytest.raises(ClosedError):
                each.result(SECONDS)


def test_closing_sends_what_lingers(clients: Clients, topic: str) -> None:
    producer = clients.producer(linger_ms=60_000)
    sent = [producer.send(topic, number) for number in numbers(10)]
    producer.close()
    assert [each.result(SECONDS).offset for each in sent] == list(range(10))
    assert producer.closed
    producer.close()


def test_leaving_the_block_closes(clients: Clients, topic: str) -> None:
    with clients.api.Producer(bootstrap_servers=clients.broker.bootstrap_servers, linger_ms=60_000) as producer:
        sent = producer.send(topic, b"value")
    assert producer.closed
    assert sent.result(SECONDS).offset == 0


def test_a_partition_can_be_named(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=3)
    producer = clients.producer()
    for partition in (2, 0, 1, 2):
        assert producer.send(topic, b"value", partition=partition).result(SECONDS).partition == partition


def test_a_partition_that_does_not_exist_is_refused(clients: Clients, topic: str) -> None:
    with pytest.raises(InvalidPartitionError, match=f"{topic}.*7|7.*{topic}") as caught:
        clients.producer().send(topic, b"value", partition=7).result(SECONDS)
    assert (caught.value.topic, caught.value.partition) == (topic, 7)


def test_a_negative_timestamp_is_refused(clients: Clients, topic: str) -> None:
    with pytest.raises(InvalidRecordTimestampError, match="-5"):
        clients.producer().send(topic, b"value", timestamp=-5).result(SECONDS)


def test_more_than_the_buffer_holds_waits_for_room(clients: Clients, topic: str) -> None:
    producer = clients.producer(buffer_memory=50_000, max_request_size=10_000, batch_size=5_000)
    sent = [producer.send(topic, bytes(1_000)) for _ in range(500)]
    assert producer.flush(SECONDS) == 0
    assert [each.result(SECONDS).offset for each in sent] == list(range(500))
    assert producer.metrics()["buffer_used"] == 0


def test_no_room_in_time_is_an_error_that_says_so(clients: Clients, topic: str) -> None:
    producer = clients.producer(buffer_memory=20_000, max_request_size=10_000, max_block_ms=0)
    producer.partitions_for(topic, timeout=SECONDS)

    def send_faster_than_any_broker_answers() -> None:
        for each in [producer.send(topic, bytes(5_000)) for _ in range(1_000)]:
            each.result(SECONDS)

    with pytest.raises(BufferFullError, match="buffer_memory"):
        send_faster_than_any_broker_answers()
    assert producer.flush(SECONDS) == 0
    assert producer.send(topic, b"goes on").result(SECONDS).topic == topic


def test_many_topics_at_once(clients: Clients) -> None:
    topics = [clients.broker.new_topic(partitions=2) for _ in range(5)]
    producer = clients.producer()
    sent = [producer.send(topic, str(number).encode()) for number in range(100) for topic in topics]
    assert producer.flush(SECONDS) == 0
    assert {each.result(SECONDS).topic for each in sent} == set(topics)
    for topic in topics:
        partitions = [TopicPartition(topic, 0), TopicPartition(topic, 1)]
        assert sorted(values(read(clients.consumer(partitions), 100)), key=int) == numbers(100)


def test_a_topic_is_created_by_the_first_record(clients: Clients, topic: str) -> None:
    created = f"{topic}-created"
    assert clients.producer().send(created, b"value").result(SECONDS).offset == 0
    assert values(read(clients.consumer([(created, 0)]), 1)) == [b"value"]
