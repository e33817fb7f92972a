"""Ends the spans of sends when their records are acknowledged or have failed."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from kafkars.errors import ClosedError, KafkaError, KafkaTimeoutError, PurgedError
from kafkars.opentelemetry import conventions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkars._kafkars import AsyncDeliveries, Deliveries, DeliveryFuture, Future
    from kafkars.opentelemetry.telemetry import MeasuredSpan

logger = logging.getLogger("kafkars.producer")

FEW = 1_000
SLICE_SECONDS = 0.005
LONG_SLICE_SECONDS = 0.05
"""Seconds to wait for the oldest send before others are checked: with few sends under way, and with many."""


class FailureLog:
    """Logs records that were not stored.

    A producer logs failures whose outcome nobody has asked for. Of an instrumented producer the span asks for every
    outcome, so all failures are logged here: whether the program asks, too, is not known.
    """

    def __init__(self, *, is_silent: bool = False) -> None:
        """Silent for a transactional producer, whose commit reports failures."""
        self._is_silent = is_silent
        self._failed: dict[tuple[str | None, str], int] = {}

    def tell(self, topic: str | None, count: int, error: BaseException) -> None:
        """Logs the 1st, 2nd, 4th, 8th and so on of a topic and cause, but not what the application has given up."""
        if self._is_silent or isinstance(error, (asyncio.CancelledError, ClosedError, PurgedError)):
            return
        key = (topic, type(error).__name__)
        self._failed[key] = times = self._failed.get(key, 0) + 1
        if times & (times - 1) == 0:
            logger.warning(
                "records were not stored (topic=%s, records=%d, sends=%d, cause=%s)", topic, count, times, error
            )


class DeliveryWatch:
    """Waits for the deliveries of a synchronous producer on a thread of its own, which starts with the first send.

    Their callbacks would not do: they run in the application's calls of `poll()` and `flush()`, whenever these come.
    """

    def __init__(self, failures: FailureLog) -> None:
        """Starts without deliveries."""
        self._pending: deque[tuple[Any, MeasuredSpan]] = deque()
        # Guards the removal of entries. Reentrant: a span processor may send records with the same producer.
        self._lock = threading.RLock()
        self._arrived = threading.Event()
        self._failures = failures
        self._thread: threading.Thread | None = None
        self._is_ended = False
        self._process = os.getpid()

    def add(self, delivery: DeliveryFuture | Deliveries, operation: MeasuredSpan) -> None:
        """Ends the operation when the delivery is done."""
        self._pending.append((delivery, operation))
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="kafkars-spans", daemon=True)
                    self._thread.start()
        if not self._arrived.is_set():
            self._arrived.set()

    def settle(self) -> None:
        """Ends the spans of all deliveries that are done."""
        if self._process == os.getpid():
            self._sweep(is_whole=True)

    def end(self) -> None:
        """Lets the thread end once no delivery is pending."""
        self._is_ended = True
        self._arrived.set()

    def _run(self) -> None:
        while True:
            self._arrived.wait()
            if self._is_ended and not self._pending:
                # In this order: a thread that adds a delivery now finds no thread, or its delivery is found here.
                self._thread = None
                if not self._pending:
                    return
                self._thread = threading.current_thread()
            if not self._is_ended:
                self._arrived.clear()
            while self._pending:
                self._sweep(is_whole=not self._wait())

    def _wait(self) -> bool:
        """Waits a short time for the oldest delivery. False if it is not done then."""
        try:
            delivery, _ = self._pending[0]
        except IndexError:
            return True
        seconds = SLICE_SECONDS if len(self._pending) < FEW else LONG_SLICE_SECONDS
        try:
            outcome_of(delivery, seconds)
        except KafkaTimeoutError:
            return False
        except KafkaError:
            # The delivery of a producer that is being closed: it is checked again in a moment.
            time.sleep(seconds)
        return True

    def _sweep(self, *, is_whole: bool) -> None:
        """Ends the spans of deliveries that are done: up to the first that is not, or (`is_whole`) among all."""
        with self._lock:
            kept: list[tuple[Any, MeasuredSpan]] = []
            for _ in range(len(self._pending)):
                delivery, operation = self._pending.popleft()
                if delivery.done():
                    self._end(delivery, operation)
                    continue
                kept.append((delivery, operation))
                if not is_whole:
                    break
            self._pending.extendleft(reversed(kept))

    def _end(self, delivery: Any, operation: MeasuredSpan) -> None:
        try:
            failures, stored = outcome_of(delivery, 0)
        except KafkaError as error:
            failures, stored = [error], None
        if failures:
            self._failures.tell(operation.topic, len(failures), failures[0])
        end_send(operation, failures, stored, count_of(delivery))


def count_of(delivery: Any) -> int:
    """Returns the number of records of a delivery."""
    return len(delivery) if hasattr(delivery, "__len__") else 1


def outcome_of(delivery: Any, timeout: float) -> tuple[list[BaseException], Any]:
    """Returns the errors of a synchronous delivery, and the metadata of a single record that was stored.

    Raises:
        KafkaTimeoutError: The delivery is not done in time.
    """
    if hasattr(delivery, "failures"):
        return list(delivery.failures(timeout).values()), None
    error = delivery.exception(timeout)
    return ([error], None) if error is not None else ([], delivery.result(0))


def end_send(operation: MeasuredSpan, failures: Sequence[BaseException], stored: Any, count: int) -> None:
    """Ends the span of a send, and counts its records."""
    if stored is not None and not isinstance(stored, list) and operation.span.is_recording():
        operation.span.set_attribute(conventions.PARTITION, str(stored.partition))
        operation.span.set_attribute(conventions.BODY_SIZE, max(stored.serialized_value_size, 0))
        if stored.offset >= 0:
            operation.span.set_attribute(conventions.OFFSET, stored.offset)
    if count != 1:
        operation.span.set_attribute(conventions.COUNT, count)
    if operation.end(failures[0] if failures else None):
        operation.sent(count - len(failures))
        for error in failures:
            operation.sent(1, error)


class AsyncDelivery:
    """The callback of an asyncio send's future: ends the span of the send."""

    __slots__ = ("_count", "_failures", "_operation")

    def __init__(self, operation: MeasuredSpan, count: int | None, failures: FailureLog) -> None:
        """`count` is None for records that are only counted when they are sent."""
        self._operation = operation
        self._count = count
        self._failures = failures

    def __call__(self, future: Future[Any]) -> None:
        """Handles the outcome of the send: that of its records, or a future of it."""
        error: BaseException | None
        if future.cancelled():
            # Records that are in a batch are sent all the same, but nobody waits for their outcome.
            error = asyncio.CancelledError("nobody waits for the delivery any more")
        else:
            error = future.exception()
        if error is not None:
            count = 1 if self._count is None else self._count
            self._failures.tell(self._operation.topic, count, error)
            end_send(self._operation, [error] * count, None, count)
            return
        outcome = future.result()
        if hasattr(outcome, "failures"):
            deliveries: AsyncDeliveries = outcome
            self._count = len(deliveries)
            deliveries.failures().add_done_callback(self._ended)
        elif hasattr(outcome, "add_done_callback"):
            outcome.add_done_callback(self)
        else:
            count = len(outcome) if isinstance(outcome, list) else self._count or 1
            end_send(self._operation, [], outcome, count)

    def _ended(self, future: Future[dict[int, KafkaError]]) -> None:
        failures = list(future.result().values())
        if failures:
            self._failures.tell(self._operation.topic, len(failures), failures[0])
        end_send(self._operation, list(failures), None, self._count or 0)
