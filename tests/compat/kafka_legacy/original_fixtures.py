"""Takes the place of `test/fixtures.py` of kafka-python 0.9.5, which starts ZooKeeper and Kafka.

Brokers are those of kafkars.testing; with `KAFKARS_SUITE_KAFKA=4.3.1` those of that Apache Kafka.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from kafkars.errors import KafkaError
from kafkars.testing import EmbeddedBroker

PARTITIONS = 2
VERSION = os.environ.get("KAFKARS_SUITE_KAFKA")


class Embedded:
    """A cluster of the embedded broker."""

    def __init__(self, replicas: int, partitions: int) -> None:
        self.cluster = EmbeddedBroker(
            nodes=max(replicas, PARTITIONS), default_partitions=partitions, default_replication_factor=replicas
        )

    def address(self, number: int) -> str:
        return self.cluster.address(number + 1)

    def stop_node(self, number: int) -> None:
        with suppress(KafkaError):
            self.cluster.stop_node(number + 1)

    def stop(self) -> None:
        self.cluster.stop()


class Real:
    """A cluster of Apache Kafka."""

    def __init__(self, replicas: int, partitions: int) -> None:
        from tests.kafka.cluster import KafkaCluster
        from tests.kafka.config import KafkaOptions

        options = KafkaOptions(
            version=VERSION or "",
            nodes=replicas,
            default_partitions=partitions,
            properties={"default.replication.factor": str(replicas)},
        )
        self.replicas = replicas
        self.cluster = KafkaCluster(options).start()

    def address(self, number: int) -> str:
        # Who wants a second broker for nothing but its address gets the first.
        return self.cluster.nodes[number % self.replicas].bootstrap

    def stop_node(self, number: int) -> None:
        if self.replicas > 1:
            self.cluster.nodes[number].kill()

    def stop(self) -> None:
        self.cluster.stop()


class ZookeeperFixture:
    """What the brokers of a test have in common: the cluster, which is made with the first of them."""

    made: ZookeeperFixture

    def __init__(self) -> None:
        self.host, self.port = "none", 0
        self.cluster: Any = None

    @classmethod
    def instance(cls) -> ZookeeperFixture:
        cls.made = cls()
        return cls.made

    def start(self, replicas: int, partitions: int) -> Any:
        if self.cluster is None:
            self.cluster = (Real if VERSION else Embedded)(replicas, partitions)
        return self.cluster

    def close(self) -> None:
        if self.cluster is not None:
            self.cluster.stop()


class KafkaFixture:
    """One broker."""

    def __init__(self, number: int, replicas: int, partitions: int) -> None:
        self.number = number
        self.cluster = ZookeeperFixture.made.start(replicas, partitions)
        self.host, _, port = self.cluster.address(number).partition(":")
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
        return cls(number, replicas, partitions)

    def close(self) -> None:
        self.cluster.stop_node(self.number)
