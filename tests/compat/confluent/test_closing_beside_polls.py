"""One thread polls, another one closes: as the library does, both calls end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.compat.confluent.conftest import SECONDS, Clients, poll_until

ROUNDS = 12
SOON = 10.0
"""Seconds that a call has which another thread ends; a session lasts longer, and so does what gives up on one."""


@contextmanager
def beside(call: Callable[[], Any]) -> Iterator[list[Any]]:
    """Makes the call in another thread meanwhile, and waits for it. Gives what it has returned or raised."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(call())
        except Exception as error:  # noqa: BLE001  the test looks at it
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield outcome
    finally:
        thread.join(SECONDS)
    assert not thread.is_alive()


def joined(clients: Clients) -> Any:
    """A member of a group that has read everything."""
    topic = clients.topic(messages=1)
    consumer = clients.consumer()
    consumer.subscribe([topic])
    poll_until(consumer, 1)
    return consumer


@pytest.mark.parametrize("call", ["poll", "consume"])
def test_a_member_is_closed_soon_while_a_thread_polls(clients: Clients, call: str) -> None:
    """Either thread may be the one that hears of the end of the membership, so this is done again and again."""
    for _ in range(ROUNDS if clients.ck.__name__ != "confluent_kafka" else 1):
        consumer = joined(clients)
        arguments = (1.0,) if call == "poll" else (1, 1.0)
        with beside(lambda call=call, consumer=consumer, given=arguments: getattr(consumer, call)(*given)) as found:
            begun = time.monotonic()
            consumer.close()
            assert time.monotonic() - begun < SOON
        # A poll that had not begun is refused.
        assert found in ([None], [[]]) or isinstance(found[0], RuntimeError)


def test_a_poll_of_a_closed_producer_ends(clients: Clients) -> None:
    for timeout in ((), (-1,), (60,)):
        producer = clients.producer()
        with beside(lambda producer=producer, timeout=timeout: producer.poll(*timeout)) as found:
            begun = time.monotonic()
            producer.close()
        assert time.monotonic() - begun < SOON
        assert found == [0] or isinstance(found[0], RuntimeError)


def test_a_poll_tells_of_messages_that_nobody_asked_a_report_of(clients: Clients) -> None:
    producer, topic = clients.producer(), clients.topic(3)
    for number in range(3):
        producer.produce(topic, b"value", partition=number)
    served = 0
    begun = time.monotonic()
    while len(producer):
        served += producer.poll(SECONDS)
    assert time.monotonic() - begun < SOON
    # The library counts messages, the face batches.
    assert served > 0 or clients.ck.__name__ != "confluent_kafka"


@pytest.mark.parametrize("ending", ["is stored", "fails"])
def test_a_poll_without_limit_ends_with_a_message_that_has_no_callback(clients: Clients, ending: str) -> None:
    settings = {"message.timeout.ms": 500, "linger.ms": 0} if ending == "fails" else {}
    producer = clients.producer(settings)
    topic = clients.topic() if ending == "is stored" else "no such topic!"
    try:
        producer.produce(topic, b"value")
    except clients.ck.KafkaException:
        assert ending == "fails"
        return
    begun = time.monotonic()
    assert producer.poll(-1) > 0
    assert time.monotonic() - begun < SOON
