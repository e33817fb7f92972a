"""Serializers run in `send`, deserializers when a record's key or value is touched."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kafkars.errors import DeserializationError, SerializationError

from tests.support.clients import Clients, read, values
from tests.support.waiting import SECONDS


def to_json(value: object) -> bytes:
    return json.dumps(value).encode()


def test_objects_come_back_as_they_were(clients: Clients, topic: str) -> None:
    producer = clients.producer(key_serializer=to_json, value_serializer=to_json)
    producer.send(topic, {"apples": 2}, ["customer", 7]).result(SECONDS)
    consumer = clients.consumer([(topic, 0)], key_deserializer=json.loads, value_deserializer=json.loads)
    (record,) = read(consumer, 1)
    assert (record.key, record.value) == (["customer", 7], {"apples": 2})
    assert (record.raw_key, record.raw_value) == (b'["customer", 7]', b'{"apples": 2}')


def test_one_side_alone_can_be_serialized(clients: Clients, topic: str) -> None:
    clients.producer(value_serializer=to_json).send(topic, [1], b"key").result(SECONDS)
    (record,) = read(clients.consumer([(topic, 0)], value_deserializer=json.loads), 1)
    assert (record.key, record.value) == (b"key", [1])


def test_absent_keys_and_tombstones_are_not_serialized(clients: Clients, topic: str) -> None:
    producer = clients.producer(key_serializer=to_json, value_serializer=to_json)
    producer.send(topic, None, None).result(SECONDS)
    (record,) = read(clients.consumer([(topic, 0)], key_deserializer=json.loads, value_deserializer=json.loads), 1)
    assert (record.key, record.value) == (None, None)


def test_a_serializer_may_return_any_bytes_or_none(clients: Clients, topic: str) -> None:
    producer = clients.producer(value_serializer=lambda value: value)
    for value in (b"1", bytearray(b"2"), memoryview(b"3")):
        producer.send(topic, value)
    producer.flush(SECONDS)
    clients.producer(value_serializer=lambda _: None).send(topic, "dropped").result(SECONDS)
    assert values(read(clients.consumer([(topic, 0)]), 4)) == [b"1", b"2", b"3", None]


def test_a_partitioner_sees_the_serialized_key(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=3)
    seen = []

    def note(key: bytes | None, _count: int) -> int:
        seen.append(key)
        return 0

    clients.producer(key_serializer=to_json, partitioner=note).send(topic, b"value", [1]).result(SECONDS)
    assert seen == [b"[1]"]


def test_a_failing_serializer_stops_the_send_and_is_the_cause(clients: Clients, topic: str) -> None:
    producer = clients.producer(value_serializer=to_json)
    with pytest.raises(SerializationError, match=f"value.*{topic}.*not JSON serializable") as caught:
        producer.send(topic, {1, 2})
    assert isinstance(caught.value.__cause__, TypeError)
    assert caught.value.topic == topic
    assert producer.send(topic, []).result(SECONDS).offset == 0


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_passes_through_serializers_as_it_is(
    clients: Clients, topic: str, raised: type[BaseException]
) -> None:
    stop = [True]

    def convert(value: bytes) -> bytes:
        if stop.pop():
            raise raised
        return value

    producer = clients.producer(value_serializer=convert)
    with pytest.raises(raised):
        producer.send(topic, b"one")
    stop.append(False)
    producer.send(topic, b"one").result(SECONDS)
    (record,) = read(clients.consumer([(topic, 0)], value_deserializer=convert), 1)
    stop.append(True)
    with pytest.raises(raised):
        assert record.value
    stop.append(False)
    assert record.value == b"one"


def test_a_serializer_that_returns_no_bytes_is_told(clients: Clients, topic: str) -> None:
    producer = clients.producer(key_serializer=lambda key: key)
    with pytest.raises(SerializationError, match=r"key.*int"):
        producer.send(topic, b"value", 5)


def test_a_deserializer_runs_once_and_only_when_touched(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(3))
    seen: list[bytes] = []

    def count(value: bytes) -> int:
        seen.append(value)
        return len(seen)

    consumer = clients.consumer([(topic, 0)], value_deserializer=count)
    records = read(consumer, 3)
    assert seen == []
    assert [records[1].value, records[1].value, records[0].value] == [1, 1, 2]
    assert seen == [b"1", b"0"]


def test_a_failing_deserializer_says_where_and_loses_nothing(clients: Clients, topic: str) -> None:
    for value in (b"1", b"not json", b"3"):
        clients.producer().send(topic, value).result(SECONDS)
    records = read(clients.consumer([(topic, 0)], value_deserializer=json.loads), 3)
    assert (records[0].value, records[2].value) == (1, 3)
    with pytest.raises(DeserializationError, match=f"{topic}-0 offset 1") as caught:
        _ = records[1].value
    assert isinstance(caught.value.__cause__, json.JSONDecodeError)
    assert (caught.value.topic, caught.value.partition, caught.value.offset) == (topic, 0, 1)
    assert records[1].raw_value == b"not json"


class Tagged:
    """A serializer that says in a header what it made."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seen: list[object] = []

    def serialize(self, topic: str, value: object, headers: list[tuple[str, Any]]) -> bytes | None:
        self.seen.append((topic, list(headers)))
        headers.append((self.name, b"json"))
        return to_json(value)


def test_a_serializer_object_sees_topic_and_headers_and_may_add_some(clients: Clients, topic: str) -> None:
    key, value = Tagged("key-type"), Tagged("value-type")
    producer = clients.producer(key_serializer=key, value_serializer=value)
    given = [("given", b"1")]
    producer.send(topic, [1], [2], headers=given).result(SECONDS)
    producer.send(topic, [3]).result(SECONDS)
    producer.send_many(topic, [[4]], headers=[{"given": b"2"}]).result(SECONDS)
    records = read(clients.consumer([(topic, 0)]), 3)
    assert [record.headers for record in records] == [
        (("given", b"1"), ("key-type", b"json"), ("value-type", b"json")),
        (("value-type", b"json"),),
        (("given", b"2"), ("value-type", b"json")),
    ]
    assert [(record.key, record.value) for record in records] == [(b"[2]", b"[1]"), (None, b"[3]"), (None, b"[4]")]
    assert key.seen == [(topic, [("given", b"1")])]
    # The caller's own list is left alone.
    assert given == [("given", b"1")]


def test_a_serializer_object_that_fails_stops_the_send(clients: Clients, topic: str) -> None:
    producer = clients.producer(value_serializer=Tagged("value-type"))
    with pytest.raises(SerializationError, match="not JSON serializable"):
        producer.send(topic, {1, 2})
    assert producer.send(topic, []).result(SECONDS).offset == 0


def test_headers_that_a_serializer_spoils_are_told(clients: Clients, topic: str) -> None:
    class Spoiled(Tagged):
        def serialize(self, topic: str, value: object, headers: list[tuple[str, Any]]) -> bytes | None:
            headers.append(("name", 5))
            return super().serialize(topic, value, headers)

    with pytest.raises(TypeError, match="header"):
        clients.producer(value_serializer=Spoiled("value-type")).send(topic, [])
