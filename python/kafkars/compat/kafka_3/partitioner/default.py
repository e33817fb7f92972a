"""kafka-python's default partitioner (`kafka.partitioner.default`)."""

from __future__ import annotations

from typing import Any

from kafkars.compat.kafka.partitioner.default import DefaultPartitioner as Older
from kafkars.compat.kafka.partitioner.default import murmur2
from kafkars.compat.kafka_3.partitioner.abc import Partitioner

__all__ = ["DefaultPartitioner", "murmur2"]


class DefaultPartitioner(Partitioner):
    """Chooses the partition of a key by its hash, as Java's producer does, and a random one for records without key."""

    def partition(
        self,
        topic: str,
        key: Any,
        serialized_key: bytes | None,
        value: Any,
        serialized_value: bytes | None,
        cluster: Any,
    ) -> int:
        """Returns the partition of a record.

        Raises:
            ValueError: The topic is unknown.
        """
        del key, value, serialized_value
        every = cluster.partitions_for_topic(topic)
        if not every:
            raise ValueError(f"Topic {topic} not found in ClusterMetadata")
        available = sorted(cluster.available_partitions_for_topic(topic) or ())
        chosen: int = Older()(serialized_key, sorted(every), available)
        return chosen
