"""A partitioner that stays with one partition for records without key (`kafka.partitioner.sticky`, KIP-480)."""

from __future__ import annotations

import threading
from typing import Any

from kafkars.compat.kafka_3.partitioner.default import DefaultPartitioner

__all__ = ["StickyPartitioner"]


class StickyPartitioner(DefaultPartitioner):
    """Puts records without key into one partition of a topic until `on_new_batch()` chooses another one."""

    def __init__(self) -> None:
        self._chosen: dict[str, int] = {}
        self._lock = threading.Lock()

    def partition(
        self,
        topic: str,
        key: Any,
        serialized_key: bytes | None,
        value: Any,
        serialized_value: bytes | None,
        cluster: Any,
    ) -> int:
        """Returns the partition of a record."""
        if serialized_key is not None:
            return super().partition(topic, key, serialized_key, value, serialized_value, cluster)
        with self._lock:
            chosen = self._chosen.get(topic)
            if chosen is None or chosen not in (cluster.partitions_for_topic(topic) or ()):
                chosen = super().partition(topic, key, None, value, serialized_value, cluster)
                self._chosen[topic] = chosen
            return chosen

    def on_new_batch(self, topic: str, cluster: Any, prev_partition: int) -> int:
        """Chooses another partition if there is one, and returns it."""
        others = sorted(set(cluster.available_partitions_for_topic(topic) or ()) - {prev_partition})
        with self._lock:
            if self._chosen.get(topic, prev_partition) == prev_partition:
                self._chosen[topic] = others[hash((topic, prev_partition)) % len(others)] if others else prev_partition
            return self._chosen[topic]
