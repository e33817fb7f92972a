"""The values that the calls of `Admin` take and return."""

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
"""An offset of a partition by name: of the first record, of the next one to be written, or of the one with the largest
timestamp (KIP-734)."""


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
    """A topic as it was created. A field that older brokers do not tell is None."""

    name: str
    topic_id: str | None
    """Its id in Kafka's text form; since Kafka 2.8."""
    partitions: int | None
    replication_factor: int | None
    configs: Mapping[str, ConfigEntry] = {}
    """Its settings by their names, without types, documentation and synonyms; since Kafka 2.4."""


class TopicDescription(NamedTuple):
    """A topic as the cluster describes it."""

    name: str
    topic_id: str | None
    is_internal: bool
    """True for topics that Kafka itself uses, such as `__consumer_offsets`."""
    partitions: list[PartitionInfo]
    authorized_operations: frozenset[AclOperation] | None = None
    """Operations on it that this client is authorized for, if asked for; since Kafka 2.3."""


class ConfigResource(NamedTuple):
    """A topic, broker, group or other resource whose settings can be described and changed."""

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
        # Newer brokers may have more sources.
        return cls.UNKNOWN


class ConfigSynonym(NamedTuple):
    """A source of a setting's value, one of several in the order in which they apply."""

    name: str
    value: str | None
    source: ConfigSource


class ConfigEntry(NamedTuple):
    """A setting as a broker describes it."""

    name: str
    value: str | None
    """None for secrets, which brokers do not tell."""
    is_read_only: bool
    """True if it can only be changed in the broker's own file."""
    is_sensitive: bool
    source: ConfigSource
    value_type: int
    """Number of Kafka's `ConfigDef.Type`: 1 boolean, 2 string, 3 int, 4 short, 5 long, 6 double, 7 list, 8 class,
    9 password."""
    documentation: str | None
    """Its description, if asked for."""
    synonyms: tuple[ConfigSynonym, ...]
    """All sources that have a value for it, the one that applies first; if asked for."""

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
    """A group in a list. A field that older brokers do not tell is None."""

    group_id: str
    protocol_type: str
    """The kind of its members: "consumer", "connect", or "" for a group with committed offsets only."""
    state: str | None
    """"Stable", "Empty", "PreparingRebalance", ...; since Kafka 2.6."""
    group_type: str | None
    """"Classic", "Consumer", "Share" or "Streams"; since Kafka 3.8."""


class GroupMember(NamedTuple):
    """A member of a group."""

    member_id: str
    group_instance_id: str | None
    """Its `group.instance.id`, if it is a static member (KIP-345)."""
    client_id: str
    client_host: str
    assignment: tuple[TopicPartition, ...]
    """The partitions it has; empty for members that are not consumers."""
    target_assignment: tuple[TopicPartition, ...] | None = None
    """The partitions it is to have, of a group of the newer protocol (KIP-848); None of others."""


class GroupDescription(NamedTuple):
    """A group with its members."""

    group_id: str
    group_type: Literal["Classic", "Consumer"]
    state: str
    protocol_type: str
    assignor: str
    """The name of the protocol the members agreed on, or of the server's assignor."""
    members: tuple[GroupMember, ...]
    coordinator: int
    """The node id of the broker that coordinates it."""
    authorized_operations: frozenset[AclOperation] | None = None
    """Operations on it that this client is authorized for, if asked for; since Kafka 2.3."""


class ListedOffset(NamedTuple):
    """An offset that was looked up."""

    offset: int | None
    """The offset; None if there is no such record because all are older than the timestamp."""
    timestamp: int | None
    """The record's timestamp, in ms since 1970, if the look-up was by timestamp."""
    leader_epoch: int | None
    """Epoch of the leader that wrote it, where known."""


class BrokerInfo(NamedTuple):
    """A broker."""

    id: int
    host: str
    port: int
    rack: str | None


class ClusterDescription(NamedTuple):
    """A cluster as it describes itself."""

    cluster_id: str | None
    controller: int | None
    """Id of the broker to send requests to that only the controller handles; with KRaft any broker forwards them."""
    brokers: tuple[BrokerInfo, ...]
    authorized_operations: frozenset[AclOperation] | None = None
    """Operations on it that this client is authorized for, if asked for; since Kafka 2.3."""


class PartitionReassignment(NamedTuple):
    """A move of replicas that is under way (KIP-455)."""

    replicas: tuple[int, ...]
    """Ids of all brokers that have a replica or are to get one."""
    adding_replicas: tuple[int, ...]
    """Those that are to get one."""
    removing_replicas: tuple[int, ...]
    """Those that are to lose theirs."""


class ReplicaInfo(NamedTuple):
    """A replica in a log directory of a broker."""

    size: int
    """Its size in bytes."""
    offset_lag: int
    """The number of records that it is behind."""
    is_future: bool
    """True for a replica that is being moved here from another log directory."""


class LogDirDescription(NamedTuple):
    """A log directory of a broker (KIP-113)."""

    path: str
    """Its path on the broker's machine."""
    error: KafkaError | None
    """The reason why the broker cannot use it; None if it can."""
    total_bytes: int | None
    """Size of its volume in bytes; since Kafka 3.3."""
    usable_bytes: int | None
    """Free bytes of its volume; since Kafka 3.3."""
    is_cordoned: bool
    """True if no new replica is put there (KIP-1066); since Kafka 4.3."""
    replicas: dict[TopicPartition, ReplicaInfo]
    """The replicas in it."""


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
    """Its transaction time-out in milliseconds."""
    started_ms: int | None
    """When it was begun, in ms since 1970; None if no transaction is open."""
    partitions: tuple[TopicPartition, ...]
    """The partitions that it has written to."""


class ProducerState(NamedTuple):
    """The state of a producer at one partition (KIP-664). None stands for what has not happened."""

    producer_id: int
    producer_epoch: int
    last_sequence: int | None
    """The sequence number of its last record."""
    last_timestamp: int | None
    """When it wrote that, in ms since 1970."""
    coordinator_epoch: int | None
    """The epoch of the coordinator that ended its last transaction here."""
    transaction_start_offset: int | None
    """The first offset of the transaction that is open here."""
