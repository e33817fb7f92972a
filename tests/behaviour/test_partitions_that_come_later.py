"""Partitions that are added to a topic are read, whatever else does not exist."""

from __future__ import annotations

import time
from typing import Any

import pytest
from kafkars import TopicPartition
from kafkars.errors import InvalidArgumentError, InvalidPartitionError
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


def test_one_that_does_not_exist_is_told(client_api: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        with client_api.Consumer(**settings, auto_offset_reset="earliest") as consumer:
            with pytest.raises(InvalidArgumentError, match="has 1 partitions, so there is no partition 7"):
                consumer.end_offsets([("t", 7)])
            consumer.assign([("t", 7)])
            with pytest.raises(InvalidArgumentError, match="has 1 partitions, so there is no partition 7"):
                consumer.poll(timeout=SECONDS)
