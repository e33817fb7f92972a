"""Serializers and deserializers of clients, of asyncio and others: contexts, builders, and who closes them when."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from tests.compat.confluent.conftest import SECONDS, Clients, read_all

KINDS = ["SerializingProducer", "DeserializingConsumer", "AsyncSerializingProducer", "AsyncDeserializingConsumer"]
PRODUCERS = [each for each in KINDS if each.endswith("Producer")]


async def awaited(answer: Any) -> Any:
    return await answer if inspect.isawaitable(answer) else answer


def run(work: Callable[[], Any]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(work(), 2 * SECONDS)

    asyncio.run(bounded())


def word(kind: str) -> str:
    return "serializer" if kind.endswith("Producer") else "deserializer"


async def opened(clients: Clients, kind: str, conf: dict[str, Any]) -> Any:
    """A client; `conf` has its serdes as "key" and "value", and their builders as "key.builder" and "value.builder"."""
    settings = {"bootstrap.servers": clients.broker.bootstrap_servers, "log_level": 0}
    if kind.endswith("Consumer"):
        settings |= {"group.id": clients.group(), "auto.offset.reset": "earliest"}
    for name, value in conf.items():
        field, _, rest = name.partition(".")
        is_serde = field in {"key", "value"}
        settings[f"{field}.{word(kind)}{rest and '.' + rest}" if is_serde else name] = value
    module = f"{clients.ck.__name__}.aio" if kind.startswith("Async") else clients.ck.__name__
    return await awaited(getattr(import_module(module), kind)(settings))


class Plain:
    """A serializer that can only be called."""

    def __init__(self, heard: list[Any], name: str = "") -> None:
        self.heard = heard
        self.name = name

    def __call__(self, given: Any, _context: Any) -> Any:
        self.heard.append(f"{self.name} called")
        return given


class Serde(Plain):
    def close(self) -> None:
        self.heard.append(f"{self.name} closed")

    def set_cluster_id_resolver(self, resolver: Any) -> None:
        self.heard.append(f"{self.name} offered")
        self.resolver = resolver


class AsyncSerde(Plain):
    async def aclose(self) -> None:
        self.heard.append(f"{self.name} closed")

    def set_async_cluster_id_resolver(self, resolver: Any) -> None:
        self.heard.append(f"{self.name} offered")
        self.resolver = resolver


class Builder:
    def __init__(self, built: Any, *takes: str) -> None:
        self.built = built
        self.takes = takes
        self.seen: dict[str, Any] = {}

    def build(self, conf: dict[str, Any], _is_key: bool) -> Any:
        self.seen = dict(conf)
        for name in self.takes:
            conf.pop(name)
        if isinstance(self.built, Exception):
            raise self.built
        return self.built, conf


class AsyncBuilder(Builder):
    async def build(self, conf: dict[str, Any], _is_key: bool) -> Any:
        return super().build(conf, _is_key)


class Returning:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def build(self, _conf: dict[str, Any], _is_key: bool) -> Any:
        return self.answer


@pytest.mark.parametrize("kind", KINDS)
def test_the_key_leaves_something_for_the_value(clients: Clients, kind: str) -> None:
    topic = clients.topic(messages=1)

    def of_key(given: Any, context: Any) -> Any:
        context.stash = f"left by the {context.field}"
        return given

    heard = []

    def of_value(given: Any, context: Any) -> Any:
        heard.append((context.stash, str(context.field), context.topic))
        return given

    async def work() -> None:
        client = await opened(clients, kind, {"key": of_key, "value": of_value})
        if kind.endswith("Producer"):
            await awaited(client.produce(topic, b"key", b"value"))
        else:
            await awaited(client.subscribe([topic]))
            assert await awaited(client.poll(SECONDS)) is not None
        await awaited(client.close())
        assert heard == [("left by the key", "value", topic)]

    run(work)


@pytest.mark.parametrize("kind", PRODUCERS)
def test_serializers_see_no_message_that_cannot_be_produced(clients: Clients, kind: str) -> None:
    heard: list[Any] = []

    async def work() -> None:
        producer = await opened(clients, kind, {"key": Plain(heard), "value": Plain(heard)})
        for topic in (5, None):
            with pytest.raises(TypeError):
                await awaited(producer.produce(topic, b"key", b"value"))
        await awaited(producer.close())
        with pytest.raises(RuntimeError):
            await awaited(producer.produce("topic", b"key", b"value"))
        assert heard == []

    run(work)


@pytest.mark.parametrize("kind", KINDS)
def test_builders_share_properties(clients: Clients, kind: str) -> None:
    heard: list[Any] = []
    is_async = kind.startswith("Async")
    make = AsyncBuilder if is_async else Builder
    key = make((AsyncSerde if is_async else Serde)(heard, "key"), "registry.url", "of.key")
    value = Builder(Plain(heard, "value"), "registry.url")

    async def work() -> None:
        own = {"registry.url": "url", "of.key": "x"}
        client = await opened(clients, kind, {**own, "key.builder": key, "value.builder": value})
        for builder in (key, value):
            assert own.items() <= builder.seen.items()
            assert not [name for name in builder.seen if "serializer" in name]
        assert heard == ["key offered"]
        assert await awaited(key.built.resolver()) == await awaited(client.cluster_id(SECONDS))
        await awaited(client.close())
        await awaited(client.close())
        assert heard == ["key offered", "key closed"]

    run(work)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_given_ready_made_is_the_programs_to_close(clients: Clients, kind: str) -> None:
    heard: list[Any] = []
    serde = (AsyncSerde if kind.startswith("Async") else Serde)(heard, "key")

    async def work() -> None:
        client = await opened(clients, kind, {"key": serde})
        await awaited(client.close())
        assert heard == ["key offered"]

    run(work)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_built_is_closed_if_the_client_cannot_be_made(clients: Clients, kind: str) -> None:
    async def fails(error: Any, **conf: Any) -> list[Any]:
        heard: list[Any] = []
        builders = {"key.builder": Builder(Serde(heard, "key")), **conf}
        with pytest.raises(error):
            await opened(clients, kind, {name.replace("_", "."): value for name, value in builders.items()})
        return heard

    async def work() -> None:
        assert await fails(LookupError, value_builder=Builder(LookupError("x"))) == ["key closed"]
        assert await fails(clients.ck.KafkaException, nonsense="x") == ["key closed"]
        for answer in (None, 5, (1, 2, 3), (len, [])):
            assert await fails(ValueError, value_builder=Returning(answer)) == ["key closed"]
        assert await fails(ValueError, value=len, value_builder=Returning(None)) == []

    run(work)


def test_serializers_outlive_a_close_that_fails(clients: Clients) -> None:
    heard: list[Any] = []
    topic = clients.topic()

    async def work() -> None:
        producer = await opened(clients, "SerializingProducer", {"key.builder": Builder(Serde(heard, "key"))})

        def fails(*_: Any) -> None:
            raise LookupError("of the report")

        producer.produce(topic, b"key", b"value", on_delivery=fails)
        with pytest.raises(LookupError):
            producer.close()
        assert "key closed" not in heard
        producer.close()
        assert heard[-1] == "key closed"

    run(work)


def test_a_producer_that_is_closed_within_a_report_keeps_its_serializers(clients: Clients) -> None:
    if clients.ck.__name__ == "confluent_kafka":
        pytest.skip("the library waits for itself")
    heard: list[Any] = []
    topic = clients.topic()

    async def work() -> None:
        producer = await opened(clients, "SerializingProducer", {"key.builder": Builder(Serde(heard, "key"))})

        def closes(*_: Any) -> None:
            with pytest.raises(clients.ck.KafkaException):
                producer.close()

        producer.produce(topic, b"key", b"value", on_delivery=closes)
        assert producer.flush(SECONDS) == 0
        producer.produce(topic, b"key", b"again")
        producer.close()
        assert [each for each in heard if each.endswith("closed")] == ["key closed"]
        assert [each.value() for each in read_all(clients, topic, 2)] == [b"value", b"again"]

    run(work)


def test_messages_beside_an_error_are_returned(clients: Clients) -> None:
    topic = clients.topic(messages=3)
    strings = import_module(f"{clients.ck.__name__}.serialization").StringDeserializer()

    async def work() -> None:
        ends = {"value": strings, "enable.partition.eof": True}
        consumer = await opened(clients, "AsyncDeserializingConsumer", ends)
        await consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
        messages: list[Any] = []
        while len(messages) < 4:
            messages += await consumer.consume(4 - len(messages), SECONDS)
        assert [each.value() for each in messages[:3]] == ["value-0", "value-1", "value-2"]
        assert messages[3].error() == clients.ck.KafkaError._PARTITION_EOF
        await consumer.close()

    run(work)


def test_messages_beside_one_that_cannot_be_deserialized_are_not_lost(clients: Clients) -> None:
    if clients.ck.__name__ == "confluent_kafka":
        pytest.skip("the library loses them")
    topic = clients.topic(messages=4)

    async def strict(given: bytes, _context: Any) -> str:
        if given == b"value-1":
            raise LookupError("no such schema")
        return given.decode()

    async def work() -> None:
        consumer = await opened(clients, "AsyncDeserializingConsumer", {"value": strict})
        await consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
        assert [each.value() for each in await consumer.consume(4, SECONDS)] == ["value-0"]
        with pytest.raises(clients.ck.error.ValueDeserializationError) as caught:
            await consumer.consume(4, 0.1)
        assert caught.value.kafka_message.value() == b"value-1"
        assert (await consumer.poll(SECONDS)).value() == "value-2"
        assert [each.value() for each in await consumer.consume(1, SECONDS)] == ["value-3"]
        await consumer.close()

    run(work)


def test_a_call_that_is_cancelled_while_it_deserializes_loses_nothing(clients: Clients) -> None:
    if clients.ck.__name__ == "confluent_kafka":
        pytest.skip("the library loses them")
    topic = clients.topic(messages=3)

    async def work() -> None:
        begun, may_go = asyncio.Event(), asyncio.Event()

        async def slow(given: bytes, _context: Any) -> str:
            if given == b"value-1":
                begun.set()
                await may_go.wait()
            return given.decode()

        consumer = await opened(clients, "AsyncDeserializingConsumer", {"value": slow})
        await consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
        call = asyncio.ensure_future(consumer.consume(3, SECONDS))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        may_go.set()
        values = [each.value() for each in await consumer.consume(3, SECONDS)]
        assert values == ["value-0", "value-1", "value-2"]
        await consumer.close()

    run(work)


@pytest.mark.parametrize("kind", KINDS[2:])
def test_subclasses_of_asyncio_clients_have_coroutines_to_initialise_them(clients: Clients, kind: str) -> None:
    async def work() -> None:
        base = getattr(import_module(f"{clients.ck.__name__}.aio"), kind)

        class Derived(base):  # type: ignore[misc]
            async def __init__(self, conf: dict[str, Any]) -> None:
                await super().__init__(conf)
                self.tables = ["one"]

        settings = {"bootstrap.servers": clients.broker.bootstrap_servers, "log_level": 0}
        group = {"group.id": clients.group()} if kind.endswith("Consumer") else {}
        async with await Derived({**settings, **group}) as client:
            assert isinstance(client, Derived)
            assert client.tables == ["one"]

    run(work)


@pytest.mark.parametrize("kind", [each for each in KINDS if not each.startswith("Async")])
def test_builders_and_what_they_build_may_raise_anything(clients: Clients, kind: str) -> None:
    """Nothing of a client without asyncio makes something else of it, as a coroutine does of StopIteration."""

    class Ended(Serde):
        def build(self, _conf: dict[str, Any], _is_key: bool) -> Any:
            raise StopIteration("build")

        def close(self) -> None:
            raise StopIteration("close")

    def make(conf: dict[str, Any]) -> Any:
        settings = {"bootstrap.servers": clients.broker.bootstrap_servers, "log_level": 0}
        group = {"group.id": clients.group()} if kind.endswith("Consumer") else {}
        return getattr(clients.ck, kind)({**settings, **group, **conf})

    with pytest.raises(StopIteration, match="build"):
        make({f"key.{word(kind)}.builder": Ended([])})
    client = make({f"key.{word(kind)}.builder": Builder(Ended([]))})
    with pytest.raises(StopIteration, match="close"):
        client.close()


@pytest.mark.parametrize("kind", [each for each in KINDS if each.endswith("Consumer")])
def test_what_deserializers_add_to_headers_stays(clients: Clients, kind: str) -> None:
    topic = clients.topic()
    writer = clients.writer()
    writer.produce(topic, b"v", headers=[("a", b"1")])
    assert writer.flush(SECONDS) == 0

    def adding(given: Any, context: Any) -> Any:
        context.headers.append((str(context.field), b"2"))
        return given

    async def work() -> None:
        consumer = await opened(clients, kind, {"key": adding, "value": adding})
        await awaited(consumer.assign([clients.ck.TopicPartition(topic, 0, 0)]))
        message = await awaited(consumer.poll(SECONDS))
        assert message.headers() == [("a", b"1"), ("key", b"2"), ("value", b"2")]
        assert message.headers() is message.headers()
        assert (message.topic(), message.offset(), message.value()) == (topic, 0, b"v")
        await awaited(consumer.close())

    run(work)
