"""What administrators ask with and are answered with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal, NamedTuple

from kafkars.admin.acls import AclOperation
from kafkars.errors import KafkaError
from kafkars.types import PartitionInfo, TopicPartition

ResourceType = Literal["topic", "broker", "broker_logger", "client_metrics", "group"]
OffsetSpec = Literal["earliest", "latest", "max_timestamp"]
"""An offset of a partition by name: of the first record, of the next one, of that with the largest timestamp
(KIP-734)."""


@dataclass(frozen=True)
class NewTopic:
    """A topic to create."""

    name: str
    """1 to 249 characters from `a-z`, `A-Z`, `0-9`, `.`, `_` and `-`."""
    partitions: int = -1
    """How many partitions; -1 for the brokers' `num.partitions`."""
    replication_factor: int = -1
    """How many copies of each; -1 for the brokers' `default.replication.factor`."""
    assignments: Sequence[Sequence[int]] = ()
    """Ids of the brokers of each partition, the preferred leader first; empty lets the cluster choose."""
    configs: Mapping[str, str | None] = field(default_factory=dict)
    """Settings of the topic that differ from the defaults, with Kafka's dotted names."""


class CreatedTopic(NamedTuple):
    """A topic as it was created. What older brokers do not tell is None."""

    name: str
    topic_id: str | None
    """Its id in Kafka's text form; since Kafka 2.8."""
    partitions: int | None
    replication_factor: int | None


class TopicDescription(NamedTuple):
    """A topic as the cluster describes it."""

    name: str
    topic_id: str | None
    is_internal: bool
    """True if Kafka uses it itself."""
    partitions: list[PartitionInfo]
    authorized_operations: frozenset[AclOperation] | None = None
    """What we may do with it, where that was asked; since Kafka 2.3."""


class ConfigResource(NamedTuple):
    """Something that has settings."""

    type: ResourceType
    name: str
    """The topic's or group's name, or the broker's id as text; "" with "broker" for the default of all brokers."""


class ConfigSource(IntEnum):
    """The source of a setting's value, with Kafka's numbers."""

    UNKNOWN = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_BROKER_LOGGER_CONFIG = 6
    CLIENT_METRICS_CONFIG = 7
    GROUP_CONFIG = 8

    @classmethod
    def _missing_(cls, _value: object) -> ConfigSource:
        # Newer brokers may know more sources.
        return cls.UNKNOWN


class ConfigSynonym(NamedTuple):
    """Another place where a setting has a value."""

    name: str
    value: str | None
    source: ConfigSource


class ConfigEntry(NamedTuple):
    """A setting as a broker describes it."""

    name: str
    value: str | None
    """None where the broker does not tell, because it is a secret."""
    is_read_only: bool
    """True if it can only be changed in the broker's own file."""
    is_sensitive: bool
    source: ConfigSource
    value_type: int
    """Number of Kafka's `ConfigDef.Type`: 1 boolean, 2 string, 3 int, 4 short, 5 long, 6 double, 7 list, 8 class,
    9 password."""
    documentation: str | None
    """What it is for, where that was asked."""
    synonyms: tuple[ConfigSynonym, ...]
    """Where it has a value, the one that counts first; where that was asked."""

    @property
    def is_default(self) -> bool:
        """True if nobody has set it."""
        return self.source is ConfigSource.DEFAULT_CONFIG


class ConfigChange(NamedTuple):
    """A change of one setting (KIP-339)."""

    operation: Literal["set", "delete", "append", "subtract"]
    """"set" gives a value, "delete" goes back to the default, "append" and "subtract" change a list."""
    value: str | None = None


class GroupListing(NamedTuple):
    """A group in a list. What older brokers do not tell is None."""

    group_id: str
    protocol_type: str
    """What its members do: "consumer", "connect", or "" for a group with committed offsets only."""
    state: str | None
    """"Stable", "Empty", "PreparingRebalance", ...; since Kafka 2.6."""
    group_type: str | None
    """"Classic", "Consumer", "Share" or "Streams"; since Kafka 3.8."""


class GroupMember(NamedTuple):
    """A member of a group."""

    member_id: str
    group_instance_id: str | None
    """Its name for static membership (KIP-345)."""
    client_id: str
    client_host: str
    assignment: tuple[TopicPartition, ...]
    """The partitions it has; empty for members that are not consumers."""


class GroupDescription(NamedTuple):
    """A group with its members."""

    group_id: str
    group_type: Literal["Classic", "Consumer"]
    state: str
    protocol_type: str
    assignor: str
    """The name of the protocol the members agreed on, or of the server's assignor."""
    members: tuple[GroupMember, ...]
    authorized_operations: frozenset[AclOperation] | None = None
    """What we may do with it, where that was asked; since Kafka 2.3."""


class ListedOffset(NamedTuple):
    """An offset that was asked for."""

    offset: int | None
    """None where no record is as asked for: all are older than the timestamp."""
    timestamp: int | None
    """The record's timestamp, in ms since 1970, where one was looked for."""
    leader_epoch: int | None
    """Epoch of the leader that wrote it, where known."""


class BrokerInfo(NamedTuple):
    """A broker."""

    id: int
    host: str
    port: int
    rack: str | None


class ClusterDescription(NamedTuple):
    """What a cluster says of itself."""

    cluster_id: str | None
    controller: int | None
    """Id of the broker that takes what only a controller may do; with KRaft any broker passes it on."""
    brokers: tuple[BrokerInfo, ...]
    authorized_operations: frozenset[AclOperation] | None = None
    """What we may do with it, where that was asked; since Kafka 2.3."""


class PartitionReassignment(NamedTuple):
    """A move of replicas that is under way (KIP-455)."""

    replicas: tuple[int, ...]
    """Ids of all brokers that have, or shall have, a replica."""
    adding_replicas: tuple[int, ...]
    """Those that are to get one."""
    removing_replicas: tuple[int, ...]
    """Those that are to lose theirs."""


class ReplicaInfo(NamedTuple):
    """A replica in a folder of a broker."""

    size: int
    """Bytes that it takes."""
    offset_lag: int
    """How many records it is behind."""
    is_future: bool
    """True of one that is being moved here from another folder."""


class LogDirDescription(NamedTuple):
    """A folder in which a broker keeps records (KIP-113)."""

    path: str
    """Its path there."""
    error: KafkaError | None
    """Why the broker cannot use it."""
    total_bytes: int | None
    """Bytes of its disk; since Kafka 3.3."""
    usable_bytes: int | None
    """Bytes of its disk that are free; since Kafka 3.3."""
    is_cordoned: bool
    """True if no new replica is put there (KIP-1066); since Kafka 4.3."""
    replicas: dict[TopicPartition, ReplicaInfo]
    """What is in it."""


class TransactionListing(NamedTuple):
    """A transaction in a list (KIP-664)."""

    transactional_id: str
    producer_id: int
    state: str
    """"Ongoing", "PrepareCommit", "CompleteCommit", "Empty", ..."""
    coordinator: int
    """Id of the broker that coordinates it."""


class TransactionDescription(NamedTuple):
    """A transaction as its coordinator describes it (KIP-664)."""

    transactional_id: str
    coordinator: int
    """Id of that broker."""
    state: str
    """"Ongoing", "PrepareCommit", "CompleteCommit", "Empty", ..."""
    producer_id: int
    producer_epoch: int
    timeout_ms: int
    """How long it may be open."""
    started_ms: int | None
    """When it was begun, in ms since 1970; None where none is open."""
    partitions: tuple[TopicPartition, ...]
    """What it has written to."""


class ProducerState(NamedTuple):
    """A producer as a broker knows it at one partition (KIP-664). What there has not been is None."""

    producer_id: int
    producer_epoch: int
    last_sequence: int | None
    """The number of its last record."""
    last_timestamp: int | None
    """When it wrote that, in ms since 1970."""
    coordinator_epoch: int | None
    """The epoch of the coordinator that ended its last transaction here."""
    transaction_start_offset: int | None
    """The first offset of the transaction that it has open here."""
