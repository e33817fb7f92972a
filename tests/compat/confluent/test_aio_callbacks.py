"""What a callback of an asyncio client raises reaches the program: from the next call that serves callbacks."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest

from tests.brokers import Broker
from tests.compat.confluent.conftest import SECONDS

NOWHERE = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}

Call = Callable[[Any], Any]

PRODUCER: dict[str, Call] = {
    "poll(0)": lambda it: it.poll(0),
    "poll()": lambda it: it.poll(0.1),
    "flush()": lambda it: it.flush(0.1),
}
CONSUMER: dict[str, Call] = {
    "poll()": lambda it: it.poll(0.1),
    "consume()": lambda it: it.consume(1, 0.1),
}


def raising(is_coroutine: bool) -> Any:
    """A callback."""
    if not is_coroutine:
        return lambda _: {}["missing"]

    async def callback(_: Any) -> None:
        await asyncio.sleep(0)
        raise KeyError("missing")

    return callback


async def heard(make: Callable[[], Any], call: Call) -> None:
    """Calls until it raises; then all is as before."""
    client = make()
    deadline = time.monotonic() + SECONDS
    with pytest.raises(KeyError, match="missing"):
        while time.monotonic() < deadline:
            await call(client)
            await asyncio.sleep(0.01)
    # The library's serves callbacks, too.
    with suppress(KeyError):
        await client.close()


@pytest.fixture
def aio(ck: ModuleType) -> ModuleType:
    """`confluent_kafka.aio`, of either."""
    return importlib.import_module(ck.__name__ + ".aio")


@pytest.mark.parametrize("is_coroutine", [True, False], ids=["coroutine function", "function"])
@pytest.mark.parametrize("call", PRODUCER.values(), ids=PRODUCER)
def test_what_stats_cb_of_a_producer_raises(
    aio: ModuleType, embedded_broker: Broker, call: Call, is_coroutine: bool
) -> None:
    conf = {
        "bootstrap.servers": embedded_broker.bootstrap_servers,
        "statistics.interval.ms": 50,
        "stats_cb": raising(is_coroutine),
    }
    asyncio.run(heard(lambda: aio.AIOProducer(conf), call))


@pytest.mark.parametrize("call", PRODUCER.values(), ids=PRODUCER)
def test_what_error_cb_of_a_producer_raises(aio: ModuleType, call: Call) -> None:
    asyncio.run(heard(lambda: aio.AIOProducer({**NOWHERE, "error_cb": raising(True)}), call))


@pytest.mark.parametrize("is_coroutine", [True, False], ids=["coroutine function", "function"])
@pytest.mark.parametrize("call", CONSUMER.values(), ids=CONSUMER)
def test_what_stats_cb_of_a_consumer_raises(
    aio: ModuleType, embedded_broker: Broker, call: Call, is_coroutine: bool
) -> None:
    conf = {
        "bootstrap.servers": embedded_broker.bootstrap_servers,
        "group.id": "group",
        "statistics.interval.ms": 50,
        "stats_cb": raising(is_coroutine),
    }
    asyncio.run(heard(lambda: aio.AIOConsumer(conf), call))


@pytest.mark.parametrize("call", CONSUMER.values(), ids=CONSUMER)
def test_what_error_cb_of_a_consumer_raises(aio: ModuleType, call: Call) -> None:
    conf = {**NOWHERE, "group.id": "group", "error_cb": raising(True)}
    asyncio.run(heard(lambda: aio.AIOConsumer(conf), call))
