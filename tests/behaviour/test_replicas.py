"""Reading from the nearest replica, and logs that lose records: on three real brokers."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars.errors import LogTruncationError

from tests.brokers import Broker
from tests.kafka import KafkaCluster, KafkaOptions
from tests.support.clients import Clients, numbers, read, values
from tests.support.waiting import eventually

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def three_brokers(request: pytest.FixtureRequest) -> Iterator[KafkaCluster]:
    """Three brokers in racks of their own, which send readers to the nearest replica."""
    selector = {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}
    version = request.config.getoption("--kafka-version")
    with KafkaCluster(KafkaOptions(version=version, nodes=3, properties=selector)) as cluster:
        yield cluster


@pytest.fixture
def broker(three_brokers: KafkaCluster) -> Broker:
    return Broker("kafka", three_brokers)


@pytest.mark.parametrize("client_api", ["sync"], indirect=True)
def test_records_come_from_the_replica_in_the_readers_rack(
    clients: Clients, three_brokers: KafkaCluster, caplog: pytest.LogCaptureFixture
) -> None:
    three_brokers.create_topic("near", partitions=1, copies=3)
    three_brokers.wait_in_sync("near")
    leader = three_brokers.leader("near")
    near = next(node for node in three_brokers.nodes if node is not leader)
    clients.fill("near", range(100))
    with caplog.at_level(logging.DEBUG, "kafkars"):
        member = clients.consumer(group_id="near", client_rack=f"rack-{near.address.node}")
        member.subscribe(["near"])
        assert values(read(member, 100)) == numbers(100)

        def told() -> list[str]:
            return [record.getMessage() for record in caplog.records if "nearest replica" in record.getMessage()]

        eventually(lambda: member.poll_batch(timeout=0.1) is not None and told(), "being sent to the replica")
    assert f"replica={near.address.node}" in told()[0]
    # It goes on from there, and from the leader once the replica is gone.
    clients.fill("near", range(100, 110))
    assert values(read(member, 10)) == numbers(100, 110)
    near.kill()
    try:
        clients.fill("near", range(110, 120))
        assert values(read(member, 10, seconds=60)) == numbers(110, 120)
    finally:
        near.start()
        three_brokers.wait_ready()


@pytest.mark.parametrize("client_api", ["sync"], indirect=True)
def test_records_that_an_unclean_leader_does_not_have_are_noticed(
    clients: Clients, three_brokers: KafkaCluster
) -> None:
    """KIP-320: the position is beyond what the new leader wrote under the epoch of the last record read."""
    settings = {"unclean.leader.election.enable": "true", "min.insync.replicas": "1"}
    three_brokers.create_topic("short", partitions=1, copies=2, settings=settings)
    three_brokers.wait_in_sync("short")
    leader = three_brokers.leader("short")
    clients.fill("short", range(10))
    strict: Any = clients.consumer(group_id="strict", auto_offset_reset="none", metadata_max_age_ms=1000)
    strict.assign({("short", 0): 0})
    lenient: Any = clients.consumer(group_id="lenient", metadata_max_age_ms=1000)
    lenient.assign({("short", 0): 0})
    assert values(read(strict, 10)) == values(read(lenient, 10)) == numbers(10)
    three_brokers.wait_in_sync("short")
    others = [node for node in three_brokers.nodes if node is not leader]
    follower = next(node for node in others if has_copy(node, "short"))
    follower.kill()
    clients.fill("short", range(10, 20))
    assert values(read(strict, 10)) == values(read(lenient, 10)) == numbers(10, 20)
    leader.kill()
    follower.start()
    try:
        clients.fill("short", ["new"])
        assert values(read(lenient, 1, seconds=60)) == [b"new"]
        with pytest.raises(LogTruncationError, match=r"short.*10") as caught:
            read(strict, 1, seconds=60)
        assert (caught.value.topic, caught.value.partition) == ("short", 0)
    finally:
        leader.start()
        three_brokers.wait_ready()


def has_copy(node: Any, topic: str) -> bool:
    """Whether a node's data has a folder of this topic's first partition."""
    return any(node.data.glob(f"{topic}-0"))
