"""A signal's handler that raises while delivery reports are given: each message has one report all the same."""

from __future__ import annotations

import queue
import random
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import errors

from tests.compat.confluent.conftest import FACE, SECONDS, Clients

MESSAGES = 50
ROUNDS = 40
LONGEST = 0.002
"""Seconds from one signal to the next: long enough that some calls get on, even on a busy machine."""


class SignalledError(BaseException):
    """What the handler raises."""


@pytest.fixture
def alarms() -> Iterator[None]:
    """The timer's signal raises."""

    def raise_it(*_: object) -> None:
        raise SignalledError

    before = signal.signal(signal.SIGALRM, raise_it)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def flush_interrupted(producer: Any, seconds: float) -> bool:
    """Flushes until a signal comes; false if it came."""
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            producer.flush(SECONDS)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except SignalledError:
        return False
    return True


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timers")
@pytest.mark.parametrize("outcome", ["stored", "failed"])
@pytest.mark.usefixtures("alarms")
def test_signals_lose_no_report(clients: Clients, outcome: str) -> None:
    producer, topic = clients.producer({"linger.ms": 5000 if outcome == "failed" else 0}), clients.topic()
    producer.produce(topic, b"value")
    assert producer.flush(SECONDS) == 0
    chance = random.Random(1)
    for _ in range(ROUNDS):
        # Code in C, so that no signal can interrupt the reports themselves. `put(error, message)` takes the error.
        heard: list[queue.SimpleQueue[Any]] = [queue.SimpleQueue() for _ in range(MESSAGES)]
        for each in heard:
            producer.produce(topic, b"value", on_delivery=each.put)
        if outcome == "failed":
            producer.purge()
        for _ in range(MESSAGES):
            if flush_interrupted(producer, chance.random() * LONGEST + 1e-6):
                break
        assert producer.flush(SECONDS) == 0
        assert [each.qsize() for each in heard] == [1] * MESSAGES
        assert {each.get() is not None for each in heard} == {outcome == "failed"}


@pytest.mark.parametrize("call", ["poll", "flush"])
def test_an_interrupt_while_an_error_is_made_comes_before_the_report(
    clients: Clients, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    if clients.ck.__name__ != FACE:
        return  # the library makes its errors without Python code
    kind, tries = errors.PurgedError, list[int]()

    def interrupted(*arguments: Any, **keywords: Any) -> Any:
        tries.append(1)
        if len(tries) == 2:
            raise KeyboardInterrupt
        return kind(*arguments, **keywords)

    producer, topic = clients.producer({"linger.ms": 60_000}), clients.topic()
    producer.list_topics(topic)
    given: list[tuple[int, str]] = []
    for number in range(4):
        producer.produce(topic, str(number), on_delivery=lambda e, m: given.append((int(m.value()), e.name())))
    monkeypatch.setattr(errors, "PurgedError", interrupted)
    producer.purge()
    with pytest.raises(KeyboardInterrupt):
        getattr(producer, call)(SECONDS)
    assert len(producer) == 3
    assert [number for number, _ in given] == [0]
    assert producer.flush(SECONDS) == 0
    assert given == [(number, "_PURGE_QUEUE") for number in range(4)]
