"""Records whose time is over: they fail with what the last try has met, and not before their time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.aiokafka_library import Library, Run

TIMEOUT_MS = 1_500
REFUSALS = {
    "UNKNOWN_TOPIC_OR_PARTITION": 3,
    "LEADER_NOT_AVAILABLE": 5,
    "NOT_LEADER_OR_FOLLOWER": 6,
    "REQUEST_TIMED_OUT": 7,
    "NOT_ENOUGH_REPLICAS": 19,
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND": 20,
}


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    """A broker of the test's own, because others would meet its faults."""
    with EmbeddedBroker(topics={"t": 1}) as started:
        yield started


@pytest.fixture(params=["aiokafka", "kafkars.compat.aiokafka"], ids=["aiokafka", "face"])
def library(request: pytest.FixtureRequest, broker: EmbeddedBroker) -> Library:
    return Library(request.param, Broker("embedded", broker))


@pytest.mark.parametrize("code", REFUSALS)
def test_the_last_refusal_is_raised(library: Library, run: Run, broker: EmbeddedBroker, code: str) -> None:
    async def test() -> None:
        async with library.producer(request_timeout_ms=TIMEOUT_MS) as producer:
            await producer.send_and_wait("t", b"stored", partition=0)
            with broker.intercept("Produce", code) as refusals:
                begun = time.monotonic()
                with pytest.raises(library.errors.BrokerResponseError) as raised:
                    await producer.send_and_wait("t", b"refused", partition=0)
                lasted = time.monotonic() - begun
        assert raised.value.retriable
        # Tries come every 100 ms (`retry_backoff_ms`), so the last is made shortly before the end.
        assert lasted > 0.7 * TIMEOUT_MS / 1000
        assert refusals.hits > 4
        # The last try may have had no time for its answer.
        assert raised.value.errno == REFUSALS[code]

    run(test)
