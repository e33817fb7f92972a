"""`start()` again, after there was no broker: a service may be up before Kafka is."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run
from tests.support.proxy import CALM, Proxy, Weather

KINDS = ("producer", "transactions", "consumer", "member")
IMPATIENT_S = 0.5
SILENCE = Weather(delay=60.0)


def client(library: Library, kind: str, topic: str, address: str) -> Any:
    """A client whose only address is that one."""
    match kind:
        case "producer":
            return library.producer(bootstrap_servers=address)
        case "transactions":
            return library.producer(bootstrap_servers=address, transactional_id=library.group())
        case "consumer":
            return library.consumer(topic, bootstrap_servers=address)
        case _:
            return library.consumer(topic, bootstrap_servers=address, group_id=library.group())


async def works(kind: str, started: Any, topic: str) -> None:
    """Sends or reads with it."""
    match kind:
        case "producer":
            await started.send_and_wait(topic, b"more")
        case "transactions":
            async with started.transaction():
                await started.send_and_wait(topic, b"more")
        case _:
            assert (await started.getone()).value == b"v0"


@pytest.mark.parametrize("how", ["refused", "unanswered"])
@pytest.mark.parametrize("kind", KINDS)
def test_start_again_once_there_is_a_broker(embedded: Library, run: Run, kind: str, how: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        proxy = Proxy(1)
        proxy.forward([int(embedded.broker.bootstrap_servers.rpartition(":")[2])])
        async with AsyncExitStack() as stack:
            if how == "unanswered":
                proxy.weather = SILENCE
                stack.enter_context(proxy)
            started = client(embedded, kind, topic, proxy.bootstrap_servers)
            stack.push_async_callback(started.stop)
            for _ in range(2):
                with pytest.raises(embedded.errors.KafkaConnectionError if how == "refused" else TimeoutError):
                    await asyncio.wait_for(started.start(), IMPATIENT_S if how == "unanswered" else None)
            if how == "refused":
                stack.enter_context(proxy)
            proxy.weather = CALM
            proxy.cut_all()
            await started.start()
            await works(kind, started, topic)

    run(test)


@pytest.mark.parametrize("kind", ["producer", "consumer", "member"])
def test_start_while_a_broker_does_not_know_of_any_yet(embedded: Library, run: Run, kind: str) -> None:
    """The original has no broker to ask for the coordinator of transactions then, and fails with AssertionError."""
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        started = client(embedded, kind, topic, embedded.broker.bootstrap_servers)
        with embedded.broker.handle.intercept("Metadata", "UNKNOWN_SERVER_ERROR", times=1) as fault:
            await started.start()
            assert fault.hits == 1
        await works(kind, started, topic)
        await started.stop()

    run(test)
