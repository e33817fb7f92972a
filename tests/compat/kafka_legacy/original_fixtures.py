"""Takes the place of `test/fixtures.py` of kafka-python 0.9.5, which starts ZooKeeper and Kafka: brokers of kafkars.testing."""

from __future__ import annotations

from contextlib import suppress

from kafkars.errors import KafkaError
from kafkars.testing import EmbeddedBroker

LEAST_NODES = 2
PARTITIONS = 2


class ZookeeperFixture:
    """What the brokers of a test have in common: the cluster, which is made with the first of them."""

    made: ZookeeperFixture

    def __init__(self) -> None:
        self.host, self.port = "none", 0
        self.cluster: EmbeddedBroker | None = None

    @classmethod
    def instance(cls) -> ZookeeperFixture:
        cls.made = cls()
        return cls.made

    def start(self, replicas: int, partitions: int) -> EmbeddedBroker:
        if self.cluster is None:
            nodes = max(replicas, LEAST_NODES)
            self.cluster = EmbeddedBroker(
                nodes=nodes, default_partitions=partitions, default_replication_factor=replicas
            )
        return self.cluster

    def close(self) -> None:
        if self.cluster is not None:
            self.cluster.stop()


class KafkaFixture:
    """One broker."""

    def __init__(self, node: int, replicas: int, partitions: int) -> None:
        self.node = node
        self.cluster = ZookeeperFixture.made.start(replicas, partitions)
        self.host, _, port = self.cluster.address(node).partition(":")
        self.port = int(port)

    @classmethod
    def instance(
        cls,
        number: int,
        _host: str,
        _port: int,
        _chroot: str | None = None,
        replicas: int = 1,
        partitions: int = PARTITIONS,
    ) -> KafkaFixture:
        return cls(number + 1, replicas, partitions)

    def close(self) -> None:
        with suppress(KafkaError):
            self.cluster.stop_node(self.node)
