"""`health().last_poll` of a consumer without group, which no group's task looks at."""

from __future__ import annotations

from tests.support.clients import Clients, numbers, read, values
from tests.support.waiting import SECONDS, Stopwatch, eventually

POLLS = 4
POLL_SECONDS = 0.3


def test_polls_in_vain_are_polls(clients: Clients, topic: str) -> None:
    consumer = clients.consumer([(topic, 0)])
    with Stopwatch() as since_the_first:
        for _ in range(POLLS):
            assert consumer.poll(timeout=POLL_SECONDS) is None
    last_poll = consumer.health().last_poll
    assert last_poll is not None
    assert last_poll < since_the_first.seconds - POLL_SECONDS
    eventually(lambda: (consumer.health().last_poll or 0.0) > POLL_SECONDS, "time passes without polls")


def test_reads_are_polls(clients: Clients, topic: str) -> None:
    consumer = clients.consumer([(topic, 0)])
    assert consumer.poll(timeout=0) is None
    eventually(lambda: (consumer.health().last_poll or 0.0) > POLL_SECONDS, "time passes without polls")
    clients.fill(topic, range(3))
    with Stopwatch() as reading:
        assert values(read(consumer, 3, SECONDS)) == numbers(3)
    last_poll = consumer.health().last_poll
    assert last_poll is not None
    assert last_poll < reading.seconds + POLL_SECONDS
