"""Each test runs with aiokafka itself and with the face."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import SECONDS

LIBRARIES = {"aiokafka": "aiokafka", "face": "kafkars.compat.aiokafka"}


@pytest.fixture(params=list(LIBRARIES))
def library(request: pytest.FixtureRequest, broker: Broker) -> Library:
    """On the embedded broker and on real Kafka."""
    return Library(LIBRARIES[request.param], broker)


@pytest.fixture(params=list(LIBRARIES))
def embedded(request: pytest.FixtureRequest, embedded_broker: Broker) -> Library:
    """On the embedded broker: what does not depend on the broker."""
    return Library(LIBRARIES[request.param], embedded_broker)


@pytest.fixture(scope="module")
def strict_broker() -> Iterator[Broker]:
    """Creates no topics by itself."""
    with EmbeddedBroker(auto_create_topics=False) as started:
        yield Broker("embedded", started)


@pytest.fixture(params=list(LIBRARIES))
def strict(request: pytest.FixtureRequest, strict_broker: Broker) -> Library:
    """On a broker that creates no topics by itself."""
    return Library(LIBRARIES[request.param], strict_broker)


@pytest.fixture
def face(embedded_broker: Broker) -> Library:
    """The face alone: what the original does not do, or does otherwise."""
    return Library(LIBRARIES["face"], embedded_broker)


@pytest.fixture
def run() -> Run:
    """Runs a test on a loop of its own, and not for ever."""

    def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
        asyncio.run(asyncio.wait_for(test(), 2 * SECONDS))

    return run
