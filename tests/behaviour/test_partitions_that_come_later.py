"""Partitions that are added to a topic are read, whatever else does not exist."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import pyarrow as pa
import pytest
from kafkars import TopicPartition
from kafkars.errors import InvalidArgumentError, InvalidPartitionError, UnknownTopicOrPartitionError
from kafkars.testing import EmbeddedBroker

from tests.support.groups import PROTOCOLS
from tests.support.waiting import SECONDS, eventually

AGE_MS = 1_000


def first_and_then_partition_2(client_api: Any, consumer: Any, settings: dict[str, Any], topic: str) -> float:
    """Reads a record, adds partitions, writes to one of them, and says how long it took to be read."""
    with client_api.Producer(**settings) as producer:
        producer.send(topic, b"first").result(SECONDS)
        assert consumer.poll(timeout=SECONDS) is not None
    with client_api.Admin(**settings) as admin, client_api.Producer(**settings) as producer:
        admin.create_partitions({topic: 3})
        producer.send(topic, b"added", partition=2).result(SECONDS)
    began = time.monotonic()
    record = consumer.poll(timeout=SECONDS)
    assert record is not None
    assert (record.partition, record.value) == (2, b"added")
    return time.monotonic() - began


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("others", [[], ["missing"]], ids=["alone", "beside a topic that does not exist"])
def test_a_member_reads_them_when_metadata_is_old(client_api: Any, protocol: str, others: list[str]) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        group = {"group_id": "g", "group_protocol": protocol, "auto_offset_reset": "earliest"}
        with client_api.Consumer(**settings, **group, metadata_max_age_ms=AGE_MS) as consumer:
            consumer.subscribe(["t", *others])
            first_and_then_partition_2(client_api, consumer, settings, "t")


def test_what_the_coordinator_assigns_is_asked_for_at_once(client_api: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        group = {"group_id": "g", "group_protocol": "consumer", "auto_offset_reset": "earliest", "client_id": "reader"}
        # Metadata grows old in five minutes.
        with client_api.Consumer(**settings, **group) as consumer:
            consumer.subscribe(["t"])
            first_and_then_partition_2(client_api, consumer, settings, "t")
            looked_up = [each for each in broker.requests("OffsetFetch") if each.client_id == "reader"]
            assert len(looked_up) < 10


def test_offsets_of_a_partition_that_was_added_are_found(client_api: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        with client_api.Consumer(**settings, auto_offset_reset="earliest") as consumer:
            consumer.assign([("t", 0)])
            assert consumer.end_offsets([("t", 0)]) == {TopicPartition("t", 0): 0}
            with client_api.Admin(**settings) as admin, client_api.Producer(**settings) as producer:
                admin.create_partitions({"t": 2})
                producer.send("t", b"added", partition=1).result(SECONDS)
            assert consumer.end_offsets([("t", 1)]) == {TopicPartition("t", 1): 1}
            with client_api.Admin(**settings) as admin, client_api.Producer(**settings) as producer:
                admin.create_partitions({"t": 3})
                producer.send("t", b"later", partition=2).result(SECONDS)
            consumer.assign([("t", 2)])
            record = consumer.poll(timeout=SECONDS)
            assert record is not None
            assert record.value == b"later"


def test_an_offset_that_need_not_be_looked_up_is_read_at_once(client_api: Any) -> None:
    """Metadata grows old in five minutes; nothing but the assignment tells that it is."""
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        with client_api.Consumer(**settings, auto_offset_reset="earliest", client_id="reader") as consumer:
            consumer.assign([("t", 0)])
            assert consumer.end_offsets([("t", 0)]) == {TopicPartition("t", 0): 0}
            with client_api.Admin(**settings) as admin, client_api.Producer(**settings) as producer:
                admin.create_partitions({"t": 3})
                producer.send("t", b"added", partition=2).result(SECONDS)
            consumer.assign({("t", 0): 0, ("t", 2): 0})
            record = consumer.poll(timeout=SECONDS)
            assert record is not None
            assert (record.partition, record.value) == (2, b"added")
            # One that may come later is waited for, and not asked for without a pause.
            consumer.assign({("t", 7): 0})
            assert consumer.poll(timeout=1.5) is None
            asked = [each for each in broker.requests("Metadata") if each.client_id == "reader"]
            assert len(asked) < 12


def test_what_the_group_has_committed_of_a_partition_that_was_added_is_read_at_once(client_api: Any) -> None:
    """A member that takes such a partition over knows its position from the group, and asks no leader for it."""
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers, "group_id": "g"}
        with client_api.Consumer(**settings) as consumer, client_api.Consumer(**settings) as former:
            consumer.assign([("t", 0)])
            assert consumer.end_offsets([("t", 0)]) == {TopicPartition("t", 0): 0}
            plain = {"bootstrap_servers": broker.bootstrap_servers}
            with client_api.Admin(**plain) as admin, client_api.Producer(**plain) as producer:
                admin.create_partitions({"t": 2})
                for value in (b"finished", b"next"):
                    producer.send("t", value, partition=1).result(SECONDS)
            former.commit({("t", 1): 1})
            consumer.assign([("t", 1)])
            record = consumer.poll(timeout=SECONDS)
            assert record is not None
            assert record.value == b"next"


def test_a_producer_finds_a_partition_that_was_added_with_its_next_record(client_api: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        with client_api.Producer(**settings, client_id="writer") as producer:
            producer.send("t", b"first").result(SECONDS)
            with client_api.Admin(**settings) as admin:
                admin.create_partitions({"t": 3})

            def is_sent() -> bool:
                try:
                    return bool(producer.send("t", b"added", partition=2).result(SECONDS).partition == 2)
                except InvalidPartitionError:
                    return False

            eventually(is_sent, "the producer knows the partition")
            for _ in range(1_000):
                with pytest.raises(InvalidPartitionError, match="has partitions 0 to 2, not 7"):
                    producer.send("t", b"nowhere", partition=7).result(SECONDS)
            asked = [each for each in broker.requests("Metadata") if each.client_id == "writer"]
            assert len(asked) < 100


def by_many(producer: Any) -> Any:
    return producer.send_many("t", [b"added"], partitions=2)


def by_arrow(producer: Any) -> Any:
    table = pa.table({"value": [b"added"], "to": pa.array([2], pa.int32())})
    return producer.send_arrow("t", table, partition="to")


def by_batch(producer: Any) -> Any:
    batch = producer.create_batch()
    batch.append(b"added")
    return producer.send_batch(batch, "t", partition=2)


@pytest.mark.parametrize("send", [by_many, by_arrow, by_batch])
def test_each_way_of_sending_finds_it_with_the_next_call(client_api: Any, send: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        with client_api.Producer(**settings) as producer, client_api.Admin(**settings) as admin:
            producer.send("t", b"first").result(SECONDS)
            admin.create_partitions({"t": 3})

            def is_sent() -> bool:
                try:
                    send(producer).result(SECONDS)
                except InvalidPartitionError:
                    return False
                return True

            eventually(is_sent, "the producer knows the partition")
        assert broker.offsets("t", 2)[1] == 1


def test_one_that_does_not_exist_is_told(client_api: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        with client_api.Consumer(**settings, auto_offset_reset="earliest") as consumer:
            with pytest.raises(InvalidArgumentError, match="has 1 partitions, so there is no partition 7"):
                consumer.end_offsets([("t", 7)])
            consumer.assign([("t", 7)])
            with pytest.raises(InvalidArgumentError, match="has 1 partitions, so there is no partition 7"):
                consumer.poll(timeout=SECONDS)


@pytest.mark.parametrize("begin", [[("t", 3)], {("t", 3): 0}], ids=["looked up", "at an offset"])
def test_one_that_never_comes_is_told(client_api: Any, begin: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        with client_api.Consumer(**settings, auto_offset_reset="earliest") as consumer:
            consumer.assign(begin)
            for _ in range(2):
                with pytest.raises(InvalidArgumentError, match="no partition 3"):
                    consumer.poll(timeout=SECONDS)
            (trouble,) = consumer.health().troubles
            assert (trouble.topic, trouble.partition) == ("t", 3)
            assert "no partition 3" in trouble.cause
            with client_api.Admin(**settings) as admin:
                admin.create_partitions({"t": 4})
            with client_api.Producer(**settings) as producer:
                producer.send("t", b"added", partition=3).result(SECONDS)
            record = eventually(lambda: read(consumer), "the record is read")
            assert (record.partition, record.offset) == (3, 0)
            eventually(lambda: not consumer.health().troubles, "there is no trouble")


def read(consumer: Any) -> Any:
    """A record; None if the consumer still has the former error to tell."""
    try:
        return consumer.poll(timeout=0.1)
    except InvalidArgumentError:
        return None


@pytest.mark.parametrize("change", ["added", "deleted"])
def test_what_changes_while_a_group_is_formed_counts_afterwards(client_api: Any, change: str) -> None:
    with EmbeddedBroker(topics={"t": 1, "u": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        group = {"group_id": "g", "group_protocol": "classic", "client_id": "member", "metadata_max_age_ms": 200}
        with (
            client_api.Consumer(**settings, **group) as consumer,
            client_api.Admin(**settings) as admin,
            broker.intercept("SyncGroup", "delay", seconds=2, times=1),
        ):
            consumer.subscribe(["t", "u"])
            assert consumer.poll(timeout=0.1) is None
            broker.wait_for_request("JoinGroup", client_id="member")
            if change == "added":
                admin.create_partitions({"u": 2})
            else:
                admin.delete_topics(["u"])

            def owned() -> set[tuple[str, int]]:
                with suppress(UnknownTopicOrPartitionError):
                    consumer.poll(timeout=0.05)
                return {(at.topic, at.partition) for at in consumer.assignment()}

            expected = {("t", 0), ("u", 0), ("u", 1)} if change == "added" else {("t", 0)}
            eventually(lambda: owned() == expected, "the change counts")
