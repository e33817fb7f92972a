"""Many records in one call: columns in, one handle out."""

from __future__ import annotations

import asyncio
from typing import Any

import kafkars
import kafkars.aio
import pytest
from kafkars.errors import (
    BufferFullError,
    InvalidPartitionError,
    KafkaTimeoutError,
    MessageTooLargeError,
    MetadataTimeoutError,
    RecordTooLargeError,
    SerializationError,
)
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.awaits import cancel, run
from tests.support.clients import Clients, numbers, read, values
from tests.support.waiting import SECONDS, Stopwatch


def test_all_are_stored_in_order_and_told_at_once_or_one_by_one(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer()
    sent = producer.send_many(topic, numbers(1_000))
    assert len(sent) == 1_000
    assert [each.offset for each in sent.result(SECONDS)] == list(range(1_000))
    assert sent.done()
    assert sent.failures(SECONDS) == {}
    assert [sent[0].result(SECONDS).offset, sent[-1].result(SECONDS).offset] == [0, 999]
    assert [each.result(SECONDS).offset for each in sent][500] == 500
    with pytest.raises(IndexError):
        sent[1_000]
    assert "1000 done" in repr(sent) or not isinstance(sent, kafkars.Deliveries)
    assert values(read(clients.consumer([(topic, 0)]), 1_000)) == numbers(1_000)


def test_every_part_of_a_record_has_a_column(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=3)
    producer: Any = clients.producer()
    producer.send_many(
        topic,
        [b"a", None, "c"],
        keys=(key for key in (b"1", None, "3")),
        partitions=[2, 2, 2],
        timestamps=[1, 2, None],
        headers=[[("name", b"x")], None, {"other": b"y"}],
    ).result(SECONDS)
    records = read(clients.consumer([(topic, 2)]), 3)
    assert [(record.key, record.value) for record in records] == [(b"1", b"a"), (None, None), (b"3", b"c")]
    assert [record.timestamp for record in records[:2]] == [1, 2]
    assert records[2].timestamp > 1_000_000
    assert [record.headers for record in records] == [(("name", b"x"),), (), (("other", b"y"),)]


def test_one_number_stands_for_all(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=3)
    producer: Any = clients.producer()
    stored = producer.send_many(topic, numbers(5), partitions=1, timestamps=77).result(SECONDS)
    assert {(each.partition, each.timestamp) for each in stored} == {(1, 77)}


def test_they_keep_their_place_among_single_sends(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer()
    producer.send(topic, b"0")
    producer.send_many(topic, numbers(1, 4))
    producer.send(topic, b"4")
    producer.flush(SECONDS)
    assert values(read(clients.consumer([(topic, 0)]), 5)) == numbers(5)


def test_none_at_all_is_done_at_once(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer()
    sent = producer.send_many(topic, [])
    assert len(sent) == 0
    assert sent.result(SECONDS) == []


def test_serializers_and_partition_functions_run_for_each(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=2)
    producer: Any = clients.producer(
        key_serializer=str.encode, value_serializer=lambda value: b"%d" % value, partitioner=lambda key, _: int(key)
    )
    stored = producer.send_many(topic, [5, 6], ["0", "1"]).result(SECONDS)
    assert [each.partition for each in stored] == [0, 1]
    assert values(read(clients.consumer([(topic, 1)]), 1)) == [b"6"]


@pytest.mark.parametrize(
    ("columns", "error", "named"),
    [
        ({"values": [b"1", 5]}, TypeError, "value.*int"),
        ({"values": b"text"}, TypeError, "values.*bytes"),
        ({"values": 5}, TypeError, "values.*int"),
        ({"values": [b"1"], "keys": [b"1", b"2"]}, ValueError, "keys.*2.*1"),
        ({"values": [b"1", b"2"], "partitions": [0, "0"]}, TypeError, "partition: .*str"),
        ({"values": [b"1", b"2"], "timestamps": [0, -1]}, ValueError, "-1"),
        ({"values": [b"1", b"2"], "timestamps": 2**70}, ValueError, "out of range"),
        ({"values": [b"1", b"2"], "timestamps": "now"}, TypeError, "timestamps"),
        ({"values": [b"1", b"2"], "partitions": [0, 7]}, InvalidPartitionError, "7"),
        ({"values": [b"1", bytes(2_000_000)]}, RecordTooLargeError, "max_request_size"),
    ],
)
def test_where_one_is_wrong_none_is_sent(
    clients: Clients, topic: str, columns: dict[str, Any], error: type[Exception], named: str
) -> None:
    producer: Any = clients.producer()
    producer.partitions_for(topic)
    with pytest.raises(error, match=named):
        producer.send_many(topic, **columns)
    assert producer.metrics()["unacknowledged"] == 0
    assert producer.send_many(topic, [b"value"]).result(SECONDS)[0].offset == 0


def test_the_error_says_which_one(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer(value_serializer=lambda value: value)
    producer.partitions_for(topic)
    with pytest.raises(SerializationError) as caught:
        producer.send_many(topic, [b"0", b"1", 2])
    assert caught.value.index == 2
    with pytest.raises(RecordTooLargeError) as too_large:
        producer.send_many(topic, [b"0", bytes(2_000_000), b"2"])
    assert too_large.value.index == 1


def test_those_that_the_broker_refuses_are_told_by_their_place(clients: Clients) -> None:
    topic = clients.broker.new_topic(settings={"max.message.bytes": "2000"})
    producer: Any = clients.producer(linger_ms=100)
    sent = producer.send_many(topic, [b"0", bytes(5_000), b"2"])
    failures = sent.failures(SECONDS)
    assert list(failures) == [1]
    assert isinstance(failures[1], MessageTooLargeError)
    with pytest.raises(MessageTooLargeError):
        sent.result(SECONDS)
    assert [sent[0].result(SECONDS).offset, sent[2].result(SECONDS).offset] == [0, 1]


def test_a_result_that_is_late_is_a_timeout_and_the_records_go_on(broker: Broker, topic: str) -> None:
    with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=60_000) as producer:
        sent = producer.send_many(topic, [b"1", b"2"])
        with pytest.raises(KafkaTimeoutError, match="2 of 2"):
            sent.result(0.05)
        assert not sent.done()
        producer.flush(SECONDS)
        assert len(sent.result()) == 2


def test_more_than_fits_waits_for_room(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer(buffer_memory=200_000, max_request_size=50_000, batch_size=20_000)
    sent = producer.send_many(topic, [bytes(1_000)] * 1_000)
    assert [each.offset for each in sent.result(SECONDS)] == list(range(1_000))


def test_room_that_does_not_come_is_told_with_what_was_taken() -> None:
    settings: dict[str, Any] = {"buffer_memory": 100_000, "max_request_size": 50_000, "retry_backoff_ms": 10}
    with EmbeddedBroker() as broker:
        broker.create_topic("topic")
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers, **settings) as producer:
            producer.partitions_for("topic")
            refused = broker.intercept("Produce", "NOT_ENOUGH_REPLICAS")
            with refused, Stopwatch() as watch, pytest.raises(BufferFullError, match="buffer_memory") as caught:
                producer.send_many("topic", [bytes(10_000)] * 100, timeout=0.2)
            assert 0.1 < watch.seconds < 10
            taken = len(caught.value.sent)
            assert 0 < taken < 100
            assert caught.value.index == taken
            assert [each.offset for each in caught.value.sent.result(SECONDS)] == list(range(taken))
            assert producer.send("topic", b"value").result(SECONDS).offset == taken


def test_an_unknown_topic_is_told_after_the_limit(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer(allow_auto_create_topics=False)
    producer.partitions_for(topic, timeout=SECONDS)
    with pytest.raises(MetadataTimeoutError):
        producer.send_many("no-such-topic", [b"value"], timeout=0.2).result(SECONDS)
    assert producer.send_many(topic, [b"value"]).result(SECONDS)[0].offset == 0


def test_asyncio_awaits_all_metadata_or_the_handle(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with kafkars.aio.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            # Before the topic is known: they wait in the queue of the topic, in order.
            first = producer.send_many(topic, numbers(100))
            second = producer.send_many(topic, numbers(100, 200))
            third = producer.send(topic, b"200")
            stored = [*await first, *await second, await third]
            assert [each.offset for each in stored] == list(range(201))
            handle = await producer.enqueue_many(topic, numbers(3))
            assert isinstance(handle, kafkars.aio.Deliveries)
            assert [each.offset for each in await handle] == [201, 202, 203]
            assert (await handle[1]).offset == 202
            assert [(await each).offset for each in handle] == [201, 202, 203]
            assert await handle.failures() == {}
            assert handle.done()
            assert [each.offset for each in await asyncio.create_task(producer.send_many(topic, [b"x"]))] == [204]

    run(test())


def test_asyncio_partition_functions_are_asked_when_the_topic_is_known(broker: Broker) -> None:
    topic = broker.new_topic(partitions=3)

    async def test() -> None:
        async with kafkars.aio.Producer(
            bootstrap_servers=broker.bootstrap_servers, partitioner=lambda _key, count: count - 1
        ) as producer:
            handle = await producer.enqueue_many(topic, numbers(10))
            stored = [*await handle, *await producer.send_many(topic, numbers(10))]
            assert [(each.partition, each.offset) for each in stored] == [(2, offset) for offset in range(20)]

    run(test())


def test_asyncio_cancelling_gives_up_what_has_not_entered() -> None:
    async def test() -> None:
        with EmbeddedBroker() as broker:
            broker.create_topic("topic")
            async with kafkars.aio.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
                with broker.intercept("Metadata", "delay", seconds=2.0, times=1):
                    await cancel(producer.send_many("topic", numbers(10)))
                    assert (await producer.send("topic", b"value")).offset == 0

    run(test())
