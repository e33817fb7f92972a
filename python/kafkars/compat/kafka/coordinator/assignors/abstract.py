"""What assignors derive from (`kafka.coordinator.assignors.abstract`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["AbstractPartitionAssignor"]


class AbstractPartitionAssignor(abc.ABC):
    """Gives partitions to the members of a group.

    In groups the engine's own assignors of these names do the work; one of your own is given to `kafkars.Consumer`.
    """

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The name of its protocol."""

    def supported_protocols(self) -> list[str]:
        """Whether members stop while partitions move ("eager") or not ("cooperative")."""
        return ["eager"]

    @abc.abstractmethod
    def assign(self, cluster: Any, members: Any) -> Any:
        """What each member gets.

        Args:
            cluster: Has `partitions_for_topic()`.
            members: By member what it says of itself: an object with `topics` or `subscription`.
        """

    @abc.abstractmethod
    def metadata(self, topics: Any) -> Any:
        """What a member says of itself when it joins."""

    def on_assignment(self, assignment: Any, generation: int | None = None) -> None:  # noqa: B027  may be left as it is
        """A member got its partitions."""
