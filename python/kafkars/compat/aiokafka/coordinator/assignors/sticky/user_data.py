"""What members tell a sticky leader: the partitions they had, and in which generation (KIP-341)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, NamedTuple

from kafkars.compat.aiokafka.protocol.struct import Struct
from kafkars.compat.aiokafka.protocol.types import Array, Int32, Schema, String


class StickyAssignorUserDataV1(Struct):
    """The user data of a member."""

    class PreviousAssignment(NamedTuple):
        """What it had of a topic. What was decoded is a plain tuple of the two."""

        topic: str
        partitions: list[int]

    previous_assignment: list[PreviousAssignment]
    generation: int
    SCHEMA: ClassVar[Schema] = Schema(
        ("previous_assignment", Array(("topic", String()), ("partitions", Array(Int32)))), ("generation", Int32)
    )


def by_topic(partitions: Iterable[tuple[str, int]]) -> list[tuple[str, list[int]]]:
    """Returns partitions as lists of numbers, topics in the order in which they come."""
    found: dict[str, list[int]] = {}
    for topic, partition in partitions:
        found.setdefault(topic, []).append(partition)
    return list(found.items())
