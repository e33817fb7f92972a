"""Transactions: what is committed is read, what is aborted is not, and calls out of order say so."""

from __future__ import annotations

import itertools
import os
import time
from typing import Any

import kafkars.aio
import pytest
from kafkars import ConsumerGroupMetadata
from kafkars.errors import (
    InvalidArgumentError,
    KafkaError,
    KafkaTimeoutError,
    ProducerFencedError,
    RecordTooLargeError,
    TransactionAbortedError,
    TransactionFailedError,
    TransactionStateError,
    TransactionTimedOutError,
)
from kafkars.testing import EmbeddedBroker

from tests.support.awaits import run
from tests.support.clients import Clients, numbers, read, values
from tests.support.waiting import SECONDS

NAMES = itertools.count(1)


def name() -> str:
    """A transactional id that no other test has."""
    return f"transactions-{os.getpid()}-{next(NAMES)}"


@pytest.fixture
def producer(clients: Clients) -> Any:
    made = clients.producer(transactional_id=name())
    made.init_transactions(SECONDS)
    return made


def committed(clients: Clients, topic: str, count: int) -> list[Any]:
    """The next values that a reader of committed records gets, from the start."""
    return values(read(clients.consumer([(topic, 0)], isolation_level="read_committed"), count))


def test_a_committed_transaction_is_read_as_a_whole(clients: Clients, producer: Any, topic: str) -> None:
    producer.begin_transaction()
    assert producer.in_transaction
    sent = [producer.send(topic, number) for number in numbers(100)]
    producer.commit_transaction(SECONDS)
    assert not producer.in_transaction
    assert [each.result(SECONDS).offset for each in sent] == list(range(100))
    assert committed(clients, topic, 100) == numbers(100)


def test_an_aborted_transaction_is_not_read(clients: Clients, producer: Any, topic: str) -> None:
    producer.begin_transaction()
    producer.send(topic, b"aborted").result(SECONDS)
    producer.abort_transaction(SECONDS)
    producer.begin_transaction()
    producer.send(topic, b"committed")
    producer.commit_transaction(SECONDS)
    assert committed(clients, topic, 1) == [b"committed"]
    # A reader of everything sees it, and the markers take offsets of their own.
    everything = read(clients.consumer([(topic, 0)]), 2)
    assert [(record.offset, record.value) for record in everything] == [(0, b"aborted"), (2, b"committed")]


def test_records_that_have_not_left_are_dropped_by_an_abort(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer(transactional_id=name(), linger_ms=60_000)
    producer.init_transactions(SECONDS)
    for _ in range(5):
        producer.begin_transaction()
        sent = producer.send(topic, b"waiting")
        producer.abort_transaction(SECONDS)
        with pytest.raises(TransactionAbortedError):
            sent.result(SECONDS)
    producer.begin_transaction()
    producer.send(topic, b"kept")
    producer.commit_transaction(SECONDS)
    assert committed(clients, topic, 1) == [b"kept"]


def test_one_transaction_spans_topics_and_partitions(clients: Clients, producer: Any) -> None:
    topics = [clients.broker.new_topic(partitions=3) for _ in range(2)]
    producer.begin_transaction()
    for topic in topics:
        for partition in range(3):
            producer.send(topic, b"%d" % partition, partition=partition)
    producer.commit_transaction(SECONDS)
    for topic in topics:
        assignment = [(topic, partition) for partition in range(3)]
        reader = clients.consumer(assignment, isolation_level="read_committed")
        assert sorted(values(read(reader, 3))) == numbers(3)


def test_many_transactions_one_after_the_other(clients: Clients, producer: Any, topic: str) -> None:
    for number in range(30):
        producer.begin_transaction()
        producer.send(topic, b"%d" % number)
        if number % 3:
            producer.commit_transaction(SECONDS)
        else:
            producer.abort_transaction(SECONDS)
    expected = [b"%d" % number for number in range(30) if number % 3]
    assert committed(clients, topic, len(expected)) == expected


def test_an_empty_transaction_commits_and_aborts(producer: Any) -> None:
    producer.begin_transaction()
    producer.commit_transaction(SECONDS)
    producer.begin_transaction()
    producer.abort_transaction(SECONDS)


def test_offsets_of_a_group_can_be_part_of_it(producer: Any, topic: str) -> None:
    group = ConsumerGroupMetadata(name())
    producer.begin_transaction()
    producer.send_offsets_to_transaction({(topic, 0): 42}, group, SECONDS)
    producer.commit_transaction(SECONDS)
    producer.begin_transaction()
    producer.send(topic, b"value")
    producer.send_offsets_to_transaction({(topic, 0): 43}, group, SECONDS)
    producer.abort_transaction(SECONDS)


def test_offsets_of_an_open_transaction_are_waited_for_or_not(clients: Clients, producer: Any, topic: str) -> None:
    group, place = name(), (topic, 0)
    consumer: Any = clients.consumer(group_id=group)
    for offset in (1, 2):
        producer.begin_transaction()
        producer.send_offsets_to_transaction({place: offset}, ConsumerGroupMetadata(group), SECONDS)
        if offset == 1:
            producer.commit_transaction(SECONDS)
    assert consumer.committed(place, require_stable=False, timeout=SECONDS)[place].offset == 1
    with pytest.raises(KafkaTimeoutError, match="UNSTABLE_OFFSET_COMMIT"):
        consumer.committed(place, timeout=2)
    producer.commit_transaction(SECONDS)
    assert consumer.committed(place, timeout=SECONDS)[place].offset == 2


def test_calls_out_of_order_say_what_to_call(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer(transactional_id=name())
    with pytest.raises(TransactionStateError, match="init_transactions"):
        producer.begin_transaction()
    with pytest.raises(TransactionStateError, match="init_transactions"):
        producer.send(topic, b"value").result(SECONDS)
    producer.init_transactions(SECONDS)
    with pytest.raises(TransactionStateError, match="initialised already"):
        producer.init_transactions(SECONDS)
    for call in (producer.commit_transaction, producer.abort_transaction):
        with pytest.raises(TransactionStateError, match="no transaction is open"):
            call(SECONDS)
    with pytest.raises(TransactionStateError, match="begin_transaction"):
        producer.send(topic, b"value").result(SECONDS)
    with pytest.raises(TransactionStateError, match="begin_transaction"):
        producer.send_offsets_to_transaction({(topic, 0): 1}, ConsumerGroupMetadata("group"), SECONDS)
    producer.begin_transaction()
    with pytest.raises(TransactionStateError, match="is open"):
        producer.begin_transaction()
    # None of it has harmed the transaction.
    producer.send(topic, b"value")
    producer.commit_transaction(SECONDS)
    assert committed(clients, topic, 1) == [b"value"]


def test_without_a_transactional_id_there_are_none(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer()
    with pytest.raises(TransactionStateError, match="transactional_id"):
        producer.init_transactions(SECONDS)
    with pytest.raises(TransactionStateError, match="transactional_id"):
        producer.begin_transaction()
    assert producer.send(topic, b"value").result(SECONDS).offset == 0


def test_wrong_offsets_are_told_and_the_transaction_goes_on(clients: Clients, producer: Any, topic: str) -> None:
    producer.begin_transaction()
    group = ConsumerGroupMetadata("group")
    with pytest.raises(InvalidArgumentError, match="-1"):
        producer.send_offsets_to_transaction({(topic, 0): -1}, group, SECONDS)
    with pytest.raises(InvalidArgumentError, match="group id"):
        producer.send_offsets_to_transaction({(topic, 0): 1}, ConsumerGroupMetadata(""), SECONDS)
    with pytest.raises(TypeError, match="offsets"):
        producer.send_offsets_to_transaction([1], group, SECONDS)
    with pytest.raises(TypeError, match="group_metadata"):
        producer.send_offsets_to_transaction({(topic, 0): 1}, "group", SECONDS)
    producer.send(topic, b"value")
    producer.commit_transaction(SECONDS)
    assert committed(clients, topic, 1) == [b"value"]


def test_a_transaction_is_not_committed_without_a_record_that_was_refused(
    clients: Clients, producer: Any, topic: str
) -> None:
    """As with Java's producer: what would be committed is not all that was sent."""
    producer.begin_transaction()
    producer.send(topic, b"lost with the other").result(SECONDS)
    with pytest.raises(RecordTooLargeError):
        producer.send(topic, bytes(2_000_000)).result(SECONDS)
    with pytest.raises(TransactionFailedError) as caught:
        producer.commit_transaction(SECONDS)
    assert caught.value.abortable
    assert isinstance(caught.value.__cause__, RecordTooLargeError)
    producer.abort_transaction(SECONDS)
    producer.begin_transaction()
    producer.send(topic, b"value")
    producer.commit_transaction(SECONDS)
    assert committed(clients, topic, 1) == [b"value"]


@pytest.mark.parametrize("end", ["no such topic", "purged", "partitioner"])
def test_asyncio_misses_a_record_that_nobody_awaits(end: str) -> None:
    """Its future has the failure, and nobody looks at it."""

    def partitioner(_key: bytes | None, _count: int) -> int:
        raise LookupError("none fits")

    async def test(servers: str) -> None:
        settings: dict[str, Any] = {"partitioner": partitioner} if end == "partitioner" else {}
        async with kafkars.aio.Producer(
            bootstrap_servers=servers,
            transactional_id=end,
            max_block_ms=1_500,
            allow_auto_create_topics=False,
            **settings,
        ) as producer:
            await producer.init_transactions(SECONDS)
            if end != "partitioner":  # which is asked at once where the topic is known
                await producer.partitions_for("topic", timeout=SECONDS)
            await producer.begin_transaction()
            lost = producer.send("topic" if end == "partitioner" else "nowhere", b"lost")
            if end == "purged":
                producer.purge()
            with pytest.raises(TransactionFailedError):
                await producer.commit_transaction(SECONDS)
            with pytest.raises((KafkaError, LookupError)):
                await lost
            await producer.abort_transaction(SECONDS)
            await producer.begin_transaction()
            await producer.send("topic", b"kept", partition=0)
            await producer.commit_transaction(SECONDS)

    with EmbeddedBroker(topics={"topic": 1}) as broker:
        run(test(broker.bootstrap_servers))


def test_a_newer_producer_fences_the_older(clients: Clients, topic: str) -> None:
    shared = name()
    older: Any = clients.producer(transactional_id=shared)
    older.init_transactions(SECONDS)
    older.begin_transaction()
    older.send(topic, b"older").result(SECONDS)
    newer: Any = clients.producer(transactional_id=shared)
    newer.init_transactions(SECONDS)
    with pytest.raises(ProducerFencedError, match=shared) as caught:
        older.commit_transaction(SECONDS)
    assert caught.value.fatal
    with pytest.raises(ProducerFencedError):
        older.begin_transaction()
    newer.begin_transaction()
    newer.send(topic, b"newer")
    newer.commit_transaction(SECONDS)
    assert committed(clients, topic, 1) == [b"newer"]


def test_closing_aborts_the_open_transaction(clients: Clients, topic: str) -> None:
    producer: Any = clients.producer(transactional_id=name())
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.send(topic, b"open").result(SECONDS)
    producer.close()
    other: Any = clients.producer()
    other.send(topic, b"after").result(SECONDS)
    # Read at once: nothing waits for the transaction to time out.
    assert committed(clients, topic, 1) == [b"after"]


@pytest.mark.kafka
def test_a_transaction_open_for_too_long_is_aborted_and_the_next_one_commits(kafka_clients: Clients) -> None:
    """KIP-588: by the client, since the coordinator's own abort would fence the producer."""
    topic = kafka_clients.broker.new_topic()
    producer: Any = kafka_clients.producer(transactional_id=name(), transaction_timeout_ms=3_000)
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    with pytest.raises(TransactionTimedOutError, match="transaction_timeout_ms=3000"):
        for number in itertools.count():
            producer.send(topic, b"dropped %d" % number).result(SECONDS)
    producer.abort_transaction(SECONDS)
    producer.begin_transaction()
    producer.send(topic, b"kept")
    producer.commit_transaction(SECONDS)
    assert committed(kafka_clients, topic, 1) == [b"kept"]


@pytest.mark.timeout(60)
def test_a_transaction_may_take_all_of_its_time(clients: Clients, topic: str) -> None:
    # A slow machine may need longer than the shorter one.
    assert any(commits_late(clients, topic, seconds) for seconds in (3, 12))


def commits_late(clients: Clients, topic: str, seconds: float) -> bool:
    """Commits when nearly all of a transaction's time is over. False if it was over before the commit."""
    producer: Any = clients.producer(transactional_id=name(), transaction_timeout_ms=seconds * 1_000)
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    begun = time.monotonic()
    try:
        while time.monotonic() - begun < 0.93 * seconds:
            producer.send(topic, b"late").result(SECONDS)
        producer.commit_transaction(SECONDS)
    except TransactionTimedOutError:
        assert time.monotonic() - begun > seconds
        return False
    assert committed(clients, topic, 1) == [b"late"]
    return True
