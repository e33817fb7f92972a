"""What a unit test without a broker needs: records, metadata, and clients that are replaced."""

from __future__ import annotations

import datetime as dt
import gc
import pickle
import warnings
from typing import Any
from unittest import mock

import kafkars
import pytest
from kafkars import Consumer, Producer, Record, RecordBatch, RecordMetadata, TimestampType
from kafkars.errors import ConfigError, InvalidArgumentError
from kafkars.serde import JsonDeserializer, JsonSerializer
from kafkars.testing import EmbeddedBroker, record, record_metadata

SECONDS = 10.0
NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.timezone.utc)


def test_a_record_is_made_of_its_parts() -> None:
    made = record(b"value", "key", topic="orders", partition=2, offset=7, timestamp=NOON, headers={"h": b"1"})
    assert isinstance(made, Record)
    assert (made.topic, made.partition, made.offset) == ("orders", 2, 7)
    assert (made.key, made.value, made.raw_value) == (b"key", b"value", b"value")
    assert (made.timestamp, made.timestamp_type) == (NOON.timestamp() * 1000, TimestampType.CREATE_TIME)
    assert (made.headers, made.leader_epoch) == ((("h", b"1"),), None)
    assert record().value is None
    assert record(b"x") == record(b"x")


def test_a_record_has_what_a_deserializer_would_have_made() -> None:
    made = record({"price": 3}, b"key", topic="orders")
    assert (made.value, made.raw_value, made.key, made.raw_key) == ({"price": 3}, None, b"key", b"key")


def test_metadata_is_made_of_its_parts_and_pickles() -> None:
    made = record_metadata("orders", 2, 7, timestamp=5, serialized_value_size=3)
    assert isinstance(made, RecordMetadata)
    assert (made.topic, made.partition, made.offset, made.timestamp) == ("orders", 2, 7, 5)
    assert (made.serialized_key_size, made.serialized_value_size) == (-1, 3)
    assert pickle.loads(pickle.dumps(made)) == made
    with pytest.raises(ValueError, match="no time zone"):
        record_metadata(timestamp=dt.datetime(2026, 1, 1))  # noqa: DTZ001  that is what is wrong


def test_a_client_is_replaced_by_its_class() -> None:
    with (
        Producer(bootstrap_servers="127.0.0.1:1") as producer,
        mock.patch.object(Producer, "send", return_value=mock.Mock(result=lambda: record_metadata("orders"))) as send,
    ):
        assert producer.send("orders", b"v").result().topic == "orders"
        send.assert_called_once_with("orders", b"v")
    assert Producer.send is not send


def test_long_headers_are_shortened() -> None:
    shown = repr(record(headers=[("trace", b"x" * 1000), ("none", None)]))
    assert len(shown) < 300
    assert "('trace', b'xx" in shown
    assert "... (1000 bytes)), ('none', None))" in shown
    assert repr(record(headers={"a": b"1"})).endswith("headers=(('a', b'1'),))")


def test_a_batch_pickles() -> None:
    with EmbeddedBroker(topics={"a": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for number in range(5):
                producer.send("a", b"%d" % number, b"k", headers={"h": b"1"})
        settings: dict[str, Any] = {"bootstrap_servers": broker.bootstrap_servers, "auto_offset_reset": "earliest"}
        with Consumer(**settings) as consumer, Consumer(value_deserializer=int, **settings) as typed:
            for each in (consumer, typed):
                each.assign([("a", 0)])
            batch = consumer.poll_batch(timeout=SECONDS)
            again = pickle.loads(pickle.dumps(batch))
            assert isinstance(again, RecordBatch)
            assert list(again) == list(batch)
            assert again.raw_values() == batch.raw_values()
            assert again[1:3][0].offset == 1
            assert list(again.by_partition()) == list(batch.by_partition())
            assert again.to_arrow().num_rows == 5
            numbers = typed.poll_batch(timeout=SECONDS)
            with pytest.raises(TypeError, match=r"list\(batch\) does"):
                pickle.dumps(numbers)
            assert [each.value for each in pickle.loads(pickle.dumps(list(numbers)))] == [0, 1, 2, 3, 4]
    assert len(pickle.loads(pickle.dumps(batch[:0]))) == 0


@pytest.mark.parametrize("topics", ["orders", ["orders"], {"orders": 2}, iter(["orders"])])
def test_topics_are_given_in_several_ways(topics: Any) -> None:
    with (
        EmbeddedBroker(topics=topics, default_partitions=2, auto_create_topics=False) as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
    ):
        assert len(producer.partitions_for("orders")) == 2


@pytest.mark.parametrize("topics", [5, [5], [("orders", 3)], {5: 1}])
def test_wrong_topics_are_told(topics: Any) -> None:
    with pytest.raises(ConfigError, match=r'topics: expected names.*"orders": 3'):
        EmbeddedBroker(topics=topics)


def test_a_fault_may_be_a_number_and_a_delay_needs_a_duration() -> None:
    with EmbeddedBroker(topics="a") as broker:
        broker.intercept("Produce", 29, times=1)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            assert isinstance(producer.send("a", b"v").exception(), kafkars.errors.TopicAuthorizationFailedError)
        with pytest.raises(InvalidArgumentError, match="seconds: a delay needs a duration"):
            broker.intercept("Produce", "delay")


def test_a_broker_closes_as_clients_do() -> None:
    broker = EmbeddedBroker()
    broker.close()
    assert "stopped" in repr(broker)


def test_a_broker_that_is_forgotten_says_so() -> None:
    with pytest.warns(ResourceWarning, match=r"an embedded broker was not stopped .* 127\.0\.0\.1:\d+ answers no more"):
        EmbeddedBroker().bootstrap_servers  # noqa: B018  as it is written
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with EmbeddedBroker() as broker:
            pass
        del broker
        gc.collect()


def test_json_says_at_once_what_it_cannot_use() -> None:
    wrong: Any = "Order"
    with pytest.raises(TypeError, match="kind: expected a type, not its name 'Order'"):
        JsonDeserializer(wrong)
    with pytest.raises(TypeError, match="default: expected a function, not 'Order'"):
        JsonSerializer(wrong)


def test_modules_are_attributes_of_the_package() -> None:
    for name in ("admin", "aio", "compat", "config", "errors", "serde", "testing"):
        assert getattr(kafkars, name).__name__ == f"kafkars.{name}"
        assert name in dir(kafkars)
    with pytest.raises(AttributeError, match="has no attribute 'prometeus'"):
        _ = kafkars.prometeus
