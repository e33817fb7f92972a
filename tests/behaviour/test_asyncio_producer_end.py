"""The end of an asyncio producer is one, whoever asks for it and however often: every call waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from kafkars.aio import Producer
from kafkars.errors import ClosedError, KafkaTimeoutError
from kafkars.testing import EmbeddedBroker

from tests.support.awaits import run
from tests.support.waiting import SECONDS, Stopwatch

RECORDS = 50


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": 1}) as made:
        yield made


def stored(broker: EmbeddedBroker) -> int:
    _, end = broker.offsets("t", 0)
    return end


async def under_way(broker: EmbeddedBroker) -> None:
    """Waits until more than the first record has left."""
    await asyncio.to_thread(broker.wait_for_request, "Produce", count=2)


@asynccontextmanager
async def busy(broker: EmbeddedBroker, seconds: float) -> AsyncIterator[Producer[Any, Any]]:
    """A producer with records on their way, closed at the end."""
    async with Producer[Any, Any](bootstrap_servers=broker.bootstrap_servers) as producer:
        await producer.send("t", b"first")
        broker.intercept("Produce", "delay", seconds=seconds, times=1)
        for _ in range(RECORDS):
            producer.send_nowait("t", b"value")
        yield producer


def test_leaving_a_block_joins_a_close_that_has_begun(broker: EmbeddedBroker) -> None:
    async def test() -> None:
        async with busy(broker, 0.5) as producer:
            closing = asyncio.ensure_future(producer.close())
            await asyncio.sleep(0)
        assert await closing == 0

    run(test())
    assert stored(broker) == 1 + RECORDS


@pytest.mark.parametrize("unknown", [False, True], ids=["under way", "one waits for its topic"])
def test_every_close_waits_for_the_end_and_all_are_told(broker: EmbeddedBroker, unknown: bool) -> None:
    async def test() -> None:
        async with busy(broker, 0.5) as producer:
            if unknown:
                producer.send_nowait("new", b"value")
            calls = [asyncio.ensure_future(producer.close(SECONDS)) for _ in range(3)]
            assert await asyncio.gather(*calls) == [0, 0, 0]
            assert len(producer) == 0

    run(test())
    assert stored(broker) == 1 + RECORDS


def test_a_hurried_close_shortens_the_one_under_way(broker: EmbeddedBroker) -> None:
    async def test() -> None:
        producer = Producer[Any, Any](bootstrap_servers=broker.bootstrap_servers)
        await producer.send("t", b"first")
        broker.intercept("Produce", "delay", seconds=SECONDS, times=1)
        sent = producer.send_nowait("t", b"value")
        first = asyncio.ensure_future(producer.close(SECONDS))
        await under_way(broker)
        with Stopwatch() as watch:
            assert await producer.close(0) == 1
            assert await first == 1
        assert watch.seconds < SECONDS / 2
        assert await producer.close() == 0
        with pytest.raises(ClosedError):
            await sent

    run(test())


def test_a_close_that_is_cancelled_ends_the_producer_and_tells_the_others(broker: EmbeddedBroker) -> None:
    async def test() -> None:
        with pytest.raises(KafkaTimeoutError):
            async with busy(broker, SECONDS) as producer:
                closing = asyncio.ensure_future(producer.close())
                await under_way(broker)
                # Once the block waits for it.
                asyncio.get_running_loop().call_soon(closing.cancel)
        assert closing.cancelled()

    with Stopwatch() as watch:
        run(test())
    assert watch.seconds < SECONDS / 2


def test_what_a_cancelled_close_lost_is_told_to_the_next(broker: EmbeddedBroker) -> None:
    async def test() -> None:
        producer = Producer[Any, Any](bootstrap_servers=broker.bootstrap_servers)
        await producer.send("t", b"first")
        broker.intercept("Produce", "delay", seconds=SECONDS, times=1)
        producer.send_nowait("t", b"value")
        closing = asyncio.ensure_future(producer.close())
        await under_way(broker)
        closing.cancel()
        assert await producer.close(SECONDS) == 1
        assert await producer.close(SECONDS) == 0

    run(test())
