"""Messages as they come: fields, batches, ends of partitions, errors."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest

from tests.compat.confluent.conftest import FACE, Clients, places, poll_until
from tests.kafka.cluster import wait_until

FACE_ALONE = (FACE, "embedded_broker")


def test_a_message_has_the_parts_it_was_sent_with(clients: Clients) -> None:
    topic = clients.topic()
    producer = clients.writer()
    producer.produce(topic, b"value", b"key", 0, timestamp=1_700_000_000_123, headers=[("one", b"1"), ("none", None)])
    producer.produce(topic, None, "text")
    producer.flush()
    consumer = clients.consumer()
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    first, second = poll_until(consumer, 2)
    assert (first.topic(), first.partition(), first.offset()) == (topic, 0, 0)
    assert (first.key(), first.value(), len(first)) == (b"key", b"value", 5)
    assert first.headers() == [("one", b"1"), ("none", None)]
    assert first.timestamp() == (clients.ck.TIMESTAMP_CREATE_TIME, 1_700_000_000_123)
    assert (first.error(), first.latency(), first.leader_epoch()) == (None, None, 0)
    assert (second.key(), second.value(), second.headers(), len(second)) == (b"text", None, None, 0)


def test_the_time_of_a_broker_is_told_apart(clients: Clients) -> None:
    topic = clients.topic(messages=1, settings={"message.timestamp.type": "LogAppendTime"})
    consumer = clients.consumer()
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    [message] = poll_until(consumer, 1)
    kind, milliseconds = message.timestamp()
    assert kind == clients.ck.TIMESTAMP_LOG_APPEND_TIME
    assert milliseconds > 1_600_000_000_000


def test_a_changed_message_keeps_its_other_parts(clients: Clients) -> None:
    topic = clients.topic(messages=1)
    consumer = clients.consumer()
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    [message] = poll_until(consumer, 1)
    message.set_value({"made": "of it"})
    message.set_headers([("name", b"header")])
    assert (message.topic(), message.offset(), message.key()) == (topic, 0, b"key-0")
    assert message.value() == {"made": "of it"}
    assert message.headers() == [("name", b"header")]


def test_consume_waits_until_there_are_as_many_as_wanted(clients: Clients) -> None:
    topic = clients.topic(messages=5)
    consumer = clients.consumer()
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    assert [each.value() for each in consumer.consume(3, 20)] == [b"value-0", b"value-1", b"value-2"]
    started = time.monotonic()
    assert [each.value() for each in consumer.consume(10, 0.5)] == [b"value-3", b"value-4"]
    assert time.monotonic() - started > 0.4
    assert consumer.consume(10, 0.05) == []
    assert consumer.consume(0, 0.05) == []


@pytest.mark.parametrize("count", [-1, 1_000_001])
def test_consume_has_bounds(clients: Clients, count: int) -> None:
    with pytest.raises(ValueError, match="between 0 and 1000000"):
        clients.consumer().consume(count, 0)


def test_a_poll_with_nothing_to_read_waits_and_gives_none(clients: Clients) -> None:
    consumer = clients.consumer()
    assert consumer.poll(0.05) is None
    assert consumer.poll(0) is None
    assert consumer.consume(5, 0.05) == []
    with pytest.raises(TypeError):
        consumer.poll("1")


def test_the_end_of_a_partition_is_told_once_for_each_position(clients: Clients) -> None:
    topic = clients.topic(messages=2)
    consumer = clients.consumer({"enable.partition.eof": True})
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    first, second, end = poll_until(consumer, 3)
    assert (first.error(), second.error()) == (None, None)
    assert end.error() == clients.ck.KafkaError._PARTITION_EOF
    assert (end.topic(), end.partition(), end.offset(), end.key()) == (topic, 0, 2, None)
    assert end.value()
    assert consumer.poll(0.5) is None
    producer = clients.writer()
    producer.produce(topic, b"more")
    producer.flush()
    more, end = poll_until(consumer, 2)
    assert more.value() == b"more"
    assert (end.error().code(), end.offset()) == (clients.ck.KafkaError._PARTITION_EOF, 3)


def test_a_paused_partition_has_no_end(clients: Clients) -> None:
    topic = clients.topic(messages=2)
    consumer = clients.consumer({"enable.partition.eof": True})
    place = clients.ck.TopicPartition(topic, 0, 0)
    consumer.assign([place])
    assert [each.offset() for each in poll_until(consumer, 2)] == [0, 1]
    consumer.pause([place])
    assert consumer.poll(1) is None
    consumer.resume([place])
    (end,) = poll_until(consumer, 1)
    assert (end.error().code(), end.offset()) == (clients.ck.KafkaError._PARTITION_EOF, 2)


def test_the_end_is_told_again_after_a_pause(clients: Clients) -> None:
    topic = clients.topic(messages=2)
    consumer = clients.consumer({"enable.partition.eof": True})
    place = clients.ck.TopicPartition(topic, 0, 0)
    consumer.assign([place])
    assert poll_until(consumer, 3)[2].error() is not None
    for _ in range(2):
        consumer.pause([place])
        assert consumer.poll(0.3) is None
        consumer.resume([place])
        (end,) = poll_until(consumer, 1)
        assert (end.error().code(), end.offset()) == (clients.ck.KafkaError._PARTITION_EOF, 2)
        consumer.resume([place])
        assert consumer.poll(0.5) is None, "it was not paused"


def test_what_is_sought_beyond_the_end_is_no_end(clients: Clients) -> None:
    topic = clients.topic(messages=1)
    consumer = clients.consumer({"enable.partition.eof": True, "auto.offset.reset": "error"})
    consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
    _, end = poll_until(consumer, 2)
    assert end.error().code() == clients.ck.KafkaError._PARTITION_EOF
    consumer.seek(clients.ck.TopicPartition(topic, 0, 1_000))
    (failed,) = poll_until(consumer, 1)
    assert failed.error().code() == clients.ck.KafkaError._AUTO_OFFSET_RESET


def test_consume_has_the_ends_of_partitions_in_its_list(clients: Clients) -> None:
    topic = clients.topic(messages=2)
    consumer = clients.consumer({"enable.partition.eof": True})
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    messages = consumer.consume(3, 20)
    assert [each.error() is None for each in messages] == [True, True, False]


@pytest.mark.parametrize("offset", [None, 77])
def test_without_a_place_to_start_from_there_is_an_error(clients: Clients, offset: int | None) -> None:
    topic = clients.topic(messages=1)
    consumer = clients.consumer({"auto.offset.reset": "error"})
    arguments = (topic, 0) if offset is None else (topic, 0, offset)
    consumer.assign([clients.ck.TopicPartition(*arguments)])
    [message] = poll_until(consumer, 1)
    assert message.error() == clients.ck.KafkaError._AUTO_OFFSET_RESET
    assert (message.topic(), message.partition()) == (topic, 0)
    assert consumer.poll(0.5) is None


def test_a_subscribed_topic_that_is_missing_is_told_once(clients: Clients) -> None:
    topic = clients.topic(messages=1)
    consumer = clients.consumer()
    consumer.subscribe([topic, "nobody-made-this"])
    messages = poll_until(consumer, 2)
    errors = [each.error().code() for each in messages if each.error() is not None]
    assert errors == [clients.ck.KafkaError.UNKNOWN_TOPIC_OR_PART]
    assert [each.value() for each in messages if each.error() is None] == [b"value-0"]
    assert consumer.poll(0.3) is None


def test_a_closed_consumer_says_so(clients: Clients) -> None:
    ck = clients.ck
    consumer = clients.consumer()
    consumer.close()
    consumer.close()
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("poll", (0,)),
        ("consume", (1, 0)),
        ("assignment", ()),
        ("memberid", ()),
        ("commit", ()),
        ("unsubscribe", ()),
        ("unassign", ()),
        ("consumer_group_metadata", ()),
        ("subscribe", (["topic"],)),
        ("position", ([ck.TopicPartition("topic", 0)],)),
    ]
    for name, arguments in calls:
        with pytest.raises(RuntimeError, match="Consumer closed"):
            getattr(consumer, name)(*arguments)


def test_a_consumer_closes_at_the_end_of_a_block(clients: Clients) -> None:
    with clients.consumer() as consumer:
        assert consumer.poll(0) is None
    with pytest.raises(RuntimeError, match="Consumer closed"):
        consumer.poll(0)


def test_a_consumer_is_no_iterator(clients: Clients) -> None:
    with pytest.raises(TypeError):
        iter(clients.consumer())


def test_a_group_is_needed(ck: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"group\.id must be set"):
        ck.Consumer({"bootstrap.servers": "127.0.0.1:1"})
    with pytest.raises(TypeError):
        ck.Consumer()


def test_programs_derive_classes_with_constructors_of_their_own(clients: Clients) -> None:
    ck = clients.ck

    class Reader(ck.Consumer):  # type: ignore[misc, name-defined]
        def __init__(self, name: str, bootstrap: str) -> None:
            super().__init__({"bootstrap.servers": bootstrap, "group.id": name})
            self.name = name

    topic = clients.topic(messages=1)
    reader = Reader(clients.group(), clients.broker.bootstrap_servers)
    try:
        reader.assign([ck.TopicPartition(topic, 0, ck.OFFSET_BEGINNING)])
        assert [each.value() for each in reader.consume(1, 20)] == [b"value-0"]
    finally:
        reader.close()


def test_a_position_is_after_the_last_message(clients: Clients) -> None:
    topic = clients.topic(messages=3)
    consumer = clients.consumer()
    here = clients.ck.TopicPartition(topic, 0)
    elsewhere = clients.ck.TopicPartition(topic, 1)
    assert places(consumer.position([here])) == [(topic, 0, clients.ck.OFFSET_INVALID)]
    consumer.assign([here])
    assert places(consumer.position([here])) == [(topic, 0, clients.ck.OFFSET_INVALID)]
    poll_until(consumer, 2)
    assert places(consumer.position([here, elsewhere])) == [(topic, 0, 2), (topic, 1, clients.ck.OFFSET_INVALID)]


def test_a_consumer_is_not_initialised_twice(clients: Clients) -> None:
    topic = clients.topic(messages=1)
    consumer = clients.consumer()
    here = [clients.ck.TopicPartition(topic, 0)]
    consumer.assign(here)
    settings = {"bootstrap.servers": clients.broker.bootstrap_servers, "group.id": clients.group()}
    with pytest.raises(RuntimeError, match="already"):
        consumer.__init__(settings)
    assert consumer.assignment() == here
    assert poll_until(consumer, 1)[0].value() == b"value-0"


def test_the_end_of_a_block_is_not_a_close_of_the_programs_own(clients: Clients) -> None:
    called: list[str] = []

    class Own(clients.ck.Consumer):  # type: ignore[name-defined,misc]
        def close(self) -> None:
            called.append("close")
            self.__exit__(None, None, None)

    settings = {"bootstrap.servers": clients.broker.bootstrap_servers, "group.id": clients.group()}
    with Own(settings) as consumer:
        assert consumer.assignment() == []
    assert called == []
    with pytest.raises(RuntimeError):
        consumer.assignment()
    other = Own(settings)
    other.close()
    assert called == ["close"]
    with pytest.raises(RuntimeError):
        other.assignment()


@pytest.mark.parametrize("interval", [50, 600_000], ids=["by itself", "in stats_cb"])
def test_what_a_call_still_gathers_is_not_committed(clients: Clients, interval: int) -> None:
    topic, group = clients.topic(messages=2), clients.group()
    asking = clients.consumer({"group.id": group})
    here = clients.ck.TopicPartition(topic, 0)
    seen: list[int] = []
    writer = clients.writer()

    def told(_: str) -> None:
        # Runs within consume(): there are more messages, and what came first was committed if it could be.
        if interval > 1000:
            with suppress(clients.ck.KafkaException):
                consumer.commit(asynchronous=False)
        seen.append(asking.committed([here], timeout=20)[0].offset)
        writer.produce(topic, b"more", partition=0)
        writer.flush(20)

    settings = {"group.id": group, "auto.commit.interval.ms": interval, "statistics.interval.ms": 200}
    consumer = clients.consumer({**settings, "stats_cb": told})
    consumer.assign([here])
    assert len(consumer.consume(2, 20)) == 2
    seen.clear()
    gathered = consumer.consume(1000, 2.0)
    assert len(gathered) > 2
    assert len(seen) > 2
    assert set(seen) <= {2, clients.ck.OFFSET_INVALID}
    consumer.close()
    assert places(asking.committed([here], timeout=20)) == [(topic, 0, gathered[-1].offset() + 1)]


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True, ids=["face"])
def test_the_end_of_a_call_does_not_commit_what_another_threads_call_gathers(clients: Clients) -> None:
    """In the library each message that is taken counts at once."""
    topic = clients.topic(messages=2)
    consumer = clients.consumer({"enable.auto.commit": False})
    here = clients.ck.TopicPartition(topic, 0)
    consumer.assign([here])
    gathered: list[Any] = []
    gathering = threading.Thread(target=lambda: gathered.extend(consumer.consume(3, 20)))
    gathering.start()
    wait_until(lambda: consumer._engine_.position((topic, 0)) == 2, 20, "the other thread has taken both")
    assert consumer.consume(2, 0) == []
    assert consumer.position([here])[0].offset == clients.ck.OFFSET_INVALID
    with pytest.raises(clients.ck.KafkaException):
        consumer.commit(asynchronous=False)
    writer = clients.writer()
    writer.produce(topic, b"more", partition=0)
    writer.flush(20)
    gathering.join(20)
    assert len(gathered) == 3
    assert places(consumer.commit(asynchronous=False)) == [(topic, 0, 3)]
