"""`NewPartitions`: a new number of partitions for a topic (`kafka.admin.new_partitions`)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["NewPartitions"]


class NewPartitions:
    """How many partitions a topic is to have.

    Args:
        total_count: How many there shall be, with those that there are.
        new_assignments: Brokers of each new one, the preferred leader first; None lets the cluster choose.
    """

    def __init__(self, total_count: int, new_assignments: Sequence[Sequence[int]] | None = None) -> None:
        self.total_count = total_count
        self.new_assignments = new_assignments
