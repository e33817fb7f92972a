"""The calls of both `Admin` classes about transactions (KIP-664)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kafkars._kafkars import Admin as Native
from kafkars.admin._calls import AdminCall, gathered, in_range, itself, partition, partitions, several
from kafkars.admin.types import ProducerState, TransactionDescription, TransactionListing
from kafkars.errors import InvalidArgumentError
from kafkars.types import TopicPartition


@in_range
def list_transactions(
    native: Native,
    *,
    states: Iterable[str],
    producer_ids: Iterable[int],
    open_longer_than_ms: int | None,
    pattern: str | None,
    timeout: float | None,
) -> AdminCall[list[TransactionListing]]:
    if open_longer_than_ms is not None and open_longer_than_ms < 0:
        raise InvalidArgumentError(f"open_longer_than_ms: {open_longer_than_ms} is below 0")
    request = native.list_transactions(
        several(states, str), several(producer_ids, int), open_longer_than_ms, pattern, timeout
    )
    return AdminCall(request, lambda answer: [TransactionListing(*row) for row in answer])


@in_range
def describe_transactions(
    native: Native, transactional_ids: Iterable[str], *, timeout: float | None, return_exceptions: bool
) -> AdminCall[dict[str, TransactionDescription]]:
    names = list(dict.fromkeys(several(transactional_ids, str)))
    request = native.describe_transactions(names, timeout)

    def described(name: str, row: tuple[Any, ...]) -> TransactionDescription:
        return TransactionDescription(name, *row)

    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, str, described))


@in_range
def describe_producers(
    native: Native,
    which: Iterable[tuple[str, int]],
    *,
    broker: int | None,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[TopicPartition, tuple[ProducerState, ...]]]:
    request = native.describe_producers(partitions(which), broker, timeout)

    def told(_: TopicPartition, rows: list[tuple[Any, ...]]) -> tuple[ProducerState, ...]:
        return tuple(ProducerState(*row) for row in rows)

    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, itself, told))


@in_range
def abort_transaction(
    native: Native,
    of: tuple[str, int],
    *,
    producer_id: int,
    producer_epoch: int,
    coordinator_epoch: int,
    timeout: float | None,
) -> AdminCall[None]:
    request = native.abort_transaction(partition(of), producer_id, producer_epoch, coordinator_epoch, timeout)
    return AdminCall(request, lambda _: None)
