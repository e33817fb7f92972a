"""The results of `list_topics()` and `list_groups()`."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.error import KafkaError


class ClusterMetadata:
    """The cluster as a broker described it."""

    def __init__(self) -> None:
        self.cluster_id: str | None = None
        self.controller_id = -1
        self.brokers: dict[int, BrokerMetadata] = {}
        self.topics: dict[str, TopicMetadata] = {}
        self.orig_broker_id = -1
        self.orig_broker_name: str | None = None

    def __repr__(self) -> str:
        return f"ClusterMetadata({self.cluster_id})"

    def __str__(self) -> str:
        return str(self.cluster_id)


class BrokerMetadata:
    """A broker."""

    def __init__(self) -> None:
        self.id = -1
        self.host: str | None = None
        self.port = -1

    def __repr__(self) -> str:
        return f"BrokerMetadata({self.id}, {self.host}:{self.port})"

    def __str__(self) -> str:
        return f"{self.host}:{self.port}/{self.id}"


class TopicMetadata:
    """A topic; `error` says why nothing is known of it."""

    def __init__(self) -> None:
        self.topic: str | None = None
        self.partitions: dict[int, PartitionMetadata] = {}
        self.error: KafkaError | None = None

    def __repr__(self) -> str:
        problem = f", {self.error}" if self.error is not None else ""
        return f"TopicMetadata({self.topic}, {len(self.partitions)} partitions{problem})"

    def __str__(self) -> str:
        return str(self.topic)


class PartitionMetadata:
    """A partition: ids of its leader, its replicas and those in sync. `leader` is -1 while there is none."""

    def __init__(self) -> None:
        self.id = -1
        self.leader = -1
        self.replicas: list[int] = []
        self.isrs: list[int] = []
        self.error: KafkaError | None = None

    def __repr__(self) -> str:
        problem = f", {self.error}" if self.error is not None else ""
        return f"PartitionMetadata({self.id}{problem})"

    def __str__(self) -> str:
        return str(self.id)


class GroupMember:
    """A member of a group. `metadata` is what it and `assignment` what the group's leader has sent, in the form of the
    group's protocol; both are empty in a group of KIP-848, whose members say nothing in that form.
    """

    def __init__(self) -> None:
        self.id: str | None = None
        self.client_id: str | None = None
        self.client_host: str | None = None
        self.metadata: bytes | None = None
        self.assignment: bytes | None = None


class GroupMetadata:
    """A group."""

    def __init__(self) -> None:
        self.broker: BrokerMetadata | None = None
        self.id: str | None = None
        self.error: KafkaError | None = None
        self.state: str | None = None
        self.protocol_type: str | None = None
        self.protocol: str | None = None
        self.members: list[GroupMember] = []

    def __repr__(self) -> str:
        problem = f", {self.error}" if self.error is not None else ""
        return f"GroupMetadata({self.id}{problem})"

    def __str__(self) -> str:
        return str(self.id)
