"""A broker that passes for an older release, as clients meet it that know how to speak to one."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars.errors import ConfigError
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

from tests.interop.peers import PEERS, Peer
from tests.interop.samples import samples
from tests.kafka import wire

pytestmark = pytest.mark.timeout(60)

RELEASES = ["0.11", "1.1", "2.0", "2.8", "3.9"]
CREATE_TOPICS = 19
NOT_CONTROLLER = 41


@pytest.mark.parametrize("peer", PEERS, ids=str)
@pytest.mark.parametrize("release", RELEASES)
def test_other_clients_use_an_older_release(release: str, peer: Peer) -> None:
    sent = [sample for sample in samples() if not peer.refuses(sample)]
    with EmbeddedBroker(version=release, topics={"t": 1}) as broker:
        peer.produce(broker.bootstrap_servers, "t", "gzip", sent)
        assert peer.consume(broker.bootstrap_servers, "t", len(sent)) == sent


@pytest.mark.parametrize("release", RELEASES)
def test_our_clients_use_an_older_release(release: str, client_api: Any) -> None:
    with EmbeddedBroker(version=release, topics={"t": 1}) as broker:
        servers = broker.bootstrap_servers
        with (
            client_api.Producer(bootstrap_servers=servers) as producer,
            client_api.Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as consumer,
        ):
            consumer.assign([("t", 0)])
            # Each is fetched by a request of its own, which says what the one before has brought.
            for value in (b"one", b"two", b"three"):
                producer.send("t", value).result(30)
                assert consumer.poll(timeout=30).value == value


@pytest.mark.parametrize("release", RELEASES)
def test_groups_and_transactions_of_an_older_release(release: str, client_api: Any) -> None:
    with EmbeddedBroker(version=release, topics={"t": 1}) as broker:
        servers = broker.bootstrap_servers
        with client_api.Producer(bootstrap_servers=servers, transactional_id="id") as producer:
            producer.init_transactions()
            for end in ("commit", "abort", "commit"):
                producer.begin_transaction()
                producer.send("t", end).result(30)
                getattr(producer, f"{end}_transaction")()
        settings = {
            "bootstrap_servers": servers,
            "group_id": "g",
            "isolation_level": "read_committed",
            "auto_offset_reset": "earliest",
        }
        with client_api.Consumer(**settings) as consumer:
            consumer.subscribe(["t"])
            found: list[bytes] = []
            while len(found) < 2:
                found += [record.value for record in consumer.poll_batch(timeout=30)]
            consumer.commit()
            committed = consumer.committed([("t", 0)])
    assert found == [b"commit", b"commit"]
    # Of the one partition: behind the last record, or behind the marker that follows it.
    assert {position.offset for position in committed.values()} <= {5, 6}
    assert len(committed) == 1


def test_with_zookeeper_only_the_controller_changes_the_cluster() -> None:
    with EmbeddedCluster(version="2.8") as cluster:
        controller = wire.metadata(cluster.address(1)).controller
        answers = {node: wire.create_topic(cluster.address(node), f"from-{node}", 1, 1, {}) for node in cluster.nodes}
        assert answers == {node: node == controller for node in cluster.nodes}
        cluster.stop_node(controller)
        (heir, other) = (node for node in cluster.nodes if node != controller)
        assert wire.metadata(cluster.address(other)).controller == heir
        assert wire.create_topic(cluster.address(heir), "later", 1, 1, {})
        assert "later" in cluster.topics()


def test_without_zookeeper_any_node_does() -> None:
    with EmbeddedCluster(version="3.9") as cluster:
        assert all(wire.create_topic(cluster.address(node), f"from-{node}", 1, 1, {}) for node in cluster.nodes)


def test_a_release_that_nobody_knows_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"version: .*0\.10.* is none of 0\.11, 1\.0, .*4\.3"):
        EmbeddedBroker(version="0.10")
