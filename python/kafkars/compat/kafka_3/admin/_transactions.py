"""Transactions, and how to abort hanging ones, with the answers of kafka-python 3."""

from __future__ import annotations

import time
from collections.abc import Iterable
from enum import Enum
from typing import Any, NamedTuple

from kafkars.compat.kafka.admin._connection import Connection
from kafkars.compat.kafka.structs import TopicPartition
from kafkars.compat.kafka.util import EnumHelper


class TransactionState(EnumHelper, str, Enum):
    """The state of a transaction."""

    EMPTY = "Empty"
    ONGOING = "Ongoing"
    PREPARE_COMMIT = "PrepareCommit"
    PREPARE_ABORT = "PrepareAbort"
    COMPLETE_COMMIT = "CompleteCommit"
    COMPLETE_ABORT = "CompleteAbort"
    DEAD = "Dead"
    PREPARE_EPOCH_FENCE = "PrepareEpochFence"
    UNKNOWN = "Unknown"


class TransactionListing(NamedTuple):
    """A transaction in a list."""

    transactional_id: str
    producer_id: int
    state: TransactionState


class TransactionDescription(NamedTuple):
    """A transaction as its coordinator describes it."""

    coordinator_id: int
    state: TransactionState
    producer_id: int
    producer_epoch: int
    transaction_timeout_ms: int
    transaction_start_time_ms: int
    topic_partitions: set[TopicPartition]


class ProducerState(NamedTuple):
    """The state of one producer in a partition."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_timestamp: int
    coordinator_epoch: int
    current_transaction_start_offset: int


class PartitionProducerState(NamedTuple):
    """The states of the producers in a partition."""

    active_producers: list[ProducerState]


class AbortTransactionSpec(NamedTuple):
    """A transaction to abort."""

    topic_partition: TopicPartition
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int = -1


SLACK_MS = 5 * 60 * 1000
"""Milliseconds beyond the transaction time-out after which Kafka's own tool counts a transaction as hanging."""


class TransactionCalls(Connection):
    """Calls about transactions (KIP-664)."""

    def list_transactions(
        self,
        broker_ids: Iterable[int] | None = None,
        producer_id_filters: Iterable[int] | None = None,
        state_filters: Iterable[TransactionState | str] | None = None,
        duration_filter_ms: int | None = None,
        transactional_id_pattern: str | None = None,
    ) -> dict[int, list[TransactionListing]]:
        """Returns transactions by the id of the coordinating broker.

        Args:
            broker_ids: The coordinators to ask; None for all brokers.
            producer_id_filters: Only transactions of these producer ids; None for all.
            state_filters: Only transactions in these states; None for all.
            duration_filter_ms: Only transactions open for longer than these milliseconds.
            transactional_id_pattern: Only transactional ids that match this regular expression.
        """
        with self._asking() as admin:
            seconds = self._seconds()
            brokers = [each.id for each in admin.describe_cluster(timeout=seconds).brokers]
            found = admin.list_transactions(
                states=[TransactionState.value_for(each) for each in state_filters or ()],
                producer_ids=list(producer_id_filters or ()),
                open_longer_than_ms=duration_filter_ms,
                pattern=transactional_id_pattern,
                timeout=seconds,
            )
        listed: dict[int, list[TransactionListing]] = {
            broker: [] for broker in (brokers if broker_ids is None else broker_ids)
        }
        for each in found:
            if each.coordinator in listed:
                row = TransactionListing(each.transactional_id, each.producer_id, TransactionState(each.state))
                listed[each.coordinator].append(row)
        return listed

    def describe_transactions(self, transactional_ids: Iterable[str]) -> dict[str, TransactionDescription]:
        """Returns the transactions with their partitions.

        Raises:
            TransactionalIdNotFoundError: A transactional id is unknown.
            BrokerResponseError: The first error of the answer, in its own class.
        """
        with self._asking() as admin:
            found = admin.describe_transactions(list(transactional_ids), timeout=self._seconds())
        return {
            name: TransactionDescription(
                coordinator_id=each.coordinator,
                state=TransactionState(each.state),
                producer_id=each.producer_id,
                producer_epoch=each.producer_epoch,
                transaction_timeout_ms=each.timeout_ms,
                transaction_start_time_ms=or_unset(each.started_ms),
                topic_partitions={TopicPartition(*place) for place in each.partitions},
            )
            for name, each in found.items()
        }

    def describe_producers(
        self, partitions: Iterable[TopicPartition], broker_id: int | None = None
    ) -> dict[TopicPartition, PartitionProducerState]:
        """Returns the active producers of partitions, as their leaders or one broker know them.

        Raises:
            BrokerResponseError: The first error of the answer, in its own class.
        """
        places = [(each.topic, each.partition) for each in partitions]
        with self._asking() as admin:
            found = admin.describe_producers(places, broker=broker_id, timeout=self._seconds())
        return {
            TopicPartition(*place): PartitionProducerState(
                [ProducerState(*(or_unset(part) for part in each)) for each in producers]
            )
            for place, producers in found.items()
        }

    def abort_transaction(self, spec: AbortTransactionSpec) -> None:
        """Aborts a transaction in one partition.

        Raises:
            InvalidProducerEpochError: The producer epoch is another.
            BrokerResponseError: The broker's error, in its own class.
        """
        place = spec.topic_partition
        with self._asking() as admin:
            admin.abort_transaction(
                (place.topic, place.partition),
                producer_id=spec.producer_id,
                producer_epoch=spec.producer_epoch,
                coordinator_epoch=spec.coordinator_epoch,
                timeout=self._seconds(),
            )

    def find_hanging_transactions(
        self, broker_ids: Iterable[int] | None = None, max_transaction_timeout_ms: int = 900000
    ) -> list[dict[str, Any]]:
        """Returns transactions that are open for more than five minutes beyond the maximal time-out.

        Args:
            broker_ids: The coordinators to ask; None for all brokers.
            max_transaction_timeout_ms: The brokers' `transaction.max.timeout.ms`, in milliseconds.

        Returns:
            For each transaction `transactional_id`, `producer_id`, `producer_epoch`, `state`, `age_ms`,
            `coordinator_id` and `topic_partitions`.
        """
        listed = self.list_transactions(broker_ids=broker_ids)
        names = sorted({each.transactional_id for several in listed.values() for each in several})
        described = self.describe_transactions(names) if names else {}
        now_ms = int(time.time() * 1000)
        ages = {name: now_ms - each.transaction_start_time_ms for name, each in described.items()}
        return [
            {
                "transactional_id": name,
                "producer_id": each.producer_id,
                "producer_epoch": each.producer_epoch,
                "state": each.state.value,
                "age_ms": ages[name],
                "coordinator_id": each.coordinator_id,
                "topic_partitions": each.topic_partitions,
            }
            for name, each in described.items()
            if each.state not in ENDED
            and each.transaction_start_time_ms >= 0
            and ages[name] >= max_transaction_timeout_ms + SLACK_MS
        ]


ENDED = {
    TransactionState.EMPTY,
    TransactionState.COMPLETE_COMMIT,
    TransactionState.COMPLETE_ABORT,
    TransactionState.DEAD,
}


def or_unset(number: int | None) -> int:
    """Returns the number; -1 for None."""
    return -1 if number is None else number
