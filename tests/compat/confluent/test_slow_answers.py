"""Brokers that are slow to answer a message: `request.timeout.ms` is theirs, and the client waits for longer."""

from __future__ import annotations

import pytest

from tests.compat.confluent.conftest import RUNS, SECONDS, Clients, read_to_end
from tests.compat.confluent.test_produce import Reports

LATE = 2.0
"""Longer than `request.timeout.ms` here, in seconds."""


# On the embedded broker, whose answers can be late.
pytestmark = pytest.mark.parametrize("clients", RUNS[:2], indirect=True)


@pytest.mark.parametrize("retries", [0, 5])
def test_an_answer_that_is_later_than_the_brokers_time_is_waited_for(clients: Clients, retries: int) -> None:
    topic, reports = clients.topic(), Reports()
    producer = clients.producer({"request.timeout.ms": 300, "retries": retries})
    producer.produce(topic, b"first", partition=0)
    assert producer.flush(SECONDS) == 0
    with clients.broker.handle.intercept("Produce", "delay", seconds=LATE, times=1) as late:
        producer.produce(topic, b"second", partition=0, callback=reports)
        assert producer.flush(SECONDS) == 0
    assert late.hits == 1
    assert reports.codes() == [None]
    assert read_to_end(clients, topic) == [b"first", b"second"]


def test_the_brokers_time_is_told_to_it(clients: Clients) -> None:
    """It says when it is over, and the message is sent again or reported."""
    topic, reports = clients.topic(), Reports()
    producer = clients.producer({"request.timeout.ms": 300, "retries": 0})
    with clients.broker.handle.intercept("Produce", "REQUEST_TIMED_OUT"):
        producer.produce(topic, b"value", partition=0, callback=reports)
        assert producer.flush(SECONDS) == 0
    assert reports.codes() == [clients.ck.KafkaError.REQUEST_TIMED_OUT]


@pytest.mark.parametrize("retries", [0, 5])
def test_the_time_of_a_message_bounds_the_wait(clients: Clients, retries: int) -> None:
    topic, reports = clients.topic(), Reports()
    producer = clients.producer({"request.timeout.ms": 60_000, "message.timeout.ms": 1_000, "retries": retries})
    producer.produce(topic, b"first", partition=0)
    assert producer.flush(SECONDS) == 0
    with clients.broker.handle.intercept("Produce", "drop"):
        producer.produce(topic, b"second", partition=0, callback=reports)
        assert producer.flush(SECONDS) == 0
    assert reports.codes() == [clients.ck.KafkaError._MSG_TIMED_OUT]
    assert read_to_end(clients, topic) == [b"first"]


@pytest.mark.parametrize("retries", [0, 5])
def test_a_broker_is_given_up_when_the_time_of_a_socket_is_over(clients: Clients, retries: int) -> None:
    topic, reports = clients.topic(), Reports()
    producer = clients.producer({"socket.timeout.ms": 1_000, "retries": retries})
    producer.produce(topic, b"first", partition=0)
    assert producer.flush(SECONDS) == 0
    with clients.broker.handle.intercept("Produce", "drop", times=1):
        producer.produce(topic, b"second", partition=0, callback=reports)
        assert producer.flush(SECONDS) == 0
    if retries:
        assert (reports.codes(), read_to_end(clients, topic)) == ([None], [b"first", b"second"])
    else:
        assert (reports.codes(), read_to_end(clients, topic)) == ([clients.ck.KafkaError._MSG_TIMED_OUT], [b"first"])
