"""Records of producers that nobody closes, and sends that fail before they enter and that nobody awaits: both are
told."""

from __future__ import annotations

import asyncio
import gc
import logging
import re
import warnings
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import kafkars
import kafkars.aio
import pytest
from kafkars.errors import ClosedError
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS, eventually

pytestmark = pytest.mark.timeout(120)
NEVER_MS = 600_000


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker(topics={"orders": 1, "payments": 2}) as broker:
        yield broker.bootstrap_servers


def lines(caplog: pytest.LogCaptureFixture, what: str) -> list[str]:
    return [record.getMessage() for record in caplog.records if what in record.getMessage()]


def test_a_forgotten_producer_says_which_records_it_gives_up(servers: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "kafkars")
    producer = kafkars.Producer(bootstrap_servers=servers, linger_ms=NEVER_MS, delivery_timeout_ms=3 * NEVER_MS)
    producer.send("orders", b"stored")
    producer.flush(SECONDS)
    for topic, partition in [("orders", 0), ("payments", 0), ("payments", 1)]:
        producer.send(topic, b"value", partition=partition)
    gc.collect()  # what other tests have left
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        del producer
        gc.collect()
    (text,) = [str(each.message) for each in warned if issubclass(each.category, ResourceWarning)]
    # A warning has the producer as its source.
    warned.clear()
    assert "3 unacknowledged records" in text
    assert "1 of orders, 2 of payments" in text
    eventually(lambda: lines(caplog, "was forgotten"), "a line in the log")
    (line,) = lines(caplog, "was forgotten")
    assert "records=3" in line
    assert "1 of orders, 2 of payments" in line


def test_a_producer_that_is_closed_or_has_nothing_left_gives_up_nothing(
    servers: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "kafkars")
    gc.collect()  # what other tests have left
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for end in ("close", "flush"):
            producer = kafkars.Producer(bootstrap_servers=servers)
            producer.send("orders", b"value")
            getattr(producer, end)(SECONDS)
            del producer
            gc.collect()
    # It was not closed all the same.
    (warning,) = [str(each.message) for each in warned if issubclass(each.category, ResourceWarning)]
    assert warning.startswith("a producer was not closed; use `with` or close() (client kafkars#")
    assert not lines(caplog, "was forgotten")


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_who_waits_for_a_record_of_a_forgotten_producer_hears_of_it(servers: str) -> None:
    async def main() -> None:
        producer = kafkars.aio.Producer(bootstrap_servers=servers, linger_ms=NEVER_MS, delivery_timeout_ms=3 * NEVER_MS)
        await producer.partitions_for("orders")
        sent = [asyncio.ensure_future(producer.send("orders", b"value")) for _ in range(3)]
        await asyncio.sleep(0)
        del producer
        gc.collect()
        outcomes = await asyncio.wait_for(asyncio.gather(*sent, return_exceptions=True), SECONDS)
        assert [type(outcome) for outcome in outcomes] == [ClosedError] * 3

    asyncio.run(main())


def refused(_key: Any, _count: int) -> int:
    raise RuntimeError("no partition")


UNKNOWN = {"max_block_ms": 100, "allow_auto_create_topics": False}
UNHEARD: dict[str, tuple[dict[str, Any], Callable[[Any], object], str]] = {
    "no such topic": (UNKNOWN, lambda producer: producer.send("nowhere", b"value"), "nowhere"),
    "many": (UNKNOWN, lambda producer: producer.send_many("nowhere", [b"one", b"two"]), "nowhere"),
    "admission": (UNKNOWN, lambda producer: producer.enqueue("nowhere", b"value"), "nowhere"),
    "no name": ({}, lambda producer: producer.send("no topic's name", b"value"), "no topic's name"),
    "no such partition": ({}, lambda producer: producer.send("orders", b"value", partition=7), "orders"),
    "partitioner": (
        {"partitioner": refused},
        lambda producer: producer.send("payments", b"value"),
        "the partitioner raised",
    ),
}


@pytest.mark.parametrize("name", UNHEARD)
def test_a_send_that_fails_before_it_enters_is_in_the_log(
    servers: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "kafkars")
    settings, send, words = UNHEARD[name]

    async def main() -> None:
        async with kafkars.aio.Producer(bootstrap_servers=servers, **settings) as producer:
            send(producer)
            gc.collect()
            await producer.flush()

    run(main())
    eventually(lambda: told(caplog), "a line in the log")
    assert words in caplog.text


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return lines(caplog, "nobody has asked") + lines(caplog, "never retrieved")


def run(main: Coroutine[Any, Any, None]) -> None:
    gc.collect()
    asyncio.run(main)


def test_a_send_that_somebody_has_heard_fail_is_not(servers: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "kafkars")

    async def main() -> None:
        async with kafkars.aio.Producer(bootstrap_servers=servers, **UNKNOWN) as producer:
            for _ in range(2):
                with pytest.raises(kafkars.errors.KafkaError):
                    await producer.send("nowhere", b"value")
            # Given up by a call that says so itself.
            producer.send("elsewhere", b"value")
            producer.purge()
        gc.collect()

    run(main())
    assert not told(caplog)


def test_many_sends_that_fail_are_few_lines(servers: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "kafkars")

    async def main() -> None:
        async with kafkars.aio.Producer(bootstrap_servers=servers, **UNKNOWN) as producer:
            for _ in range(100):
                producer.send("nowhere", b"value")
            await producer.flush()

    run(main())
    # The 1st, 2nd, 4th ... 64th, and the rest at the end of the producer.
    eventually(lambda: len(told(caplog)) == 8, "eight lines in the log")
    assert sum(int(re.findall(r"records=(\d+)", line)[0]) for line in told(caplog)) == 100
