"""`confluent_kafka.aio.AIOProducer`, on kafkars' awaitables: it uses no threads."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from kafkars import aio, errors
from kafkars._discreet import discreet
from kafkars._kafkars import turn_is_due
from kafkars.compat._quiet import quiet
from kafkars.compat._turns import let_others_run, turn
from kafkars.compat.confluent_kafka import _cluster
from kafkars.compat.confluent_kafka._arguments import credentials, seconds
from kafkars.compat.confluent_kafka._config import producer_settings
from kafkars.compat.confluent_kafka._events import events_of
from kafkars.compat.confluent_kafka._group_metadata import unpacked
from kafkars.compat.confluent_kafka._partition import TopicPartition
from kafkars.compat.confluent_kafka._transaction_calls import (
    ABORT_SECONDS,
    TransactionCalls,
    offsets_to_send,
    warn_of_open_transaction,
)
from kafkars.compat.confluent_kafka._translate import refusal, translated
from kafkars.compat.confluent_kafka._trouble import Trouble
from kafkars.compat.confluent_kafka.aio._callbacks import BrokerWatch, LoopFlag, Tasks, heard, no_workers, pass_on
from kafkars.compat.confluent_kafka.aio._deliveries import Deliveries, Delivery, Report
from kafkars.compat.confluent_kafka.error import KafkaException
from kafkars.config.checks import Derived

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from typing_extensions import Self

    from kafkars.compat.confluent_kafka.admin import ClusterMetadata


class AIOProducer:
    """Sends messages on the event loop: on any, one after another or several at once. Callbacks of the configuration
    run on the one in which it was made.

    Messages are collected into batches by the engine, which sends them after `linger.ms`: the batch size, the buffer
    time and the threads of the library's class are accepted, and have no use but in `purge()`. Headers and timestamps,
    which that class refuses, are sent.

    Args:
        producer_conf: Properties of librdkafka by their dotted names, and callbacks, which may be coroutine functions.
            It is not changed.
        max_workers: Accepted.
        executor: Has no work here, but is the attribute `executor`; `close()` shuts it down, as that of the library's
            class does.
        batch_size: See `purge()`.
        buffer_timeout: See `purge()`.

    Raises:
        KafkaException: A property is unknown or cannot be used; the code is `_INVALID_ARG`.
        RuntimeError: No event loop is running.
        ValueError: `max_workers` is below 1.
    """

    @discreet
    def __init__(
        self,
        producer_conf: Mapping[str, Any],
        max_workers: int | None = 4,
        executor: Executor | None = None,
        batch_size: int = 1000,
        buffer_timeout: float = 1.0,
    ) -> None:
        if not isinstance(buffer_timeout, int | float):
            raise TypeError(f"buffer_timeout: expected seconds, not {type(buffer_timeout).__name__}")
        if max_workers is not None:
            no_workers(max_workers, "greater than 0")
        self._max_workers_ = max_workers
        self._executor_ = executor
        self._batch_size_ = batch_size
        self._buffer_timeout_ = buffer_timeout if buffer_timeout > 0 else math.inf
        loop = asyncio.get_running_loop()
        self._settings_ = settings = producer_settings((producer_conf,), {})
        with translated("Failed to create producer"), Derived():
            self._producer: aio.Producer[Any, Any] = quiet(aio.Producer(settings.engine))
        self._report_ = settings.face.on_delivery
        self._tasks_ = Tasks()
        most = settings.face.queue_max_messages or sys.maxsize
        self._deliveries_ = Deliveries(most, self._tasks_, only_errors=settings.face.delivery_report_only_error)
        self._turns_ = Tasks()
        self._pending_ = LoopFlag(loop, self._serve_)
        face = self._tasks_.face(settings.face)
        self._events_ = events_of(face, settings.values, self._producer, self._pending_)
        self._watch_: BrokerWatch | None = None
        trouble = Trouble(face, self._producer._brokers, settings.credentials.refused)
        if trouble.is_wanted:
            self._watch_ = BrokerWatch(loop, lambda flag: trouble.watch(self._producer, flag), trouble.look)
        # The end of `close()`, for which any loop may wait.
        self._closing_: Future[None] | None = None
        self._calls_ = TransactionCalls()

    async def produce(
        self, topic: str, value: Any = None, key: Any = None, *args: Any, **kwargs: Any
    ) -> asyncio.Future[Any]:
        """Queues a message; waits only where `queue.buffering.max.messages` messages have no report yet.

        Args:
            topic: Where it goes.
            value: Its value: bytes, text, or None.
            key: Its key, likewise.
            args: `partition`, `on_delivery`, `timestamp` and `headers`, as of `Producer.produce()`.
            kwargs: The same by name; `callback` is another name of `on_delivery`, which may be a coroutine function.

        Returns:
            The future of the delivery: its result is the `Message`, its exception a `KafkaException`.

        Raises:
            RuntimeError: The producer is closed.
        """
        self._check_()
        if turn_is_due():
            await turn()
            self._check_()
        if self._deliveries_.is_full():
            await self._deliveries_.room()
        # Most messages have only these, and to make a dict costs as much as the rest of this call.
        return (
            self._send_(topic, value, key, **options(args, kwargs))
            if args or kwargs
            else self._send_(topic, value, key)
        )

    def _send_(
        self,
        topic: str,
        value: Any,
        key: Any,
        partition: int = -1,
        on_delivery: Report | None = None,
        timestamp: int = 0,
        headers: Any = None,
    ) -> asyncio.Future[Any]:
        key = key.encode() if isinstance(key, str) else key
        value = value.encode() if isinstance(value, str) else value
        given = (topic, partition, key, value, headers)
        delivery = Delivery(self._deliveries_, on_delivery or self._report_, given)
        try:
            sent = self._producer.send(
                topic,
                value,
                key,
                partition=None if partition == -1 else partition,
                timestamp=timestamp or None,
                headers=list(headers.items()) if isinstance(headers, Mapping) else headers,
            )
        except (errors.KafkaError, TypeError, ValueError) as problem:
            # The library finds this out later, so programs expect it in the future, not as an exception of the call.
            delivery.fail(problem)
        else:
            delivery.begin(sent)
        return delivery.future

    async def flush(self, timeout: float = -1, *args: Any, **kwargs: Any) -> int:
        """Waits until every message has its report, or for a time in seconds; returns how many have none.

        Raises:
            Exception: What a callback of the configuration has raised.
        """
        only_a_time(args, kwargs)
        limit = seconds(timeout)
        self._check_()
        before = self._deliveries_.flushed()
        left = await self._producer.flush(limit)
        if left:
            await asyncio.sleep(0)
        else:
            # Their reports are there, and the loop is yet to pass some of them on to the futures.
            await self._deliveries_.told(before)
        self._tasks_.check()
        return int(left)

    async def poll(self, timeout: float = 0, *args: Any, **kwargs: Any) -> int:
        """Gives the loop time to complete futures and run callbacks, which it does by itself as well.

        Returns:
            0: nothing waits to be served by this call.

        Raises:
            Exception: What a callback of the configuration has raised.
        """
        only_a_time(args, kwargs)
        limit = seconds(timeout)
        self._check_()
        self._tasks_.check()
        self._deliveries_.look()
        if limit is not None:
            await asyncio.sleep(limit)
        else:
            await self._deliveries_.next_told()
        self._tasks_.check()
        return 0

    async def purge(self, in_queue: bool = True, in_flight: bool = True, blocking: bool = True) -> None:
        """Gives up messages that have no report; their futures have a `KafkaException` with `_PURGE_QUEUE` or
        `_PURGE_INFLIGHT`, or are cancelled.

        Args:
            in_queue: Those that wait to be sent. The futures of the newest are cancelled, as those that the library's
                class still keeps back: less than `batch_size`, with no pause of `buffer_timeout` after them, and
                without a `flush()`.
            in_flight: Those that were sent and have no answer; brokers may store them.
            blocking: Accepted, no effect: it never takes long.
        """
        del blocking
        self._check_()
        if in_queue:
            self._deliveries_.give_up_newest(self._batch_size_, self._buffer_timeout_)
        self._producer.purge(in_queue=bool(in_queue), in_flight=bool(in_flight))
        await let_others_run()

    async def list_topics(self, topic: str | None = None, timeout: float = -1) -> ClusterMetadata:
        """The cluster with its topics, or with one.

        Raises:
            KafkaException: The cluster did not answer in time.
        """
        limit = seconds(timeout)
        self._check_()
        return await asyncio.to_thread(_cluster.list_topics, self._settings_.engine, topic, limit)

    async def cluster_id(self, timeout: float = -1) -> str | None:
        """The cluster's id.

        Raises:
            KafkaException: The cluster did not answer in time.
        """
        limit = seconds(timeout)
        self._check_()
        return await asyncio.to_thread(_cluster.cluster_id, self._settings_.engine, limit)

    async def init_transactions(self, timeout: float = -1) -> None:
        """Gets the producer ready for transactions; once, before the first.

        Raises:
            KafkaException: It was fenced, or the cluster did not answer in time.
        """
        limit = seconds(timeout)
        self._check_transactional_()
        turn = self._calls_.take_init(self._producer._transaction_failure())
        await self._in_turn_(turn, lambda: self._producer.init_transactions(limit))

    async def begin_transaction(self) -> None:
        """Opens a transaction; messages that are produced from now on belong to it.

        Raises:
            KafkaException: One is open, or none may be.
        """
        self._check_transactional_()
        turn = self._calls_.take("begin_transaction", self._producer._transaction_failure())
        await self._in_turn_(turn, self._producer.begin_transaction)

    async def send_offsets_to_transaction(
        self, positions: list[TopicPartition], group_metadata: object, timeout: float = -1
    ) -> None:
        """Commits a group's offsets with the transaction.

        Args:
            positions: Partitions with the offsets to go on from.
            group_metadata: What `consumer_group_metadata()` has given.
            timeout: Seconds; -1 for no limit.

        Raises:
            KafkaException: The transaction must be aborted, or the cluster did not answer in time.
        """
        limit = seconds(timeout)
        self._check_()
        group = unpacked(group_metadata)
        offsets = offsets_to_send(positions)
        self._check_transactional_()
        if not offsets:
            # A consumer that has read nothing yet has no offsets.
            return
        turn = self._calls_.take("send_offsets_to_transaction", self._producer._transaction_failure())
        await self._in_turn_(turn, lambda: self._producer.send_offsets_to_transaction(offsets, group, limit))

    async def commit_transaction(self, timeout: float = -1) -> None:
        """Commits the transaction once its messages are stored.

        Raises:
            KafkaException: It must be aborted, or the cluster did not answer in time.
        """
        limit = seconds(timeout)
        self._check_transactional_()
        turn = self._calls_.take("commit_transaction")
        await self._in_turn_(turn, lambda: self._producer.commit_transaction(limit))

    async def abort_transaction(self, timeout: float = -1) -> None:
        """Aborts the transaction: readers of committed messages see none of it.

        Raises:
            KafkaException: The producer was fenced, or the cluster did not answer in time.
        """
        limit = seconds(timeout)
        self._check_transactional_()
        turn = self._calls_.take("abort_transaction")
        await self._in_turn_(turn, lambda: self._producer.abort_transaction(limit))

    async def _in_turn_(self, turn: AbstractContextManager[None], call: Callable[[], Awaitable[None]]) -> None:
        """Makes a call of the transactional API. Cancelling gives up the wait only, as in the library, where a thread
        makes the call: it is under way until it has ended.
        """

        async def make() -> None:
            with turn:
                await call()

        made = self._turns_.start(make())
        # Marks the exception as retrieved, should nobody wait any more.
        made.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(made)

    async def set_sasl_credentials(self, username: str, password: str) -> None:
        """See `Producer.set_sasl_credentials()`."""
        credentials(username, password)
        self._check_()
        self._settings_.credentials.change(username, password)

    @property
    def executor(self) -> Executor:
        """The executor that was given, or one that is made when the program asks for it: the producer has no work for
        it.
        """
        if self._executor_ is None:
            self._executor_ = ThreadPoolExecutor(self._max_workers_)
        return self._executor_

    async def close(self) -> None:
        """Sends what is queued, then ends the producer. May be called again.

        Cancelling gives up the wait only, as in the library: what is queued is sent all the same.
        """
        if self._closing_ is None:
            self._closing_ = Future()
            # It cannot be cancelled.
            self._closing_.set_running_or_notify_cancel()
            self._tasks_.start(self._end_()).add_done_callback(partial(pass_on, self._closing_))
        await asyncio.shield(heard(self._closing_))

    async def _end_(self) -> None:
        self._events_.close()
        self._pending_.close()
        if self._watch_ is not None:
            self._watch_.close()
        try:
            await self._end_transaction_()
        finally:
            await self._flush_at_end_()
            await self._producer.close()
        await self._deliveries_.told(list(self._deliveries_.open))
        if self._executor_ is not None:
            await asyncio.to_thread(self._executor_.shutdown)

    async def _flush_at_end_(self) -> None:
        """Waits until every message has its report, also where the end of `asyncio.run()` cancels this task: it waits
        for the task.
        """
        while True:
            try:
                await self._producer.flush(None)
            except asyncio.CancelledError:
                continue
            except errors.KafkaError:
                # Whoever closes does not go on; the futures of the messages have the error.
                return
            return

    async def _end_transaction_(self) -> None:
        # A call that was cancelled is under way all the same, and is to end as it would.
        await self._turns_.ended(ABORT_SECONDS)
        if not self._producer.in_transaction:
            return
        # An open one would hold up its readers until `transaction.timeout.ms`.
        try:
            with translated(transactional=True):
                await self._producer.abort_transaction(ABORT_SECONDS)
        except KafkaException as problem:
            warn_of_open_transaction(problem)

    async def __aenter__(self) -> Self:
        """See `close()`."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """See `close()`."""
        await self.close()

    def __del__(self) -> None:
        """Drops messages that were not sent; `close()` would send them."""
        pending = getattr(self, "_pending_", None)
        if pending is not None:
            pending.close()

    def __len__(self) -> int:
        return 0 if self._closing_ is not None else len(self._deliveries_.open)

    def _serve_(self) -> None:
        self._events_.serve()

    def _check_(self) -> None:
        if self._closing_ is not None:
            raise RuntimeError("Producer has been closed")

    def _check_transactional_(self) -> None:
        self._check_()
        if not self._settings_.engine["transactional_id"]:
            raise refusal("_NOT_CONFIGURED", "transactions need the property transactional.id")


def options(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """What follows the key in `Producer.produce()`."""
    names = ("partition", "callback", "on_delivery", "timestamp", "headers")
    if len(args) > len(names):
        raise TypeError(f"produce() takes at most {len(names) + 3} positional arguments")
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    for name in given:
        if name not in names:
            raise TypeError(f"produce() has no argument {name!r}; there are {', '.join(names)}")
    callback = given.pop("callback", None)
    return {**given, "on_delivery": given.get("on_delivery") or callback}


def only_a_time(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Refuses what follows the time limit: the library's class passes it on to a call that has no other argument."""
    if args or kwargs:
        raise TypeError(f"expected a time limit and nothing else, not {', '.join([*map(repr, args), *kwargs])}")
