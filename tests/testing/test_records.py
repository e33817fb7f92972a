"""What a topic holds, whoever is to see it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from kafkars import Consumer, Producer, Record
from kafkars.errors import ClosedError, InvalidPartitionError, KafkaTimeoutError, UnknownTopicOrPartitionError
from kafkars.testing import Acl, EmbeddedBroker, EmbeddedCluster, StoredRecord

SECONDS = 20.0


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as broker:
        yield broker


def test_records_come_with_all_that_was_sent(broker: EmbeddedBroker) -> None:
    broker.create_topic("all", 2)
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send("all", b"a kettle", key=b"c7", partition=1, timestamp=1_700_000_000_000)
        producer.send("all", None, key=b"c8", partition=0, headers=[("source", b"shop"), ("none", None)])
        producer.send("all", b"a teapot", partition=1, timestamp=1_700_000_000_001)
    first, *others = broker.records("all")
    assert first[:3] == ("all", 0, 0)
    assert first[4:] == (b"c8", None, (("source", b"shop"), ("none", None)), "committed")
    assert others == [
        StoredRecord("all", 1, 0, 1_700_000_000_000, b"c7", b"a kettle", (), "committed"),
        StoredRecord("all", 1, 1, 1_700_000_000_001, None, b"a teapot", (), "committed"),
    ]
    assert broker.records("all", 0) == [first]


def test_a_topic_without_records_has_none_and_an_unknown_one_is_an_error(broker: EmbeddedBroker) -> None:
    broker.create_topic("empty", 3)
    assert broker.records("empty") == []
    with pytest.raises(UnknownTopicOrPartitionError, match="no topic 'unheard-of'"):
        broker.records("unheard-of")
    assert "unheard-of" not in broker.topics()
    with pytest.raises(InvalidPartitionError):
        broker.records("empty", 3)


def test_transactions_show_in_the_state(broker: EmbeddedBroker) -> None:
    broker.create_topic("paid", 1)
    servers = broker.bootstrap_servers
    with (
        Producer(bootstrap_servers=servers) as plain,
        Producer(bootstrap_servers=servers, transactional_id="t") as shop,
    ):
        shop.init_transactions()
        with shop.transaction():
            shop.send("paid", b"kept")
        shop.begin_transaction()
        shop.send("paid", b"taken back").result(SECONDS)
        shop.abort_transaction()
        plain.send("paid", b"plain").result(SECONDS)
        shop.begin_transaction()
        shop.send("paid", b"undecided").result(SECONDS)
        plain.send("paid", b"behind it").result(SECONDS)
        during = {record.value: record.state for record in broker.records("paid")}
        shop.commit_transaction()
    after = {record.value: record.state for record in broker.records("paid")}
    assert during == {
        b"kept": "committed",
        b"taken back": "aborted",
        b"plain": "committed",
        b"undecided": "open",
        b"behind it": "open",
    }
    assert after == during | {b"undecided": "committed", b"behind it": "committed"}


def test_it_agrees_with_consumers(broker: EmbeddedBroker) -> None:
    broker.create_topic("many", 3)
    with Producer(bootstrap_servers=broker.bootstrap_servers, compression_type="zstd") as producer:
        producer.send_many("many", [str(number).encode() * 50 for number in range(3000)]).result(SECONDS)
    found = broker.records("many")
    with Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([("many", partition) for partition in range(3)])
        read: list[Record[bytes, bytes]] = [record for batch in consumer.read_until_end() for record in batch]
    seen = {(each.partition, each.offset): (each.timestamp, each.key, each.value) for each in read}
    assert {(each.partition, each.offset): (each.timestamp, each.key, each.value) for each in found} == seen
    assert [(each.partition, each.offset) for each in found] == sorted(seen)


def test_what_is_compacted_away_is_gone(broker: EmbeddedBroker) -> None:
    broker.create_topic("latest", 1, configs={"cleanup.policy": "compact", "min.compaction.lag.ms": "0"})
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for value in (b"1", b"2", b"3"):
            producer.send("latest", value, key=b"k").result(SECONDS)
    broker.compact("latest")
    assert [(each.offset, each.value) for each in broker.records("latest")] == [(2, b"3")]


def test_looking_is_no_request_of_the_program(broker: EmbeddedBroker) -> None:
    broker.create_topic("looked-at", 1)
    broker.forget_requests()
    broker.records("looked-at")
    assert broker.requests() == []
    assert broker.requests(client_id="kafkars.testing")


def test_a_protected_broker_a_cluster_and_a_frozen_clock_can_be_looked_at() -> None:
    users = {"root": "r", "bob": "b"}
    with EmbeddedBroker(
        security="SASL_SSL",
        users=users,
        super_users=["User:root"],
        acls=[Acl("User:bob", "ALL", "TOPIC", "t")],
        topics={"t": 1},
    ) as broker:
        with Producer(**broker.client_settings(user="bob")) as producer:
            producer.send("t", b"x").result(SECONDS)
        assert [each.value for each in broker.records("t")] == [b"x"]
    with EmbeddedCluster(topics={"t": 3}, clock="manual") as cluster:
        with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
            for partition in range(3):
                producer.send("t", str(partition), partition=partition).result(SECONDS)
        assert [each.value for each in cluster.records("t")] == [b"0", b"1", b"2"]


def test_a_partition_that_cannot_be_read_and_a_stopped_broker_are_errors() -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"x").result(SECONDS)
        with broker.intercept("Fetch", "NOT_LEADER_OR_FOLLOWER"), pytest.raises(KafkaTimeoutError):
            broker.records("t", timeout=0.5)
        assert len(broker.records("t")) == 1
    with pytest.raises(ClosedError):
        broker.records("t")


def test_it_may_be_asked_in_a_coroutine(broker: EmbeddedBroker) -> None:
    broker.create_topic("in-a-loop", 1)

    async def main() -> list[StoredRecord]:
        from kafkars.aio import Producer as AsyncProducer

        async with AsyncProducer(bootstrap_servers=broker.bootstrap_servers) as producer:
            await producer.send("in-a-loop", b"x")
            return broker.records("in-a-loop")

    assert [each.value for each in asyncio.run(main())] == [b"x"]
