"""Faults on purpose: what clients of three libraries get to see, and what is recorded of them."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import aiokafka
import confluent_kafka
import pytest
from kafkars import Producer
from kafkars.errors import (
    DeliveryTimeoutError,
    InvalidArgumentError,
    KafkaTimeoutError,
    NotLeaderOrFollowerError,
    TopicAuthorizationFailedError,
)
from kafkars.testing import EmbeddedBroker, SeenRequest

from tests.support.waiting import Stopwatch

SECONDS = 20.0


def send(servers: str, **settings: Any) -> None:
    """One record by our producer, acknowledged."""
    with Producer(bootstrap_servers=servers, **settings) as producer:
        producer.send("t", b"value", partition=0).result(SECONDS)


def send_by_confluent(servers: str) -> None:
    outcome: list[object] = []
    producer = confluent_kafka.Producer({"bootstrap.servers": servers, "enable.idempotence": True, "log_level": 0})
    producer.produce("t", b"value", partition=0, on_delivery=lambda error, _: outcome.append(error))
    assert producer.flush(SECONDS) == 0
    assert outcome == [None]


def send_by_aiokafka(servers: str) -> None:
    async def run() -> None:
        producer = aiokafka.AIOKafkaProducer(bootstrap_servers=servers, enable_idempotence=True)
        await producer.start()
        try:
            await asyncio.wait_for(producer.send_and_wait("t", b"value", partition=0), SECONDS)
        finally:
            await producer.stop()

    asyncio.run(run())


@pytest.fixture(params=[send, send_by_confluent, send_by_aiokafka], ids=["kafkars", "confluent", "aiokafka"])
def sender(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize(
    "fault",
    [
        {"action": "NOT_LEADER_OR_FOLLOWER", "times": 2},
        {"action": "REQUEST_TIMED_OUT", "times": 1},
        {"action": "delay", "seconds": 0.05},
        {"action": "disconnect", "times": 1},
        {"action": "disconnect_after", "times": 1},
        {"action": "truncate", "position": 10, "times": 1},
        {"action": "wrong_correlation_id", "times": 1},
    ],
    ids=lambda fault: fault["action"],
)
def test_producers_store_a_record_once_whatever_becomes_of_the_request(fault: dict[str, Any], sender: Any) -> None:
    if sender is not send and fault["action"] == "wrong_correlation_id":
        sender = send  # the others drop the answer and wait for their request timeout, a minute
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with broker.intercept("Produce", **fault) as set_:
            sender(broker.bootstrap_servers)
            assert set_.hits >= 1
        assert broker.offsets("t", 0) == (0, 1)


def test_an_error_is_raised_as_its_class() -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        broker.intercept("Produce", TopicAuthorizationFailedError, times=1)
        with pytest.raises(TopicAuthorizationFailedError):
            send(broker.bootstrap_servers)
        assert broker.requests("Produce")[-1].fault == "TOPIC_AUTHORIZATION_FAILED"
        assert broker.offsets("t", 0) == (0, 0)


def test_a_dropped_request_times_out() -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        broker.intercept("Produce", "drop")
        with pytest.raises(KafkaTimeoutError), Stopwatch() as watch:
            send(broker.bootstrap_servers, request_timeout_ms=300, delivery_timeout_ms=1000)
        assert watch.seconds < SECONDS


def test_a_predicate_chooses_by_the_fields_of_a_request() -> None:
    seen: list[SeenRequest] = []

    def is_second(request: SeenRequest) -> bool:
        seen.append(request)
        assert request.body is not None
        return request.body["acks"] == -1 and len(seen) == 2

    with EmbeddedBroker(topics={"t": 1}) as broker:
        fault = broker.intercept("Produce", NotLeaderOrFollowerError, when=is_second)
        send(broker.bootstrap_servers)
        assert fault.hits == 0
        send(broker.bootstrap_servers)
        assert fault.hits == 1
        assert broker.offsets("t", 0) == (0, 2)


def test_a_predicate_that_raises_takes_nothing_and_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)
    with EmbeddedBroker(topics={"t": 1}) as broker:
        fault = broker.intercept("Produce", "drop", when=lambda request: request.no_such_thing)  # type: ignore[attr-defined]
        send(broker.bootstrap_servers)
        assert fault.hits == 0
    assert isinstance(reported[0].exc_value, AttributeError)


def test_a_predicate_may_set_and_end_faults() -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:

        def once(_: object) -> bool:
            broker.clear_faults()
            broker.intercept("Produce", "delay", seconds=0.01)
            return True

        broker.intercept("Produce", "drop", when=once)
        send(broker.bootstrap_servers)
        assert broker.offsets("t", 0) == (0, 1)


def test_the_broker_stops_while_a_predicate_waits_for_the_interpreter() -> None:
    broker = EmbeddedBroker(topics={"t": 1})
    broker.intercept(None, "delay", seconds=0.001, when=lambda _: sum(range(20_000)) < 0)
    producer = Producer(bootstrap_servers=broker.bootstrap_servers, delivery_timeout_ms=500, request_timeout_ms=300)
    producer.send("t", b"value")
    with Stopwatch() as watch:
        broker.stop()
    assert watch.seconds < 4
    assert producer.close(0) == 1


def test_faults_are_for_one_node_or_for_every_api() -> None:
    with EmbeddedBroker(nodes=2, topics={"t": 2}) as broker:
        led_by_two = next(partition for partition in (0, 1) if broker.leader("t", partition) == 2)
        fault = broker.intercept("Produce", "disconnect", node=2, times=1)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"value", partition=1 - led_by_two).result(SECONDS)
            assert fault.hits == 0
            producer.send("t", b"value", partition=led_by_two).result(SECONDS)
            assert fault.hits == 1
        every = broker.intercept(None, "delay", seconds=0.001)
        send(broker.bootstrap_servers)
        assert every.hits >= 3


@pytest.mark.parametrize(
    ("api", "action"), [("Produces", "drop"), ("Produce", "NO_SUCH_ERROR"), ("Produce", "explode")], ids=str
)
def test_what_does_not_exist_is_refused(api: str, action: str) -> None:
    with EmbeddedBroker() as broker, pytest.raises(InvalidArgumentError, match=r"Produces|NO_SUCH_ERROR|explode"):
        broker.intercept(api, action)


def test_a_fault_for_no_request_is_refused() -> None:
    with EmbeddedBroker() as broker, pytest.raises(InvalidArgumentError, match="times"):
        broker.intercept("Produce", "drop", times=0)


@pytest.mark.parametrize("action", ["flip_byte", "truncate"])
@pytest.mark.parametrize(("api", "position"), [("ApiVersions", 6), ("Metadata", 9)])
def test_a_damaged_answer_is_survived(api: str, position: int, action: str) -> None:
    """The position is that of a count, which becomes impossible."""
    with EmbeddedBroker(topics={"t": 1}) as broker:
        fault = broker.intercept(api, action, times=1, position=position)
        send(broker.bootstrap_servers, request_timeout_ms=500)
        assert fault.hits == 1
        assert broker.offsets("t", 0) == (0, 1)


@pytest.mark.parametrize(
    "fault",
    [{"action": "wrong_length"}, {"action": "flip_byte", "position": 5}, {"action": "flip_byte", "position": 22}],
    ids=["length", "topics", "partitions"],
)
@pytest.mark.parametrize("idempotent", [True, False], ids=["idempotent", "plain"])
def test_an_answer_that_cannot_be_understood_is_not_waited_for(fault: dict[str, Any], idempotent: bool) -> None:
    """The connection is closed and the record sent again, under its old number where it has one."""
    with EmbeddedBroker(topics={"t": 1}) as broker:
        set_ = broker.intercept("Produce", times=1, **fault)
        send(broker.bootstrap_servers, enable_idempotence=idempotent)
        assert set_.hits == 1
        assert broker.offsets("t", 0) == (0, 1 if idempotent else 2)


def test_a_pause_that_a_broker_asks_for_does_not_outlive_a_record() -> None:
    """The answer's throttle time becomes hours: what is sent after it fails by its own deadline (KIP-219)."""
    with EmbeddedBroker(topics={"t": 1}) as broker:
        fault = broker.intercept("Produce", "flip_byte", times=1, position=58)
        with Producer(
            bootstrap_servers=broker.bootstrap_servers, linger_ms=0, request_timeout_ms=1_500, delivery_timeout_ms=2_000
        ) as producer:
            assert producer.send("t", b"first", partition=0).result(SECONDS).offset == 0
            assert fault.hits == 1
            with pytest.raises(DeliveryTimeoutError):
                producer.send("t", b"second", partition=0).result(SECONDS)
