"""The awaitables of consumers."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from kafkars.aio import Consumer
from kafkars.compat import aiokafka
from kafkars.types import TopicPartition

from tests.awaiting.case import Case, Subject, World, same
from tests.awaiting.conftest import RECORDS

FIRST = TopicPartition("t", 0)
CALLER = contextvars.ContextVar("CALLER", default="nobody")


@dataclass(frozen=True)
class Rows:
    """An answer that only tells how many records it has."""

    rows: int


def records(answer: Any) -> Any:
    """Which records an answer has, by their offsets."""
    if answer is None:
        return []
    if isinstance(answer, dict):
        return [each.offset for records in answer.values() for each in records]
    if hasattr(answer, "num_rows"):
        return Rows(answer.num_rows)
    return [answer.offset] if hasattr(answer, "offset") else [each.offset for each in answer]


def native(world: World, **settings: Any) -> Consumer[Any, Any]:
    return Consumer(
        bootstrap_servers=world.broker.bootstrap_servers,
        group_id=world.group,
        auto_offset_reset="earliest",
        auto_commit_interval_ms=60_000,
        **settings,
    )


def reading(make: Callable[[Any], Any], *, buffered: bool) -> Callable[[World], Any]:
    """A read, with records in the buffer or before they are."""

    @asynccontextmanager
    async def scene(world: World) -> AsyncIterator[Subject]:
        async with native(world, enable_auto_commit=False) as consumer:
            consumer.assign({FIRST: 0})
            if buffered:
                # All ten came in one answer: the rest is in the buffer.
                assert records(await consumer.poll(10)) == [0]
            first = int(buffered)

            async def check(told: Any) -> None:
                await followed_by(consumer, first + (told.rows if isinstance(told, Rows) else len(told)))

            async def check_given_up() -> None:
                await followed_by(consumer, first)

            yield Subject(lambda: make(consumer), records, check, check_given_up)

    return scene


async def followed_by(consumer: Consumer[Any, Any], offset: int) -> None:
    """No record is lost or handed out twice."""
    if offset < RECORDS:
        assert records(await consumer.poll(10)) == [offset]


def asking(make: Callable[[Any], Any], tell: Callable[[Any], Any] = same) -> Callable[[World], Any]:
    """A question to the cluster."""

    @asynccontextmanager
    async def scene(world: World) -> AsyncIterator[Subject]:
        async with native(world) as consumer:
            consumer.assign({FIRST: 0})
            yield Subject(lambda: make(consumer), tell)

    return scene


@asynccontextmanager
async def committing(world: World) -> AsyncIterator[Subject]:
    async with native(world) as consumer:
        consumer.assign({FIRST: 0})

        async def check(_: Any) -> None:
            assert await world.committed() == 7

        yield Subject(lambda: consumer.commit({FIRST: 7}), same, check)


@asynccontextmanager
async def refused(world: World) -> AsyncIterator[Subject]:
    async with native(world) as consumer:
        consumer.assign({FIRST: 0})
        with world.broker.intercept("OffsetCommit", "GROUP_AUTHORIZATION_FAILED"):
            yield Subject(lambda: consumer.commit({FIRST: 7}))


class Listener:
    """Hears of what is revoked, and notes in what it was told: in a task, and in whose context."""

    def __init__(self, kind: str) -> None:
        self.heard: list[tuple[str, str]] = []
        self.told = {"function": self.note, "coroutine": self.later, "raises": self.fail}[kind]

    def note(self, _: Any) -> None:
        task = asyncio.current_task()
        self.heard.append(("no task" if task is None else "a task", CALLER.get()))

    async def later(self, partitions: Any) -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        self.note(partitions)

    def fail(self, partitions: Any) -> None:
        self.note(partitions)
        raise ZeroDivisionError


async def read_all(consumer: Consumer[Any, Any]) -> None:
    count = 0
    while count < RECORDS:
        count += len(await consumer.poll_batch(timeout=10))


@asynccontextmanager
async def told_late(world: World, *, is_refused: bool) -> AsyncIterator[None]:
    """Commits take their time, or are refused."""
    if is_refused:
        fault = world.broker.intercept("OffsetCommit", "GROUP_AUTHORIZATION_FAILED")
    else:
        fault = world.broker.intercept("OffsetCommit", "delay", seconds=0.05)
    with fault:
        yield


def leaving(
    make: Callable[[Any], Any], *, kind: str = "function", by_hand: bool = False, is_refused: bool = False
) -> Callable[[World], Any]:
    """An end: what was read is committed and the listener has heard of it when it has come."""

    @asynccontextmanager
    async def scene(world: World) -> AsyncIterator[Subject]:
        listener = Listener(kind)
        consumer = native(world)
        if by_hand:
            consumer.assign({FIRST: 0})
        else:
            consumer.subscribe(["t"], on_partitions_revoked=listener.told)
        await read_all(consumer)

        async def check(_: Any) -> None:
            assert await world.committed() == (None if is_refused else RECORDS), "the last commit"
            assert listener.heard == ([] if by_hand else [("a task", "the caller")])
            if not consumer.closed:
                assert consumer.health().state == "unsubscribed"
                assert not consumer.assignment()

        def call() -> Any:
            CALLER.set("the caller")
            return make(consumer)

        async with told_late(world, is_refused=is_refused):
            yield Subject(call, lambda _: consumer.closed, check)
        # Of a call that was given up, the listener hears now.
        with suppress(ZeroDivisionError):
            await consumer.close()

    return scene


@asynccontextmanager
async def joining(world: World) -> AsyncIterator[Subject]:
    """A read during which the listener hears of what is assigned."""
    listener = Listener("function")

    async with native(world, enable_auto_commit=False) as consumer:

        def call() -> Any:
            CALLER.set("the caller")
            return consumer.poll(10)

        async def check(_: Any) -> None:
            assert listener.heard == [("a task", "the caller")]

        consumer.subscribe(["t"], on_partitions_assigned=listener.told)
        yield Subject(call, records, check)


@asynccontextmanager
async def entering(world: World) -> AsyncIterator[Subject]:
    consumer = native(world)
    yield Subject(consumer.__aenter__, lambda answer: answer is consumer)
    await consumer.close()


def of_the_face(
    make: Callable[[Any], Any], tell: Callable[[Any], Any] = same, *, effect: Callable[[World, Any], Any] | None = None
) -> Callable[[World], Any]:
    """A call of a consumer of aiokafka that is a member of a group."""

    @asynccontextmanager
    async def scene(world: World) -> AsyncIterator[Subject]:
        consumer = aiokafka.AIOKafkaConsumer(
            "t",
            bootstrap_servers=world.broker.bootstrap_servers,
            group_id=world.group,
            auto_offset_reset="earliest",
            auto_commit_interval_ms=60_000,
        )
        await consumer.start()

        async def check(told: Any) -> None:
            if effect is not None:
                await effect(world, told)

        yield Subject(lambda: make(consumer), tell, check)
        await consumer.stop()

    return scene


@asynccontextmanager
async def starting(world: World) -> AsyncIterator[Subject]:
    consumer = aiokafka.AIOKafkaConsumer("t", bootstrap_servers=world.broker.bootstrap_servers, group_id=world.group)

    async def check(_: Any) -> None:
        assert consumer.assignment() == {FIRST}

    yield Subject(consumer.start, same, check)
    await consumer.stop()


@asynccontextmanager
async def stopping(world: World) -> AsyncIterator[Subject]:
    consumer = aiokafka.AIOKafkaConsumer(
        "t",
        bootstrap_servers=world.broker.bootstrap_servers,
        group_id=world.group,
        auto_offset_reset="earliest",
        auto_commit_interval_ms=60_000,
    )
    await consumer.start()
    count = 0
    while count < RECORDS:
        count += sum(len(each) for each in (await consumer.getmany(timeout_ms=10_000)).values())

    async def check(_: Any) -> None:
        assert await world.committed() == RECORDS

    with world.broker.intercept("OffsetCommit", "delay", seconds=0.05):
        yield Subject(consumer.stop, same, check)
        await consumer.stop()


async def committed_seven(world: World, _: Any) -> None:
    assert await world.committed() == 7


BOTH_FACES_ASK: dict[str, Callable[[Any], Any]] = {
    "beginning_offsets": lambda consumer: consumer.beginning_offsets([FIRST]),
    "end_offsets": lambda consumer: consumer.end_offsets([FIRST]),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times({FIRST: 0}),
    "topics": lambda consumer: consumer.topics(),
    "position": lambda consumer: consumer.position(FIRST),
}

CASES = [
    *(
        Case(f"Consumer.{name}", reading(make, buffered=buffered), detail)
        for buffered, detail in ((False, "nothing there yet"), (True, "records in the buffer"))
        for name, make in {
            "poll": lambda consumer: consumer.poll(10),
            "poll_batch": lambda consumer: consumer.poll_batch(3, timeout=10),
            "__anext__": lambda consumer: consumer.__anext__(),
            "poll_arrow": lambda consumer: consumer.poll_arrow(timeout=10),
        }.items()
    ),
    # Where no task awaits a read, there is none that a listener could run in.
    Case("Consumer.poll", joining, "that joins", other_ways=("by_a_callback_of_the_call",)),
    *(Case(f"Consumer.{name}", asking(make), is_plain=True) for name, make in BOTH_FACES_ASK.items()),
    Case("Consumer.partitions_for", asking(lambda consumer: consumer.partitions_for("t")), is_plain=True),
    Case("Consumer.committed", asking(lambda consumer: consumer.committed([FIRST])), is_plain=True),
    Case("Consumer.poll", asking(lambda consumer: consumer.seek(FIRST, RECORDS) or consumer.poll(0.05)), "in vain"),
    Case("Consumer.commit", committing),
    Case("Consumer.commit", refused, "refused"),
    Case("Consumer.__aenter__", entering, is_plain=True),
    *(
        Case(f"Consumer.{name}", leaving(make, kind=kind), kind)
        for kind in ("function", "coroutine", "raises")
        for name, make in {
            "close": lambda consumer: consumer.close(timeout=10),
            "__aexit__": lambda consumer: consumer.__aexit__(None, None, None),
            "unsubscribe": lambda consumer: consumer.unsubscribe(timeout=10),
        }.items()
    ),
    Case("Consumer.close", leaving(lambda consumer: consumer.close(), by_hand=True), "by hand"),
    Case("Consumer.close", leaving(lambda consumer: consumer.close(timeout=10), is_refused=True), "refused"),
    Case(
        "Consumer.close",
        leaving(lambda consumer: consumer.close(timeout=10), is_refused=True, by_hand=True),
        "by hand, refused",
    ),
    *(Case(f"AIOKafkaConsumer.{name}", of_the_face(make), is_plain=True) for name, make in BOTH_FACES_ASK.items()),
    Case("AIOKafkaConsumer.getone", of_the_face(lambda consumer: consumer.getone(), records)),
    Case("AIOKafkaConsumer.getone", of_the_face(lambda consumer: consumer.getone(FIRST), records), "of a partition"),
    Case("AIOKafkaConsumer.getmany", of_the_face(lambda consumer: consumer.getmany(timeout_ms=10_000), records)),
    Case(
        "AIOKafkaConsumer.getmany",
        of_the_face(lambda consumer: consumer.getmany(FIRST, timeout_ms=10_000, max_records=3), records),
        "of a partition",
    ),
    Case("AIOKafkaConsumer.__anext__", of_the_face(lambda consumer: consumer.__anext__(), records)),
    Case(
        "AIOKafkaConsumer.seek_to_beginning", of_the_face(lambda consumer: consumer.seek_to_beginning()), is_plain=True
    ),
    Case("AIOKafkaConsumer.seek_to_end", of_the_face(lambda consumer: consumer.seek_to_end()), is_plain=True),
    Case(
        "AIOKafkaConsumer.seek_to_committed", of_the_face(lambda consumer: consumer.seek_to_committed()), is_plain=True
    ),
    Case("AIOKafkaConsumer.committed", of_the_face(lambda consumer: consumer.committed(FIRST)), is_plain=True),
    Case(
        "AIOKafkaConsumer.commit",
        of_the_face(lambda consumer: consumer.commit({FIRST: 7}), effect=committed_seven),
        is_plain=True,
    ),
    Case("AIOKafkaConsumer.start", starting, is_plain=True),
    Case("AIOKafkaConsumer.stop", stopping),
]
