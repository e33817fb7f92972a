"""`confluent_kafka.aio.AIOConsumer`: messages that are there are handed over on the event loop, without a thread."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from kafkars._discreet import discreet
from kafkars._kafkars import turn_is_due
from kafkars.compat._turns import let_others_run, turn
from kafkars.compat.confluent_kafka._arguments import function, seconds
from kafkars.compat.confluent_kafka.aio._callbacks import Tasks, heard, no_workers
from kafkars.compat.confluent_kafka.aio._gathering import Gathering, GatheringConsumer

if TYPE_CHECKING:
    from typing_extensions import Self

    from kafkars.compat.confluent_kafka.admin import ClusterMetadata
    from kafkars.compat.confluent_kafka.cimpl import Message, TopicPartition

T = TypeVar("T")

SLICE = 0.1
"""Longest wait in seconds between two checks for callbacks without a record."""

LOOK_AFTER = 0.5
"""Seconds between two checks, during a wait, whether the cluster can be reached and whether a partition has ended."""

MOST_MESSAGES = 1_000_000
CALLBACK: ContextVar[object | None] = ContextVar("CALLBACK", default=None)
"""Which callback of a rebalance a task belongs to."""
# oauth_cb is not among them: `_security.py` calls it and awaits its result.
CALLBACKS = ("error_cb", "stats_cb", "throttle_cb", "on_commit")


class AIOConsumer:
    """Reads messages on the event loop.

    `poll()` and `consume()` take what is in the buffer on the spot and otherwise wait on the loop. Threads are used
    where callbacks of a rebalance must be waited for, and by calls that ask the cluster.

    Args:
        consumer_conf: Properties of librdkafka by their dotted names, and callbacks, which may be coroutine functions.
            It is not changed.
        max_workers: The most threads of its own; as many are made as are needed.
        executor: Runs what needs a thread; its own threads otherwise.

    Raises:
        KafkaException: A property is unknown or cannot be used; the code is `_INVALID_ARG`.
        RuntimeError: No event loop is running.
        ValueError: There is no `group.id`, or `max_workers` is below 1.
    """

    @discreet
    def __init__(
        self, consumer_conf: Mapping[str, Any], max_workers: int = 100, executor: Executor | None = None
    ) -> None:
        no_workers(max_workers, "at least 1")
        if not isinstance(consumer_conf, Mapping):
            raise TypeError(f"expected a dict of properties, not {type(consumer_conf).__name__}")
        self._loop_ = asyncio.get_running_loop()
        self._tasks_ = Tasks()
        wrapped = {
            name: self._told_(callback)
            for name, callback in consumer_conf.items()
            if name in CALLBACKS and callable(callback)
        }
        self._consumer = GatheringConsumer({**consumer_conf, **wrapped})
        self._finds_ends_ = self._consumer._face_.enable_partition_eof
        self.executor = executor or ThreadPoolExecutor(max_workers, thread_name_prefix="kafkars-aio")
        self._is_own_executor_ = executor is None
        # The thread of a cancelled call.
        self._looking_: Future[Message | None] | None = None
        # Stands for the callback of a rebalance that runs, for which a thread waits.
        self._rebalancing_: object | None = None
        # The thread of `close()`.
        self._closing_: Future[None] | None = None

    # --- messages

    async def poll(self, timeout: float = -1) -> Message | None:
        """The next message, or None when there was none for `timeout` seconds; -1 waits as long as it takes.

        Raises:
            KafkaException: The consumer met a fatal error.
            RuntimeError: The consumer is closed.
            Exception: What a callback of the configuration has raised.
        """
        limit = seconds(timeout)
        if turn_is_due():
            await turn()
        await self._settle_()
        self._tasks_.check()
        message = self._consumer._take_one_()
        if message is not None:
            return message
        until = deadline(limit)
        while True:
            with self._consumer._gathering_() as gathering:
                if not await self._gather_(gathering, 1, until):
                    return None
                for given in gathering.give():
                    return given

    async def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Message]:
        """Up to `num_messages` messages: waits until there are as many, or for `timeout` seconds.

        Raises:
            KafkaException: The consumer met a fatal error.
            RuntimeError: The consumer is closed.
            ValueError: The number is not between 0 and a million.
            Exception: What a callback of the configuration has raised.
        """
        until = deadline(seconds(timeout))
        check_number(num_messages)
        with self._consumer._gathering_() as gathering:
            if turn_is_due():
                await turn()
            return gathering.give() if await self._gather_(gathering, num_messages, until) else []

    async def _gather_(self, gathering: Gathering, most: int, until: float | None) -> bool:
        """Takes messages until there are as many, or until a time; False if there are none.

        As in the library a call finds nothing more when the consumer is closed meanwhile. What it has taken is not
        committed then, and is read again.
        """
        await self._settle_()
        self._tasks_.check()
        self._consumer._check_()
        try:
            await self._take_most_(gathering, most, until)
        except RuntimeError:
            if not self._consumer._engine_._has_ended():
                raise
            gathering.drop(None)
        return len(gathering) > 0

    async def _take_most_(self, gathering: Gathering, most: int, until: float | None) -> None:
        look = self._first_look_()
        # A rebalance ends the collection, as in `Consumer.consume()`.
        while len(gathering) < most and not (gathering and self._consumer._has_change_()):
            if gathering.take(most):
                continue
            look, served = await self._look_(look)
            if served is not None:
                gathering.add([served])
                continue
            left = SLICE if until is None else until - time.monotonic()
            if left <= 0:
                break
            await self._consumer._ready_(min(left, SLICE))
            if not gathering:
                self._tasks_.check()

    async def _settle_(self) -> None:
        """Waits for the thread of a cancelled call. What it has found to report is kept for the next call; its
        exception belonged to the cancelled one.
        """
        if self._looking_ is None or self._is_in_callback_():
            return
        looking = self._looking_
        await asyncio.wait([heard(looking)])
        if looking is not self._looking_:
            # Another call has waited as well.
            return
        self._looking_ = None
        if not looking.cancelled() and looking.exception() is None:
            message = looking.result()
            if message is not None:
                self._consumer._untold_.append(message)

    def _first_look_(self) -> float:
        """Returns when to look first: at once if the end of a partition is a message."""
        return time.monotonic() + (0 if self._finds_ends_ else LOOK_AFTER)

    async def _look_(self, look: float) -> tuple[float, Message | None]:
        """Runs callbacks that wait, on a thread, so that they may wait for the loop; and now and then looks after the
        cluster.

        Returns:
            When to look next, and a message that stands for an error or the end of a partition.
        """
        now = time.monotonic()
        if not self._consumer._has_work_() and now < look:
            return look, None
        looking = self.executor.submit(self._consumer._serve_)
        try:
            return now + LOOK_AFTER, await asyncio.shield(heard(looking))
        except asyncio.CancelledError:
            self._looking_ = looking
            raise

    # --- what is read

    async def subscribe(self, topics: list[str], **kwargs: Any) -> None:
        """Reads topics as a member of the group; `on_assign`, `on_revoke` and `on_lost` may be coroutine functions.

        They are called with this consumer and the partitions, and are waited for.
        """
        loop = asyncio.get_running_loop()
        callbacks = {
            name: self._waited_(function(name, callback), loop)
            for name, callback in kwargs.items()
            # Wrappers pass their own defaults on.
            if callback is not None
        }
        self._consumer.subscribe(topics, **callbacks)
        await let_others_run()

    async def unsubscribe(self) -> None:
        """Gives up the subscription; a later poll calls `on_revoke`."""
        self._consumer.unsubscribe()
        await let_others_run()

    async def assign(self, partitions: list[TopicPartition]) -> None:
        """See `Consumer.assign()`."""
        self._consumer.assign(partitions)
        await let_others_run()

    async def unassign(self) -> None:
        """See `Consumer.unassign()`."""
        self._consumer.unassign()
        await let_others_run()

    async def incremental_assign(self, partitions: list[TopicPartition]) -> None:
        """See `Consumer.incremental_assign()`."""
        self._consumer.incremental_assign(partitions)
        await let_others_run()

    async def incremental_unassign(self, partitions: list[TopicPartition]) -> None:
        """See `Consumer.incremental_unassign()`."""
        self._consumer.incremental_unassign(partitions)
        await let_others_run()

    async def assignment(self) -> list[TopicPartition]:
        """See `Consumer.assignment()`."""
        found = self._consumer.assignment()
        await let_others_run()
        return found

    async def position(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """See `Consumer.position()`."""
        found = self._consumer.position(partitions)
        await let_others_run()
        return found

    async def seek(self, partition: TopicPartition) -> None:
        """See `Consumer.seek()`."""
        self._consumer.seek(partition)
        await let_others_run()

    async def pause(self, partitions: list[TopicPartition]) -> None:
        """See `Consumer.pause()`."""
        self._consumer.pause(partitions)
        await let_others_run()

    async def resume(self, partitions: list[TopicPartition]) -> None:
        """See `Consumer.resume()`."""
        self._consumer.resume(partitions)
        await let_others_run()

    async def store_offsets(self, *args: Any, **kwargs: Any) -> None:
        """See `Consumer.store_offsets()`."""
        self._consumer.store_offsets(*args, **kwargs)
        await let_others_run()

    async def consumer_group_metadata(self) -> Any:
        """See `Consumer.consumer_group_metadata()`."""
        found = self._consumer.consumer_group_metadata()
        await let_others_run()
        return found

    async def set_sasl_credentials(self, username: str, password: str) -> None:
        """See `Consumer.set_sasl_credentials()`."""
        self._consumer.set_sasl_credentials(username, password)
        await let_others_run()

    # --- calls that ask the cluster

    async def commit(self, *args: Any, **kwargs: Any) -> list[TopicPartition] | None:
        """See `Consumer.commit()`."""
        return await self._call_(self._consumer.commit, *args, **kwargs)

    async def committed(self, *args: Any, **kwargs: Any) -> list[TopicPartition]:
        """See `Consumer.committed()`."""
        return await self._call_(self._consumer.committed, *args, **kwargs)

    async def list_topics(self, *args: Any, **kwargs: Any) -> ClusterMetadata:
        """See `Consumer.list_topics()`."""
        found: ClusterMetadata = await self._call_(self._consumer.list_topics, *args, **kwargs)
        return found

    async def cluster_id(self, *args: Any, **kwargs: Any) -> str | None:
        """See `Consumer.cluster_id()`."""
        return await self._call_(self._consumer.cluster_id, *args, **kwargs)

    async def get_watermark_offsets(self, *args: Any, **kwargs: Any) -> tuple[int, int] | None:
        """See `Consumer.get_watermark_offsets()`."""
        return await self._call_(self._consumer.get_watermark_offsets, *args, **kwargs)

    async def offsets_for_times(self, *args: Any, **kwargs: Any) -> list[TopicPartition]:
        """See `Consumer.offsets_for_times()`."""
        return await self._call_(self._consumer.offsets_for_times, *args, **kwargs)

    # --- life

    async def close(self) -> None:
        """Leaves the group, where `on_revoke` runs, and ends the consumer. May be called again.

        As in the library, cancelling it once takes effect when the consumer is closed; cancelling it again gives up the
        wait, and the consumer is closed all the same. In a callback of a rebalance it does not wait: the consumer is
        closed when the callback has ended.
        """
        thread = self._closing_
        if thread is None:
            self._closing_ = thread = self.executor.submit(self._consumer.close)
            thread.add_done_callback(self._closed_)
        elif thread.done():
            return
        if self._is_in_callback_():
            return
        closing = heard(thread)
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await asyncio.wait([closing])
            raise

    def _closed_(self, _: Future[None]) -> None:
        if self._is_own_executor_:
            self.executor.shutdown(wait=False)
            self.executor = Closed()

    async def __aenter__(self) -> Self:
        """See `close()`."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """See `close()`."""
        await self.close()

    # --- threads and callbacks

    def _is_in_callback_(self) -> bool:
        """True in a callback of a rebalance, and in tasks that it has begun, until it has ended: a thread waits for it,
        so that it must not wait for the thread.
        """
        return self._rebalancing_ is not None and CALLBACK.get() is self._rebalancing_

    async def _call_(self, work: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.executor, partial(work, *args, **kwargs))

    def _told_(self, callback: Callable[..., Any]) -> Callable[..., None]:
        """Wraps a callback so that it runs on the loop, from whichever thread it is called; nobody waits for it."""

        def from_anywhere(*arguments: Any) -> None:
            self._loop_.call_soon_threadsafe(self._tasks_.heed, callback, *arguments)

        return from_anywhere

    def _waited_(self, callback: Callable[..., Any], loop: asyncio.AbstractEventLoop) -> Callable[[Any, Any], None]:
        """Wraps a callback of a rebalance: it runs on the loop that has subscribed, with this consumer, and the polling
        thread waits for it.
        """

        async def on_loop(partitions: list[TopicPartition]) -> None:
            self._rebalancing_ = object()
            CALLBACK.set(self._rebalancing_)
            try:
                answer = callback(self, partitions)
                if asyncio.iscoroutine(answer) or asyncio.isfuture(answer):
                    await answer
            finally:
                self._rebalancing_ = None

        def from_thread(_consumer: Any, partitions: list[TopicPartition]) -> None:
            running = asyncio.run_coroutine_threadsafe(on_loop(partitions), loop)
            # A loop that is closed meanwhile runs nothing any more.
            while not wait([running], LOOK_AFTER).done and not loop.is_closed():
                pass
            if running.done():
                running.result()

        return from_thread


class Closed(Executor):
    """The executor after `close()`: calls fail at once and need no thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Runs it here."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as problem:  # noqa: BLE001  it belongs to the future
            future.set_exception(problem)
        return future


def check_number(num_messages: int) -> None:
    """Checks the number of messages of one call."""
    if not 0 <= num_messages <= MOST_MESSAGES:
        raise ValueError(f"num_messages must be between 0 and {MOST_MESSAGES} (1M)")


def deadline(limit: float | None) -> float | None:
    """Returns the deadline of a wait; None if it has no limit."""
    return None if limit is None else time.monotonic() + limit
