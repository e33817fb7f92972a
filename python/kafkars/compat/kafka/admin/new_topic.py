"""`NewTopic`: a topic to create (`kafka.admin.new_topic`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["NewTopic"]


class NewTopic:
    """A topic to create.

    Args:
        name: The topic's name.
        num_partitions: The number of partitions; -1 for the brokers' default, and with `replica_assignments`.
        replication_factor: The number of replicas; -1 likewise.
        replica_assignments: Broker ids by partition, the preferred leader first.
        topic_configs: Settings of the topic.
    """

    def __init__(
        self,
        name: str,
        num_partitions: int = -1,
        replication_factor: int = -1,
        replica_assignments: Mapping[int, Sequence[int]] | None = None,
        topic_configs: Mapping[str, str | None] | None = None,
    ) -> None:
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.replica_assignments = replica_assignments or {}
        self.topic_configs = topic_configs or {}
