"""What partitioners derive from (`kafka.partitioner.abc`)."""

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
        """The partition.

        Args:
            topic: Where the record goes.
            key: Its key as the program gave it.
            serialized_key: The key's bytes.
            value: Its value as the program gave it.
            serialized_value: The value's bytes.
            cluster: What is known: `topics()`, `partitions_for_topic()`, `available_partitions_for_topic()`.
        """
