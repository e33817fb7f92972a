"""Classes of programs that are derived from clients: no method of a client calls a public one, which they may have with
other arguments, and they may have attributes of any name that the library's class does not have.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from tests.compat.confluent.conftest import SECONDS, Clients, read_all

FACE = "kafkars.compat.confluent_kafka"


def spied(kind: type, heard: list[str]) -> type:
    """A class whose methods say that they were called."""

    def spy(name: str) -> Callable[..., Any]:
        def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
            heard.append(name)
            return getattr(kind, name)(self, *arguments, **keywords)

        return method

    names = [name for name in dir(kind) if not name.startswith("_") or name in {"__enter__", "__exit__", "__len__"}]
    return type("Spied", (kind,), {name: spy(name) for name in names})


def check(made: Any, heard: list[str], calls: dict[str, tuple[Any, ...]]) -> None:
    for name, arguments in calls.items():
        heard.clear()
        getattr(made, name)(*arguments)
        assert heard == [name]


@pytest.mark.parametrize("ends", ["close", "__exit__"])
def test_a_producer_calls_itself_in_no_public_way(clients: Clients, ends: str) -> None:
    heard: list[str] = []
    settings = {"bootstrap.servers": clients.broker.bootstrap_servers, "transactional.id": clients.group()}
    topic, made = clients.topic(), spied(clients.ck.Producer, heard)(settings)
    batch = (topic, [{"value": b"value", "key": b"key"}])
    check(made, heard, {"init_transactions": (SECONDS,), "list_topics": (topic, SECONDS), "__enter__": ()})
    for end in ("commit_transaction", "abort_transaction"):
        check(made, heard, {"begin_transaction": (), "produce": (topic, b"value"), "produce_batch": batch})
        check(made, heard, {"poll": (0,), "__len__": (), end: (SECONDS,)})
    check(made, heard, {"begin_transaction": (), "produce_batch": batch, "flush": (SECONDS,), "purge": ()})
    check(made, heard, {ends: (None, None, None) if ends == "__exit__" else ()})


@pytest.mark.parametrize("ends", ["close", "__exit__"])
def test_a_consumer_calls_itself_in_no_public_way(clients: Clients, ends: str) -> None:
    heard: list[str] = []
    settings = {"bootstrap.servers": clients.broker.bootstrap_servers, "group.id": clients.group()}
    topic = clients.topic(messages=3)
    made = spied(clients.ck.Consumer, heard)({**settings, "auto.offset.reset": "earliest"})
    place = clients.ck.TopicPartition(topic, 0, 1)
    check(made, heard, {"subscribe": ([topic],), "consume": (1, SECONDS), "assignment": (), "poll": (SECONDS,)})
    check(made, heard, {"commit": (None, None, False), "position": ([place],), "committed": ([place], SECONDS)})
    check(made, heard, {"seek": (place,), "pause": ([place],), "resume": ([place],), "memberid": ()})
    check(made, heard, {"unsubscribe": (), "poll": (0.1,), "assign": ([place],), "unassign": ()})
    check(made, heard, {"get_watermark_offsets": (place, SECONDS), "offsets_for_times": ([place], SECONDS)})
    check(made, heard, {"__enter__": ()})
    check(made, heard, {ends: (None, None, None) if ends == "__exit__" else ()})


def test_a_batch_goes_past_the_order_of_arguments_of_a_subclass(clients: Clients) -> None:
    """As of SerializingProducer, whose key comes first: nothing of a batch is serialized."""
    topic = clients.topic()
    settings = {"bootstrap.servers": clients.broker.bootstrap_servers}
    serializer = import_module(f"{clients.ck.__name__}.serialization").IntegerSerializer()
    producer = clients.ck.SerializingProducer({**settings, "value.serializer": serializer})
    batch = [{"value": b"value", "key": "key"}, {"value": None, "key": b"tombstone"}]
    assert producer.produce_batch(topic, batch) == 2
    assert producer.flush(SECONDS) == 0
    found = [(message.key(), message.value()) for message in read_all(clients, topic, 2)]
    assert found == [(b"key", b"value"), (b"tombstone", None)]
    producer.close()


def test_a_client_may_be_closed_by_the_end_of_its_block(clients: Clients) -> None:
    class Closing(clients.ck.Producer):  # type: ignore[misc,name-defined]
        def close(self) -> Any:
            return self.__exit__(None, None, None)

    made = Closing({"bootstrap.servers": clients.broker.bootstrap_servers})
    made.close()
    with pytest.raises(RuntimeError):
        made.poll(0)


PRIVATE = (
    *(
        "_assignment",
        "_calls",
        "_client",
        "_closed",
        "_commits",
        "_committed",
        "_config",
        "_engine",
        "_events",
        "_lock",
    ),
    *("_logger", "_loop", "_lost", "_open", "_pending", "_position", "_ready", "_running", "_settings", "_topics"),
)
METHODS = (
    "_check",
    "_commit",
    "_flush",
    "_forget",
    "_handle",
    "_keep",
    "_kept",
    "_leave",
    "_poll",
    "_take",
    "_take_many",
)


def crowded(kind: type) -> type:
    """A class with attributes and methods such as programs have."""

    def made(self: Any, *arguments: Any) -> None:
        for name in PRIVATE:
            setattr(self, name, name)
        kind.__init__(self, *arguments)  # type: ignore[misc]  # the class is this function's argument
        for name in PRIVATE:
            assert getattr(self, name) == name

    def fails(*_arguments: Any) -> None:
        raise AssertionError("a client has called the method of its subclass")

    return type("Crowded", (kind,), {"__init__": made, **dict.fromkeys(METHODS, fails)})


def test_a_producer_does_not_meet_attributes_of_a_subclass(clients: Clients) -> None:
    topic = clients.topic()
    settings = {"bootstrap.servers": clients.broker.bootstrap_servers, "transactional.id": clients.group()}
    producer = crowded(clients.ck.Producer)(settings)
    producer.init_transactions(SECONDS)
    for end in ("abort_transaction", "commit_transaction"):
        producer.begin_transaction()
        producer.produce(topic, b"value")
        getattr(producer, end)(SECONDS)
    assert producer.flush(SECONDS) == 0
    assert [message.value() for message in read_all(clients, topic, 1)] == [b"value"]
    assert [producer._settings, producer._calls] == ["_settings", "_calls"]
    producer.close()


def test_a_consumer_does_not_meet_attributes_of_a_subclass(clients: Clients) -> None:
    settings = {"bootstrap.servers": clients.broker.bootstrap_servers, "group.id": clients.group()}
    topic = clients.topic(messages=3)
    consumer = crowded(clients.ck.Consumer)({**settings, "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    assert len(consumer.consume(2, SECONDS)) == 2
    assert consumer.poll(SECONDS).offset() == 2
    assert [each.offset for each in consumer.position(consumer.assignment())] == [3]
    assert [each.offset for each in consumer.commit(asynchronous=False)] == [3]
    assert [each.offset for each in consumer.committed(consumer.assignment(), SECONDS)] == [3]
    consumer.unsubscribe()
    assert [consumer._assignment, consumer._pending] == ["_assignment", "_pending"]
    consumer.close()


def test_an_admin_client_does_not_meet_attributes_of_a_subclass(clients: Clients) -> None:
    kind = import_module(f"{clients.ck.__name__}.admin").AdminClient
    admin = crowded(kind)({"bootstrap.servers": clients.broker.bootstrap_servers})
    topic = clients.topic()
    assert topic in admin.list_topics(timeout=SECONDS).topics
    [done] = admin.delete_topics([topic]).values()
    assert done.result(SECONDS) is None


OF_THE_LIBRARY = {"_call", "_check", "_closed", "_loop"}
"""Names that clients of asyncio have for themselves in the library, too: programs cannot have them."""


def crowded_later(kind: type) -> type:
    """A class whose attributes are set once its client is open, as programs do."""

    def made(self: Any, *arguments: Any) -> None:
        kind.__init__(self, *arguments)  # type: ignore[misc]  # the class is this function's argument
        for name in (*PRIVATE, "_tasks", "_turns", "_watch", "_report", "_most", "_executor", "_held", "_looking"):
            if name not in OF_THE_LIBRARY:
                setattr(self, name, name)

    def fails(*_arguments: Any) -> None:
        raise AssertionError("a client has called the method of its subclass")

    methods = dict.fromkeys({*METHODS, "_send", "_finish", "_serve", "_look", "_left"} - OF_THE_LIBRARY, fails)
    return type("Crowded", (kind,), {"__init__": made, **methods})


def test_clients_of_asyncio_do_not_meet_attributes_of_a_subclass(clients: Clients) -> None:
    aio = import_module(f"{clients.ck.__name__}.aio")
    settings = {"bootstrap.servers": clients.broker.bootstrap_servers}
    reading = {**settings, "group.id": clients.group(), "auto.offset.reset": "earliest"}
    topic = clients.topic()

    async def work() -> None:
        async with crowded_later(aio.AIOProducer)(dict(settings)) as producer:
            future = await producer.produce(topic, b"value")
            assert await producer.flush(SECONDS) == 0
            assert (await future).value() == b"value"
        async with crowded_later(aio.AIOConsumer)(dict(reading)) as consumer:
            await consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
            assert [each.value() for each in await consumer.consume(1, SECONDS)] == [b"value"]
            assert await consumer.poll(0.1) is None
            assert [each.offset for each in await consumer.commit(asynchronous=False)] == [1]

    asyncio.run(work())


def private(client: Any) -> set[str]:
    """Names that a client has for itself: those of the class, and of the instance if it has any."""
    names = {*dir(type(client)), *getattr(client, "__dict__", ())}
    return {each for each in names if each.startswith("_") and not each.startswith("__")}


async def opened(library: str, name: str) -> Any:
    is_async = name.startswith("A")
    kind = getattr(import_module(f"{library}.aio" if is_async else library), name)
    made = kind({"bootstrap.servers": "127.0.0.1:1", "log_level": 0} | ({"group.id": "g"} if "Cons" in name else {}))
    return await made if name.startswith("Async") else made


@pytest.mark.parametrize(
    "name",
    [
        "Consumer",
        "Producer",
        "DeserializingConsumer",
        "SerializingProducer",
        "AIOConsumer",
        "AIOProducer",
        "AsyncDeserializingConsumer",
        "AsyncSerializingProducer",
    ],
)
def test_names_of_a_client_for_itself_cannot_be_met(name: str) -> None:
    async def work() -> None:
        library, face = await opened("confluent_kafka", name), await opened(FACE, name)
        try:
            assert not {each for each in private(face) - private(library) if not each.endswith("_")}
        finally:
            for each in (library, face):
                closing = each.close()
                if name.startswith("A"):
                    await closing

    asyncio.run(work())
