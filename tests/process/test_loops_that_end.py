"""Event loops that end take with them what clients had for them of the operating system, also where a wait has ended
before its time limit.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from kafkars import Consumer, Producer, aio
from kafkars.compat.aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS, eventually

DESCRIPTORS = Path("/proc/self/fd")
LOOPS = 12
LONG = 600.0
"""Seconds that a wait could take."""


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"value")
        yield broker.bootstrap_servers


async def native(servers: str) -> None:
    async with aio.Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([("t", 0)])
        assert await consumer.poll(timeout=LONG)


async def face(servers: str) -> None:
    async with AIOKafkaConsumer("t", bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
        assert await consumer.getmany(timeout_ms=int(LONG * 1000))


@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="the system does not list a process's descriptors")
@pytest.mark.parametrize("job", [native, face])
def test_loops_that_end_keep_no_descriptors(job: Callable[[str], Awaitable[None]], servers: str) -> None:
    async def ran() -> None:
        await job(servers)

    counts = []
    for _ in range(LOOPS):
        asyncio.run(ran())
        counts.append(len(list(DESCRIPTORS.iterdir())))
    # Those of the last loop are closed with the next one; connections of closed clients end a moment after them.
    assert counts[-1] < counts[0] + LOOPS, counts


@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="the system does not list a process's descriptors")
def test_a_client_of_several_loops_keeps_none_for_waits_that_were_given_up(servers: str) -> None:
    async def ran(consumer: aio.Consumer[bytes, bytes]) -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(consumer.poll(timeout=LONG), 0.01)

    async def made() -> aio.Consumer[bytes, bytes]:
        consumer = aio.Consumer(bootstrap_servers=servers, auto_offset_reset="latest")
        consumer.assign([("t", 0)])
        return consumer

    async def closed(consumer: aio.Consumer[bytes, bytes]) -> None:
        await consumer.close()

    consumer = asyncio.run(made())
    counts = []
    for _ in range(LOOPS):
        asyncio.run(ran(consumer))
        counts.append(len(list(DESCRIPTORS.iterdir())))
    asyncio.run(closed(consumer))
    assert counts[-1] < counts[0] + LOOPS, counts


@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="the system does not list a process's descriptors")
@pytest.mark.parametrize("end", ["times out", "is cancelled with its task", "calls back"])
def test_a_producer_of_several_loops_keeps_none_for_sends_that_nobody_waits_for(end: str) -> None:
    async def made(servers: str) -> aio.Producer[Any, Any]:
        producer = aio.Producer(bootstrap_servers=servers)
        await producer.send("t", b"value")
        return producer

    async def ran(producer: aio.Producer[Any, Any]) -> None:
        async def send() -> None:
            await producer.send("t", b"value")

        if end == "times out":
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(producer.send("t", b"value"), 0.01)
        elif end == "calls back":
            producer.send("t", b"value").add_done_callback(lambda _: None)
        else:
            # Cancelled by asyncio.run().
            task = asyncio.create_task(send())
            await asyncio.wait([task], timeout=0.01)

    async def closed(producer: aio.Producer[Any, Any]) -> None:
        await producer.close()

    with EmbeddedBroker(topics={"t": 1}) as broker:
        producer = asyncio.run(made(broker.bootstrap_servers))
        counts = []
        with broker.intercept("Produce", "delay", seconds=0.1):
            for _ in range(LOOPS):
                asyncio.run(ran(producer))
                counts.append(len(list(DESCRIPTORS.iterdir())))
        asyncio.run(closed(producer))
        assert broker.offsets("t", 0) == (0, 1 + LOOPS)
    assert counts[-1] < counts[0] + LOOPS, counts


async def native_poll(servers: str) -> Coroutine[Any, Any, Any]:
    consumer = aio.Consumer(bootstrap_servers=servers, group_id="closed", **MEMBER)
    consumer.subscribe(["empty"])

    async def poll() -> None:
        await consumer.poll(timeout=LONG)

    return poll()


async def native_send(servers: str) -> Coroutine[Any, Any, Any]:
    producer = aio.Producer(bootstrap_servers=servers, linger_ms=LONG)
    await producer.send("t", b"value")

    async def send() -> None:
        await producer.send("t", b"value")

    return send()


async def native_question(servers: str) -> Coroutine[Any, Any, Any]:
    consumer = aio.Consumer(bootstrap_servers=servers)

    async def ask() -> None:
        await consumer.partitions_for("missing", timeout=LONG)

    return ask()


async def face_getone(servers: str) -> Coroutine[Any, Any, Any]:
    consumer = AIOKafkaConsumer("empty", bootstrap_servers=servers, group_id="closed", **MEMBER)
    await consumer.start()
    return consumer.getone()


async def face_send(servers: str) -> Coroutine[Any, Any, Any]:
    producer = AIOKafkaProducer(bootstrap_servers=servers, linger_ms=int(LONG * 1000))
    await producer.start()
    return producer.send_and_wait("t", b"value")


PENDING = [native_poll, native_send, native_question, face_getone, face_send]
MEMBER: dict[str, Any] = {"auto_offset_reset": "earliest", "heartbeat_interval_ms": 100, "session_timeout_ms": 30_000}


def closed_meanwhile(job: Callable[[str], Awaitable[Coroutine[Any, Any, Any]]], servers: str) -> None:
    """A loop that is closed while a task waits."""
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)

    async def begun() -> None:
        task = asyncio.ensure_future(await job(servers))
        await asyncio.wait([task], timeout=0.05)
        assert not task.done()

    loop.run_until_complete(begun())
    loop.close()


@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="the system does not list a process's descriptors")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("job", PENDING)
def test_loops_that_are_closed_while_a_task_waits_keep_no_descriptors(
    job: Callable[[str], Awaitable[Coroutine[Any, Any, Any]]],
) -> None:
    with EmbeddedBroker(topics={"t": 1, "empty": 1}, auto_create_topics=False) as broker:
        counts = []
        for _ in range(LOOPS):
            closed_meanwhile(job, broker.bootstrap_servers)
            gc.collect()
            counts.append(len(list(DESCRIPTORS.iterdir())))
        # Connections of clients that are not closed in order end a moment later.
        limit = counts[0] + LOOPS
        eventually(lambda: len(list(DESCRIPTORS.iterdir())) < limit, f"fewer than {limit} descriptors: {counts}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("job", [native_poll, face_getone])
@pytest.mark.parametrize("successor", ["native", "face", "synchronous"])
def test_what_a_member_had_whose_loop_was_closed_goes_to_the_next(
    job: Callable[[str], Awaitable[Coroutine[Any, Any, Any]]], successor: str
) -> None:
    """A member whose loop is gone does not stay in the group, long before its session would end."""

    async def read(servers: str) -> Any:
        if successor == "native":
            async with aio.Consumer(bootstrap_servers=servers, group_id="closed", **MEMBER) as consumer:
                consumer.subscribe(["empty"])
                return await consumer.poll(timeout=SECONDS)
        async with AIOKafkaConsumer("empty", bootstrap_servers=servers, group_id="closed", **MEMBER) as consumer:
            return await consumer.getone()

    with EmbeddedBroker(topics={"empty": 1}) as broker:
        closed_meanwhile(job, broker.bootstrap_servers)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("empty", b"value")
        if successor != "synchronous":
            record = asyncio.run(asyncio.wait_for(read(broker.bootstrap_servers), SECONDS))
        else:
            settings = {"bootstrap_servers": broker.bootstrap_servers, "group_id": "closed", **MEMBER}
            with Consumer(settings) as consumer:
                consumer.subscribe(["empty"])
                record = consumer.poll(timeout=SECONDS)
        assert record is not None
        assert record.value == b"value"


def test_a_loop_within_a_loop_waits_for_no_event() -> None:
    """What a loop calls when it was woken is called more often where one runs within another, as in notebooks."""

    async def run() -> int:
        loop: Any = asyncio.get_running_loop()
        delivered = 0

        def count(_: object) -> None:
            nonlocal delivered
            delivered += 1

        async with EmbeddedBroker(topics={"t": 8}) as broker, AsyncExitStack() as stack:
            made = [aio.Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=0) for _ in range(4)]
            producers = [await stack.enter_async_context(each) for each in made]
            await asyncio.gather(*(each.send("t", b"value") for each in producers))
            handles = [key.data[0] for key in loop._selector.get_map().values() if key.data and key.data[0]]
            lanes = [each for each in handles if type(each._callback).__name__ == "LoopBridge"]
            for sent in range(0, 32 * 2_000, 32):
                for number in range(32):
                    future = producers[number % 4].send("t", b"value", partition=number % 8)
                    future.add_done_callback(count)
                while delivered < sent + 32:
                    for lane in lanes:
                        lane._callback(*lane._args)
                    await asyncio.sleep(0)
        return delivered

    assert asyncio.run(asyncio.wait_for(run(), 60)) == 64_000


@pytest.mark.parametrize("way", ["send", "send_many"])
def test_what_was_sent_is_stored_though_its_loop_has_ended(way: str) -> None:
    """`asyncio.run()` cancels tasks, and no futures of sends that wait for room."""
    count, told = 40, []
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"buffer_memory": 20_000, "batch_size": 1000, "max_request_size": 5000}

        async def work() -> aio.Producer[Any, Any]:
            producer: aio.Producer[Any, Any] = aio.Producer(bootstrap_servers=broker.bootstrap_servers, **settings)
            await producer.send("t", b"first")
            broker.intercept("Produce", "delay", seconds=1.0, times=1)
            values = [b"%900d" % number for number in range(count)]
            futures: list[Any] = (
                [producer.send_many("t", values)]
                if way == "send_many"
                else [producer.send("t", each) for each in values]
            )
            for each in futures:
                each.add_done_callback(told.append)
            return producer

        producer = asyncio.run(work())
        with Producer(bootstrap_servers=broker.bootstrap_servers):
            eventually(lambda: len(broker.records("t")) == count + 1, "all that was sent is stored")

        async def end() -> None:
            await producer.close()

        asyncio.run(end())
