"""`StickyPartitionAssignor`, under the path of kafka-python (`kafka.coordinator.assignors.sticky.sticky_assignor`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from kafkars.compat.kafka.coordinator.assignors import _sharing
from kafkars.compat.kafka.coordinator.assignors.abstract import AbstractPartitionAssignor

__all__ = ["StickyPartitionAssignor"]


class StickyPartitionAssignor(AbstractPartitionAssignor):
    """Names the assignor in `partition_assignment_strategy`; the engine's own does the work."""

    DEFAULT_GENERATION_ID = -1
    name = "sticky"
    version = 0

    @classmethod
    def assign(cls, cluster: Any, members: Any) -> NoReturn:
        """Not offered: what members have had is known to the engine only."""
        del cluster, members
        raise NotImplementedError(
            "StickyPartitionAssignor.assign() is not offered by kafkars: name it in partition_assignment_strategy"
        )

    @classmethod
    def parse_member_metadata(cls, metadata: Any) -> NoReturn:
        """Not offered, likewise."""
        del metadata
        raise NotImplementedError(
            "StickyPartitionAssignor.parse_member_metadata() is not offered by kafkars: the engine reads it"
        )

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> Any:
        """What a member says of itself when it joins for the first time."""
        return _sharing.joining(topics)

    @classmethod
    def on_assignment(cls, assignment: Any, generation: int | None = None) -> None:
        """Nothing is kept."""
