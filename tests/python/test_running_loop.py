"""A send of the asyncio producer needs a loop that runs now, on this thread: one that ran before is no help."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from kafkars.aio import Producer
from kafkars.testing import EmbeddedBroker

SECONDS = 20.0

Loops = Callable[[], asyncio.AbstractEventLoop]


@pytest.fixture(params=["asyncio", "uvloop"])
def loops(request: pytest.FixtureRequest) -> Loops:
    """A maker of loops."""
    if request.param == "asyncio":
        return asyncio.new_event_loop
    made: Loops = pytest.importorskip("uvloop").new_event_loop
    return made


@pytest.fixture
def loop(loops: Loops) -> Iterator[asyncio.AbstractEventLoop]:
    made = loops()
    yield made
    made.close()


async def opened(broker: EmbeddedBroker) -> Producer[Any, Any]:
    """A producer that has sent from the loop that runs."""
    producer: Producer[Any, Any] = Producer(bootstrap_servers=broker.bootstrap_servers)
    await producer.send("t", b"value")
    return producer


async def sent(producer: Producer[Any, Any]) -> None:
    await asyncio.wait_for(producer.send("t", b"value"), SECONDS)


async def ended(producer: Producer[Any, Any]) -> None:
    await producer.close()


def refused(producer: Producer[Any, Any]) -> None:
    """Nothing is sent."""
    with pytest.raises(RuntimeError, match="needs a running event loop"):
        producer.send("t", b"value")
    assert len(producer) == 0


def test_between_two_runs_of_a_loop_a_send_raises(
    faulty_broker: EmbeddedBroker, loop: asyncio.AbstractEventLoop
) -> None:
    producer = loop.run_until_complete(opened(faulty_broker))
    for _ in range(3):
        refused(producer)
        loop.run_until_complete(sent(producer))
    loop.run_until_complete(ended(producer))


def test_after_a_loop_was_closed_a_send_raises(faulty_broker: EmbeddedBroker, loops: Loops) -> None:
    loop = loops()
    producer = loop.run_until_complete(opened(faulty_broker))
    loop.close()
    refused(producer)
    del loop
    refused(producer)
    asyncio.run(sent(producer))
    asyncio.run(ended(producer))


def test_while_the_loop_runs_on_another_thread_a_send_raises_here(
    faulty_broker: EmbeddedBroker, loop: asyncio.AbstractEventLoop
) -> None:
    producer = loop.run_until_complete(opened(faulty_broker))
    with ThreadPoolExecutor(1) as elsewhere:
        running = elsewhere.submit(loop.run_forever)
        try:
            for _ in range(3):
                asyncio.run_coroutine_threadsafe(sent(producer), loop).result(SECONDS)
                refused(producer)
            asyncio.run_coroutine_threadsafe(ended(producer), loop).result(SECONDS)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            running.result(SECONDS)


ASKED = """
import asyncio
asked = 0
ask = asyncio.get_running_loop

def counted():
    global asked
    asked += 1
    return ask()

asyncio.get_running_loop = counted
from kafkars.aio import Producer
from kafkars.testing import EmbeddedBroker

async def main():
    with EmbeddedBroker() as broker:
        async with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=10_000) as producer:
            await producer.partitions_for("topic")
            before = asked
            sends = [producer.send("topic", b"value") for _ in range(1_000)]
            print(asked - before)
            await producer.flush()
            assert len([await send for send in sends]) == 1_000

asyncio.run(main())
"""


def test_asyncio_is_not_asked_for_each_record() -> None:
    """Before Python 3.12 its answer costs a call of the kernel, more than the record."""
    ran = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, timeout=60, check=True)
    assert int(ran.stdout) <= 1
