"""The calls of both `Admin` classes about replicas: elections, reassignments and log directories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kafkars._kafkars import Admin as Native
from kafkars.admin._calls import AdminCall, gathered, in_range, itself, nothing, pairs, partition, partitions
from kafkars.admin.types import LogDirDescription, PartitionReassignment, ReplicaInfo
from kafkars.errors import KafkaError
from kafkars.types import TopicPartition


@in_range
def alter_partition_reassignments(
    native: Native,
    wanted: Mapping[tuple[str, int], Iterable[int] | None],
    *,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[TopicPartition, None]]:
    asked = [(partition(of), None if replicas is None else list(replicas)) for of, replicas in pairs(wanted)]
    request = native.alter_partition_reassignments(asked, timeout)
    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, itself, nothing))


@in_range
def list_partition_reassignments(
    native: Native, which: Iterable[tuple[str, int]] | None, *, timeout: float | None
) -> AdminCall[dict[TopicPartition, PartitionReassignment]]:
    asked = None if which is None else partitions(which)

    def listed(answer: list[tuple[TopicPartition, Any]]) -> dict[TopicPartition, PartitionReassignment]:
        return {of: PartitionReassignment(*map(tuple, moves)) for of, moves in answer}

    return AdminCall(native.list_partition_reassignments(asked, timeout), listed)


@in_range
def describe_log_dirs(
    native: Native,
    brokers: Iterable[int] | None,
    which: Iterable[tuple[str, int]] | None,
    *,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[int, tuple[LogDirDescription, ...]]]:
    nodes = None if brokers is None else list(dict.fromkeys(brokers))
    asked = None if which is None else partitions(which)

    def log_dir(path: str, total: int | None, usable: int | None, is_cordoned: bool, found: Any) -> LogDirDescription:
        error = found if isinstance(found, KafkaError) else None
        rows: list[Any] = [] if error is not None else found
        replicas = {of: ReplicaInfo(size, lag, is_future) for of, size, lag, is_future in rows}
        return LogDirDescription(path, error, total, usable, is_cordoned, replicas)

    request = native.describe_log_dirs(nodes, asked, timeout)
    return AdminCall(
        request,
        lambda answer: gathered(answer, return_exceptions, int, lambda _, rows: tuple(log_dir(*row) for row in rows)),
    )
