"""What members tell a sticky leader: the partitions they had, and in which generation (KIP-341)."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import NamedTuple


class StickyAssignorUserDataV1(NamedTuple):
    """The user data of a member."""

    previous_assignment: list[tuple[str, list[int]]]
    generation: int

    def encode(self) -> bytes:
        """Returns it as bytes."""
        parts = [struct.pack(">i", len(self.previous_assignment))]
        for topic, partitions in self.previous_assignment:
            name = topic.encode()
            parts.append(
                struct.pack(f">h{len(name)}si{len(partitions)}i", len(name), name, len(partitions), *partitions)
            )
        parts.append(struct.pack(">i", self.generation))
        return b"".join(parts)

    @classmethod
    def decode(cls, data: bytes) -> StickyAssignorUserDataV1:
        """Reads it.

        Raises:
            ValueError: The bytes are something else.
        """
        place = 0

        def numbers(kind: str) -> tuple[int, ...]:
            nonlocal place
            found = struct.unpack_from(f">{kind}", data, place)
            place += struct.calcsize(f">{kind}")
            return found

        try:
            topics = []
            for _ in range(*numbers("i")):
                (length,) = numbers("h")
                name = data[place : place + length].decode()
                place += length
                (count,) = numbers("i")
                topics.append((name, list(numbers(f"{count}i"))))
            (generation,) = numbers("i")
        except struct.error as problem:
            raise ValueError(str(problem)) from problem
        return cls(topics, generation)


def by_topic(partitions: Iterable[tuple[str, int]]) -> list[tuple[str, list[int]]]:
    """Returns partitions as lists of numbers, topics in the order in which they come."""
    found: dict[str, list[int]] = {}
    for topic, partition in partitions:
        found.setdefault(topic, []).append(partition)
    return list(found.items())
