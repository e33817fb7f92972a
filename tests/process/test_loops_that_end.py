"""Event loops that end take with them what clients had for them of the operating system, also where a wait has ended
before its time limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from kafkars import Producer, aio
from kafkars.compat.aiokafka import AIOKafkaConsumer
from kafkars.testing import EmbeddedBroker

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
