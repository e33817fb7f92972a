"""`flush()` and `close()` say how many records were not stored, also those whose futures nobody looks at."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Iterator
from typing import Any

import kafkars
import kafkars.aio
import pytest
from kafkars import FlushResult
from kafkars.testing import EmbeddedBroker

from tests.support.clients import Clients
from tests.support.waiting import SECONDS

TOO_LARGE = b"x" * 2_000_000


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker(topics={"orders": 1}) as broker:
        yield broker.bootstrap_servers


def producer_of(clients: Clients) -> Any:
    return clients.producer(max_request_size=10_000_000, buffer_memory=100_000_000)


def told(result: Any) -> tuple[int, int]:
    """What is left, and what has failed."""
    assert isinstance(result, FlushResult)
    return int(result), result.failed


def test_each_failure_is_counted_by_one_flush(clients: Clients, topic: str) -> None:
    producer = producer_of(clients)
    for value in (TOO_LARGE, b"small", TOO_LARGE):
        producer.send(topic, value)
    assert told(producer.flush(SECONDS)) == (0, 2)
    assert told(producer.flush(SECONDS)) == (0, 0)
    producer.send(topic, TOO_LARGE)
    assert told(producer.close(SECONDS)) == (0, 1)
    assert told(producer.close(SECONDS)) == (0, 0)


def test_a_failure_counts_that_came_before_the_flush_and_was_heard(clients: Clients, topic: str) -> None:
    producer = producer_of(clients)
    with pytest.raises(kafkars.errors.MessageTooLargeError):
        producer.send(topic, TOO_LARGE).result(SECONDS)
    assert told(producer.flush(SECONDS)) == (0, 1)


def test_what_a_call_gives_up_is_counted_by_that_call(clients: Clients, topic: str) -> None:
    producer = clients.producer(linger_ms=60_000)
    producer.send(topic, b"first")
    producer.flush(SECONDS)
    producer.send(topic, b"value")
    assert producer.purge() == 1
    assert told(producer.flush(SECONDS)) == (0, 0)


def test_a_batch_that_is_split_and_stored_has_not_failed() -> None:
    settings = {"batch_size": 1_000_000, "linger_ms": 1_000, "max_request_size": 1_000_000}
    with (
        EmbeddedBroker(topic_defaults={"max.message.bytes": "2000"}, topics={"small": 1}) as broker,
        kafkars.Producer({"bootstrap_servers": broker.bootstrap_servers, **settings}) as producer,
    ):
        for _ in range(50):
            producer.send("small", b"x" * 400)
        assert told(producer.flush(SECONDS)) == (0, 0)
        figures = producer.metrics()
        assert (figures["records_sent"], figures["records_failed"]) == (50, 0)


def test_a_flush_in_vain_tells_what_is_left() -> None:
    with EmbeddedBroker(topics={"orders": 1}) as broker:
        broker.intercept("Produce", "drop")
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("orders", b"value")
            assert told(producer.flush(0.05)) == (1, 0)
            # Given up, and so not among those that have failed.
            assert told(producer.close(0.05)) == (1, 0)


@pytest.mark.parametrize("way", ["send", "send_many", "enqueue", "send_nowait"])
@pytest.mark.parametrize("refusal", ["no such topic", "no name of a topic", "no such partition"])
def test_sends_that_nobody_awaits_are_counted(servers: str, way: str, refusal: str) -> None:
    topic = {"no such topic": "nowhere", "no name of a topic": "no topic's name"}.get(refusal, "orders")

    async def main() -> None:
        settings = {"max_block_ms": 200, "allow_auto_create_topics": False}
        async with kafkars.aio.Producer({"bootstrap_servers": servers, **settings}) as producer:
            more = {"partition": 7} if refusal == "no such partition" else {}
            if way == "send_many":
                more = {f"{name}s": value for name, value in more.items()}
            getattr(producer, way)(topic, [b"value"] if way == "send_many" else b"value", **more)
            assert told(await producer.flush(SECONDS)) == (0, 1)
            assert told(await producer.flush(SECONDS)) == (0, 0)

    asyncio.run(main())


def test_it_is_the_number_that_it_was() -> None:
    result = FlushResult(3, failed=2)
    assert result == 3
    assert isinstance(result, int)
    assert (f"{result}", str(result), repr(result)) == ("3", "3", "FlushResult(3, failed=2)")
    assert not FlushResult(0, 5)
    for same in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert told(same) == (3, 2)
