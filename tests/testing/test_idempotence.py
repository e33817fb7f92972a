"""Idempotent producing when brokers refuse: what is numbered anew, what keeps its number, what is told."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from kafkars import Consumer, Producer
from kafkars.errors import KafkaError
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

SECONDS = 20.0
COUNT = 200


class Number(NamedTuple):
    """What a batch's header says of its producer."""

    id: int
    epoch: int
    sequence: int


def numbers(broker: EmbeddedBroker) -> list[Number]:
    """Those of every batch that was sent, refused or not."""
    found = []
    for request in broker.requests("Produce"):
        assert request.body is not None
        for topic in request.body["topic_data"]:
            found += [Number(*struct.unpack_from(">qhi", data["records"], 43)) for data in topic["partition_data"]]
    return found


def stored(servers: str, count: int) -> list[bytes | None]:
    with Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([("t", 0)])
        values: list[bytes | None] = []
        while len(values) < count:
            values += [record.value for record in consumer.poll_batch(timeout=SECONDS)]
    return values


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": 1}) as started:
        yield started


def send_all(broker: EmbeddedBroker, **settings: Any) -> Producer:
    """One record, so that the broker knows the producer, then many that meet whatever was planned meanwhile."""
    producer = Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=0, retry_backoff_ms=10, **settings)
    assert producer.send("t", b"0", partition=0).result(SECONDS).offset == 0
    return producer


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize(
    "error",
    [
        "NOT_LEADER_OR_FOLLOWER",
        "NOT_ENOUGH_REPLICAS",
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        "REQUEST_TIMED_OUT",
        "KAFKA_STORAGE_ERROR",
        "UNKNOWN_TOPIC_OR_PARTITION",
    ],
)
def test_a_retry_keeps_its_number(broker: EmbeddedBroker, error: str, times: int) -> None:
    with send_all(broker) as producer:
        fault = broker.intercept("Produce", error, times=times)
        sent = [producer.send("t", b"%d" % number, partition=0) for number in range(1, COUNT)]
        assert [each.result(SECONDS).offset for each in sent] == list(range(1, COUNT))
        assert fault.hits == times
    assert {(number.id, number.epoch) for number in numbers(broker)} == {(numbers(broker)[0].id, 0)}
    assert stored(broker.bootstrap_servers, COUNT) == [b"%d" % number for number in range(COUNT)]


@pytest.mark.parametrize("error", ["UNKNOWN_PRODUCER_ID", "OUT_OF_ORDER_SEQUENCE_NUMBER"])
def test_numbers_that_the_broker_lost_begin_anew_under_the_next_epoch(broker: EmbeddedBroker, error: str) -> None:
    """KIP-360."""
    with send_all(broker) as producer:
        broker.intercept("Produce", error, times=1)
        assert producer.send("t", b"1", partition=0).result(SECONDS).offset == 1
        first, refused, again = numbers(broker)
    assert (refused.id, refused.epoch, refused.sequence) == (first.id, 0, 1)
    assert (again.id, again.epoch, again.sequence) == (first.id, 1, 0)


def test_an_epoch_that_the_broker_refuses_is_replaced_by_a_new_id(broker: EmbeddedBroker) -> None:
    with send_all(broker) as producer:
        broker.intercept("Produce", "INVALID_PRODUCER_EPOCH", times=1)
        assert producer.send("t", b"1", partition=0).result(SECONDS).offset == 1
        first, _, again = numbers(broker)
    assert again.id != first.id
    assert (again.epoch, again.sequence) == (0, 0)


def test_numbers_begin_anew_in_order_whatever_was_under_way(broker: EmbeddedBroker) -> None:
    with send_all(broker, batch_size=100) as producer:
        fault = broker.intercept("Produce", "UNKNOWN_PRODUCER_ID", times=2)
        sent = [producer.send("t", b"%d" % number, partition=0) for number in range(1, COUNT)]
        assert [each.result(SECONDS).offset for each in sent] == list(range(1, COUNT))
        assert fault.hits == 2
    assert stored(broker.bootstrap_servers, COUNT) == [b"%d" % number for number in range(COUNT)]


def test_a_duplicate_is_stored(broker: EmbeddedBroker) -> None:
    """The broker no longer knows where: the record has no offset."""
    with send_all(broker) as producer:
        broker.intercept("Produce", "DUPLICATE_SEQUENCE_NUMBER", times=1)
        assert producer.send("t", b"1", partition=0).result(SECONDS).offset == -1


@pytest.mark.parametrize("error", ["TOPIC_AUTHORIZATION_FAILED", "INVALID_RECORD", "POLICY_VIOLATION"])
def test_what_no_try_can_change_is_told_and_the_next_record_is_stored(broker: EmbeddedBroker, error: str) -> None:
    with send_all(broker) as producer:
        fault = broker.intercept("Produce", error, times=1)
        with pytest.raises(KafkaError) as caught:
            producer.send("t", b"refused", partition=0).result(SECONDS)
        assert caught.value.name == error
        assert not caught.value.retriable
        assert fault.hits == 1
        assert producer.send("t", b"1", partition=0).result(SECONDS).offset == 1


def test_too_few_replicas_are_waited_for() -> None:
    with EmbeddedCluster(nodes=3, topics={"t": 1}, topic_defaults={"min.insync.replicas": "2"}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=0, retry_backoff_ms=10) as producer:
            assert producer.send("t", b"0", partition=0).result(SECONDS).offset == 0
            leader = broker.leader("t", 0)
            others = [node for node in (1, 2, 3) if node != leader]
            for node in others:
                broker.stop_node(node)
            broker.forget_requests()
            waiting = producer.send("t", b"1", partition=0)
            broker.wait_for_request("Produce", count=3)
            assert not waiting.done()
            broker.start_node(others[0])
            assert waiting.result(SECONDS).offset == 1
        assert broker.offsets("t", 0) == (0, 2)


def test_the_old_leader_names_the_new_one() -> None:
    """KIP-951: the next try goes there without asking for metadata first."""
    with EmbeddedCluster(nodes=3, topics={"t": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=0, retry_backoff_ms=10) as producer:
            for node in (1, 2, 3):
                broker.move_leader("t", 0, node)
                producer.send("t", b"%d" % node, partition=0).result(SECONDS)
            # Every node is connected by now, and a leader moves once more.
            broker.intercept("Metadata", "delay", seconds=SECONDS)
            broker.forget_requests()
            broker.move_leader("t", 0, 1)
            assert producer.send("t", b"4", partition=0).result(SECONDS / 2).offset == 3
            assert [request.node for request in broker.requests("Produce")] == [3, 1]
        assert broker.offsets("t", 0) == (0, 4)
