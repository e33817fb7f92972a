"""Tasks that are cancelled at moments of chance: what was acknowledged is stored, what was stored is read, once
each."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Any

import pytest
from kafkars.aio import Consumer, Producer

from tests.brokers import Broker
from tests.support.awaits import run
from tests.support.waiting import SECONDS

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_cancelling_at_random_loses_no_acknowledged_record(broker: Broker, topic: str) -> None:
    source = random.Random(11)

    async def test() -> None:
        acknowledged: dict[bytes, int] = {}
        async with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=1) as producer:

            async def send(value: bytes) -> None:
                acknowledged[value] = (await producer.send(topic, value)).offset

            tasks = []
            for number in range(2_000):
                task = asyncio.create_task(send(str(number).encode()))
                tasks.append(task)
                if source.random() < 0.1:
                    await asyncio.sleep(0)
                if source.random() < 0.3:
                    source.choice(tasks).cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
            assert await producer.flush(SECONDS) == 0
            lost = [result for result in outcomes if isinstance(result, asyncio.CancelledError)]
            # How many are still waiting when they are cancelled depends on the machine; some must be, and not all.
            assert 20 < len(lost) < 1_000
            assert len(acknowledged) + len(lost) == 2_000
            await producer.send(topic, b"end")
        stored: dict[bytes | None, int] = {}
        async with Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
            consumer.assign([(topic, 0)])
            async for record in consumer:
                if record.value == b"end":
                    break
                assert record.value not in stored, "stored twice"
                stored[record.value] = record.offset
        assert {value: stored.get(value) for value in acknowledged} == acknowledged
        # In the order of the calls; tasks may hear of it in another, because what is done is not waited for.
        offsets = [acknowledged[value] for value in sorted(acknowledged, key=int)]
        assert offsets == sorted(offsets)

    run(test())


@pytest.mark.parametrize("way", ["poll", "poll_batch", "iteration"])
def test_cancelled_reads_at_random_lose_no_record(broker: Broker, topic: str, way: str) -> None:
    source = random.Random(12)

    async def test() -> None:
        async with Consumer(
            bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest", max_poll_records=20
        ) as consumer:
            consumer.assign([(topic, 0)])
            found: list[Any] = []
            cancelled = Counter[bool]()
            writing = asyncio.create_task(fill_slowly(broker, topic, 1_000))

            async def take() -> None:
                if way == "poll_batch":
                    found.extend(record.value for record in await consumer.poll_batch(timeout=None))
                elif way == "poll":
                    found.append((await one_of(consumer)).value)
                else:
                    found.append((await anext(consumer)).value)

            while len(found) < 1_000:
                task = asyncio.create_task(take())
                if source.random() < 0.5:
                    for _ in range(source.randrange(4)):
                        await asyncio.sleep(0)
                    task.cancel()
                (result,) = await asyncio.gather(task, return_exceptions=True)
                assert result is None or isinstance(result, asyncio.CancelledError), result
                cancelled[result is None] += 1
            await writing
            assert found == [str(number).encode() for number in range(1_000)]
            assert cancelled[False] > 5

    run(test())


@pytest.mark.parametrize("way", ["poll", "poll_batch"])
def test_reads_that_time_out_around_the_arrival_lose_no_record(broker: Broker, topic: str, way: str) -> None:
    async def test() -> None:
        async with Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
            consumer.assign([(topic, 0)])
            found: list[Any] = []
            writing = asyncio.create_task(fill_slowly(broker, topic, 300))
            while len(found) < 300:
                try:
                    taken = await asyncio.wait_for(getattr(consumer, way)(timeout=None), 0.001)
                except asyncio.TimeoutError:
                    continue
                found.extend([taken.value] if way == "poll" else [record.value for record in taken])
            await writing
            assert found == [str(number).encode() for number in range(300)]

    run(test())


async def fill_slowly(broker: Broker, topic: str, count: int) -> None:
    """Sends, and waits now and then until what was sent is stored."""
    async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(count):
            sent = producer.send(topic, str(number))
            if number % 7 == 0:
                await sent


async def one_of(consumer: Consumer[Any, Any]) -> Any:
    """The next record, however long it takes."""
    record = await consumer.poll(None)
    assert record is not None
    return record
