"""The base of assignors (`kafka.coordinator.assignors.abstract`)."""

from __future__ import annotations

import abc
from enum import IntEnum
from typing import Any

__all__ = ["AbstractPartitionAssignor", "RebalanceProtocol"]


class RebalanceProtocol(IntEnum):
    """Whether members stop reading while partitions move."""

    EAGER = 0
    COOPERATIVE = 1


class AbstractPartitionAssignor(abc.ABC):
    """Gives partitions to the members of a group; classes or objects of these are in `partition_assignment_strategy`.

    One of your own runs on the member that leads the group, on a thread of the consumer's own.
    """

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name of its protocol."""

    def supported_protocols(self) -> list[RebalanceProtocol]:
        """Whether members stop reading while partitions move."""
        return [RebalanceProtocol.EAGER]

    @abc.abstractmethod
    def assign(self, cluster: Any, members: Any) -> Any:
        """Returns the assignment of each member.

        Args:
            cluster: Has `partitions_for_topic()`.
            members: By member what it says of itself: an object with `topics`, `user_data` and `group_instance_id`.
                In kafka-python 3 a list of objects with `member_id`, `group_instance_id` and `metadata`.
        """

    @abc.abstractmethod
    def metadata(self, topics: Any) -> Any:
        """Returns the metadata of a member when it joins."""

    def on_assignment(self, assignment: Any, generation: int | None = None) -> None:  # noqa: B027  may be left as it is
        """Called when a member has got its assignment."""
