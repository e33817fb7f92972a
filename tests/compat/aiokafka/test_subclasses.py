"""Classes of programs that derive from clients: their own attributes and methods, and methods that they replace."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from tests.compat.aiokafka.conftest import LIBRARIES
from tests.support.aiokafka_library import Library, Run

ATTRIBUTES = (
    *("_admin", "_assignment", "_assignors", "_commits", "_config", "_end", "_ending", "_engine", "_last", "_leaving"),
    *(
        "_membership",
        "_paused",
        "_position",
        "_positions",
        "_requested",
        "_running",
        "_serializers",
        "_tasks",
        "_topic",
    ),
)
METHODS = (
    *("_arrived", "_change", "_check_group", "_close", "_connected", "_consumed", "_failed", "_fetched", "_follow"),
    *("_handle", "_leave", "_made", "_open", "_raise_later", "_reach", "_refresh", "_run", "_seconds", "_serve"),
    *("_shut", "_spawn", "_standing", "_start", "_times", "_update", "_working"),
)
CLIENTS = {
    "AIOKafkaConsumer": "consumer.consumer",
    "AIOKafkaProducer": "producer.producer",
    "AIOKafkaClient": "client",
    "AIOKafkaAdminClient": "admin.client",
}
NATIVE = {
    *(
        "_bytes_of",
        "_checked_headers",
        "_consumed",
        "_known_partitions",
        "_knows",
        "_last_fetch",
        "_new_batch",
        "_open",
    ),
    *("_raise_later", "_reach", "_send_batch", "_send_bytes", "_serve", "_shut", "_waiting"),
}
"""Methods of the native base classes, which are called by their class."""


def crowded(kind: type) -> type:
    """A class with attributes and methods such as programs have."""

    def made(self: Any, *arguments: Any, **settings: Any) -> None:
        kind.__init__(self, *arguments, **settings)  # type: ignore[misc]  # the class is this function's argument
        for name in ATTRIBUTES:
            setattr(self, name, name)

    def fails(*_arguments: Any) -> None:
        raise AssertionError("a client has called the method of its subclass")

    return type("Crowded", (kind,), {"__init__": made, **dict.fromkeys(METHODS, fails)})


def is_untouched(client: Any) -> bool:
    return all(getattr(client, name) == name for name in ATTRIBUTES)


def test_a_consumer_does_not_meet_attributes_of_a_subclass(library: Library, run: Run) -> None:
    topic, group = library.broker.new_topic(), library.group()
    partition = library.partition(topic)

    async def test() -> None:
        await library.fill(topic, 3)
        kind = crowded(library.module().AIOKafkaConsumer)
        address = {"bootstrap_servers": library.broker.bootstrap_servers}
        consumer = kind(topic, group_id=group, auto_offset_reset="earliest", **address)
        await consumer.start()
        assert (await consumer.getone()).value == b"v0"
        assert sum(map(len, (await consumer.getmany(timeout_ms=5_000)).values())) == 2
        assert await consumer.position(partition) == 3
        assert consumer.highwater(partition) == 3
        assert consumer.partitions_for_topic(topic) == {0}
        await consumer.commit({partition: 1})
        assert await consumer.seek_to_committed() == {partition: 1}
        await consumer.seek_to_end()
        await consumer.stop()
        assert is_untouched(consumer)
        async with library.consumer(group_id=group) as after:
            assert await after.committed(partition) == 3

    run(test)


@pytest.mark.parametrize("is_transactional", [False, True])
def test_a_producer_does_not_meet_attributes_of_a_subclass(embedded: Library, run: Run, is_transactional: bool) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        kind = crowded(embedded.module().AIOKafkaProducer)
        address = {"bootstrap_servers": embedded.broker.bootstrap_servers}
        producer = kind(transactional_id=embedded.group() if is_transactional else None, **address)
        await producer.start()
        if is_transactional:
            await producer.begin_transaction()
        assert (await producer.send_and_wait(topic, b"value")).offset == 0
        batch = producer.create_batch()
        batch.append(key=None, value=b"value", timestamp=None)
        assert (await (await producer.send_batch(batch, topic, partition=0))).offset == 1
        if is_transactional:
            await producer.commit_transaction()
        await producer.stop()
        assert is_untouched(producer)

    run(test)


def test_administrators_do_not_meet_attributes_of_a_subclass(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()
    address = {"bootstrap_servers": embedded.broker.bootstrap_servers}

    async def test() -> None:
        admin = crowded(embedded.module("admin").AIOKafkaAdminClient)(**address)
        await admin.start()
        assert topic in await admin.list_topics()
        await admin.close()
        assert is_untouched(admin)
        client = crowded(embedded.module("client").AIOKafkaClient)(**address)
        await client.bootstrap()
        assert topic in (await client.fetch_all_metadata()).topics()
        await client.close()
        assert is_untouched(client)

    run(test)


@pytest.mark.parametrize("name", CLIENTS)
def test_names_of_a_client_for_itself_cannot_be_met(face: Library, run: Run, name: str) -> None:
    """They end with an underscore, unless the original has them."""

    async def test() -> None:
        module = face.module(CLIENTS[name])
        kind = getattr(module, name)
        made = kind(bootstrap_servers=face.broker.bootstrap_servers)
        private = {each for each in {*dir(kind), *vars(made)} if each.startswith("_") and not each.startswith("__")}
        await (made.close() if hasattr(made, "close") else made.stop())
        original = Library(LIBRARIES["aiokafka"], face.broker).module(CLIENTS[name])
        theirs = {*dir(getattr(original, name)), *re.findall(r"\bself\.(_\w+)", inspect.getsource(original))}
        assert not {each for each in private - theirs - NATIVE if not each.endswith("_")}

    run(test)


def test_offsets_from_elsewhere_are_sought(library: Library, run: Run) -> None:
    """A program that keeps its offsets in a database replaces `committed()`."""
    topic = library.broker.new_topic()

    class Kept(library.module().AIOKafkaConsumer):  # type: ignore[misc, name-defined]
        async def committed(self, _: Any) -> int:
            return 2

    async def test() -> None:
        await library.fill(topic, 3)
        address = {"bootstrap_servers": library.broker.bootstrap_servers}
        async with Kept(topic, group_id=library.group(), enable_auto_commit=False, **address) as consumer:
            assert await consumer.seek_to_committed() == {library.partition(topic): 2}
            assert (await consumer.getone()).offset == 2

    run(test)


@pytest.mark.parametrize("way", ["numbers", "coroutine", "nothing"])
def test_what_a_subclass_makes_of_its_partitions_is_for_its_users(library: Library, run: Run, way: str) -> None:
    """The consumer itself goes by what it has."""
    topic, group = library.broker.new_topic(), library.group()
    partition = library.partition(topic)
    kind: Any = library.module().AIOKafkaConsumer

    async def coroutine(self: Any) -> Any:
        return kind.assignment(self)

    ways: dict[str, Any] = {
        "numbers": lambda self: {each.partition for each in kind.assignment(self)},
        "coroutine": coroutine,
        "nothing": lambda _: set(),
    }
    own = type("Own", (kind,), {"assignment": ways[way], "paused": ways["nothing"], "subscription": ways["nothing"]})

    async def test() -> None:
        await library.fill(topic, 3)
        address = {"bootstrap_servers": library.broker.bootstrap_servers}
        consumer = own(topic, group_id=group, auto_offset_reset="earliest", **address)
        await consumer.start()
        for _ in range(3):
            await consumer.getone()
        consumer.pause(partition)
        consumer.resume(partition)
        assert consumer.highwater(partition) == 3
        await consumer.commit({partition: 1})
        consumer.seek(partition, 2)
        await consumer.getone()
        await consumer.stop()
        async with library.consumer(group_id=group) as after:
            assert await after.committed(partition) == 3

    run(test)
