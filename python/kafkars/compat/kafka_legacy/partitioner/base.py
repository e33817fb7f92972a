"""What every partitioner is (`kafka.partitioner.base`)."""

from __future__ import annotations

from collections.abc import Sequence


class Partitioner:
    """Chooses the partition of a message by its key.

    Args:
        partitions: Those there are.
    """

    def __init__(self, partitions: Sequence[int]) -> None:
        self.partitions = partitions

    def partition(self, key: object, partitions: Sequence[int] | None = None) -> int:
        """The partition for a key.

        Args:
            key: The message's key.
            partitions: Those to choose from, where they are not the ones the partitioner was made with.
        """
        raise NotImplementedError("partition function has to be implemented")
