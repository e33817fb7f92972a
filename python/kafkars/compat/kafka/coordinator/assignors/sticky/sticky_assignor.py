"""`StickyPartitionAssignor`, under the path of kafka-python (`kafka.coordinator.assignors.sticky.sticky_assignor`)."""

from __future__ import annotations

__all__ = ["StickyPartitionAssignor"]


class StickyPartitionAssignor:
    """Names the assignor in `partition_assignment_strategy`; the engine's own does the work."""

    name = "sticky"
    version = 0
