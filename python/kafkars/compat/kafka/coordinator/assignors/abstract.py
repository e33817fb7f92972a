"""The base of assignors (`kafka.coordinator.assignors.abstract`)."""

from __future__ import annotations

import abc
from enum import IntEnum
from typing import Any

__all__ = ["AbstractPartitionAssignor", "RebalanceProtocol"]


class RebalanceProtocol(IntEnum):
    """Whether members stop reading during a rebalance (EAGER) or go on (COOPERATIVE)."""

    EAGER = 0
    COOPERATIVE = 1


class AbstractPartitionAssignor(abc.ABC):
    """Assigns partitions to the members of a group; subclasses, or objects of them, go to
    `partition_assignment_strategy`.

    An application's assignor runs on the group's leader, on a thread of the consumer.
    """

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name of the assignor in the group protocol."""

    def supported_protocols(self) -> list[RebalanceProtocol]:
        """Returns the supported protocols: EAGER members stop reading during a rebalance, COOPERATIVE ones go on."""
        return [RebalanceProtocol.EAGER]

    @abc.abstractmethod
    def assign(self, cluster: Any, members: Any) -> Any:
        """Returns the assignment of each member.

        Args:
            cluster: An object with `partitions_for_topic()`.
            members: Metadata by member id: objects with `topics`, `user_data` and `group_instance_id`.
                In kafka-python 3 a list of objects with `member_id`, `group_instance_id` and `metadata`.
        """

    @abc.abstractmethod
    def metadata(self, topics: Any) -> Any:
        """Returns the metadata of a member when it joins."""

    def on_assignment(self, assignment: Any, generation: int | None = None) -> None:  # noqa: B027  may be left as it is
        """Called when the member has received its assignment."""
