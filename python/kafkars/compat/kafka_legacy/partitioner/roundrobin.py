"""A partitioner that ignores keys (`kafka.partitioner.roundrobin`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle

from kafkars.compat.kafka_legacy.partitioner.base import Partitioner


class RoundRobinPartitioner(Partitioner):
    """Chooses one partition after the other.

    Args:
        partitions: All partitions of the topic.
    """

    def __init__(self, partitions: Sequence[int]) -> None:
        super().__init__(partitions)
        self.iterpart: Iterator[int] = cycle(partitions)

    def partition(self, key: object, partitions: Sequence[int] | None = None) -> int:
        """Returns the next partition; other `partitions` than before begin a new round."""
        del key
        if partitions and self.partitions != partitions:
            self.partitions = partitions
            self.iterpart = cycle(partitions)
        return next(self.iterpart)
