"""A topic to create (`aiokafka.admin.new_topic`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafkars.compat.aiokafka.errors import IllegalArgumentError

__all__ = ["NewTopic"]

UNSET = -1


class NewTopic:
    """A topic to create, with numbers or with a place for each replica.

    Args:
        name: Its name.
        num_partitions: How many partitions; -1 with `replica_assignments`.
        replication_factor: How many copies of each; -1 with `replica_assignments`.
        replica_assignments: For each partition the ids of its brokers, the preferred leader first.
        topic_configs: Settings that differ from the brokers' defaults.

    Raises:
        IllegalArgumentError: Both the numbers and the places are given, or neither.
    """

    def __init__(
        self,
        name: str,
        num_partitions: int,
        replication_factor: int,
        replica_assignments: Mapping[int, Sequence[int]] | None = None,
        topic_configs: Mapping[str, str | None] | None = None,
    ) -> None:
        has_numbers = UNSET not in (num_partitions, replication_factor)
        if has_numbers == (replica_assignments is not None):
            raise IllegalArgumentError(
                "either num_partitions and replication_factor or replica_assignments must be given, and not both"
            )
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.replica_assignments = replica_assignments or {}
        self.topic_configs = topic_configs or {}
