"""Metadata of a cluster (`aiokafka.cluster`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from kafkars.compat.aiokafka.structs import BrokerMetadata, PartitionMetadata, TopicPartition

INTERNAL = frozenset({"__consumer_offsets", "__transaction_state"})


class ClusterMetadata:
    """A snapshot of brokers, topics and partitions, as assignors get it.

    kafkars keeps its own metadata; objects of this class have it as it was when they were made.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = {
        "retry_backoff_ms": 100,
        "metadata_max_age_ms": 300_000,
        "bootstrap_servers": [],
    }

    def __init__(self, **configs: Any) -> None:
        self.config = {name: configs.get(name, default) for name, default in self.DEFAULT_CONFIG.items()}
        self.controller: BrokerMetadata | None = None
        self.need_all_topic_metadata = False
        self._brokers: dict[int | str, BrokerMetadata] = {}
        self._partitions: dict[str, dict[int, PartitionMetadata]] = {}
        self._listeners: set[Callable[[ClusterMetadata], object]] = set()
        self._updated_ms = 0

    @classmethod
    def of(cls, partitions: Mapping[str, Iterable[int]], brokers: Iterable[BrokerMetadata] = ()) -> ClusterMetadata:
        """Makes a snapshot of topics with their partitions."""
        made = cls()
        made._brokers = {broker.nodeId: broker for broker in brokers}
        made._partitions = {
            topic: {number: PartitionMetadata(topic, number, -1, [], [], None) for number in numbers}
            for topic, numbers in partitions.items()
        }
        made._updated_ms = int(time.time() * 1000)
        return made

    def take(self, partitions: Iterable[PartitionMetadata], brokers: Iterable[BrokerMetadata]) -> None:
        """Replaces the metadata by newer metadata, and calls the listeners."""
        self._brokers = {broker.nodeId: broker for broker in brokers}
        self._partitions = {}
        for partition in partitions:
            self._partitions.setdefault(partition.topic, {})[partition.partition] = partition
        self._updated_ms = int(time.time() * 1000)
        for listener in list(self._listeners):
            listener(self)

    def brokers(self) -> set[BrokerMetadata]:
        """All brokers."""
        return set(self._brokers.values())

    def broker_metadata(self, broker_id: int | str) -> BrokerMetadata | None:
        """Returns a broker; None if it is not known."""
        return self._brokers.get(broker_id)

    def is_bootstrap(self, node_id: int | str) -> bool:
        """True if an id stands for a bootstrap address."""
        return str(node_id).startswith("bootstrap")

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        """Returns the numbers of the partitions; None if the topic is not known."""
        known = self._partitions.get(topic)
        return None if known is None else set(known)

    def available_partitions_for_topic(self, topic: str) -> set[int] | None:
        """Returns the partitions that have a leader."""
        known = self._partitions.get(topic)
        return None if known is None else {number for number, partition in known.items() if partition.leader != -1}

    def leader_for_partition(self, partition: TopicPartition) -> int | None:
        """Returns the id of the leader; -1 if there is none, None if the partition is not known."""
        known = self._partitions.get(partition.topic, {}).get(partition.partition)
        return None if known is None else known.leader

    def partitions_for_broker(self, broker_id: int) -> set[TopicPartition] | None:
        """Returns the partitions that a broker leads; None if there are none."""
        led = {
            TopicPartition(topic, number)
            for topic, partitions in self._partitions.items()
            for number, partition in partitions.items()
            if partition.leader == broker_id
        }
        return led or None

    def topics(self, exclude_internal_topics: bool = True) -> set[str]:
        """Returns the names of the topics."""
        return set(self._partitions) - (INTERNAL if exclude_internal_topics else frozenset())

    def add_listener(self, listener: Callable[[ClusterMetadata], object]) -> None:
        """Calls `listener(cluster)` with every newer snapshot."""
        self._listeners.add(listener)

    def remove_listener(self, listener: Callable[[ClusterMetadata], object]) -> None:
        """Removes a listener."""
        self._listeners.remove(listener)


class KnownCluster(ClusterMetadata):
    """The metadata of a consumer or producer, with brokers and topics as they were last fetched.

    Args:
        known: Numbers of a topic's partitions; None where the engine does not know it.
    """

    def __init__(self, known: Callable[[str], Iterable[int] | None], **configs: Any) -> None:
        super().__init__(**configs)
        self._known = known

    def brokers(self) -> set[BrokerMetadata]:
        """Returns all brokers; before metadata was fetched, the bootstrap addresses with ids of their own."""
        return super().brokers() or {
            BrokerMetadata(f"bootstrap-{number}", host.strip("[]"), int(port), None)
            for number, (host, _, port) in enumerate(
                address.rpartition(":") for address in self.config["bootstrap_servers"]
            )
        }

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        """Returns the numbers of the partitions; None if the topic is not known."""
        known = self._known(topic)
        return super().partitions_for_topic(topic) if known is None else set(known)

    def available_partitions_for_topic(self, topic: str) -> set[int] | None:
        """Returns the partitions that have a leader by the last metadata; all before the first."""
        return super().available_partitions_for_topic(topic) or self.partitions_for_topic(topic)
