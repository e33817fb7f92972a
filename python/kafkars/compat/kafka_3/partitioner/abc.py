"""The base class of partitioners (`kafka.partitioner.abc`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["Partitioner"]


class Partitioner(abc.ABC):
    """Chooses the partition of a record that names none."""

    @abc.abstractmethod
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

        Args:
            topic: The record's topic.
            key: The key before serialization.
            serialized_key: The serialized key, or None.
            value: The value before serialization.
            serialized_value: The serialized value, or None.
            cluster: The metadata: `topics()`, `partitions_for_topic()`, `available_partitions_for_topic()`.
        """
