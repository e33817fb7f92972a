"""The old `KafkaConsumer`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest
from kafkars import Admin
from kafkars.compat.kafka_legacy import KafkaClient, KafkaConsumer, SimpleProducer
from kafkars.compat.kafka_legacy.common import (
    ConsumerFetchSizeTooSmall,
    ConsumerTimeout,
    KafkaConfigurationError,
    KafkaMessage,
    KafkaUnavailableError,
    OffsetOutOfRangeError,
    UnknownTopicOrPartitionError,
)
from kafkars.compat.kafka_legacy.consumer.kafka import OffsetsStruct
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.waiting import Stopwatch

Make = Callable[..., KafkaConsumer]


@pytest.fixture
def make(broker: Broker) -> Iterator[Make]:
    """Consumers that read from the beginning, closed after the test."""
    made: list[KafkaConsumer] = []

    def consumer(*topics: Any, **settings: Any) -> KafkaConsumer:
        settings = {"auto_offset_reset": "smallest", "consumer_timeout_ms": 500, **settings}
        made.append(KafkaConsumer(*topics, bootstrap_servers=[broker.bootstrap_servers], **settings))
        return made[-1]

    yield consumer
    for each in made:
        each.close()


def fill(client: KafkaClient, topic: str, count: int, partitions: int = 1) -> None:
    producer = SimpleProducer(client, random_start=False)
    for partition in range(partitions):
        producer.send_messages(topic, *[b"%d-%d" % (partition, number) for number in range(count)])


def rest(consumer: KafkaConsumer) -> list[KafkaMessage]:
    """What comes until the time-out."""
    found = []
    with pytest.raises(ConsumerTimeout):
        while True:
            found.append(consumer.next())
    return found


def test_messages_come_until_the_time_out(broker: Broker, client: KafkaClient, make: Make) -> None:
    topic = broker.new_topic(partitions=2)
    fill(client, topic, 10, 2)
    consumer = make(topic)
    assert iter(consumer) is consumer
    first = next(consumer)
    assert first._fields == ("topic", "partition", "offset", "key", "value")
    assert (first.topic, first.offset, first.key) == (topic.encode(), 0, None)
    found = [first, *rest(consumer)]
    assert sorted(each.value for each in found) == sorted(b"%d-%d" % (at, each) for at in (0, 1) for each in range(10))
    with Stopwatch() as watch:
        assert rest(consumer) == []
    assert 0.5 <= watch.seconds < 5
    assert repr(consumer) == f"<KafkaConsumer topics=({topic}-0|{topic}-1)>"


def test_fetch_messages_is_one_round(broker: Broker, client: KafkaClient, make: Make) -> None:
    topic = broker.new_topic()
    fill(client, topic, 10)
    consumer = make(topic, deserializer_class=lambda value: value.decode().upper(), fetch_message_max_bytes=100)
    assert [each.value for each in consumer.fetch_messages()] == ["0-0", "0-1", "0-2"]
    assert [each.offset for each in islice(consumer.fetch_messages(), 2)] == [3, 4]
    assert consumer.offsets("fetch") == {(topic.encode(), 0): 5}
    assert consumer.offsets("highwater") == {(topic.encode(), 0): 10}
    while list(consumer.fetch_messages()):
        pass
    assert consumer.offsets("fetch") == {(topic.encode(), 0): 10}


def test_what_is_read_is_said_in_many_ways(embedded_broker: Broker, embedded: KafkaClient) -> None:
    one, two, three = (embedded_broker.new_topic(partitions=3) for _ in range(3))
    for topic in (one, two, three):
        fill(embedded, topic, 5, 3)
    a, b, c = (topic.encode() for topic in (one, two, three))
    consumer = KafkaConsumer(bootstrap_servers=embedded_broker.bootstrap_servers, auto_offset_reset="smallest")
    for topics, fetched in (
        ((one,), {(a, 0): 0, (a, 1): 0, (a, 2): 0}),
        ((a, (two, 2), {three: 0}), {(a, 0): 0, (a, 1): 0, (a, 2): 0, (b, 2): 0, (c, 0): 0}),
        (((one, 0, 3), (b, 1, 4)), {(a, 0): 3, (b, 1): 4}),
        (({(one, 0): 2, (two, 1): 3},), {(a, 0): 2, (b, 1): 3}),
        (({one: [0, 1], two: (2,)},), {(a, 0): 0, (a, 1): 0, (b, 2): 0}),
    ):
        consumer.set_topic_partitions(*topics)
        assert consumer.offsets("fetch") == fetched
        nothing = dict.fromkeys(fetched)
        assert consumer.offsets() == {"fetch": fetched, "commit": nothing, "task_done": nothing, "highwater": nothing}
        assert {each[:2] for each in consumer.fetch_messages()} == set(fetched)
    for wrong in (12, {one: "text"}, {12: 1}, (one, "0"), {one: ["0"]}):
        with pytest.raises(KafkaConfigurationError):
            consumer.set_topic_partitions(wrong)
    for unknown in ((one, 9), {one: 9}, (b"nobody has heard of it", 0)):
        with pytest.raises(UnknownTopicOrPartitionError):
            consumer.set_topic_partitions(unknown)
    consumer.set_topic_partitions()
    with pytest.raises(KafkaConfigurationError, match="No topics"):
        consumer.next()
    consumer.close()


def test_only_what_is_done_is_committed(broker: Broker, client: KafkaClient, make: Make, group: Any) -> None:
    topic, name = broker.new_topic(partitions=2), group()
    fill(client, topic, 5, 2)
    consumer = make(topic, group_id=name)
    assert consumer.commit() is False
    found = rest(consumer)
    assert len(found) == 10
    assert consumer.commit() is False
    for message in found:
        if message.partition == 0 and message.offset < 3:
            assert consumer.task_done(message) is True
    place = (topic.encode(), 0)
    assert consumer.offsets("task_done")[place] == 2
    assert consumer.commit() is True
    assert consumer.commit() is False
    assert consumer.offsets("commit")[place] == 3
    later = make(topic, group_id=name)
    assert sorted(each.value for each in rest(later) if each.partition == 0) == [b"0-3", b"0-4"]
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        stored = admin.list_group_offsets([name])[name]
        assert {partition.partition: each.offset for partition, each in stored.items()} == {0: 3}


def test_what_is_done_out_of_turn_is_in_the_log(
    embedded_broker: Broker, embedded: KafkaClient, group: Any, caplog: pytest.LogCaptureFixture
) -> None:
    topic = embedded_broker.new_topic()
    fill(embedded, topic, 5)
    consumer = KafkaConsumer(
        topic, bootstrap_servers=embedded_broker.bootstrap_servers, auto_offset_reset="smallest", group_id=group()
    )
    first, second, third = islice(consumer, 3)
    with caplog.at_level(logging.WARNING, "kafka"):
        assert consumer.task_done(first._replace(partition=7)) is False
        consumer.task_done(first)
        assert "non-continuous" not in caplog.text
        consumer.task_done(third)
        assert "non-continuous" in caplog.text
        consumer.commit()
        consumer.task_done(second)
        assert "previously committed" in caplog.text
    consumer.close()


@pytest.mark.parametrize("settings", [{"auto_commit_interval_messages": 3}, {"auto_commit_interval_ms": 1}])
def test_commits_that_nobody_asks_for(
    embedded_broker: Broker, embedded: KafkaClient, group: Any, settings: dict[str, int]
) -> None:
    topic = embedded_broker.new_topic()
    fill(embedded, topic, 5)
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=embedded_broker.bootstrap_servers,
        auto_offset_reset="smallest",
        auto_commit_enable=True,
        group_id=group(),
        **settings,
    )
    for message in islice(consumer, 4):
        consumer.task_done(message)
        if "auto_commit_interval_ms" in settings:
            with Stopwatch() as watch:
                while watch.seconds < 0.005:
                    pass
    committed = consumer.offsets("commit")[topic.encode(), 0]
    assert committed == 3 if "auto_commit_interval_messages" in settings else committed
    consumer.close()


def test_offsets_of_partitions(broker: Broker, client: KafkaClient, make: Make) -> None:
    topic = broker.new_topic()
    fill(client, topic, 5)
    consumer = make(topic)
    for name in (topic, topic.encode()):
        assert consumer.get_partition_offsets(name, 0, -1, 1) == (5,)
        assert consumer.get_partition_offsets(name, 0, -2, 1) == (0,)
        assert consumer.get_partition_offsets(name, 0, -1, 5) == (5, 0)
    with pytest.raises(UnknownTopicOrPartitionError):
        consumer.get_partition_offsets(topic, 9, -1, 1)


def test_offsets_that_are_not_in_the_log(broker: Broker, client: KafkaClient, make: Make) -> None:
    topic = broker.new_topic()
    fill(client, topic, 5)
    assert [each.offset for each in rest(make((topic, 0, 99)))] == [0, 1, 2, 3, 4]
    consumer = make((topic, 0, 99), auto_offset_reset="largest")
    assert list(consumer.fetch_messages()) == []
    assert consumer.offsets("fetch") == {(topic.encode(), 0): 5}
    strict = make((topic, 0, 99), auto_offset_reset="neither")
    with pytest.raises(OffsetOutOfRangeError):
        strict.next()
    with pytest.raises(OffsetOutOfRangeError, match="auto_offset_reset"):
        make(topic, auto_offset_reset=None)


def test_a_message_that_is_too_large(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    SimpleProducer(embedded).send_messages(topic, bytes(1000))
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=embedded_broker.bootstrap_servers,
        auto_offset_reset="smallest",
        fetch_message_max_bytes=100,
    )
    with pytest.raises(ConsumerFetchSizeTooSmall):
        consumer.next()
    consumer.close()


def test_what_cannot_be_deserialized_is_given_again(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    SimpleProducer(embedded).send_messages(topic, b"1", b"text", b"3")
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=embedded_broker.bootstrap_servers,
        auto_offset_reset="smallest",
        deserializer_class=int,
    )
    assert consumer.next().value == 1
    for _ in range(2):
        with pytest.raises(ValueError, match="text"):
            consumer.next()
    assert consumer.offsets("fetch") == {(topic.encode(), 0): 1}
    consumer.close()


def test_settings(embedded_broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    servers = embedded_broker.bootstrap_servers
    assert len(KafkaConsumer.DEFAULT_CONFIG) == 20
    assert KafkaConsumer.DEFAULT_CONFIG["deserializer_class"](b"same") == b"same"
    with pytest.raises(KafkaConfigurationError, match="bootstrap_servers"):
        KafkaConsumer("topic")
    with pytest.raises(KafkaConfigurationError, match="nonsense"):
        KafkaConsumer(bootstrap_servers=servers, nonsense=1)
    with pytest.raises(KafkaConfigurationError, match="group_id"):
        KafkaConsumer(bootstrap_servers=servers, auto_commit_enable=True)
    with pytest.raises(KafkaUnavailableError):
        KafkaConsumer(bootstrap_servers="127.0.0.1:1", socket_timeout_ms=1000)
    with caplog.at_level(logging.WARNING, "kafka"):
        consumer = KafkaConsumer(metadata_broker_list=servers)
    assert "bootstrap_servers" in caplog.text
    with pytest.raises(KafkaConfigurationError, match="group_id"):
        consumer.commit()
    consumer.configure(bootstrap_servers=[servers], group_id="group")
    consumer.close()
    assert OffsetsStruct._fields == ("fetch", "highwater", "commit", "task_done")


def test_a_broker_that_goes_and_comes_back() -> None:
    with EmbeddedBroker() as broker:
        broker.create_topic("topic")
        client = KafkaClient(broker.bootstrap_servers)
        fill(client, "topic", 1)
        consumer = KafkaConsumer(
            "topic",
            bootstrap_servers=broker.bootstrap_servers,
            auto_offset_reset="smallest",
            socket_timeout_ms=1000,
            consumer_timeout_ms=500,
        )
        assert consumer.next().offset == 0
        broker.stop_node(1)
        assert rest(consumer) == []
        broker.start_node(1)
        fill(client, "topic", 1)
        assert consumer.next().offset == 1
        consumer.close()
        client.close()
