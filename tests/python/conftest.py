"""Fixtures for what Python sees of the native half; one broker in this process is enough for all of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import kafkars.aio
import pytest
from kafkars.testing import EmbeddedBroker


@pytest.fixture
def faulty_broker() -> Iterator[EmbeddedBroker]:
    """A broker of this test alone, for faults and for topics with fixed names."""
    with EmbeddedBroker(topics={"t": 1, "t3": 3}) as started:
        yield started


@asynccontextmanager
async def aio_producer(broker: EmbeddedBroker, **settings: Any) -> AsyncIterator[kafkars.aio.Producer[Any, Any]]:
    """A producer that knows topic `t`: its sends need not wait."""
    producer: kafkars.aio.Producer[Any, Any] = kafkars.aio.Producer(
        bootstrap_servers=broker.bootstrap_servers, **settings
    )
    try:
        await producer.partitions_for("t")
        yield producer
    finally:
        with suppress(TimeoutError):
            await producer.close(1)


@asynccontextmanager
async def aio_consumer(broker: EmbeddedBroker, **settings: Any) -> AsyncIterator[kafkars.aio.Consumer[Any, Any]]:
    """A consumer of topic `t` from its beginning."""
    settings.setdefault("auto_offset_reset", "earliest")
    async with kafkars.aio.Consumer(bootstrap_servers=broker.bootstrap_servers, **settings) as consumer:
        consumer.assign([("t", 0)])
        yield consumer


async def returned(awaitable: Awaitable[Any]) -> Any:
    """What awaiting gives, as a coroutine for those who want one."""
    return await awaitable
