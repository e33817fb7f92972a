"""A consumer's membership of its group, as far as frameworks use it (`aiokafka.consumer.group_coordinator`)."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from kafkars.compat.aiokafka.consumer._commits import Positions, committing
from kafkars.compat.aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafkars.compat.aiokafka.errors import ConsumerStoppedError, translated
from kafkars.compat.aiokafka.structs import OffsetAndMetadata, TopicPartition
from kafkars.errors import ClosedError

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.consumer.consumer import AIOKafkaConsumer
    from kafkars.compat.aiokafka.consumer.fetcher import AssignedPartitions

__all__ = ["GroupCoordinator", "OffsetCommitRequest"]

KEPT = (
    "_auto_commit_interval_ms",
    "_enable_auto_commit",
    "_exclude_internal_topics",
    "_group_instance_id",
    "_heartbeat_interval_ms",
    "_rebalance_timeout_ms",
    "_retry_backoff_ms",
    "_session_timeout_ms",
)
"""Settings of the consumer that the coordinator keeps under the same names; tests of programs read them."""


class OffsetCommitRequest:
    """aiokafka's commit request: only the constants that programs compare with."""

    DEFAULT_GENERATION_ID: ClassVar[int] = -1
    """The generation of a consumer that is in no group."""
    DEFAULT_RETENTION_TIME: ClassVar[int] = -1
    """Stands for the broker's retention time."""


class GroupCoordinator:
    """The `_coordinator` of a consumer with a group: its membership. The inner consumer carries it out; what the
    program commits goes through here, where tracing wraps it.

    Args:
        client: Not offered to programs.
        subscription: Not offered to programs.

    Raises:
        NotImplementedError: A program makes one. `AIOKafkaConsumer(group_id=...)` is a member of a group.
    """

    def __init__(
        self,
        client: Any,
        subscription: Any,
        *,
        group_id: str = "aiokafka-default-group",
        group_instance_id: str | None = None,
        session_timeout_ms: int = 10000,
        heartbeat_interval_ms: int = 3000,
        retry_backoff_ms: int = 100,
        enable_auto_commit: bool = True,
        auto_commit_interval_ms: int = 5000,
        assignors: Sequence[Any] = (RoundRobinPartitionAssignor,),
        exclude_internal_topics: bool = True,
        max_poll_interval_ms: int = 300000,
        rebalance_timeout_ms: int = 30000,
    ) -> None:
        raise NotImplementedError(
            "GroupCoordinator is part of a consumer: AIOKafkaConsumer(group_id=...) joins a group, and commit() and "
            "committed() speak to its coordinator"
        )

    @classmethod
    def of(cls, consumer: AIOKafkaConsumer) -> GroupCoordinator:
        """Makes the one of a consumer."""
        made = cls.__new__(cls)
        made._consumer = weakref.ref(consumer)
        kept = vars(consumer)
        vars(made).update({name: kept[name] for name in KEPT})
        made._assignors = kept["_partition_assignment_strategy"]
        made._max_poll_interval = kept["_max_poll_interval_ms"] / 1000
        return made

    _consumer: weakref.ref[AIOKafkaConsumer]
    _assignors: Iterable[Any]
    _max_poll_interval: float

    @property
    def group_id(self) -> str | None:
        """The group."""
        consumer = self._consumer()
        return None if consumer is None else consumer._group_id

    @property
    def generation(self) -> int:
        """The generation of the group that the consumer is in; -1 outside of one."""
        return self._membership()[0]

    @property
    def member_id(self) -> str:
        """The consumer's member id; empty outside of a group."""
        return self._membership()[1]

    @property
    def coordinator_id(self) -> int | None:
        """The id of the coordinating broker; None while it is not known, and for a consumer that has no group."""
        consumer = self._consumer()
        engine = None if consumer is None else consumer._engine_
        return None if engine is None or self.group_id is None else engine._coordinator()

    @property
    def _metadata_snapshot(self) -> dict[str, int]:
        """The known numbers of partitions of subscribed topics."""
        consumer = self._consumer()
        if consumer is None:
            return {}
        known = {topic: consumer.partitions_for_topic(topic) for topic in consumer._subscribed_()}
        return {topic: len(partitions) for topic, partitions in known.items() if partitions is not None}

    async def commit_offsets(
        self, assignment: AssignedPartitions, offsets: Mapping[TopicPartition, OffsetAndMetadata]
    ) -> None:
        """Commits offsets: what `commit()` of the consumer calls, and `stop()` where commits are automatic.

        Raises:
            CommitFailedError: The group has given the partitions to another member.
        """
        del assignment
        with committing(self.group_id):
            if isinstance(offsets, Positions):
                await offsets.commit()
            elif offsets:
                consumer = self._member()
                await consumer._commits_.offsets(consumer._working_(), offsets)

    async def fetch_committed_offsets(
        self, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """Returns what the group has committed: what `committed()` of the consumer calls."""
        engine = self._member()._working_()
        with translated(self.group_id):
            found = await engine.committed(list(partitions), require_stable=False)
        return {partition: OffsetAndMetadata(at.offset, at.metadata) for partition, at in found.items()}

    async def close(self) -> None:
        """Leaves the group and closes, by stopping the consumer."""
        consumer = self._consumer()
        if consumer is not None:
            await consumer.stop()

    def _member(self) -> AIOKafkaConsumer:
        consumer = self._consumer()
        if consumer is None:
            raise ConsumerStoppedError
        return consumer

    def _membership(self) -> tuple[int, str]:
        consumer = self._consumer()
        engine = None if consumer is None else consumer._engine_
        if engine is not None and self.group_id is not None:
            with suppress(ClosedError):
                metadata = engine.group_metadata()
                return metadata.generation_id, metadata.member_id
        return OffsetCommitRequest.DEFAULT_GENERATION_ID, ""
