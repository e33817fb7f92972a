"""`RangePartitionAssignor`, under the path of kafka-python (`kafka.coordinator.assignors.range`)."""

from __future__ import annotations

__all__ = ["RangePartitionAssignor"]


class RangePartitionAssignor:
    """Names the assignor in `partition_assignment_strategy`; the engine's own does the work."""

    name = "range"
    version = 0
