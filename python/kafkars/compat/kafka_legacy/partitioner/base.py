"""The base class of partitioners (`kafka.partitioner.base`)."""

from __future__ import annotations

from collections.abc import Sequence


class Partitioner:
    """Chooses the partition of a message by its key.

    Args:
        partitions: All partitions of the topic.
    """

    def __init__(self, partitions: Sequence[int]) -> None:
        self.partitions = partitions

    def partition(self, key: object, partitions: Sequence[int] | None = None) -> int:
        """Returns the partition for a key.

        Args:
            key: The message's key.
            partitions: The partitions to choose from; None for those of the constructor.
        """
        raise NotImplementedError("partition function has to be implemented")
