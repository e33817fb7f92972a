"""What programs read of the transactions of a producer (`aiokafka.producer.transaction_manager`)."""

from __future__ import annotations

import weakref
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.producer.producer import AIOKafkaProducer


class SubscriptionType(Enum):
    """What a consumer may read by."""

    NONE = 1
    AUTO_TOPICS = 2
    AUTO_PATTERN = 3
    USER_ASSIGNED = 4


class TransactionState(Enum):
    """The states of a transactional producer."""

    UNINITIALIZED = 1
    READY = 2
    IN_TRANSACTION = 3
    COMMITTING_TRANSACTION = 4
    ABORTING_TRANSACTION = 5
    ABORTABLE_ERROR = 6
    FATAL_ERROR = 7


class TransactionManager:
    """The `_txn_manager` of a producer with idempotence or transactions: their state, which the engine has."""

    def __init__(self, producer: AIOKafkaProducer, transactional_id: str | None, transaction_timeout_ms: int) -> None:
        self._producer = weakref.ref(producer)
        self.transactional_id = transactional_id
        self.transaction_timeout_ms = transaction_timeout_ms

    @property
    def state(self) -> TransactionState:
        """As of now; UNINITIALIZED before `start()` and without a `transactional_id`."""
        producer = self._producer()
        engine = None if producer is None else producer._engine_
        return TransactionState.UNINITIALIZED if engine is None else TransactionState[engine._transaction_state()]

    def is_in_transaction(self) -> bool:
        """True if a transaction was begun that can still be committed and is not ending."""
        return self.state is TransactionState.IN_TRANSACTION

    def is_fatal_error(self) -> bool:
        """True if the producer can do nothing more: another one has its `transactional_id`, for instance."""
        return self.state is TransactionState.FATAL_ERROR
