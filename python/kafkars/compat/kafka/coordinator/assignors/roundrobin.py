"""`RoundRobinPartitionAssignor`, under the path of kafka-python (`kafka.coordinator.assignors.roundrobin`)."""

from __future__ import annotations

__all__ = ["RoundRobinPartitionAssignor"]


class RoundRobinPartitionAssignor:
    """Names the assignor in `partition_assignment_strategy`; the engine's own does the work."""

    name = "roundrobin"
    version = 0
