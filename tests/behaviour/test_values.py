"""Values as Python has them: moments, records in pickles, deserializers that see topic and headers."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from kafkars.errors import DeserializationError, InvalidRecordTimestampError
from kafkars.serde import JsonDeserializer, JsonSerializer

from tests.support.clients import Clients, read
from tests.support.waiting import SECONDS

MOMENT = dt.datetime(2026, 11, 22, 12, 30, 0, 123_456, tzinfo=dt.timezone(dt.timedelta(hours=2)))
MOMENT_MS = 1_795_343_400_123


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (MOMENT, MOMENT_MS),
        (dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc), 0),
        (dt.datetime(1970, 1, 20, tzinfo=dt.timezone.utc), 1_641_600_000),
        (1_641_600_000_000, 1_641_600_000_000),
        (0, 0),
    ],
)
def test_a_timestamp_is_in_ms_or_a_datetime(clients: Clients, topic: str, moment: Any, expected: int) -> None:
    producer = clients.producer()
    assert producer.send(topic, b"one", timestamp=moment).result(SECONDS).timestamp == expected
    many = producer.send_many(topic, [b"two", b"three"], timestamps=[moment, None])
    assert many.result(SECONDS)[0].timestamp == expected
    assert [record.timestamp for record in read(clients.consumer([(topic, 0)]), 2)] == [expected] * 2


@pytest.mark.parametrize("seconds", [1_000_000_000, 1_795_343_400, 9_999_999_999])
def test_a_timestamp_in_seconds_is_refused(clients: Clients, topic: str, seconds: int) -> None:
    producer = clients.producer()
    with pytest.raises(InvalidRecordTimestampError, match=f"{seconds} looks like seconds; it is in ms"):
        producer.send(topic, b"value", timestamp=seconds)
    with pytest.raises(InvalidRecordTimestampError, match="looks like seconds"):
        producer.send_many(topic, [b"value"], timestamps=[seconds])


WRONG_UNITS = [
    (1_000_000_000, "seconds"),
    (1_795_343_400, "seconds"),
    (1_795_343_400_000_000, "microseconds or nanoseconds"),
    (1_795_343_400_000_000_000, "microseconds or nanoseconds"),
]


def calls_with_a_timestamp(clients: Clients, topic: str) -> dict[str, Callable[[Any], object]]:
    """Every call that takes one."""
    producer, consumer = clients.producer(), clients.consumer([(topic, 0)])
    admin = clients.admin()
    return {
        "send": lambda at: producer.send(topic, b"v", timestamp=at),
        "send_many, one for all": lambda at: producer.send_many(topic, [b"v"], timestamps=at),
        "send_many": lambda at: producer.send_many(topic, [b"v", b"w"], timestamps=[None, at]),
        "seek_to_timestamp": consumer.seek_to_timestamp,
        "offsets_for_times": lambda at: consumer.offsets_for_times({(topic, 0): at}),
        "list_offsets": lambda at: admin.list_offsets({(topic, 0): at}),
    }


@pytest.mark.parametrize(("number", "unit"), WRONG_UNITS)
def test_every_timestamp_of_another_unit_is_refused_in_words(
    clients: Clients, topic: str, number: int, unit: str
) -> None:
    for name, call in calls_with_a_timestamp(clients, topic).items():
        with pytest.raises(ValueError, match=f"{number} looks like {unit}; it is in ms, or a datetime"):
            call(number)
            pytest.fail(f"{name} takes it")


def test_every_timestamp_may_be_a_datetime(clients: Clients, topic: str) -> None:
    producer = clients.producer()
    for each in (MOMENT - dt.timedelta(hours=1), MOMENT):
        producer.send(topic, b"v", timestamp=each).result(SECONDS)
    calls = calls_with_a_timestamp(clients, topic)
    assert calls["offsets_for_times"](MOMENT)[(topic, 0)].offset == 1  # type: ignore[index]
    assert calls["list_offsets"](MOMENT)[(topic, 0)].offset == 1  # type: ignore[index]
    consumer = clients.consumer([(topic, 0)])
    consumer.seek_to_timestamp(MOMENT)
    assert consumer.position((topic, 0)) == 1


@pytest.mark.parametrize(("number", "unit"), WRONG_UNITS)
def test_a_column_of_numbers_in_another_unit_is_refused(clients: Clients, topic: str, number: int, unit: str) -> None:
    table = pa.table({"value": [b"v", b"w"], "at": [0, number]})
    with pytest.raises(ValueError, match=f'{number} in row 1 of column "at" looks like {unit}'):
        clients.producer().send_arrow(topic, table, value="value", timestamp="at")
    typed = table.set_column(1, "at", pa.array([MOMENT, MOMENT], pa.timestamp("ns", "UTC")))
    sent = clients.producer().send_arrow(topic, typed, value="value", timestamp="at")
    assert {each.timestamp for each in sent.result(SECONDS)} == {MOMENT_MS}


def test_a_datetime_that_names_no_moment_is_refused(clients: Clients, topic: str) -> None:
    with pytest.raises(ValueError, match="a datetime without a time zone names no moment"):
        clients.producer().send(topic, b"value", timestamp=MOMENT.replace(tzinfo=None))
    with pytest.raises(TypeError, match="timestamp"):
        clients.producer().send(topic, b"value", timestamp=MOMENT.date())


def test_records_come_out_of_a_pickle_as_they_were(clients: Clients, topic: str) -> None:
    producer = clients.producer()
    producer.send(topic, b"v" * 5_000, "käse", timestamp=MOMENT, headers=[("ä", b"\0\xff"), ("none", None)])
    producer.send(topic, None, None).result(SECONDS)
    for record in read(clients.consumer([(topic, 0)]), 2):
        for same in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record)):
            assert same == record
            assert repr(same) == repr(record)
            assert (same.headers, same.leader_epoch, same.timestamp_type) == (
                record.headers,
                record.leader_epoch,
                record.timestamp_type,
            )


def test_a_pickle_has_what_deserializers_made(clients: Clients, topic: str) -> None:
    clients.producer(value_serializer=JsonSerializer()).send(topic, {"a": [1]}, b"key").result(SECONDS)
    (record,) = read(clients.consumer([(topic, 0)], value_deserializer=lambda data: json.loads(data)), 1)  # noqa: PLW0108  no pickle takes it
    same = pickle.loads(pickle.dumps(record))
    assert (same.key, same.value, same.raw_value) == (b"key", {"a": [1]}, b'{"a":[1]}')
    assert same == record


class Seen:
    """A deserializer that keeps what it was given."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def deserialize(self, topic: str, data: bytes, headers: Any) -> str:
        self.calls.append((topic, data, headers))
        return data.decode()


def test_a_deserializer_may_see_topic_and_headers(clients: Clients, topic: str) -> None:
    clients.producer().send(topic, b"value", b"key", headers=[("kind", b"text")]).result(SECONDS)
    key, value = Seen(), Seen()
    (record,) = read(clients.consumer([(topic, 0)], key_deserializer=key, value_deserializer=value), 1)
    assert (record.key, record.value, record.value) == ("key", "value", "value")
    assert key.calls == [(topic, b"key", (("kind", b"text"),))]
    assert value.calls == [(topic, b"value", (("kind", b"text"),))]


def test_a_value_that_cannot_be_made_is_kept_with_its_place(clients: Clients, topic: str) -> None:
    producer = clients.producer()
    for value in (b"{}", b"poison", b"[]"):
        producer.send(topic, value).result(SECONDS)
    first, second, third = read(clients.consumer([(topic, 0)], value_deserializer=JsonDeserializer()), 3)
    assert (first.value, third.value) == ({}, [])
    with pytest.raises(DeserializationError, match=f"value of the record at {topic}-0 offset 1 cannot") as raised:
        _ = second.value
    error = raised.value
    assert (error.topic, error.partition, error.offset, error.raw) == (topic, 0, 1, b"poison")
    assert isinstance(error.__cause__, ValueError)
    assert pickle.loads(pickle.dumps(error)).raw == b"poison"


def test_a_value_that_cannot_be_made_travels_as_such(clients: Clients, topic: str) -> None:
    clients.producer().send(topic, b"poison", b"key").result(SECONDS)
    (record,) = read(clients.consumer([(topic, 0)], value_deserializer=JsonDeserializer()), 1)
    for same in (pickle.loads(pickle.dumps(record)), copy.copy(record), copy.deepcopy(record)):
        assert (same.key, same.raw_value, same.offset) == (b"key", b"poison", 0)
        for _ in range(2):
            with pytest.raises(DeserializationError, match="offset 0 cannot be deserialized") as raised:
                _ = same.value
            assert raised.value.raw == b"poison"
