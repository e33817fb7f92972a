"""What a consumer still tells of partitions that it has no more: after it was stopped, and while its group is formed
anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kafkars import aio
from kafkars.compat.aiokafka.structs import TopicPartition

Fetched = tuple[int, int, int]
"""High watermark, last stable offset and time of the last fetch, in milliseconds since 1970."""


@dataclass
class Standing:
    """Where a consumer stood: programs report how far they have read when they have stopped it."""

    assignment: frozenset[TopicPartition] = frozenset()
    paused: set[TopicPartition] = field(default_factory=set)
    fetched: Mapping[TopicPartition, Fetched | None] = field(default_factory=dict)
    positions: dict[TopicPartition, int] = field(default_factory=dict)

    async def note_positions(self, engine: aio.Consumer[Any, Any]) -> None:
        """Adds the positions that are known."""
        partitions = sorted(self.assignment)
        # No time: nobody is asked.
        asked = (engine.position(partition, timeout=0) for partition in partitions)
        for partition, found in zip(partitions, await asyncio.gather(*asked, return_exceptions=True), strict=True):
            if isinstance(found, int):
                self.positions[partition] = found
