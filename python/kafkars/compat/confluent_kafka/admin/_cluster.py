"""What describes a cluster, by the path of the library."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.admin._results import DescribeClusterResult

__all__ = ["DescribeClusterResult"]
