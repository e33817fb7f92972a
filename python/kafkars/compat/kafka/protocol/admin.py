"""Responses of administration (`kafka.protocol.admin`), in the versions that kafka-python 2.3 uses."""

from __future__ import annotations

from typing import Any, ClassVar

from kafkars.compat.kafka.protocol.struct import Struct
from kafkars.compat.kafka.protocol.types import Array, Boolean, Int8, Int16, Int32, Int64, Schema, String

__all__ = [
    "AlterConfigsResponse_v1",
    "CreatePartitionsResponse_v1",
    "CreateTopicsResponse_v3",
    "DeleteTopicsResponse_v3",
    "DescribeConfigsResponse_v2",
    "DescribeLogDirsResponse_v0",
    "ElectLeadersResponse_v1",
]

# Rows of answers are tuples, as in kafka-python; the names are those of `to_object()` and `repr()`.
TOPIC_ERRORS = Array(("topic", String()), ("error_code", Int16), ("error_message", String()))
SYNONYMS = Array(("config_name", String()), ("config_value", String()), ("config_source", Int8))
ENTRIES = Array(
    ("config_names", String()),
    ("config_value", String()),
    ("read_only", Boolean),
    ("config_source", Int8),
    ("is_sensitive", Boolean),
    ("config_synonyms", SYNONYMS),
)
RESOURCE: tuple[tuple[str, Any], ...] = (
    ("error_code", Int16),
    ("error_message", String()),
    ("resource_type", Int8),
    ("resource_name", String()),
)


REPLICA = Array(
    ("partition_index", Int32), ("partition_size", Int64), ("offset_lag", Int64), ("is_future_key", Boolean)
)
REPLICAS = Array(("name", String()), ("partitions", REPLICA))
ELECTED = Array(("partition_id", Int32), ("error_code", Int16), ("error_message", String()))


class CreateTopicsResponse_v3(Struct):  # noqa: N801  the name programs use
    """The outcome for each topic to create."""

    throttle_time_ms: int
    topic_errors: list[tuple[str, int, str | None]]
    API_KEY = 19
    API_VERSION = 3
    SCHEMA: ClassVar[Schema] = Schema(("throttle_time_ms", Int32), ("topic_errors", TOPIC_ERRORS))


class DeleteTopicsResponse_v3(Struct):  # noqa: N801
    """The outcome for each topic to delete."""

    throttle_time_ms: int
    topic_error_codes: list[tuple[str, int]]
    API_KEY = 20
    API_VERSION = 3
    SCHEMA: ClassVar[Schema] = Schema(
        ("throttle_time_ms", Int32), ("topic_error_codes", Array(("topic", String()), ("error_code", Int16)))
    )


class CreatePartitionsResponse_v1(Struct):  # noqa: N801
    """The outcome for each topic that was to get more partitions."""

    throttle_time_ms: int
    topic_errors: list[tuple[str, int, str | None]]
    API_KEY = 37
    API_VERSION = 1
    SCHEMA: ClassVar[Schema] = Schema(("throttle_time_ms", Int32), ("topic_errors", TOPIC_ERRORS))


class DescribeConfigsResponse_v2(Struct):  # noqa: N801
    """Settings of topics and brokers."""

    throttle_time_ms: int
    resources: list[tuple[int, str | None, int, str, list[tuple[Any, ...]]]]
    API_KEY = 32
    API_VERSION = 2
    SCHEMA: ClassVar[Schema] = Schema(
        ("throttle_time_ms", Int32), ("resources", Array(*RESOURCE, ("config_entries", ENTRIES)))
    )


class AlterConfigsResponse_v1(Struct):  # noqa: N801
    """The outcome for each topic or broker whose settings were to change."""

    throttle_time_ms: int
    resources: list[tuple[int, str | None, int, str]]
    API_KEY = 33
    API_VERSION = 1
    SCHEMA: ClassVar[Schema] = Schema(("throttle_time_ms", Int32), ("resources", Array(*RESOURCE)))


class DescribeLogDirsResponse_v0(Struct):  # noqa: N801
    """Log directories of a broker, with the size of each replica."""

    throttle_time_ms: int
    log_dirs: list[tuple[int, str, list[tuple[str, list[tuple[int, int, int, bool]]]]]]
    API_KEY = 35
    API_VERSION = 0
    SCHEMA: ClassVar[Schema] = Schema(
        ("throttle_time_ms", Int32),
        ("log_dirs", Array(("error_code", Int16), ("log_dir", String()), ("topics", REPLICAS))),
    )


class ElectLeadersResponse_v1(Struct):  # noqa: N801
    """The outcome for each partition that was to get a leader."""

    throttle_time_ms: int
    error_code: int
    replication_election_results: list[tuple[str, list[tuple[int, int, str | None]]]]
    API_KEY = 43
    API_VERSION = 1
    SCHEMA: ClassVar[Schema] = Schema(
        ("throttle_time_ms", Int32),
        ("error_code", Int16),
        ("replication_election_results", Array(("topic", String()), ("partition_result", ELECTED))),
    )
