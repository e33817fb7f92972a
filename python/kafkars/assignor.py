"""Assignors of your own: who reads what in a group of the classic protocol."""

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
    """What it subscribes to."""
    owned: tuple[TopicPartition, ...]
    """What it reads now, where it says so."""
    rack: str | None
    """Its `client_rack`."""
    user_data: bytes | None = None
    """What its assignor tells the leader's (`DataAssignor.user_data`)."""


class MemberAssignment(NamedTuple):
    """What one member gets, where its assignor is told something with it."""

    partitions: Iterable[Partition]
    user_data: bytes | None = None
    """For its `DataAssignor.on_assignment`."""


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
        """Decides who reads what.

        Args:
            partitions: How many partitions each topic has that any member subscribes to.
            members: All members, in the order of their ids.

        Returns:
            The partitions of each member, by its id. A member that is not in it gets none.
        """
        ...


@runtime_checkable
class DataAssignor(Assignor, Protocol):
    """An assignor whose members tell each other more than what they subscribe to and own.

    Both methods run on a thread of the consumer's own, like `assign()`. What they raise goes to `sys.unraisablehook`,
    and the group goes on without it.
    """

    def user_data(self, last: Sequence[TopicPartition], generation: int) -> bytes | None:
        """What this member tells the leader whenever it joins.

        Args:
            last: The partitions that it was assigned last.
            generation: In which generation of the group; -1 before the first.
        """
        ...

    def on_assignment(self, partitions: Sequence[TopicPartition], user_data: bytes | None) -> None:
        """This member got its assignment, with what the leader's assignor added; the listener hears of it later."""
        ...
