"""`read_until_end()` gives what there is, and ends."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
from kafkars import Producer, TopicPartition
from kafkars.errors import ClientStateError, ClosedError, KafkaTimeoutError
from kafkars.testing import EmbeddedBroker, SeenRequest

from tests.support.clients import Clients, numbers
from tests.support.waiting import SECONDS, eventually

EARLIEST = -2
"""Kafka's timestamp for the first offset."""


def read_until_end(consumer: Any, *arguments: Any, **settings: Any) -> list[bytes | None]:
    batches = consumer.read_until_end(*arguments, **settings)
    return [record.value for record in itertools.chain.from_iterable(batches)]


def test_what_there_is_comes_and_then_the_end(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=3)
    for partition in range(3):
        clients.fill(topic, range(partition * 100), partition=partition)
    consumer = clients.consumer([(topic, partition) for partition in range(3)])
    found = read_until_end(consumer, max_records=7)
    assert sorted(found, key=lambda value: int(value or 0)) == sorted(numbers(100) + numbers(200), key=int)
    assert read_until_end(consumer) == []
    clients.fill(topic, ["later"], partition=2)
    assert read_until_end(consumer) == [b"later"]


def test_it_may_wait_without_end(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(3))
    consumer = clients.consumer([(topic, 0)])
    assert read_until_end(consumer, timeout=None) == numbers(3)


def test_it_begins_at_the_position(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(10))
    consumer = clients.consumer([(topic, 0)])
    consumer.seek(TopicPartition(topic, 0), 6)
    assert read_until_end(consumer) == numbers(6, 10)


def test_what_is_written_while_it_reads_does_not_make_it_endless(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(3))
    consumer = clients.consumer([(topic, 0)])
    found = []
    for batch in consumer.read_until_end(max_records=1):
        found.extend(record.value for record in batch)
        clients.fill(topic, ["more", "and more"])
    assert found == numbers(3)


def test_paused_partitions_are_not_waited_for(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=2)
    for partition in range(2):
        clients.fill(topic, [partition], partition=partition)
    consumer = clients.consumer([(topic, 0), (topic, 1)])
    consumer.pause([(topic, 0)])
    assert read_until_end(consumer) == [b"1"]
    consumer.resume([(topic, 0)])
    assert read_until_end(consumer) == [b"0"]


@pytest.mark.parametrize("ending", ["commit_transaction", "abort_transaction"])
def test_markers_behind_the_last_record_are_no_records_to_wait_for(clients: Clients, topic: str, ending: str) -> None:
    producer = clients.producer(transactional_id=f"end-{topic}")
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.send(topic, b"in a transaction").result(SECONDS)
    getattr(producer, ending)(SECONDS)
    # Before Kafka 4 the call may return before the marker is written.
    look = clients.consumer([(topic, 0)], isolation_level="read_committed")
    eventually(lambda: look.end_offsets([(topic, 0)])[topic, 0] == 2, "the transaction has ended")
    for isolation in ("read_committed", "read_uncommitted"):
        consumer = clients.consumer([(topic, 0)], isolation_level=isolation)
        shown = ending == "commit_transaction" or isolation == "read_uncommitted"
        assert read_until_end(consumer, timeout=SECONDS) == [b"in a transaction"] * shown


def test_an_open_transaction_is_the_end_for_those_who_want_what_is_committed(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(3))
    producer = clients.producer(transactional_id=f"open-{topic}")
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.send(topic, b"open").result(SECONDS)
    consumer = clients.consumer([(topic, 0)], isolation_level="read_committed")
    assert read_until_end(consumer) == numbers(3)
    producer.abort_transaction(SECONDS)


def test_a_subscription_is_read_once_it_has_partitions(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(5))
    consumer = clients.consumer(group_id=f"group-{topic}")
    consumer.subscribe([topic])
    assert read_until_end(consumer) == numbers(5)


def test_so_is_a_pattern(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(5))
    consumer = clients.consumer(group_id=f"pattern-{topic}")
    consumer.subscribe(pattern=f"{topic}.*")
    assert read_until_end(consumer) == numbers(5)


def test_there_is_no_end_of_nothing(clients: Clients, topic: str) -> None:
    consumer = clients.consumer()
    with pytest.raises(ClientStateError, match="nothing is assigned"):
        read_until_end(consumer)
    consumer.assign([(topic, 0)])
    consumer.pause()
    assert read_until_end(consumer) == []
    consumer.close()
    with pytest.raises(ClosedError):
        read_until_end(consumer)


def test_a_partition_that_does_not_come_is_named(client_api: Any) -> None:
    with EmbeddedBroker() as broker:
        address = broker.bootstrap_servers
        with Producer(bootstrap_servers=address) as producer:
            producer.send_many("slow", ["0", "1", "2"]).result(SECONDS)
        consumer = client_api.Consumer(bootstrap_servers=address, auto_offset_reset="earliest")
        with consumer, broker.intercept("Fetch", "drop") as fault:
            consumer.assign([("slow", 0)])
            assert consumer.position(("slow", 0), timeout=SECONDS) == 0
            with pytest.raises(KafkaTimeoutError, match=r"no record for 1\.5 s: slow-0"):
                read_until_end(consumer, timeout=1.5)
            assert fault.hits > 0


def is_for_the_beginning(request: SeenRequest) -> bool:
    return bool(request.body["topics"][0]["partitions"][0]["timestamp"] == EARLIEST)


@pytest.mark.parametrize(
    ("api", "when"), [("ListOffsets", is_for_the_beginning), ("OffsetFetch", None)], ids=["beginning", "committed"]
)
def test_its_time_holds_while_positions_are_not_found(client_api: Any, api: str, when: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"v").result(SECONDS)
        broker.intercept(api, "drop", when=when)
        settings = {"bootstrap_servers": broker.bootstrap_servers, "auto_offset_reset": "earliest", "group_id": "g"}
        with client_api.Consumer(**settings, enable_auto_commit=False) as consumer:
            consumer.assign([("t", 0)])
            began = time.monotonic()
            with pytest.raises(KafkaTimeoutError):
                read_until_end(consumer, timeout=0.5)
            assert time.monotonic() - began < SECONDS
            broker.clear_faults()
