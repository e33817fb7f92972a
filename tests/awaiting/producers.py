"""The awaitables of producers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pyarrow as pa
from kafkars.aio import Consumer, Producer
from kafkars.compat import aiokafka
from kafkars.types import TopicPartition

from tests.awaiting.case import Case, Subject, World, same

WRITTEN = TopicPartition("w", 0)
TABLE = pa.table({"value": pa.array([b"1", b"2", b"3"])})
ROWS = [b"1", b"2", b"3"]


def places(answer: Any) -> Any:
    """How many records are stored, and in which partitions; offsets go on from case to case."""
    if isinstance(answer, list):
        return [places(each) for each in answer]
    return (answer.topic, answer.partition)


async def end(world: World, **settings: Any) -> int:
    """How many records there are in the topic that is written to."""
    async with Consumer(bootstrap_servers=world.broker.bootstrap_servers, **settings) as reader:
        return (await reader.end_offsets([WRITTEN]))[WRITTEN]


def sending(
    make: Callable[[Any], Any],
    tell: Callable[[Any], Any],
    count: int,
    *,
    is_stored: bool = True,
    settings: dict[str, Any] | None = None,
    before: Callable[[Any], Any] | None = None,
) -> Callable[[World], Any]:
    """A call that sends `count` records; they are stored when it has come where `is_stored`, and with `flush()` in any
    case."""

    @asynccontextmanager
    async def scene(world: World) -> AsyncIterator[Subject]:
        had = await end(world)
        producer = Producer(bootstrap_servers=world.broker.bootstrap_servers, **(settings or {}))
        if before is not None:
            # A record that waits for its topic would be withdrawn with its future.
            await producer.partitions_for("w")
            before(producer)

        async def check(_: Any) -> None:
            if not is_stored:
                await producer.flush(10)
            assert await end(world) == had + count

        yield Subject(lambda: make(producer), tell, check)
        await producer.close()

    return scene


def filled(producer: Producer[Any, Any]) -> Any:
    batch = producer.create_batch()
    for value in ROWS:
        batch.append(value)
    return producer.send_batch(batch, "w", partition=0)


def refused(make: Callable[[Any], Any]) -> Callable[[World], Any]:
    """The broker refuses what is sent."""

    @asynccontextmanager
    async def scene(world: World) -> AsyncIterator[Subject]:
        async with Producer(bootstrap_servers=world.broker.bootstrap_servers) as producer:
            with world.broker.intercept("Produce", "TOPIC_AUTHORIZATION_FAILED"):
                yield Subject(lambda: make(producer))

    return scene


@asynccontextmanager
async def without_deliveries(world: World) -> AsyncIterator[Subject]:
    """The first record goes to a broker that does not answer; the others wait for room of each other."""
    broker = world.two_leaders
    async with Consumer(bootstrap_servers=broker.bootstrap_servers) as reader:
        leaders = {info.partition: info.leader or 0 for info in await reader.partitions_for("p")}
    producer = Producer(
        bootstrap_servers=broker.bootstrap_servers,
        buffer_memory=30_000,
        max_request_size=5_000,
        batch_size=1_000,
        linger_ms=0,
        max_in_flight_requests_per_connection=1,
    )
    for partition in leaders:
        await producer.send("p", b"0", partition=partition)

    def make() -> Any:
        broker.pause_node(leaders[0])
        broker.intercept("Produce", "delay", seconds=0.01, node=leaders[1], times=10)
        return producer.enqueue_many("p", [b"y" * 900] * 60, partitions=[0] + [1] * 59)

    def tell(deliveries: Any) -> Any:
        return len(deliveries), deliveries[0].done()

    try:
        yield Subject(make, tell)
    finally:
        broker.resume_node(leaders[0])
        await producer.close(10)


def of_a_transaction(
    make: Callable[[Any], Any], *, is_end: bool = False, begun: bool = True, initialised: bool = True
) -> Callable[[World], Any]:
    """A step of a transaction with one record; nothing of it is open any more where that `is_end`."""

    @asynccontextmanager
    async def scene(world: World) -> AsyncIterator[Subject]:
        producer = Producer(
            bootstrap_servers=world.broker.bootstrap_servers, transactional_id=f"transaction-{world.number}"
        )
        consumer: Any = Consumer(bootstrap_servers=world.broker.bootstrap_servers, group_id=world.group)
        if initialised:
            await producer.init_transactions()
        if begun:
            await producer.begin_transaction()
            producer.send_nowait("w", b"x")

        async def check(_: Any) -> None:
            if is_end:
                assert await end(world, isolation_level="read_committed") == await end(world)

        try:
            yield Subject(lambda: make((producer, consumer)), same, check)
        finally:
            await consumer.close()
            await producer.close()

    return scene


def ending(make: Callable[[Any], Any]) -> Callable[[World], Any]:
    """An end: what has lingered is stored when it has come."""
    return sending(
        make, same, 1, settings={"linger_ms": 60_000}, before=lambda each: forget(each.send_nowait("w", b"x"))
    )


def forget(delivery: Any) -> None:
    """The record still goes; a failure of it is nobody's."""
    delivery.cancel()


def deliveries(make: Callable[[Any], Any], tell: Callable[[Any], Any]) -> Callable[[World], Any]:
    """Of a call that has sent many."""

    @asynccontextmanager
    async def scene(world: World) -> AsyncIterator[Subject]:
        async with Producer(bootstrap_servers=world.broker.bootstrap_servers) as producer:
            sent = await producer.enqueue_many("w", ROWS)
            yield Subject(lambda: make(sent), tell)

    return scene


def of_the_face(
    make: Callable[[Any], Any],
    tell: Callable[[Any], Any] = same,
    *,
    count: int | None = None,
    settings: dict[str, Any] | None = None,
    before: Callable[[Any], Any] | None = None,
) -> Callable[[World], Any]:
    """A call of a producer of aiokafka."""

    @asynccontextmanager
    async def scene(world: World) -> AsyncIterator[Subject]:
        had = await end(world)
        names = {name: each.format(world.number) for name, each in (settings or {}).items()}
        producer = aiokafka.AIOKafkaProducer(bootstrap_servers=world.broker.bootstrap_servers, **names)
        await producer.start()
        if before is not None:
            await before(producer)

        async def check(_: Any) -> None:
            await producer.flush()
            if count is not None:
                assert await end(world) == had + count

        yield Subject(lambda: make(producer), tell, check)
        await producer.stop()

    return scene


@asynccontextmanager
async def starting(world: World) -> AsyncIterator[Subject]:
    producer = aiokafka.AIOKafkaProducer(bootstrap_servers=world.broker.bootstrap_servers)

    async def check(_: Any) -> None:
        await producer.send_and_wait("w", b"x")

    yield Subject(producer.start, same, check)
    await producer.stop()


@asynccontextmanager
async def stopping(world: World) -> AsyncIterator[Subject]:
    producer = aiokafka.AIOKafkaProducer(bootstrap_servers=world.broker.bootstrap_servers, linger_ms=60_000)
    await producer.start()
    had = await end(world)
    forget(await producer.send("w", b"x"))

    async def check(_: Any) -> None:
        assert await end(world) == had + 1

    yield Subject(producer.stop, same, check)
    await producer.stop()


def filled_for_the_face(producer: Any) -> Any:
    batch = producer.create_batch()
    for value in ROWS:
        batch.append(timestamp=None, key=None, value=value)
    return producer.send_batch(batch, "w", partition=0)


async def known(producer: Any) -> None:
    await producer.partitions_for("w")


async def begun(producer: Any) -> None:
    await producer.begin_transaction()
    await producer.send_and_wait("w", b"x")


TRANSACTIONAL = {"transactional_id": "face-{}"}


def sent(name: str, scene: Callable[[World], Any], detail: str = "") -> Case:
    """A call that sends: it needs a loop to be awaited in."""
    return Case(name, scene, detail, needs_loop=True)


CASES = [
    sent("Producer.send", sending(lambda producer: producer.send("w", b"x"), places, 1)),
    sent(
        "Producer.send",
        sending(lambda producer: producer.send("w", b"x"), places, 1, settings={"partitioner": lambda *_: 0}),
        "with a partition function",
    ),
    sent("Producer.send", refused(lambda producer: producer.send("w", b"x")), "refused"),
    Case("Producer.send_nowait", sending(lambda producer: producer.send_nowait("w", b"x"), places, 1)),
    sent("Producer.enqueue", sending(lambda producer: producer.enqueue("w", b"x"), places, 1, is_stored=False)),
    sent("Producer.send_many", sending(lambda producer: producer.send_many("w", ROWS), places, 3)),
    sent(
        "Producer.send_many",
        sending(
            lambda producer: producer.send_many("w", [b"x" * 900] * 50),
            places,
            50,
            settings={"buffer_memory": 10_000, "max_request_size": 5_000, "batch_size": 1_000},
        ),
        "waiting for room",
    ),
    sent("Producer.send_many", refused(lambda producer: producer.send_many("w", ROWS)), "refused"),
    sent("Producer.enqueue_many", sending(lambda producer: producer.enqueue_many("w", ROWS), len, 3, is_stored=False)),
    sent(
        "Producer.enqueue_many",
        sending(
            lambda producer: producer.enqueue_many("w", [b"x" * 900] * 50),
            len,
            50,
            is_stored=False,
            settings={"buffer_memory": 10_000, "max_request_size": 5_000, "batch_size": 1_000},
        ),
        "waiting for room",
    ),
    sent("Producer.enqueue_many", without_deliveries, "while a leader stands still"),
    sent("Producer.send_arrow", sending(lambda producer: producer.send_arrow("w", TABLE), places, 3)),
    sent(
        "Producer.enqueue_arrow", sending(lambda producer: producer.enqueue_arrow("w", TABLE), len, 3, is_stored=False)
    ),
    sent("Producer.send_batch", sending(filled, places, 3)),
    Case("Producer.flush", ending(lambda producer: producer.flush(10))),
    Case("Producer.close", ending(lambda producer: producer.close(10))),
    Case("Producer.__aexit__", ending(lambda producer: producer.__aexit__(None, None, None))),
    Case("Producer.__aenter__", sending(lambda producer: producer.__aenter__(), lambda _: None, 0), is_plain=True),
    Case("Producer.partitions_for", sending(lambda producer: producer.partitions_for("w"), same, 0), is_plain=True),
    Case(
        "Producer.init_transactions",
        of_a_transaction(lambda both: both[0].init_transactions(), begun=False, initialised=False),
    ),
    Case(
        "Producer.begin_transaction",
        of_a_transaction(lambda both: both[0].begin_transaction(), begun=False),
        is_plain=True,
    ),
    Case("Producer.commit_transaction", of_a_transaction(lambda both: both[0].commit_transaction(), is_end=True)),
    Case("Producer.abort_transaction", of_a_transaction(lambda both: both[0].abort_transaction(), is_end=True)),
    Case(
        "Producer.send_offsets_to_transaction",
        of_a_transaction(lambda both: both[0].send_offsets_to_transaction({WRITTEN: 1}, both[1].group_metadata())),
    ),
    Case(
        "Producer._join_left_transaction",
        of_a_transaction(lambda both: both[0]._join_left_transaction()),
        is_plain=True,
    ),
    Case("Deliveries.failures", deliveries(lambda sent: sent.failures(), same)),
    Case("Deliveries.__await__", deliveries(lambda sent: sent, places)),
    Case("Deliveries.__getitem__", deliveries(lambda sent: sent[1], places)),
    Case(
        "AIOKafkaProducer.send",
        of_the_face(lambda producer: producer.send("w", b"x"), places, count=1, before=known),
        is_lazy=True,
    ),
    Case(
        "AIOKafkaProducer.send_and_wait",
        of_the_face(lambda producer: producer.send_and_wait("w", b"x"), places, count=1, before=known),
        is_lazy=True,
    ),
    Case(
        "AIOKafkaProducer.send",
        of_the_face(lambda producer: producer.send("w", b"x"), places, count=1),
        "to a topic that is not known yet",
        is_plain=True,
    ),
    Case(
        "AIOKafkaProducer.send_and_wait",
        of_the_face(lambda producer: producer.send_and_wait("w", b"x"), places, count=1),
        "to a topic that is not known yet",
        is_plain=True,
    ),
    Case("AIOKafkaProducer.send_batch", of_the_face(filled_for_the_face, places, count=3)),
    Case("AIOKafkaProducer.flush", of_the_face(lambda producer: producer.flush()), is_plain=True),
    Case("AIOKafkaProducer.partitions_for", of_the_face(lambda producer: producer.partitions_for("w")), is_plain=True),
    Case("AIOKafkaProducer.start", starting, is_plain=True),
    Case("AIOKafkaProducer.stop", stopping, is_plain=True),
    Case(
        "AIOKafkaProducer.begin_transaction",
        of_the_face(lambda producer: producer.begin_transaction(), settings=TRANSACTIONAL),
        is_plain=True,
    ),
    Case(
        "AIOKafkaProducer.commit_transaction",
        of_the_face(lambda producer: producer.commit_transaction(), settings=TRANSACTIONAL, before=begun, count=2),
        is_plain=True,
    ),
    Case(
        "AIOKafkaProducer.abort_transaction",
        of_the_face(lambda producer: producer.abort_transaction(), settings=TRANSACTIONAL, before=begun, count=2),
        is_plain=True,
    ),
    Case(
        "AIOKafkaProducer.send_offsets_to_transaction",
        of_the_face(
            lambda producer: producer.send_offsets_to_transaction({WRITTEN: 1}, "g"),
            settings=TRANSACTIONAL,
            before=begun,
        ),
        is_plain=True,
    ),
]
