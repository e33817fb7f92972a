"""Results of `AdminClient`, and offsets to look up."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._model import (
    ConsumerGroupState,
    ConsumerGroupType,
    Node,
    TopicPartitionInfo,
    Uuid,
)
from kafkars.compat.confluent_kafka._partition import TopicPartition
from kafkars.compat.confluent_kafka.admin._acl import AclOperation, member


class TopicDescription:
    """A topic that was described."""

    def __init__(
        self,
        name: str,
        topic_id: Uuid | None,
        is_internal: bool,
        partitions: list[TopicPartitionInfo],
        authorized_operations: list[AclOperation] | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = partitions
        self.authorized_operations = authorized_operations


class DescribeClusterResult:
    """The cluster; `controller` is None where it is not known."""

    def __init__(
        self,
        controller: Node | None,
        nodes: list[Node],
        cluster_id: str | None = None,
        authorized_operations: list[AclOperation] | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.controller = controller
        self.nodes = nodes
        self.authorized_operations = authorized_operations


class ConsumerGroupListing:
    """A group in a list. `is_simple_consumer_group` is true of those that have offsets only."""

    def __init__(
        self,
        group_id: str,
        is_simple_consumer_group: bool,
        state: ConsumerGroupState | str | int | None = None,
        type: ConsumerGroupType | str | int | None = None,  # noqa: A002  the library's name
    ) -> None:
        self.group_id = group_id
        self.is_simple_consumer_group = is_simple_consumer_group
        if state is not None:
            self.state = member(ConsumerGroupState, state)
        if type is not None:
            self.type = member(ConsumerGroupType, type)


class ListConsumerGroupsResult:
    """Groups, and what went wrong with some brokers."""

    def __init__(self, valid: list[ConsumerGroupListing] | None = None, errors: list[Exception] | None = None) -> None:
        self.valid = valid
        self.errors = errors


class MemberAssignment:
    """The partitions of a member."""

    def __init__(self, topic_partitions: list[TopicPartition] | None) -> None:
        self.topic_partitions = topic_partitions or []


class MemberDescription:
    """A member of a group."""

    def __init__(
        self,
        member_id: str,
        client_id: str,
        host: str,
        assignment: MemberAssignment,
        group_instance_id: str | None = None,
        target_assignment: MemberAssignment | None = None,
    ) -> None:
        self.member_id = member_id
        self.client_id = client_id
        self.host = host
        self.assignment = assignment
        self.target_assignment = target_assignment
        self.group_instance_id = group_instance_id


class ConsumerGroupDescription:
    """A group with its members."""

    def __init__(
        self,
        group_id: str,
        is_simple_consumer_group: bool,
        members: list[MemberDescription],
        partition_assignor: str,
        state: ConsumerGroupState | str | int | None,
        coordinator: Node | None,
        authorized_operations: list[AclOperation] | None = None,
        type: ConsumerGroupType | str | int = ConsumerGroupType.UNKNOWN,  # noqa: A002  the library's name
    ) -> None:
        self.group_id = group_id
        self.is_simple_consumer_group = is_simple_consumer_group
        self.members = members
        self.authorized_operations = authorized_operations
        self.partition_assignor = partition_assignor
        if state is not None:
            self.state = member(ConsumerGroupState, state)
        self.type = member(ConsumerGroupType, type)
        self.coordinator = coordinator


class DeletedRecords:
    """Records were deleted: `low_watermark` is the offset of the first that is left."""

    def __init__(self, low_watermark: int) -> None:
        self.low_watermark = low_watermark


class ListOffsetsResultInfo:
    """An offset that was looked up; -1 if there is none."""

    def __init__(self, offset: int, timestamp: int, leader_epoch: int | None) -> None:
        self.offset = offset
        self.timestamp = timestamp
        self.leader_epoch = leader_epoch


class OffsetSpec:
    """An offset to ask for: made by `earliest()`, `latest()`, `max_timestamp()` or `for_timestamp()`.

    Args:
        index: -2, -1 or -3 for the first three; a timestamp in ms since 1970 for the last.
    """

    def __init__(self, index: int) -> None:
        self._value = int(index)

    @classmethod
    def earliest(cls) -> OffsetSpec:
        """Returns the spec for the oldest record."""
        return cls(-2)

    @classmethod
    def latest(cls) -> OffsetSpec:
        """Returns the spec for the end, after the newest record."""
        return cls(-1)

    @classmethod
    def max_timestamp(cls) -> OffsetSpec:
        """Returns the spec for the record with the largest timestamp."""
        return cls(-3)

    @classmethod
    def for_timestamp(cls, timestamp: int) -> OffsetSpec:
        """Returns the spec for the first record that is not older than a timestamp, in ms since 1970."""
        return cls(timestamp)

    def __eq__(self, other: object) -> bool:
        return self._value == other._value if isinstance(other, OffsetSpec) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._value < other._value if isinstance(other, OffsetSpec) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._value)
