"""The new number of partitions of a topic (`aiokafka.admin.new_partitions`)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["NewPartitions"]


class NewPartitions:
    """A topic's new number of partitions in all, and the brokers of the new ones.

    Args:
        total_count: How many partitions there shall be.
        new_assignments: Ids of the brokers of each new partition, the preferred leader first; None lets the cluster
            choose.
    """

    def __init__(self, total_count: int, new_assignments: Sequence[Sequence[int]] | None = None) -> None:
        self.total_count = total_count
        self.new_assignments = new_assignments
