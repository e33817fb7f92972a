"""The consumer that handles records in several asyncio tasks."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Literal

from kafkars._discreet import discreet
from kafkars.aio.consumer import Consumer
from kafkars.errors import ClientStateError, HandlerError, KafkaError
from kafkars.parallel.ledger import RecordWork, WorkLedger
from kafkars.parallel.settings import (
    LONGEST_WAIT,
    ErrorHandler,
    ParallelSettings,
    ParallelStatus,
    check_function,
    consumer_config,
    topics_of,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from kafkars.config.consumer import ConsumerConfig
    from kafkars.types import OffsetAndMetadata, TopicPartition

logger = logging.getLogger("kafkars.parallel")


class ParallelConsumer:
    """Awaits a coroutine function for every record of a group's topics, several at a time.

    ```python
    async def handle(record):
        await deliver(record.value)

    consumer = ParallelConsumer(handle, "orders", workers=100, bootstrap_servers="localhost:9092", group_id="billing")
    await consumer.run()
    ```

    It works as `kafkars.parallel.ParallelConsumer`, with tasks of one event loop instead of threads. Handlers that have
    not finished `drain_timeout` after their partition was revoked are cancelled.

    Args:
        handle: Awaited with a `Record`. What it returns is ignored.
        topics: The topic to read, or several.
        workers: The most records that are handled at the same time.
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
    """

    @discreet
    def __init__(
        self,
        handle: Callable[[Any], Awaitable[object]],
        topics: str | Iterable[str],
        *,
        workers: int = 100,
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
        self._config = consumer_config(config, settings, drain_timeout)
        self._handle = handle
        self._on_error = on_error
        self._topics = topics_of(topics)
        self._ledger = WorkLedger(self._settings)
        # Records that may start and wait for a worker, and the tasks of those that were started.
        self._ready: deque[RecordWork] = deque()
        self._tasks: dict[asyncio.Task[None], RecordWork] = {}
        self._changed = asyncio.Event()
        self._stopping = False
        self._error: BaseException | None = None
        self._running = False
        self._commit_at = 0.0

    async def run(self) -> None:
        """Reads and handles records until `stop()`, then finishes those under way, commits and leaves the group.

        Cancelled, it cancels the handlers, commits what they have finished, and leaves the group.

        Raises:
            HandlerError: The handler raised, and nothing said to go on. The record is delivered again.
            KafkaError: Reading failed for good.
        """
        if self._running:
            raise ClientStateError("run() was called before; make another ParallelConsumer")
        self._running = True
        async with Consumer(self._config) as consumer:

            async def give_back(partitions: list[TopicPartition]) -> None:
                await self._give_back(consumer, partitions)

            consumer.subscribe(self._topics, on_partitions_revoked=give_back, on_partitions_lost=self._lose)
            try:
                await self._work(consumer)
                await self._drain(consumer.assignment(), self._settings.drain_timeout)
            finally:
                await self._cancel(list(self._tasks))
                await self._commit(consumer, None)
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Makes `run()` end. To be called in its event loop: from elsewhere use `loop.call_soon_threadsafe`."""
        self._stopping = True
        self._changed.set()

    def status(self) -> ParallelStatus:
        """Returns how many records are under way."""
        ledger = self._ledger
        return ParallelStatus(ledger.in_flight, ledger.bytes_in_flight, ledger.finished, ledger.oldest())

    async def _work(self, consumer: Consumer[Any, Any]) -> None:
        self._commit_at = time.monotonic() + self._settings.commit_interval
        paused = False
        while not self._stopping:
            room = self._ledger.room()
            if not room or (paused and not self._ledger.is_half_empty):
                await self._wait(LONGEST_WAIT)
                room = 0
            if paused != (not room):
                paused = not room
                (consumer.pause if paused else consumer.resume)()
            # Without room, this poll only lets the group rebalance: everything is paused.
            batch = await consumer.poll_batch(room or 1, 0 if paused else LONGEST_WAIT)
            self._ready.extend(work for work in map(self._ledger.take, batch) if work is not None)
            self._start()
            # A poll whose records are ready does not suspend: the handlers get their turn here.
            await asyncio.sleep(0)
            self._commit_when_due(consumer)

    def _start(self) -> None:
        while self._ready and len(self._tasks) < self._settings.workers:
            work = self._ready.popleft()
            # After a failure no further record is started.
            if self._error is not None:
                self._go_on(self._ledger.give_up(work))
            elif self._ledger.start(work):
                task = asyncio.ensure_future(self._handle_one(work))
                self._tasks[task] = work
                task.add_done_callback(self._ended)
            else:
                self._go_on(self._ledger.finish(work))

    def _go_on(self, following: RecordWork | None) -> None:
        if following is not None:
            self._ready.append(following)

    async def _handle_one(self, work: RecordWork) -> None:
        """Handles one record, as a task of its own; raises the error that is to stop the consumer."""
        try:
            awaitable: Any = self._handle(work.record)
            is_awaitable = hasattr(awaitable, "__await__")
            if is_awaitable:
                await awaitable
        except Exception as error:  # whatever the application raises
            if self._on_error is None:
                raise HandlerError.of(work.record, error) from error
            try:
                dealt_with: Any = self._on_error(work.record, error)
                if hasattr(dealt_with, "__await__"):
                    await dealt_with
            except Exception as worse:  # as above
                raise HandlerError.of(work.record, worse) from worse
            return
        if not is_awaitable:
            # on_error is not asked: this error is the same for every record.
            problem = TypeError(
                f"the handler returned {type(awaitable).__name__}, which cannot be awaited; write `async def`, or use "
                "kafkars.ParallelConsumer for functions"
            )
            raise HandlerError.of(work.record, problem) from problem

    def _ended(self, task: asyncio.Task[None]) -> None:
        work = self._tasks.pop(task)
        if task.cancelled():
            self._go_on(self._ledger.give_up(work))
        elif (error := task.exception()) is not None:
            self._error = self._error or error
            self._go_on(self._ledger.give_up(work))
            self._stopping = True
        else:
            self._go_on(self._ledger.finish(work))
        self._start()
        self._changed.set()

    async def _give_back(self, consumer: Consumer[Any, Any], partitions: list[TopicPartition]) -> None:
        """Called when partitions are revoked: finishes their records and commits them while it still owns them."""
        await self._drain(partitions, self._settings.drain_timeout)
        await self._commit(consumer, partitions)
        await self._lose(partitions)

    async def _lose(self, partitions: list[TopicPartition]) -> None:
        left = self._ledger.close(partitions)
        if left:
            logger.warning("%d records of %d partitions are not finished and go to others", left, len(partitions))
        await self._cancel([task for task, work in self._tasks.items() if not work.partition.is_open])

    async def _cancel(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        if tasks:
            # A handler may ignore its cancellation, so the wait is limited.
            await asyncio.wait(tasks, timeout=self._settings.drain_timeout)

    async def _drain(self, partitions: Iterable[TopicPartition], seconds: float) -> None:
        partitions = list(partitions)
        deadline = time.monotonic() + seconds
        while not self._ledger.is_drained(partitions):
            left = deadline - time.monotonic()
            if left <= 0:
                return
            await self._wait(left)

    async def _wait(self, seconds: float) -> None:
        """Waits until a record is finished or the consumer is to stop."""
        self._changed.clear()
        try:
            await asyncio.wait_for(self._changed.wait(), seconds)
        except asyncio.TimeoutError:
            return

    def _commit_when_due(self, consumer: Consumer[Any, Any]) -> None:
        if time.monotonic() < self._commit_at:
            return
        self._commit_at = time.monotonic() + self._settings.commit_interval
        offsets = self._ledger.committable()
        if offsets:
            consumer.commit_async(offsets, self._committed)

    async def _commit(self, consumer: Consumer[Any, Any], partitions: list[TopicPartition] | None) -> None:
        offsets = self._ledger.committable(partitions)
        if not offsets:
            return
        try:
            await consumer.commit(offsets)
        except KafkaError as error:
            self._committed(offsets, error)
        else:
            self._committed(offsets, None)

    def _committed(self, offsets: dict[TopicPartition, OffsetAndMetadata], error: KafkaError | None) -> None:
        if error is not None:
            logger.warning("positions of %d partitions were not committed: %s", len(offsets), error)
            return
        self._ledger.note_committed(offsets)
