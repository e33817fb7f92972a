"""`SimpleConsumer` and `OffsetCommitContext`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock, patch

import pytest
from kafkars import Admin
from kafkars.compat.kafka_legacy import KafkaClient, SimpleConsumer, SimpleProducer
from kafkars.compat.kafka_legacy.common import (
    ConsumerFetchSizeTooSmall,
    FailedPayloadsError,
    FetchResponse,
    OffsetCommitRequest,
    OffsetOutOfRangeError,
    UnknownTopicOrPartitionError,
)
from kafkars.compat.kafka_legacy.consumer.base import Consumer
from kafkars.compat.kafka_legacy.consumer.simple import FetchContext
from kafkars.compat.kafka_legacy.context import OffsetCommitContext
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.waiting import SECONDS, Stopwatch, eventually


def fill(client: KafkaClient, topic: str, count: int, partitions: int = 1) -> None:
    """Messages 0, 1, ... in each partition, named by it."""
    producer = SimpleProducer(client, random_start=False)
    for partition in range(partitions):
        producer.send_messages(topic, *[b"%d-%d" % (partition, number) for number in range(count)])


def values(messages: list[Any]) -> list[bytes]:
    return [each.message.value for each in messages]


@pytest.fixture
def make(client: KafkaClient, group: Callable[[], str]) -> Any:
    """Consumers that read a topic of the test's own, stopped after it."""
    made: list[SimpleConsumer] = []

    def consumer(topic: str, name: str | None = None, **options: Any) -> SimpleConsumer:
        made.append(SimpleConsumer(client, name or group(), topic, **options))
        return made[-1]

    yield consumer
    for each in made:
        each.stop()


def test_messages_of_all_partitions(broker: Broker, client: KafkaClient, make: Any) -> None:
    topic = broker.new_topic(partitions=2)
    fill(client, topic, 10, 2)
    consumer = make(topic)
    assert consumer.pending() == 20
    assert consumer.pending([1]) == 10
    messages = consumer.get_messages(count=20, block=True, timeout=SECONDS)
    assert sorted(values(messages)) == sorted(b"%d-%d" % (each, number) for each in (0, 1) for number in range(10))
    assert consumer.offsets == {0: 10, 1: 10}
    assert consumer.pending() == 0
    assert consumer.get_message(block=False) is None
    assert consumer.get_messages(count=5, block=False) == []
    assert repr(consumer).startswith("<SimpleConsumer group=b'legacy-")


def test_some_partitions_and_which_it_was(broker: Broker, client: KafkaClient, make: Any) -> None:
    topic = broker.new_topic(partitions=3)
    fill(client, topic, 2, 3)
    consumer = make(topic, partitions=[0, 2])
    consumer.provide_partition_info()
    found = consumer.get_messages(count=4, timeout=SECONDS)
    assert sorted((partition, message.offset) for partition, message in found) == [(0, 0), (0, 1), (2, 0), (2, 1)]
    fill(client, topic, 1, 3)
    partition, message = consumer.get_message(timeout=SECONDS)
    assert (partition in {0, 2}, message.offset) == (True, 2)
    message = consumer.get_message(timeout=SECONDS, get_partition_info=False)
    assert message.message.value.endswith(b"-0")


def test_blocking_waits_for_as_many_as_it_says(embedded_broker: Broker, embedded: KafkaClient, group: Any) -> None:
    topic = embedded_broker.new_topic()
    fill(embedded, topic, 3)
    consumer = SimpleConsumer(embedded, group(), topic, auto_commit=False)
    with Stopwatch() as watch:
        assert len(consumer.get_messages(count=5, block=True, timeout=0.5)) == 3
    assert 0.5 <= watch.seconds < 5
    consumer.seek(0, 0)
    assert len(consumer.get_messages(count=5, block=3, timeout=SECONDS)) == 3
    consumer.seek(0, 0)
    assert len(consumer.get_messages(count=5, block=2, timeout=SECONDS)) == 3
    threading.Timer(0.3, lambda: fill(embedded.copy(), topic, 1)).start()
    assert values(consumer.get_messages(count=1, timeout=None)) == [b"0-0"]
    threading.Timer(0.3, lambda: fill(embedded.copy(), topic, 1)).start()
    assert consumer.get_message(block=True, timeout=None).offset == 4
    consumer.stop()


def test_iterating_ends_when_nothing_has_come_for_a_while(broker: Broker, client: KafkaClient, make: Any) -> None:
    topic = broker.new_topic()
    fill(client, topic, 300)
    assert values(list(make(topic, iter_timeout=0.5))) == [b"0-%d" % number for number in range(300)]


def test_seeking(broker: Broker, client: KafkaClient, make: Any) -> None:
    topic = broker.new_topic(partitions=2)
    fill(client, topic, 10, 2)
    consumer = make(topic, auto_commit=False)
    for arguments, offsets in (
        ((4,), {0: 4, 1: 4}),
        ((6, None, 1), {0: 4, 1: 6}),
        ((-2, 1), {0: 2, 1: 4}),
        ((3, 1, 0), {0: 5, 1: 4}),
        ((5, 0), {0: 3, 1: 2}),
        ((-5, 2), {0: 8, 1: 7}),
        ((2, 0, 1), {0: 8, 1: 2}),
        ((0, 2, 0), {0: 10, 1: 2}),
    ):
        consumer.seek(*arguments)
        assert consumer.offsets == offsets, arguments
    found = consumer.get_messages(count=8, timeout=SECONDS)
    assert values(found) == [b"1-%d" % number for number in range(2, 10)]
    # What was read ahead is forgotten.
    consumer.seek(0, 0)
    consumer.get_message(timeout=SECONDS)
    consumer.seek(9, None, 0)
    consumer.seek(9, None, 1)
    assert sorted(values(consumer.get_messages(count=2, timeout=SECONDS))) == [b"0-9", b"1-9"]
    with pytest.raises(ValueError, match="whence"):
        consumer.seek(0, 7)


def test_commits_are_what_a_later_consumer_begins_with(
    broker: Broker, client: KafkaClient, make: Any, group: Any
) -> None:
    topic, name = broker.new_topic(), group()
    fill(client, topic, 10)
    consumer = make(topic, name, auto_commit=False)
    assert consumer.commit() is None
    consumer.get_messages(count=4, timeout=SECONDS)
    assert consumer.commit() is True
    assert consumer.commit() is None
    assert make(topic, name, auto_commit=False).offsets == {0: 4}
    # Nothing is committed at the end of a consumer that is not to.
    consumer.get_messages(count=2, timeout=SECONDS)
    consumer.stop()
    later = make(topic, name)
    assert later.offsets == {0: 4}
    later.get_messages(count=3, timeout=SECONDS)
    later.stop()
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        assert [each.offset for each in admin.list_group_offsets([name])[name].values()] == [7]
    consumer.fetch_last_known_offsets()
    assert consumer.offsets == {0: 7}


def committed(client: KafkaClient, name: str, topic: str) -> int:
    return SimpleConsumer(client, name, topic, auto_commit=False).offsets[0]


def test_commits_by_number_and_by_time(embedded_broker: Broker, embedded: KafkaClient, group: Any) -> None:
    topic = embedded_broker.new_topic()
    fill(embedded, topic, 10)
    by_number, by_time = group(), group()
    consumer = SimpleConsumer(embedded, by_number, topic, auto_commit_every_n=4, auto_commit_every_t=None)
    for number, expected in ((3, 0), (1, 4), (3, 4), (1, 8)):
        for _ in range(number):
            consumer.get_message(timeout=SECONDS)
        assert committed(embedded, by_number, topic) == expected
    timed = SimpleConsumer(embedded, by_time, topic, auto_commit_every_n=None, auto_commit_every_t=50)
    timed.get_messages(count=5, timeout=SECONDS)
    eventually(lambda: committed(embedded, by_time, topic) == 5, "the timer commits")
    timed.stop()
    consumer.stop()


def test_a_failed_commit_is_false(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    fill(embedded, topic, 3)
    consumer = SimpleConsumer(embedded, None, topic, auto_commit=False)
    consumer.get_messages(count=3, timeout=SECONDS)
    assert consumer.commit() is False
    with pytest.raises(ValueError, match="group"):
        consumer.fetch_last_known_offsets()
    consumer.stop()


def test_buffers_grow_as_far_as_they_may(embedded_broker: Broker, embedded: KafkaClient, group: Any) -> None:
    topic = embedded_broker.new_topic()
    large = bytes(100_000)
    SimpleProducer(embedded).send_messages(topic, b"small", large, b"small")
    with pytest.raises(ValueError, match="max_buffer_size"):
        SimpleConsumer(embedded, group(), topic, buffer_size=100, max_buffer_size=99)
    for limit in (None, 200_000):
        consumer = SimpleConsumer(embedded, group(), topic, max_buffer_size=limit, auto_commit=False)
        assert values(consumer.get_messages(count=3, timeout=SECONDS)) == [b"small", large, b"small"]
        consumer.stop()
    narrow = SimpleConsumer(embedded, group(), topic, auto_commit=False)
    assert values(narrow.get_messages(count=1, timeout=SECONDS)) == [b"small"]
    with pytest.raises(ConsumerFetchSizeTooSmall):
        narrow.get_messages(count=1, timeout=SECONDS)
    # The first one stays where it is.
    assert narrow.offsets == {0: 1}
    narrow.stop()


@pytest.mark.parametrize(("policy", "first"), [("smallest", 5), ("largest", 10)])
def test_offsets_that_are_not_in_the_log(
    broker: Broker, client: KafkaClient, make: Any, policy: str, first: int
) -> None:
    topic = broker.new_topic()
    fill(client, topic, 10)
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        admin.delete_records({(topic, 0): 5})
    consumer = make(topic, auto_offset_reset=policy, auto_commit=False)
    assert consumer.offsets == {0: 0}
    consumer.get_message(block=False)
    fill(client, topic, 1)
    assert consumer.get_message(timeout=SECONDS).offset in {first, first + 1}
    assert consumer.reset_partition_offset(0) == {"smallest": 5, "largest": 11}[policy]


def test_a_partition_that_is_reset_delays_no_other(embedded_broker: Broker, embedded: KafkaClient, group: Any) -> None:
    topic = embedded_broker.new_topic(partitions=2)
    fill(embedded, topic, 1)
    consumer = SimpleConsumer(embedded, group(), topic, auto_offset_reset="smallest", auto_commit=False)
    consumer.seek(50, None, 1)
    with Stopwatch() as watch:
        assert consumer.get_message(timeout=SECONDS).offset == 0
    assert watch.seconds < SECONDS / 2
    assert consumer.offsets == {0: 1, 1: 0}
    consumer.stop()


def test_no_policy_is_an_error(embedded_broker: Broker, embedded: KafkaClient, group: Any) -> None:
    topic = embedded_broker.new_topic()
    consumer = SimpleConsumer(embedded, group(), topic, auto_offset_reset=None, auto_commit=False)
    consumer.seek(50)
    with pytest.raises(OffsetOutOfRangeError) as raised:
        consumer.get_message()
    assert isinstance(raised.value.args[0], FetchResponse)
    with pytest.raises(OffsetOutOfRangeError, match="auto_offset_reset"):
        consumer.reset_partition_offset(0)
    consumer.stop()


def test_a_topic_that_goes(group: Any) -> None:
    with EmbeddedBroker(auto_create_topics=False) as broker:
        broker.create_topic("topic")
        client = KafkaClient(broker.bootstrap_servers, timeout=3)
        consumer = SimpleConsumer(client, group(), "topic", auto_commit=False)
        assert consumer.get_message(block=False) is None
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.delete_topics(["topic"])
        with pytest.raises(UnknownTopicOrPartitionError):
            consumer.get_messages(count=1, timeout=SECONDS)
        consumer.stop()
        client.close()


def test_a_broker_that_goes_and_comes_back(group: Any) -> None:
    with EmbeddedBroker() as broker:
        broker.create_topic("topic")
        client = KafkaClient(broker.bootstrap_servers, timeout=3)
        fill(client, "topic", 3)
        consumer = SimpleConsumer(client, group(), "topic", auto_commit=False)
        assert consumer.get_message(timeout=SECONDS).offset == 0
        broker.stop_node(1)
        # What has come already is still given out.
        assert values(consumer.get_messages(count=2, timeout=SECONDS)) == [b"0-1", b"0-2"]
        assert consumer.get_message(timeout=0.1) is None
        broker.start_node(1)
        fill(client, "topic", 1)
        assert consumer.get_message(timeout=SECONDS).offset == 3
        consumer.stop()
        client.close()


def test_partitions_are_numbers(embedded_broker: Broker, embedded: KafkaClient, group: Any) -> None:
    with pytest.raises(AssertionError):
        SimpleConsumer(embedded, group(), embedded_broker.new_topic(), partitions=["0"])  # type: ignore[list-item]


def test_stopping_one_consumer_stops_no_other(embedded_broker: Broker, embedded: KafkaClient, group: Any) -> None:
    topic = embedded_broker.new_topic()
    first, second = (SimpleConsumer(embedded, group(), topic) for _ in range(2))
    with patch("atexit.unregister") as unregister:
        first.stop()
    assert unregister.call_args[0][0] is first._cleanup_func
    assert first._cleanup_func != second._cleanup_func
    second.stop()


def test_fetches_that_fail_are_asked_again() -> None:
    client = MagicMock()
    consumer = SimpleConsumer(client, None, "topic", partitions=[0], auto_commit=False)
    client.send_fetch_request.side_effect = lambda requests, **_: [FailedPayloadsError(each) for each in requests]
    assert consumer.get_message(block=False) is None
    assert client.send_fetch_request.call_count == 2
    with FetchContext(consumer, True, 2.5):
        assert (consumer.fetch_max_wait_time, consumer.fetch_min_bytes) == (2500, 1)
        with FetchContext(consumer, False, None):
            assert consumer.fetch_min_bytes == 0
    assert (consumer.fetch_max_wait_time, consumer.fetch_min_bytes) == (100, 4096)
    assert isinstance(consumer, Consumer)


def test_a_context_commits_what_is_marked(broker: Broker, client: KafkaClient, make: Any, group: Any) -> None:
    topic, name = broker.new_topic(), group()
    fill(client, topic, 10)
    consumer = make(topic, name, auto_commit=False)
    consumer.provide_partition_info()
    with OffsetCommitContext(consumer) as context:
        assert not context
        for partition, message in consumer.get_messages(count=6, timeout=SECONDS)[:4]:
            context.mark(partition, message.offset)
        assert context
        assert context.__nonzero__()
    assert consumer.offsets == {0: 4}
    assert committed(client, name, topic) == 4
    # Without a mark, and after an error, everything is read again.
    with OffsetCommitContext(consumer):
        assert len(consumer.get_messages(count=3, timeout=SECONDS)) == 3
    assert consumer.offsets == {0: 4}

    def fail() -> None:
        with OffsetCommitContext(consumer) as context:
            context.mark(*[(each, message.offset) for each, message in consumer.get_messages(3, timeout=SECONDS)][-1])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert consumer.offsets == {0: 4}
    assert committed(client, name, topic) == 4
    with OffsetCommitContext(consumer):
        raise OffsetOutOfRangeError
    assert consumer.offsets == {0: 0}
    assert values([message for _, message in consumer.get_messages(1, timeout=SECONDS)]) == [b"0-0"]


def test_a_context_whose_commit_fails(embedded_broker: Broker, embedded: KafkaClient, group: Any) -> None:
    topic = embedded_broker.new_topic()
    consumer = SimpleConsumer(embedded, group(), topic, auto_commit=False)
    context = OffsetCommitContext(consumer)
    failure = FailedPayloadsError(OffsetCommitRequest(topic.encode(), 0, 1, None))
    with (
        patch.object(embedded, "send_offset_commit_request", return_value=[failure]),
        pytest.raises(FailedPayloadsError),
    ):
        context.commit_partition_offsets({0: 1})
    consumer.stop()


def test_what_was_taken_before_an_error_is_read_again(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    fill(embedded, topic, 5)
    SimpleProducer(embedded).send_messages(topic, bytes(50_000))
    consumer = SimpleConsumer(embedded, None, topic, auto_commit=False)
    for _ in range(2):
        with pytest.raises(ConsumerFetchSizeTooSmall):
            consumer.get_messages(count=10, timeout=SECONDS)
        assert consumer.offsets == {0: 0}
    consumer.max_buffer_size = None
    assert [each.offset for each in consumer.get_messages(count=6, timeout=SECONDS)] == list(range(6))
    consumer.stop()
