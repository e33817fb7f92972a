"""What is told of transactions."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

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
    """A producer of a partition."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_timestamp: int
    coordinator_epoch: int
    current_transaction_start_offset: int


class PartitionProducerState(NamedTuple):
    """The producers of a partition."""

    active_producers: list[ProducerState]


class AbortTransactionSpec(NamedTuple):
    """A transaction to abort."""

    topic_partition: TopicPartition
    producer_id: int
    producer_epoch: int
    coordinator_epoch: int = -1
