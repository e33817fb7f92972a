"""What bad input to a producer gets: a typed error at the call that caused it, the record untouched, and a producer
that goes on unless the error is fatal."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from kafkars import ConsumerGroupMetadata, KafkaError
from kafkars.errors import (
    ClosedError,
    ConfigError,
    InvalidArgumentError,
    InvalidPartitionError,
    InvalidRecordTimestampError,
    MessageTooLargeError,
    ProducerFencedError,
    RecordTooLargeError,
    SerializationError,
    TransactionStateError,
)

from tests.brokers import Broker
from tests.support.clients import read, values
from tests.support.waiting import SECONDS

pytestmark = pytest.mark.usefixtures("nothing_left")

NAMES = itertools.count(1)


class Bad(NamedTuple):
    """A call that cannot work."""

    call: Callable[[Any, str], object]
    error: type[Exception]
    told: str
    settings: dict[str, Any] = {}  # noqa: RUF012  # a named tuple has no class attributes


GROUP = ConsumerGroupMetadata("group")


def only_text(value: object) -> bytes:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value.encode()


RECORDS = {
    "above max_request_size": Bad(
        lambda producer, topic: producer.send(topic, bytes(20_000)).result(SECONDS),
        RecordTooLargeError,
        r"20\d\d\d bytes.*max_request_size=10000",
        {"max_request_size": 10_000},
    ),
    "key above max_request_size": Bad(
        lambda producer, topic: producer.send(topic, None, bytes(20_000)).result(SECONDS),
        RecordTooLargeError,
        "max_request_size=10000",
        {"max_request_size": 10_000},
    ),
    "one of many above max_request_size": Bad(
        lambda producer, topic: producer.send_many(topic, [b"small", bytes(20_000)]),
        RecordTooLargeError,
        "max_request_size=10000",
        {"max_request_size": 10_000},
    ),
    "above max.message.bytes": Bad(
        lambda producer, topic: producer.send(topic, bytes(5_000)).result(SECONDS),
        MessageTooLargeError,
        r"max\.message\.bytes",
    ),
    "unserialisable": Bad(
        lambda producer, topic: producer.send(topic, 5),
        SerializationError,
        "5 is no text",
        {"value_serializer": only_text},
    ),
    "unserialisable key": Bad(
        lambda producer, topic: producer.send(topic, "text", 5),
        SerializationError,
        "key.*5 is no text",
        {"key_serializer": only_text},
    ),
    "no bytes": Bad(lambda producer, topic: producer.send(topic, 5), TypeError, "value.*int.*value_serializer"),
    "partition that is not there": Bad(
        lambda producer, topic: producer.send(topic, b"value", partition=7).result(SECONDS),
        InvalidPartitionError,
        "partitions 0 to 0, not 7",
    ),
    "negative partition": Bad(
        lambda producer, topic: producer.send(topic, b"value", partition=-1).result(SECONDS),
        InvalidPartitionError,
        "not -1",
    ),
    "partition out of range": Bad(
        lambda producer, topic: producer.send(topic, b"value", partition=2**31),
        InvalidPartitionError,
        "2147483648 is out of range",
    ),
    "partition of a function that is not there": Bad(
        lambda producer, topic: producer.send(topic, b"value").result(SECONDS),
        InvalidPartitionError,
        "not 9",
        {"partitioner": lambda key, _count: 0 if key else 9},
    ),
    "negative timestamp": Bad(
        lambda producer, topic: producer.send(topic, b"value", timestamp=-1).result(SECONDS),
        InvalidRecordTimestampError,
        "-1 ms is negative",
    ),
    "timestamp out of range": Bad(
        lambda producer, topic: producer.send(topic, b"value", timestamp=2**63),
        InvalidRecordTimestampError,
        "9223372036854775808 is out of range",
    ),
    "batch without records": Bad(
        lambda producer, topic: producer.send_batch(producer.create_batch(), topic, partition=0),
        InvalidArgumentError,
        "no record",
    ),
    "transaction without transactional_id": Bad(
        lambda producer, _: producer.begin_transaction(), TransactionStateError, "transactional_id"
    ),
}


@pytest.mark.parametrize("case", RECORDS)
def test_a_record_that_cannot_be_sent_is_told_and_the_producer_goes_on(
    client_api: Any, broker: Broker, case: str
) -> None:
    bad = RECORDS[case]
    topic = broker.new_topic(settings={"max.message.bytes": "2000"})
    with client_api.Producer(bootstrap_servers=broker.bootstrap_servers, **bad.settings) as producer:
        for _ in range(2):
            with pytest.raises(bad.error, match=bad.told) as caught:
                bad.call(producer, topic)
            if isinstance(caught.value, KafkaError):
                assert not caught.value.fatal
                assert caught.value.topic in {topic, None}
        assert producer.metrics()["unacknowledged"] == 0
        assert producer.metrics()["buffer_used"] == 0
        # Nothing of the bad ones is stored, and the numbers of an idempotent producer are in order.
        assert [producer.send(topic, "good", "key").result(SECONDS).offset for _ in range(2)] == [0, 1]


@pytest.mark.parametrize("acks", [0, 1])
def test_idempotence_needs_all_replicas(client_api: Any, acks: int) -> None:
    with pytest.raises(ConfigError, match=r"enable_idempotence.*acks|acks.*enable_idempotence"):
        client_api.Producer(bootstrap_servers="localhost:9092", acks=acks, enable_idempotence=True)
    with pytest.raises(ConfigError, match=r"acks|idempotence"):
        client_api.Producer(bootstrap_servers="localhost:9092", acks=acks, transactional_id="id")


CALLS: dict[str, tuple[str, Callable[[Any, str], object], str]] = {
    "begin before init": ("new", lambda producer, _: producer.begin_transaction(), "init_transactions"),
    "send before init": (
        "new",
        lambda producer, topic: producer.send(topic, b"x").result(SECONDS),
        "init_transactions",
    ),
    "many before init": ("new", lambda producer, topic: producer.send_many(topic, [b"x"]), "init_transactions"),
    "commit before init": (
        "new",
        lambda producer, _: producer.commit_transaction(SECONDS),
        "init_transactions|no trans",
    ),
    "init twice": ("initialised", lambda producer, _: producer.init_transactions(SECONDS), "initialised already"),
    "commit before begin": (
        "initialised",
        lambda producer, _: producer.commit_transaction(SECONDS),
        "no transaction is",
    ),
    "abort before begin": ("initialised", lambda producer, _: producer.abort_transaction(SECONDS), "no transaction is"),
    "send before begin": (
        "initialised",
        lambda producer, topic: producer.send(topic, b"x").result(SECONDS),
        "begin_transaction",
    ),
    "batch before begin": (
        "initialised",
        lambda producer, topic: producer.send_batch(batch_of(producer), topic, partition=0).result(SECONDS),
        "begin_transaction",
    ),
    "offsets before begin": (
        "initialised",
        lambda producer, topic: producer.send_offsets_to_transaction({(topic, 0): 1}, GROUP, SECONDS),
        "begin_transaction",
    ),
    "begin twice": ("begun", lambda producer, _: producer.begin_transaction(), "is open"),
    "init within": ("begun", lambda producer, _: producer.init_transactions(SECONDS), "initialised already|is open"),
}


def batch_of(producer: Any) -> Any:
    batch = producer.create_batch()
    batch.append(b"x")
    return batch


@pytest.mark.parametrize("case", CALLS)
def test_a_call_out_of_order_is_told_and_changes_nothing(
    client_api: Any, broker: Broker, topic: str, case: str
) -> None:
    state, call, told = CALLS[case]
    name = f"bad-input-{os.getpid()}-{next(NAMES)}"
    with client_api.Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id=name) as producer:
        if state != "new":
            producer.init_transactions(SECONDS)
        if state == "begun":
            producer.begin_transaction()
        with pytest.raises(TransactionStateError, match=told) as caught:
            call(producer, topic)
        assert not caught.value.fatal
        if state == "new":
            producer.init_transactions(SECONDS)
        if state != "begun":
            producer.begin_transaction()
        producer.send(topic, b"value")
        producer.commit_transaction(SECONDS)
    settings = {"bootstrap_servers": broker.bootstrap_servers, "auto_offset_reset": "earliest"}
    with client_api.Consumer(isolation_level="read_committed", **settings) as consumer:
        consumer.assign([(topic, 0)])
        assert values(read(consumer, 1)) == [b"value"]


FENCED: dict[str, Callable[[Any, str], object]] = {
    "begin": lambda producer, _: producer.begin_transaction(),
    "send": lambda producer, topic: producer.send(topic, b"x").result(SECONDS),
    "send_many": lambda producer, topic: producer.send_many(topic, [b"x"]),
    "commit": lambda producer, _: producer.commit_transaction(SECONDS),
    "abort": lambda producer, _: producer.abort_transaction(SECONDS),
}


def test_a_fenced_producer_says_so_at_every_call_and_is_done(client_api: Any, broker: Broker, topic: str) -> None:
    settings = {
        "bootstrap_servers": broker.bootstrap_servers,
        "transactional_id": f"bad-input-{os.getpid()}-{next(NAMES)}",
    }
    with client_api.Producer(**settings) as older, client_api.Producer(**settings) as newer:
        older.init_transactions(SECONDS)
        older.begin_transaction()
        older.send(topic, b"older").result(SECONDS)
        newer.init_transactions(SECONDS)
        with pytest.raises(ProducerFencedError):
            older.commit_transaction(SECONDS)
        for call in FENCED.values():
            with pytest.raises(ProducerFencedError) as caught:
                call(older, topic)
            assert caught.value.fatal


def test_a_closed_producer_takes_nothing(client_api: Any, broker: Broker, topic: str) -> None:
    producer = client_api.Producer(bootstrap_servers=broker.bootstrap_servers)
    producer.send(topic, b"value").result(SECONDS)
    batch = batch_of(producer)
    producer.close()
    calls: list[Callable[[], object]] = [
        lambda: producer.send(topic, b"x").result(SECONDS),
        lambda: producer.send_many(topic, [b"x"]),
        lambda: producer.send_batch(batch, topic, partition=0).result(SECONDS),
        producer.create_batch,
    ]
    for call in calls:
        with pytest.raises(ClosedError) as caught:
            call()
        assert caught.value.fatal
