"""What is left of partitions, by the path of the library."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.admin._results import DeletedRecords

__all__ = ["DeletedRecords"]
