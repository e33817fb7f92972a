"""The base of assignors (`aiokafka.coordinator.assignors.abstract`)."""

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
        """Returns the assignment of every member, by its id. It runs on the leader of the group."""

    @classmethod
    @abc.abstractmethod
    def metadata(cls, topics: Iterable[str]) -> ConsumerProtocolMemberMetadata:
        """Returns the metadata of this member, whose user data goes to the leader of the group."""

    @classmethod
    @abc.abstractmethod
    def on_assignment(cls, assignment: ConsumerProtocolMemberAssignment) -> None:
        """Called on every member when it has got its assignment."""


class EagerAssignor(AbstractPartitionAssignor):
    """The base of the assignors of this package."""

    version = 0

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> ConsumerProtocolMemberMetadata:
        """Returns version and topics."""
        return ConsumerProtocolMemberMetadata(cls.version, list(topics), b"")

    @classmethod
    def on_assignment(cls, assignment: ConsumerProtocolMemberAssignment) -> None:
        """Does nothing."""

    @classmethod
    def answer(cls, shares: Mapping[str, Mapping[str, list[int]]]) -> dict[str, ConsumerProtocolMemberAssignment]:
        """Returns `{member: {topic: [partition]}}` as assignments of the members."""
        return {
            member: ConsumerProtocolMemberAssignment(cls.version, sorted(share.items()), b"")
            for member, share in shares.items()
        }
