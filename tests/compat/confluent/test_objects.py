"""SerializingProducer and DeserializingConsumer: the same from the library and its face, on both brokers."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import kafkars
import pytest

from tests.brokers import Broker
from tests.support.waiting import SECONDS


@pytest.fixture
def serialization(ck: ModuleType) -> ModuleType:
    return importlib.import_module(ck.__name__ + ".serialization")


@pytest.fixture
def error(ck: ModuleType) -> ModuleType:
    return importlib.import_module(ck.__name__ + ".error")


def fill(broker: Broker, topic: str, *records: tuple[bytes | None, bytes | None]) -> None:
    with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for key, value in records:
            producer.send(topic, value, key, partition=0).result(SECONDS)


def consumer(ck: ModuleType, broker: Broker, topic: str, **properties: Any) -> Any:
    found = ck.DeserializingConsumer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": topic,
            "auto.offset.reset": "earliest",
            "log_level": 0,
            **properties,
        }
    )
    found.subscribe([topic])
    return found


def poll(consumer: Any) -> Any:
    for _ in range(int(SECONDS)):
        message = consumer.poll(1.0)
        if message is not None:
            return message
    raise AssertionError("no message came")


def test_keys_and_values_are_serialized(ck: ModuleType, serialization: ModuleType, broker: Broker, topic: str) -> None:
    contexts: list[tuple[str, str, Any]] = []

    def shout(value: str, context: Any) -> bytes:
        contexts.append((context.topic, str(context.field), context.headers))
        return value.upper().encode()

    reports: list[Any] = []
    producer = ck.SerializingProducer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "log_level": 0,
            "key.serializer": serialization.IntegerSerializer(),
            "value.serializer": shout,
        }
    )
    producer.produce(topic, 7, "abc", 0, lambda _error, message: reports.append(message), 1234, [("h", b"1")])
    producer.produce(topic=topic, key=None, value="d", on_delivery=lambda _error, message: reports.append(message))
    assert producer.flush(SECONDS) == 0
    assert [message.offset() for message in reports] == [0, 1]
    assert contexts == [(topic, "value", [("h", b"1")]), (topic, "value", None)]
    producer.close()
    with kafkars.Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as reader:
        reader.assign([(topic, 0)])
        first, second = reader.poll(SECONDS), reader.poll(SECONDS)
    assert first is not None
    assert second is not None
    assert (first.key, first.value, first.timestamp, first.headers) == (b"\0\0\0\7", b"ABC", 1234, (("h", b"1"),))
    assert (second.key, second.value) == (None, b"D")


def test_what_cannot_be_serialized_is_raised_by_produce(
    ck: ModuleType, serialization: ModuleType, error: ModuleType
) -> None:
    producer = ck.SerializingProducer(
        {
            "bootstrap.servers": "127.0.0.1:1",
            "log_level": 0,
            "key.serializer": serialization.IntegerSerializer(),
            "value.serializer": serialization.StringSerializer(),
        }
    )
    with pytest.raises(error.KeySerializationError) as caught:
        producer.produce("t", key="no number", value="v")
    assert (caught.value.code, caught.value.name) == (ck.KafkaError._KEY_SERIALIZATION, "_KEY_SERIALIZATION")
    assert isinstance(caught.value.exception, error.SerializationError)
    assert caught.value.args[0] == ck.KafkaError._KEY_SERIALIZATION
    with pytest.raises(error.ValueSerializationError) as caught:
        producer.produce("t", key=1, value=3)
    assert isinstance(caught.value.exception, AttributeError)
    assert isinstance(caught.value, ck.KafkaException)
    assert isinstance(caught.value, error.SerializationError)
    producer.purge()


def test_keys_and_values_are_deserialized(
    ck: ModuleType, serialization: ModuleType, broker: Broker, topic: str
) -> None:
    fill(broker, topic, (b"\0\0\0\7", b"abc"), (None, None))
    properties = {
        "key.deserializer": serialization.IntegerDeserializer(),
        "value.deserializer": serialization.StringDeserializer(),
    }
    with consumer(ck, broker, topic, **properties) as reader:
        first, second = poll(reader), poll(reader)
        assert (first.key(), first.value(), first.offset()) == (7, "abc", 0)
        assert (second.key(), second.value()) == (None, None)
        assert reader.poll(0) is None
        with pytest.raises(NotImplementedError):
            reader.consume()


@pytest.mark.parametrize(
    ("field", "kind"),
    [("key", "KeyDeserializationError"), ("value", "ValueDeserializationError"), ("both", "KeyDeserializationError")],
)
def test_what_cannot_be_deserialized_is_raised_by_poll(  # noqa: PLR0917
    ck: ModuleType, error: ModuleType, broker: Broker, topic: str, field: str, kind: str
) -> None:
    fill(broker, topic, (b"k", b"v"))

    def refuse(_value: bytes, _context: Any) -> Callable[..., Any]:
        raise OSError("nothing to be made of it")

    fields = ["key", "value"] if field == "both" else [field]
    with consumer(ck, broker, topic, **{f"{each}.deserializer": refuse for each in fields}) as reader:
        with pytest.raises(getattr(error, kind)) as caught:
            poll(reader)
        message = caught.value.kafka_message
        assert (message.key(), message.value(), message.offset()) == (b"k", b"v", 0)
        assert isinstance(caught.value.exception, OSError)
        assert isinstance(caught.value, error.ConsumeError)


def test_errors_that_are_messages_elsewhere_are_raised(
    ck: ModuleType, error: ModuleType, broker: Broker, topic: str
) -> None:
    with consumer(ck, broker, topic, **{"enable.partition.eof": True}) as reader:
        with pytest.raises(error.ConsumeError) as caught:
            poll(reader)
        assert caught.value.code == ck.KafkaError._PARTITION_EOF
        assert caught.value.kafka_message.error() == caught.value.args[0]


def test_builders_make_serializers_that_are_closed_with_their_client(
    ck: ModuleType, serialization: ModuleType, broker: Broker, topic: str
) -> None:
    told: list[Any] = []

    class Owned(serialization.Serializer):  # type: ignore[misc, name-defined]
        def __call__(self, obj: Any, ctx: Any = None) -> bytes:  # noqa: ARG002
            return b"<" + str(obj).encode() + b">"

        def close(self) -> None:
            told.append("closed")

    class Builder(serialization.SerializerBuilder):  # type: ignore[misc, name-defined]
        def build(self, conf: dict[str, Any], is_key: bool) -> Any:
            told.append(("built", is_key))
            return Owned(), {name: value for name, value in conf.items() if name != "owned.setting"}

    conf = {
        "bootstrap.servers": broker.bootstrap_servers,
        "log_level": 0,
        "owned.setting": 1,
        "value.serializer.builder": Builder(),
    }
    with ck.SerializingProducer(conf) as producer:
        reports: list[Any] = []
        producer.produce(topic, value=5, on_delivery=lambda _error, message: reports.append(message.value()))
        producer.flush(SECONDS)
        assert [bytes(value) for value in reports] == [b"<5>"]
        assert told == [("built", False)]
    assert told == [("built", False), "closed"]
    assert "value.serializer.builder" in conf


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("", ["_ConsumerGroupState", "_ConsumerGroupTopicPartitions", "_ConsumerGroupType", "_ElectionType"]),
        ("", ["_IsolationLevel", "_TopicCollection", "_TopicPartition"]),
        ("._cluster", ["DescribeClusterResult"]),
        ("._config", ["AlterConfigOpType", "ConfigEntry", "ConfigResource", "ConfigSource"]),
        ("._group", ["ConsumerGroupDescription", "ConsumerGroupListing", "MemberAssignment", "MemberDescription"]),
        ("._listoffsets", ["ListOffsetsResultInfo", "OffsetSpec"]),
        ("._records", ["DeletedRecords"]),
        ("._resource", ["ResourcePatternType", "ResourceType"]),
        ("._scram", ["ScramCredentialInfo", "ScramMechanism", "UserScramCredentialAlteration"]),
        ("._topic", ["TopicDescription"]),
    ],
)
def test_names_that_suites_import_have_a_place(ck: ModuleType, module: str, names: list[str]) -> None:
    found = importlib.import_module(f"{ck.__name__}.admin{module}")
    public = importlib.import_module(f"{ck.__name__}.admin")
    for name in names:
        assert getattr(found, name).__name__ == name.lstrip("_")
        assert name.startswith("_") or getattr(public, name) is getattr(found, name)


def test_serializers_can_be_changed_later(
    ck: ModuleType, serialization: ModuleType, broker: Broker, topic: str
) -> None:
    """They are attributes under the library's names, which tracing reads."""
    text = serialization.StringSerializer()
    settings = {"bootstrap.servers": broker.bootstrap_servers, "log_level": 0}
    producer = ck.SerializingProducer({**settings, "key.serializer": text, "value.serializer": text})
    assert (producer._key_serializer, producer._value_serializer) == (text, text)
    producer._key_serializer = serialization.IntegerSerializer()
    producer._value_serializer = None
    producer.produce(topic, 7, b"as it is", 0)
    assert producer.flush(SECONDS) == 0
    producer.close()

    class Loud(ck.DeserializingConsumer):  # type: ignore[misc]
        def __init__(self, conf: Any) -> None:
            super().__init__(conf)
            self._value_deserializer = lambda value, _: value.upper()

    consumer = Loud({**settings, "group.id": topic, "auto.offset.reset": "earliest", "key.deserializer": text})
    assert consumer._key_deserializer is text
    consumer._key_deserializer = serialization.IntegerDeserializer()
    consumer.subscribe([topic])
    message = poll(consumer)
    assert (message.key(), message.value()) == (7, b"AS IT IS")
    consumer.close()
