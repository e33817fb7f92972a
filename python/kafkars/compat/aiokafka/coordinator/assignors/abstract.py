"""What assignors derive from (`aiokafka.coordinator.assignors.abstract`)."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kafkars.compat.aiokafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment,
    ConsumerProtocolMemberMetadata,
)

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.cluster import ClusterMetadata


class AbstractPartitionAssignor(abc.ABC):
    """Shares the partitions of a group among its members; the methods belong to the class, which is never
    instantiated.
    """

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name by which the members agree on it."""

    @classmethod
    @abc.abstractmethod
    def assign(
        cls, cluster: ClusterMetadata, members: Mapping[str, ConsumerProtocolMemberMetadata]
    ) -> dict[str, ConsumerProtocolMemberAssignment]:
        """Runs on the leading member: what every member gets, by its id."""

    @classmethod
    @abc.abstractmethod
    def metadata(cls, topics: Iterable[str]) -> ConsumerProtocolMemberMetadata:
        """What this member says of itself; its user data reaches the leading member."""

    @classmethod
    @abc.abstractmethod
    def on_assignment(cls, assignment: ConsumerProtocolMemberAssignment) -> None:
        """Runs on every member when it has got its partitions."""


class EagerAssignor(AbstractPartitionAssignor):
    """What the assignors of this package have in common."""

    version = 0

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> ConsumerProtocolMemberMetadata:
        """Version and topics."""
        return ConsumerProtocolMemberMetadata(cls.version, list(topics), b"")

    @classmethod
    def on_assignment(cls, assignment: ConsumerProtocolMemberAssignment) -> None:
        """Nothing to keep."""

    @classmethod
    def answer(cls, shares: Mapping[str, Mapping[str, list[int]]]) -> dict[str, ConsumerProtocolMemberAssignment]:
        """`{member: {topic: [partition]}}` as members are told."""
        return {
            member: ConsumerProtocolMemberAssignment(
                cls.version, sorted((topic, numbers) for topic, numbers in share.items() if numbers), b""
            )
            for member, share in shares.items()
        }
