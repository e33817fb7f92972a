"""What a report of a message may call: the library ends the process there, or never returns; the face does neither."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.compat.confluent.conftest import FACE, SECONDS

MESSAGES = 5
SOON = SECONDS / 4
"""Longer than any call within a report takes, and shorter than what they are given as their limit."""

CALLS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "poll()": (lambda made: made.poll(), 0),
    "poll(0)": (lambda made: made.poll(0), 0),
    "poll with a limit": (lambda made: made.poll(SECONDS), 0),
    "flush()": (lambda made: made.flush(), "_STATE"),
    "flush(0)": (lambda made: made.flush(0), MESSAGES - 1),
    "flush with a limit": (lambda made: made.flush(SECONDS), MESSAGES - 1),
    "close()": (lambda made: made.close(), "_STATE"),
    "close with a limit": (lambda made: made.close(SECONDS), "_STATE"),
    "commit_transaction()": (lambda made: made.commit_transaction(), "_STATE"),
    "abort_transaction()": (lambda made: made.abort_transaction(), None),
    "begin_transaction()": (lambda made: made.begin_transaction(), "_STATE"),
    "purge()": (lambda made: made.purge(), None),
    "len()": (len, MESSAGES - 1),
    "list_topics()": (lambda made: sorted(made.list_topics(timeout=SECONDS).topics), ["topic"]),
}
"""What is called, and its value, or the name of the code that it fails with."""


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as broker:
        broker.create_topic("topic", 1)
        yield broker


def producer(broker: EmbeddedBroker, **more: Any) -> Any:
    settings = {name.replace("_", "."): value for name, value in more.items()}
    return importlib.import_module(FACE).Producer({"bootstrap.servers": broker.bootstrap_servers, **settings})


@pytest.mark.timeout(60)
@pytest.mark.parametrize("call", CALLS)
def test_no_call_waits_for_the_report_that_makes_it(call: str, broker: EmbeddedBroker) -> None:
    invoke, expected = CALLS[call]
    # They are one batch, whose reports become due together.
    made = producer(broker, linger_ms=30_000, transactional_id=f"within {call}")
    made.init_transactions(SECONDS)
    made.begin_transaction()
    told: list[Any] = []
    reports: list[int] = []

    def report(error: Any, message: Any) -> None:
        assert error is None
        reports.append(message.offset())
        if len(reports) > 1:
            return
        began = time.monotonic()
        try:
            told.append(invoke(made))
        except importlib.import_module(FACE).KafkaException as problem:
            told.append(problem.args[0].name())
        assert time.monotonic() - began < SOON

    for number in range(MESSAGES):
        made.produce("topic", b"%d" % number, on_delivery=report)
    assert made.flush(SECONDS) == 0
    assert told == [expected]
    # Every message still has its one report, in order.
    assert reports == list(range(reports[0], reports[0] + MESSAGES))
    made.close()


@pytest.mark.timeout(120)
def test_reports_that_send_and_poll_do_not_pile_up(broker: EmbeddedBroker) -> None:
    # A report within a report within a report would soon be too deep for Python.
    made = producer(broker, linger_ms=0)
    seen: list[bytes] = []
    numbers = iter(range(1, 1_500))

    def report(_: Any, message: Any) -> None:
        seen.append(message.value())
        following = next(numbers, None)
        if following is not None:
            made.produce("topic", b"%d" % following, on_delivery=report)
            made.poll(SECONDS)

    made.produce("topic", b"0", on_delivery=report)
    # One after the other, each to the broker and back.
    assert made.flush(50) == 0
    assert seen == [b"%d" % number for number in range(1_500)]
