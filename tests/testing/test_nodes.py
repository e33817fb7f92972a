"""Nodes that stop, halt, come back and join, under clients of three libraries."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import aiokafka
import confluent_kafka
import pytest
from kafkars import Consumer, Producer
from kafkars.errors import ClientStateError, ClosedError, ConfigError, InvalidArgumentError, KafkaTimeoutError
from kafkars.testing import EmbeddedBroker, EmbeddedCluster
from kafkars.types import TopicPartition

from tests.support.waiting import Stopwatch, eventually

SECONDS = 20.0


@pytest.fixture
def cluster() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(topics={"t": 3}) as started:
        yield started


def other_than(cluster: EmbeddedCluster, node: int) -> int:
    return next(other for other in cluster.nodes if other != node)


def test_a_cluster_has_three_nodes_and_a_replica_on_each(cluster: EmbeddedCluster) -> None:
    assert cluster.nodes == [1, 2, 3]
    assert len(cluster.bootstrap_servers.split(",")) == 3
    assert {cluster.leader("t", partition) for partition in range(3)} == {1, 2, 3}
    assert cluster.address(2) in cluster.bootstrap_servers
    assert cluster.node_state(1) == "running"


def test_our_producer_follows_a_leader_that_stops(cluster: EmbeddedCluster) -> None:
    with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        for _ in range(3):
            producer.send("t", b"before", partition=0).result(SECONDS)
            cluster.stop_node(cluster.leader("t", 0))
            producer.send("t", b"after", partition=0).result(SECONDS)
            for node in cluster.nodes:
                cluster.start_node(node)
    assert cluster.offsets("t", 0) == (0, 6)


def test_our_consumer_follows_a_leader_that_stops(cluster: EmbeddedCluster) -> None:
    with (
        Producer(bootstrap_servers=cluster.bootstrap_servers) as producer,
        Consumer(bootstrap_servers=cluster.bootstrap_servers, auto_offset_reset="earliest") as consumer,
    ):
        consumer.assign([TopicPartition("t", 0)])
        producer.send("t", b"1", partition=0).result(SECONDS)
        assert next(iter(consumer)).value == b"1"
        cluster.stop_node(cluster.leader("t", 0))
        producer.send("t", b"2", partition=0).result(SECONDS)
        assert next(iter(consumer)).value == b"2"


def test_confluent_follows_a_leader_that_stops(cluster: EmbeddedCluster) -> None:
    errors: list[object] = []
    settings = {"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0, "enable.idempotence": True}
    producer = confluent_kafka.Producer(settings)
    for value in (b"1", b"2", b"3"):
        producer.produce("t", value, partition=0, on_delivery=lambda error, _: errors.append(error))
        assert producer.flush(SECONDS) == 0
        cluster.restart_node(cluster.leader("t", 0))
    assert errors == [None] * 3
    consumer = confluent_kafka.Consumer(
        {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "g", "log_level": 0}
    )
    try:
        consumer.assign([confluent_kafka.TopicPartition("t", 0, 0)])
        values = []
        for _ in range(3):
            message = consumer.poll(SECONDS)
            assert message is not None
            assert message.error() is None
            values.append(message.value())
            cluster.restart_node(cluster.leader("t", 0))
        assert values == [b"1", b"2", b"3"]
    finally:
        consumer.close()


def test_aiokafka_follows_a_leader_that_stops(cluster: EmbeddedCluster) -> None:
    async def run() -> None:
        producer = aiokafka.AIOKafkaProducer(
            bootstrap_servers=cluster.bootstrap_servers, enable_idempotence=True, retry_backoff_ms=20
        )
        await producer.start()
        try:
            for value in (b"1", b"2"):
                await asyncio.wait_for(producer.send_and_wait("t", value, partition=0), SECONDS)
                cluster.stop_node(cluster.leader("t", 0))
        finally:
            await producer.stop()

    asyncio.run(run())
    assert cluster.offsets("t", 0) == (0, 2)


def test_a_paused_leader_holds_requests_up_until_it_goes_on(cluster: EmbeddedCluster) -> None:
    leader = cluster.leader("t", 0)
    with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        producer.send("t", b"1", partition=0).result(SECONDS)
        cluster.pause_node(leader)
        assert cluster.node_state(leader) == "paused"
        waiting = producer.send("t", b"2", partition=0)
        with pytest.raises(KafkaTimeoutError):
            waiting.result(0.1)
        assert cluster.offsets("t", 0) == (0, 1)
        cluster.resume_node(leader)
        waiting.result(SECONDS)


def test_a_halted_leader_is_left_once_the_controller_gives_it_up(cluster: EmbeddedCluster) -> None:
    leader = cluster.leader("t", 0)
    with Producer(bootstrap_servers=cluster.bootstrap_servers, request_timeout_ms=500) as producer:
        producer.send("t", b"1", partition=0).result(SECONDS)
        cluster.pause_node(leader)
        cluster.fence_node(leader)
        assert cluster.leader("t", 0) != leader
        producer.send("t", b"2", partition=0).result(SECONDS)
    assert cluster.offsets("t", 0) == (0, 2)


def test_killed_nodes_lead_until_the_controller_notices(cluster: EmbeddedCluster) -> None:
    leader = cluster.leader("t", 0)
    cluster.kill_node(leader)
    assert (cluster.leader("t", 0), cluster.node_state(leader)) == (leader, "stopped")
    with Producer(bootstrap_servers=cluster.bootstrap_servers, retry_backoff_ms=20) as producer:
        waiting = producer.send("t", b"1", partition=0)
        with pytest.raises(KafkaTimeoutError):
            waiting.result(0.2)
        cluster.fence_node(leader)
        waiting.result(SECONDS)


def test_nodes_join(cluster: EmbeddedCluster) -> None:
    node = cluster.add_node()
    assert node == 4
    assert len(cluster.bootstrap_servers.split(",")) == 4
    with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        cluster.move_leader("t", 0, node)
        producer.send("t", b"1", partition=0).result(SECONDS)
    assert cluster.requests("Produce", node=node)


def test_coordinators_are_found_and_moved(cluster: EmbeddedCluster) -> None:
    home = cluster.coordinator("g")
    assert home is not None
    other = other_than(cluster, home)
    cluster.move_coordinator("g", other)
    assert cluster.coordinator("g") == other
    cluster.stop_node(other)
    assert cluster.coordinator("g") not in {None, other}
    with pytest.raises(ClientStateError, match="node"):
        cluster.move_coordinator("g", other, kind="transaction")
    for node in cluster.nodes:
        cluster.stop_node(node)
    assert cluster.coordinator("g", kind="share") is None


def test_connections_are_cut_and_clients_come_back(cluster: EmbeddedCluster) -> None:
    with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        for _ in range(3):
            producer.send("t", b"1", partition=0).result(SECONDS)
            cluster.cut_connections()
        producer.send("t", b"1", partition=0).result(SECONDS)
    assert cluster.offsets("t", 0) == (0, 4)


def test_a_slow_network_is_slow_and_fast_again(cluster: EmbeddedCluster) -> None:
    with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        producer.send("t", b"1", partition=0).result(SECONDS)
        cluster.slow_down(latency=0.1)
        with Stopwatch() as watch:
            producer.send("t", b"1", partition=0).result(SECONDS)
        assert watch.seconds >= 0.1
        cluster.slow_down(bytes_per_second=500_000)
        with Stopwatch() as watch:
            producer.send("t", bytes(100_000), partition=0).result(SECONDS)
        assert watch.seconds >= 0.15
        cluster.slow_down()
        producer.send("t", b"1", partition=0).result(SECONDS)


def test_async_with_stops_it_without_holding_up_the_loop() -> None:
    async def run() -> str:
        async with EmbeddedBroker() as broker:
            return broker.bootstrap_servers

    host, port = asyncio.run(run()).split(":")
    with pytest.raises(ConnectionRefusedError):
        asyncio.run(asyncio.open_connection(host, int(port)))


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ConfigError, match="nodes"):
        EmbeddedCluster(nodes=0)
    with pytest.raises(ConfigError, match="sundial"):
        EmbeddedBroker(clock="sundial")  # type: ignore[arg-type]
    broker = EmbeddedBroker()
    with pytest.raises(InvalidArgumentError, match="7"):
        broker.stop_node(7)
    with pytest.raises(InvalidArgumentError, match="seconds"):
        broker.slow_down(latency=-1)
    broker.stop()
    with pytest.raises(ClosedError):
        broker.stop_node(1)
    assert eventually(lambda: "stopped" in repr(broker), "it says so")


def test_the_clock_is_moved_by_the_test() -> None:
    with EmbeddedBroker(
        clock="manual", topics={"t": 1}, topic_defaults={"message.timestamp.type": "LogAppendTime"}
    ) as b:
        assert b.clock.frozen
        start = b.clock.now_ms()
        b.clock.advance(3600)
        assert b.clock.now_ms() == start + 3_600_000
        with Producer(bootstrap_servers=b.bootstrap_servers) as producer:
            metadata = producer.send("t", b"1").result(SECONDS)
        assert metadata.timestamp == start + 3_600_000
        b.clock.unfreeze()
        eventually(lambda: b.clock.now_ms() > start + 3_600_000, "the clock runs")
        b.clock.freeze()
        with pytest.raises(InvalidArgumentError, match="advanced"):
            b.clock.advance(-1)
