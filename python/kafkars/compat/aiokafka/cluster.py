"""Metadata of a cluster (`aiokafka.cluster`)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from kafkars.compat.aiokafka.conn import collect_hosts
from kafkars.compat.aiokafka.errors import MetadataEmptyBrokerList, for_code
from kafkars.compat.aiokafka.structs import BrokerMetadata, PartitionMetadata, TopicPartition

if TYPE_CHECKING:
    import weakref

    from kafkars.compat.aiokafka.client import AIOKafkaClient
    from kafkars.compat.aiokafka.protocol.metadata import MetadataResponse

log = logging.getLogger("aiokafka.cluster")

TOPIC_AUTHORIZATION_FAILED = 29


class Snapshot(NamedTuple):
    """Brokers and topics as they were at one time."""

    brokers: dict[int | str, BrokerMetadata]
    partitions: dict[str, dict[int, PartitionMetadata]]
    controller: BrokerMetadata | None = None
    internal_topics: frozenset[str] = frozenset()
    unauthorized_topics: frozenset[str] = frozenset()


NOTHING = Snapshot({}, {})


class ClusterMetadata:
    """Brokers, topics and partitions, as assignors and programs get them."""

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = {
        "retry_backoff_ms": 100,
        "metadata_max_age_ms": 300_000,
        "bootstrap_servers": [],
    }

    def __init__(self, **configs: Any) -> None:
        self.config = {name: configs.get(name, default) for name, default in self.DEFAULT_CONFIG.items()}
        self.need_all_topic_metadata = False
        self._listeners: set[Callable[[ClusterMetadata], object]] = set()
        self._future: Future[ClusterMetadata] | None = None
        self._snapshot = NOTHING
        hosts = collect_hosts(self.config["bootstrap_servers"], randomize=False)
        self._bootstrap_brokers: dict[int | str, BrokerMetadata] = {
            f"bootstrap-{number}": BrokerMetadata(f"bootstrap-{number}", host, port, None)
            for number, (host, port, _) in enumerate(hosts)
        }

    @classmethod
    def of(cls, partitions: Mapping[str, Iterable[int]]) -> ClusterMetadata:
        """Makes a snapshot of topics with their partitions."""
        made = cls()
        made._snapshot = Snapshot(
            {},
            {
                topic: {number: PartitionMetadata(topic, number, -1, [], [], 0) for number in numbers}
                for topic, numbers in partitions.items()
            },
        )
        return made

    def take(self, snapshot: Snapshot) -> None:
        """Replaces the metadata by newer metadata, and tells of it."""
        self._snapshot = snapshot
        self.tell()

    def update_metadata(self, metadata: MetadataResponse) -> None:
        """Takes a response about brokers and topics, of any version. One without brokers changes nothing."""
        if not metadata.brokers:
            log.warning("the response names no broker: the metadata stays as it is")
            self.failed_update(MetadataEmptyBrokerList(metadata))
            return
        self.take(of_response(metadata, is_whole=self.need_all_topic_metadata))

    def failed_update(self, exception: BaseException | None) -> None:
        """Ends what `request_update()` has returned with an error."""
        future, self._future = self._future, None
        if future is not None:
            future.set_exception(exception)

    def tell(self) -> None:
        """Ends what `request_update()` has returned, and calls the listeners."""
        future, self._future = self._future, None
        if future is not None:
            future.set_result(self)
        for listener in list(self._listeners):
            listener(self)

    def _known(self) -> Snapshot:
        return self._snapshot

    @property
    def controller(self) -> BrokerMetadata | None:
        """The broker that is the controller, as brokers say."""
        return self._known().controller

    @property
    def internal_topics(self) -> set[str]:
        """Kafka's own topics among those that are known."""
        return set(self._known().internal_topics)

    @property
    def unauthorized_topics(self) -> set[str]:
        """The topics that this client may not describe."""
        return set(self._known().unauthorized_topics)

    @property
    def _brokers(self) -> dict[int | str, BrokerMetadata]:
        return self._known().brokers

    @property
    def _partitions(self) -> dict[str, dict[int, PartitionMetadata]]:
        return self._known().partitions

    def brokers(self) -> set[BrokerMetadata]:
        """All brokers; before they are known, the bootstrap addresses with ids of their own."""
        return set((self._brokers or self._bootstrap_brokers).values())

    def broker_metadata(self, broker_id: int | str) -> BrokerMetadata | None:
        """Returns a broker; None if it is not known."""
        return self._brokers.get(broker_id) or self._bootstrap_brokers.get(broker_id)

    def is_bootstrap(self, node_id: int | str) -> bool:
        """True if an id stands for a bootstrap address."""
        return node_id in self._bootstrap_brokers

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        """Returns the numbers of the partitions; None if the topic is not known."""
        known = self._partitions.get(topic)
        return None if known is None else set(known)

    def available_partitions_for_topic(self, topic: str) -> set[int] | None:
        """Returns the partitions that have a leader; None if the topic is not known."""
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
        known = self._known()
        return set(known.partitions) - (known.internal_topics if exclude_internal_topics else frozenset())

    def request_update(self) -> Future[ClusterMetadata]:
        """Returns a future of this object, which ends with the next update. As in aiokafka it causes none."""
        if self._future is None or self._future.done():
            self._future = Future()
        return self._future

    def with_partitions(self, partitions_to_add: Iterable[PartitionMetadata]) -> ClusterMetadata:
        """Returns a copy of the metadata with further partitions."""
        made = ClusterMetadata(**self.config)
        known = self._known()
        partitions = {topic: dict(numbers) for topic, numbers in known.partitions.items()}
        for partition in partitions_to_add:
            partitions.setdefault(partition.topic, {})[partition.partition] = partition
        made._snapshot = known._replace(partitions=partitions)
        return made

    def add_listener(self, listener: Callable[[ClusterMetadata], object]) -> None:
        """Calls `listener(cluster)` after every update that a call of the client has asked for."""
        self._listeners.add(listener)

    def remove_listener(self, listener: Callable[[ClusterMetadata], object]) -> None:
        """Removes a listener."""
        self._listeners.remove(listener)


class KnownCluster(ClusterMetadata):
    """The metadata of a client as its engine has it at the moment when it is asked for.

    Args:
        client: The client. Without it, and without an engine, the metadata stays as it was seen last.
    """

    def __init__(self, client: weakref.ref[AIOKafkaClient], **configs: Any) -> None:
        super().__init__(**configs)
        self._client = client
        self._version = 0
        self._others: dict[str, dict[int, PartitionMetadata]] = {}
        self._combined = NOTHING

    def take(self, snapshot: Snapshot) -> None:
        """As for any cluster, until the engine knows anything newer."""
        self._combined = snapshot
        super().take(snapshot)

    def take_all(self, others: Mapping[str, dict[int, PartitionMetadata]]) -> None:
        """Replaces what is known of topics that the engine does not use."""
        self._others = dict(others)
        self._combined = self._snapshot._replace(partitions=self._others | self._snapshot.partitions)

    def used(self) -> bool:
        """True if the engine uses any topic."""
        self._known()
        return bool(self._snapshot.partitions or self._snapshot.unauthorized_topics)

    def _known(self) -> Snapshot:
        client = self._client()
        handle = None if client is None else client._handle_()
        found = None if handle is None else handle.cluster(self._version)
        if found is not None:
            self._version = found[0]
            self._snapshot = snapshot(found)
            self.take_all(self._others)
        return self._combined


def of_response(response: MetadataResponse, *, is_whole: bool) -> Snapshot:
    """Returns what a response says; `is_whole` if it tells of all topics, of which nobody has asked for those with an
    error.
    """
    brokers: dict[int | str, BrokerMetadata] = {}
    for node_id, host, port, *rack in response.brokers:
        brokers[node_id] = BrokerMetadata(node_id, host, port, rack[0] if rack else None)
    partitions: dict[str, dict[int, PartitionMetadata]] = {}
    internal, unauthorized = set(), set()
    for code, topic, *is_internal, numbers in response.topics:
        if any(is_internal):
            internal.add(topic)
        if code == 0:
            partitions[topic] = {
                number: PartitionMetadata(topic, number, leader, replicas, isr, error)
                for error, number, leader, replicas, isr, *_ in numbers
            }
        elif not is_whole:
            log.error("the cluster says of topic %s: %s", topic, for_code(code).__name__)
            if code == TOPIC_AUTHORIZATION_FAILED:
                unauthorized.add(topic)
    controller = brokers.get(getattr(response, "controller_id", -1))
    return Snapshot(brokers, partitions, controller, frozenset(internal), frozenset(unauthorized))


def snapshot(found: tuple[int, int | None, list[Any], list[Any]]) -> Snapshot:
    """Returns the engine's metadata as this module has it."""
    _, controller, nodes, topics = found
    brokers: dict[int | str, BrokerMetadata] = {node[0]: BrokerMetadata(*node) for node in nodes}
    return Snapshot(
        brokers,
        {
            topic: {
                number: PartitionMetadata(topic, number, leader, replicas, isr, error)
                for number, error, leader, replicas, isr in partitions
            }
            for topic, _, _, partitions in topics
            if partitions
        },
        None if controller is None else brokers.get(controller),
        frozenset(topic for topic, _, is_internal, _ in topics if is_internal),
        frozenset(topic for topic, error, _, _ in topics if error == TOPIC_AUTHORIZATION_FAILED),
    )
