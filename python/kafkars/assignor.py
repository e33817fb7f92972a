"""Partition assignors written by the application, for consumer groups of the classic protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kafkars._typing import Partition
    from kafkars.types import TopicPartition


class GroupMember(NamedTuple):
    """A member of the group, as an assignor sees it."""

    member_id: str
    instance_id: str | None
    """Its `group_instance_id`."""
    topics: tuple[str, ...]
    """The topics it subscribes to."""
    owned: tuple[TopicPartition, ...]
    """The partitions it owns so far, if it tells them."""
    rack: str | None
    """Its `client_rack`."""
    user_data: bytes | None = None
    """Data from its assignor for the leader's (`DataAssignor.user_data`)."""


class MemberAssignment(NamedTuple):
    """The partitions of one member, with data for its assignor."""

    partitions: Iterable[Partition]
    user_data: bytes | None = None
    """The data that its `DataAssignor.on_assignment` gets."""


@runtime_checkable
class Assignor(Protocol):
    """Distributes partitions among the members of a group.

    It runs on the member that leads the group, on a thread of the consumer's own, while the application goes on: it
    must not use what only the application's thread may. What it raises comes out of the next poll as `AssignorError`.
    All members must offer an assignor of this name.
    """

    @property
    def name(self) -> str:
        """The assignor's name in the group; members agree on an assignor by it."""
        ...

    def assign(
        self, partitions: Mapping[str, int], members: Iterable[GroupMember]
    ) -> Mapping[str, Iterable[Partition] | MemberAssignment]:
        """Decides which member reads which partitions.

        Args:
            partitions: The number of partitions of each topic that any member subscribes to.
            members: All members, in the order of their ids.

        Returns:
            The partitions of each member, by its id. A member that is not in it gets none.
        """
        ...


@runtime_checkable
class DataAssignor(Assignor, Protocol):
    """An assignor that also sends data of its own between the members and the leader of the group.

    Both methods run on a thread of the consumer's own, like `assign()`. What they raise goes to `sys.unraisablehook`,
    and the group goes on without it.
    """

    def user_data(self, last: Sequence[TopicPartition], generation: int) -> bytes | None:
        """Returns the data that this member sends to the leader whenever it joins.

        Args:
            last: The partitions of its last assignment.
            generation: The group's generation of that assignment; -1 before the first.
        """
        ...

    def on_assignment(self, partitions: Sequence[TopicPartition], user_data: bytes | None) -> None:
        """Called when this member has got its assignment, with the leader's data; the rebalance listener runs later."""
        ...
