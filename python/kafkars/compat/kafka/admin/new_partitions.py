"""`NewPartitions`: a new number of partitions for a topic (`kafka.admin.new_partitions`)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["NewPartitions"]


class NewPartitions:
    """The new partition count of a topic.

    Args:
        total_count: The new number of partitions, existing ones included.
        new_assignments: Brokers of each new partition, the preferred leader first; None lets the cluster choose.
    """

    def __init__(self, total_count: int, new_assignments: Sequence[Sequence[int]] | None = None) -> None:
        self.total_count = total_count
        self.new_assignments = new_assignments
