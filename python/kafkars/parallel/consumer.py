"""The consumer that handles records in several threads."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal

from kafkars._discreet import discreet
from kafkars.consumer import Consumer
from kafkars.errors import ClientStateError, HandlerError, KafkaError
from kafkars.parallel.ledger import RecordWork, WorkLedger
from kafkars.parallel.settings import (
    LONGEST_WAIT,
    ErrorHandler,
    ParallelSettings,
    ParallelStatus,
    check_function,
    check_not_awaited,
    check_ran,
    consumer_config,
    topics_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kafkars.config.consumer import ConsumerConfig
    from kafkars.types import OffsetAndMetadata, TopicPartition

logger = logging.getLogger("kafkars.parallel")


class ParallelConsumer:
    """Calls a function for every record of a group's topics, several at a time.

    ```python
    def handle(record):
        deliver(record.value)

    consumer = ParallelConsumer(handle, "orders", workers=16, bootstrap_servers="localhost:9092", group_id="billing")
    consumer.run()
    ```

    Records of one key are handled one after the other, in the order in which they are in their partition; others in any
    order and at the same time. A partition is committed up to the first record that is not finished, so that nothing is
    left out when a member ends or fails, and what was finished behind that record is delivered again. Fetching stops
    while too much is under way. The group is served all the time, however long the handler takes.

    When partitions go to another member, their records are finished first, for at most `drain_timeout`, and committed;
    what is not finished by then is left to the other member, whether the handler is still busy with it or not.

    Args:
        handle: Called with a `Record`, in one of the threads. What it returns is ignored.
        topics: The topic to read, or several.
        workers: The number of threads that call it.
        ordering: What is handled one after the other: records of a "key" (those without one in any order), of a
            "partition", or "unordered" nothing.
        max_in_flight: Most records that are fetched and not finished.
        max_in_flight_bytes: Most bytes of keys and values of those; a batch that was fetched before is still accepted.
        drain_timeout: Seconds that records under way are waited for when partitions are given up, and at the end.
        commit_interval: Seconds between commits.
        on_error: Called with the record and the exception when `handle` raises. Returning counts the record as
            finished. Without one, or when it raises too, the consumer stops.
        config: A `ConsumerConfig`, or a mapping of settings, which may use Kafka's dotted names.
        **settings: Fields of `ConsumerConfig`. `group_id` is needed.

    Raises:
        ConfigError: A setting is unknown, missing, contradictory or of the wrong type.
        TypeError: `handle` or `on_error` is a coroutine function.
    """

    @discreet
    def __init__(
        self,
        handle: Callable[[Any], object],
        topics: str | Iterable[str],
        *,
        workers: int = 8,
        ordering: Literal["key", "partition", "unordered"] = "key",
        max_in_flight: int = 1_000,
        max_in_flight_bytes: int = 67_108_864,
        drain_timeout: float = 30.0,
        commit_interval: float = 5.0,
        on_error: ErrorHandler | None = None,
        config: ConsumerConfig | Mapping[str, object] | None = None,
        **settings: Any,
    ) -> None:
        """See the class."""
        self._settings = ParallelSettings(
            workers=workers,
            ordering=ordering,
            max_in_flight=max_in_flight,
            max_in_flight_bytes=max_in_flight_bytes,
            drain_timeout=drain_timeout,
            commit_interval=commit_interval,
        )
        check_function(handle, "handle")
        check_not_awaited(handle, "handle")
        check_not_awaited(on_error, "on_error")
        self._config = consumer_config(config, settings, drain_timeout)
        self._handle = handle
        self._on_error = on_error
        self._topics = topics_of(topics)
        self._ledger = WorkLedger(self._settings)
        # Guards the ledger and the error, and is notified of every record that is finished.
        self._changed = threading.Condition()
        # Not guarded by it: signal handlers set this too, and must not take a lock.
        self._stopping = False
        self._error: BaseException | None = None
        self._running = False
        self._commit_at = 0.0

    def run(self) -> None:
        """Reads and handles records until `stop()`, then finishes those under way, commits and leaves the group.

        Raises:
            HandlerError: The handler raised, and nothing said to go on. The record is delivered again.
            KafkaError: Reading failed for good.
        """
        with self._changed:
            if self._running:
                raise ClientStateError("run() was called before; make another ParallelConsumer")
            self._running = True
        pool = ThreadPoolExecutor(self._settings.workers, thread_name_prefix="kafkars-parallel")
        try:
            with Consumer(self._config) as consumer:
                consumer.subscribe(
                    self._topics,
                    on_partitions_revoked=lambda partitions: self._give_back(consumer, partitions),
                    on_partitions_lost=self._lose,
                )
                self._work(consumer, pool)
        finally:
            # A handler that hangs must not block this call.
            pool.shutdown(wait=False, cancel_futures=True)
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Makes `run()` end. It may be called from any thread, from the handler and from a signal handler."""
        self._stopping = True

    def status(self) -> ParallelStatus:
        """Returns how many records are under way."""
        with self._changed:
            ledger = self._ledger
            return ParallelStatus(ledger.in_flight, ledger.bytes_in_flight, ledger.finished, ledger.oldest())

    def _work(self, consumer: Consumer[Any, Any], pool: ThreadPoolExecutor) -> None:
        self._commit_at = time.monotonic() + self._settings.commit_interval
        paused = False
        try:
            while not self._stopping:
                with self._changed:
                    room = self._ledger.room()
                    if not room or (paused and not self._ledger.is_half_empty):
                        self._changed.wait(LONGEST_WAIT)
                        room = 0
                if paused != (not room):
                    paused = not room
                    (consumer.pause if paused else consumer.resume)()
                # Without room, this poll only lets the group rebalance: everything is paused.
                batch = consumer.poll_batch(room or 1, 0 if paused else LONGEST_WAIT)
                with self._changed:
                    ready = [work for work in map(self._ledger.take, batch) if work is not None]
                for work in ready:
                    pool.submit(self._handle_one, work, pool)
                self._commit_when_due(consumer)
        finally:
            self._drain(consumer.assignment(), self._settings.drain_timeout)
            self._commit(consumer, None)

    def _handle_one(self, work: RecordWork, pool: ThreadPoolExecutor) -> None:
        """Handles one record in one of the threads. The next one of its key goes to the end of the queue, so that no
        key starves others.
        """
        with self._changed:
            # After a failure no further record is started.
            is_wanted = self._error is None and self._ledger.start(work)
        error = self._call(work.record) if is_wanted else None
        with self._changed:
            if error is not None:
                self._error = self._error or error
                self._stopping = True
            if error is not None or (not is_wanted and work.partition.is_open):
                following = self._ledger.give_up(work)
            else:
                following = self._ledger.finish(work)
            self._changed.notify_all()
        if following is not None:
            try:
                pool.submit(self._handle_one, following, pool)
            except RuntimeError:
                logger.debug("the consumer is being stopped: records that wait for a handler are left to others")

    def _call(self, record: Any) -> BaseException | None:
        """Calls the handler, and returns the error that is to stop the consumer, if any."""
        try:
            result = self._handle(record)
        except BaseException as error:  # noqa: BLE001  # in a thread, sys.exit() too ends nothing by itself
            if self._on_error is None or not isinstance(error, Exception):
                return HandlerError.of(record, error)
            try:
                check_ran(self._on_error(record, error), "on_error")
            except BaseException as worse:  # noqa: BLE001  # as above
                return HandlerError.of(record, worse)
            return None
        try:
            # on_error is not asked: this error is the same for every record.
            check_ran(result, "the handler")
        except TypeError as error:
            return HandlerError.of(record, error)
        return None

    def _give_back(self, consumer: Consumer[Any, Any], partitions: list[TopicPartition]) -> None:
        """Called when partitions are revoked: finishes their records and commits them while it still owns them."""
        self._drain(partitions, self._settings.drain_timeout)
        self._commit(consumer, partitions)
        self._lose(partitions)

    def _lose(self, partitions: list[TopicPartition]) -> None:
        with self._changed:
            left = self._ledger.close(partitions)
        if left:
            logger.warning("%d records of %d partitions are not finished and go to others", left, len(partitions))

    def _drain(self, partitions: Iterable[TopicPartition], seconds: float) -> None:
        partitions = list(partitions)
        with self._changed:
            self._changed.wait_for(lambda: self._ledger.is_drained(partitions), seconds)

    def _commit_when_due(self, consumer: Consumer[Any, Any]) -> None:
        if time.monotonic() < self._commit_at:
            return
        self._commit_at = time.monotonic() + self._settings.commit_interval
        with self._changed:
            offsets = self._ledger.committable()
        if offsets:
            consumer.commit_async(offsets, self._committed)

    def _commit(self, consumer: Consumer[Any, Any], partitions: list[TopicPartition] | None) -> None:
        with self._changed:
            offsets = self._ledger.committable(partitions)
        if not offsets:
            return
        try:
            consumer.commit(offsets)
        except KafkaError as error:
            self._committed(offsets, error)
        else:
            self._committed(offsets, None)

    def _committed(self, offsets: dict[TopicPartition, OffsetAndMetadata], error: KafkaError | None) -> None:
        if error is not None:
            logger.warning("positions of %d partitions were not committed: %s", len(offsets), error)
            return
        with self._changed:
            self._ledger.note_committed(offsets)
