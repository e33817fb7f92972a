"""Transactions when coordinators and leaders refuse, fall silent or move, in both of Kafka's protocols."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import Consumer, ConsumerGroupMetadata, Producer
from kafkars.errors import (
    KafkaError,
    ProducerFencedError,
    TransactionStateError,
    TransactionTimedOutError,
)
from kafkars.testing import EmbeddedBroker, EmbeddedCluster, SeenRequest

SECONDS = 20.0

RELEASES = {"newer": None, "older": "3.9"}
"""Before 4.0 partitions and groups are added by requests of their own (KIP-890)."""


@pytest.fixture(params=["newer", "older"])
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def broker(protocol: str) -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": 1, "other": 1}, version=RELEASES[protocol]) as started:
        yield started


@pytest.fixture
def producer(broker: EmbeddedBroker) -> Iterator[Producer]:
    with transactional(broker) as made:
        yield made


def transactional(broker: EmbeddedBroker, **settings: Any) -> Producer:
    made: Producer = Producer(
        bootstrap_servers=broker.bootstrap_servers,
        transactional_id="tx",
        linger_ms=0,
        retry_backoff_ms=10,
        **settings,
    )
    made.init_transactions(SECONDS)
    return made


def committed(broker: EmbeddedBroker, count: int) -> list[bytes | None]:
    """What readers of committed records get, up to `count`."""
    with Consumer(
        bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest", isolation_level="read_committed"
    ) as consumer:
        consumer.assign([("t", 0)])
        values: list[bytes | None] = []
        while len(values) < count:
            values += [record.value for record in consumer.poll_batch(timeout=SECONDS)]
    return values


def transaction(producer: Producer, value: bytes, *, commit: bool = True) -> None:
    producer.begin_transaction()
    producer.send("t", value, partition=0)
    producer.send_offsets_to_transaction({("other", 0): 1}, ConsumerGroupMetadata("group"), SECONDS)
    if commit:
        producer.commit_transaction(SECONDS)
    else:
        producer.abort_transaction(SECONDS)


FAULTS: list[dict[str, Any]] = [
    {"action": "disconnect"},
    {"action": "disconnect_after"},
    {"action": "wrong_length"},
    {"action": "NOT_COORDINATOR"},
    {"action": "COORDINATOR_NOT_AVAILABLE"},
    {"action": "COORDINATOR_LOAD_IN_PROGRESS"},
    {"action": "CONCURRENT_TRANSACTIONS"},
]


@pytest.mark.parametrize(
    ("protocol", "api", "fault"),
    [
        (protocol, api, fault)
        for protocol in RELEASES
        for api in ("AddPartitionsToTxn", "AddOffsetsToTxn", "TxnOffsetCommit", "Produce", "EndTxn")
        # Brokers of the newer protocol add partitions and groups by themselves.
        if protocol == "older" or not api.startswith("Add")
        for fault in FAULTS
        # Is not said of partitions.
        if api != "Produce" or "COORDINATOR" not in fault["action"]
    ],
    indirect=["protocol"],
    ids=lambda value: value["action"] if isinstance(value, dict) else value,
)
def test_what_passes_does_not_break_a_transaction(
    broker: EmbeddedBroker, producer: Producer, api: str, fault: dict[str, Any]
) -> None:
    transaction(producer, b"0")
    set_ = broker.intercept(api, times=2, **fault)
    transaction(producer, b"1")
    assert set_.hits == 2
    transaction(producer, b"dropped", commit=False)
    transaction(producer, b"2")
    assert committed(broker, 3) == [b"0", b"1", b"2"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["action"])
def test_what_passes_does_not_break_the_beginning(broker: EmbeddedBroker, fault: dict[str, Any]) -> None:
    set_ = broker.intercept("InitProducerId", times=2, **fault)
    with transactional(broker) as producer:
        assert set_.hits == 2
        transaction(producer, b"0")
    assert committed(broker, 1) == [b"0"]


def test_an_abort_follows_at_once_on_a_record_that_no_broker_took(
    broker: EmbeddedBroker, producer: Producer, protocol: str
) -> None:
    """As when the markers of the transaction before are not written yet: there is nothing to be ended."""
    api = "AddPartitionsToTxn" if protocol == "older" else "Produce"
    transaction(producer, b"0")
    broker.forget_requests()
    fault = broker.intercept(api, "CONCURRENT_TRANSACTIONS")
    producer.begin_transaction()
    producer.send("t", b"dropped", partition=0)
    broker.wait_for_request(api)
    producer.abort_transaction(SECONDS)
    fault.remove()
    if protocol == "older":
        assert broker.requests("EndTxn") == []
    transaction(producer, b"1")
    assert committed(broker, 2) == [b"0", b"1"]


def test_an_end_without_answer_never_ends_the_next_transaction(
    broker: EmbeddedBroker, producer: Producer, protocol: str
) -> None:
    """The epoch changes with every end (newer), or is renewed before anything else happens (older)."""
    transaction(producer, b"0")
    broker.forget_requests()
    broker.intercept("EndTxn", "disconnect_after", times=1)
    transaction(producer, b"1")
    transaction(producer, b"2")
    ends = [epoch(request) for request in broker.requests("EndTxn")]
    assert len(ends) == 3
    assert ends[0] == ends[1] < ends[2]
    assert (len(broker.requests("InitProducerId")) > 0) == (protocol == "older")
    assert committed(broker, 3) == [b"0", b"1", b"2"]


def epoch(request: SeenRequest) -> int:
    assert request.body is not None
    return int(request.body["producer_epoch"])


@pytest.mark.parametrize("error", ["UNKNOWN_PRODUCER_ID", "OUT_OF_ORDER_SEQUENCE_NUMBER", "INVALID_PRODUCER_EPOCH"])
def test_lost_numbers_end_the_transaction_and_not_the_producer(
    broker: EmbeddedBroker, producer: Producer, error: str
) -> None:
    """KIP-360: within a transaction nothing is numbered anew."""
    transaction(producer, b"0")
    broker.intercept("Produce", error, times=1)
    producer.begin_transaction()
    with pytest.raises(KafkaError, match=error):
        producer.send("t", b"dropped", partition=0).result(SECONDS)
    with pytest.raises(KafkaError, match=error) as caught:
        producer.commit_transaction(SECONDS)
    assert not caught.value.fatal
    producer.abort_transaction(SECONDS)
    transaction(producer, b"1")
    assert committed(broker, 2) == [b"0", b"1"]


@pytest.mark.parametrize("api", ["Produce", "TxnOffsetCommit", "EndTxn"])
def test_a_fenced_producer_is_lost(broker: EmbeddedBroker, producer: Producer, api: str) -> None:
    transaction(producer, b"0")
    broker.intercept(api, "PRODUCER_FENCED", times=1)
    with pytest.raises(ProducerFencedError, match="tx"):
        transaction(producer, b"1")
    for call in (producer.begin_transaction, lambda: producer.abort_transaction(SECONDS)):
        with pytest.raises(ProducerFencedError):
            call()
    # A new one takes over what it left.
    with transactional(broker) as heir:
        transaction(heir, b"2")
    assert committed(broker, 2) == [b"0", b"2"]


@pytest.mark.parametrize(
    ("protocol", "api", "error"),
    [
        ("newer", "Produce", "TOPIC_AUTHORIZATION_FAILED"),
        ("newer", "TxnOffsetCommit", "GROUP_AUTHORIZATION_FAILED"),
        ("newer", "TxnOffsetCommit", "ILLEGAL_GENERATION"),
        ("newer", "EndTxn", "TRANSACTION_ABORTABLE"),
        ("older", "Produce", "TOPIC_AUTHORIZATION_FAILED"),
        ("older", "TxnOffsetCommit", "ILLEGAL_GENERATION"),
        ("older", "AddPartitionsToTxn", "TOPIC_AUTHORIZATION_FAILED"),
        ("older", "AddOffsetsToTxn", "GROUP_AUTHORIZATION_FAILED"),
    ],
    indirect=["protocol"],
)
def test_some_refusals_leave_abort(broker: EmbeddedBroker, producer: Producer, api: str, error: str) -> None:
    transaction(producer, b"0")
    broker.intercept(api, error, times=1)
    with pytest.raises(KafkaError, match=error):
        transaction(producer, b"dropped")
    producer.abort_transaction(SECONDS)
    transaction(producer, b"1")
    assert committed(broker, 2) == [b"0", b"1"]


@pytest.mark.parametrize("error", ["TRANSACTIONAL_ID_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED"])
def test_what_is_not_allowed_ends_the_producer(broker: EmbeddedBroker, error: str) -> None:
    broker.intercept("InitProducerId", error, times=1)
    with (
        Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id="tx") as producer,
        pytest.raises(KafkaError, match=error) as caught,
    ):
        producer.init_transactions(SECONDS)
    assert caught.value.fatal


def test_a_transaction_that_takes_too_long_is_aborted_and_the_next_one_works(protocol: str) -> None:
    """KIP-588: by the client, before the coordinator would do it (whose clock stands still here) and fence the
    producer."""
    with EmbeddedBroker(topics={"t": 1, "other": 1}, version=RELEASES[protocol], clock="manual") as broker:
        with transactional(broker, transaction_timeout_ms=300) as producer:
            producer.begin_transaction()
            producer.send("t", b"dropped", partition=0)
            broker.wait_for_request("EndTxn", timeout=SECONDS)
            with pytest.raises(TransactionTimedOutError, match="transaction_timeout_ms=300"):
                producer.commit_transaction(SECONDS)
            producer.abort_transaction(SECONDS)
            producer.begin_transaction()
            producer.abort_transaction(SECONDS)
        with transactional(broker) as producer:
            transaction(producer, b"0")
        assert committed(broker, 1) == [b"0"]


def test_a_coordinator_that_moves_is_found(protocol: str) -> None:
    with EmbeddedCluster(topics={"t": 1, "other": 1}, version=RELEASES[protocol]) as broker:
        with transactional(broker) as producer:
            for number in range(6):
                producer.begin_transaction()
                producer.send("t", b"%d" % number, partition=0)
                broker.move_coordinator("tx", number % 3 + 1, kind="transaction")
                producer.commit_transaction(SECONDS)
        assert committed(broker, 6) == [b"%d" % number for number in range(6)]


def test_calls_out_of_order_change_nothing(broker: EmbeddedBroker, producer: Producer) -> None:
    broker.forget_requests()
    for call in (producer.commit_transaction, producer.abort_transaction, producer.init_transactions):
        with pytest.raises(TransactionStateError):
            call(SECONDS)
    producer.begin_transaction()
    with pytest.raises(TransactionStateError):
        producer.begin_transaction()
    assert broker.requests() == []
    producer.send("t", b"0", partition=0)
    producer.commit_transaction(SECONDS)
    assert committed(broker, 1) == [b"0"]
