"""Messages of `AIOProducer` that have no report yet: their futures, and the room that they take."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

from kafkars import errors
from kafkars._kafkars import Message
from kafkars.compat.confluent_kafka._translate import of_delivery
from kafkars.compat.confluent_kafka.aio._callbacks import Tasks
from kafkars.compat.confluent_kafka.error import KafkaException

Report = Callable[[Any, Any], Any]

LOOK_SECONDS = 0.05
"""Seconds after which a call that waits for messages looks at them: see `Deliveries.look()`."""

LOOKED_AT = 100
"""The oldest, which those that nobody would tell of are soon: a look takes no longer where there are many."""


class Delivery:
    """One message, from its call on.

    Args:
        deliveries: All of its producer.
        report: What hears of it, once.
        given: Its topic, partition, key, value and headers.
    """

    __slots__ = ("_deliveries", "_given", "_report", "future", "sent", "since")

    def __init__(self, deliveries: Deliveries, report: Report | None, given: tuple[Any, ...]) -> None:
        self._deliveries = deliveries
        self._report = report
        self._given = given
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.since = time.monotonic()
        self.sent: Any = None

    def begin(self, sent: Any) -> None:
        """Notes what the engine has given for it."""
        self.sent = sent
        sent.add_done_callback(self)
        # Not before: nobody would complete it where a line above raises, and `flush()` waits for those that are open.
        # The loop makes the callback after this call at the soonest.
        self._deliveries.open[self.future] = self

    def __call__(self, sent: Any) -> None:
        """Tells what became of it. May be called again where that was cut short."""
        try:
            told = self._settle(sent)
        except BaseException:
            # A signal's handler has raised, and nobody else would tell of it.
            self.future.get_loop().call_soon(self, sent)
            raise
        if told is not None:
            self._deliveries.tasks.run(*told)

    def _settle(self, sent: Any) -> tuple[Report, Any, Message] | None:
        """Completes the future; returns the report that is to be made."""
        told: tuple[Any, Message] | None = None
        if sent.cancelled():
            self.future.cancel()
        elif (problem := sent.exception()) is not None:
            self.fail(problem)
            told = self._failed(problem)
        else:
            told = self._stored(sent.result())
        self._deliveries.end(self.future)
        report, self._report = self._report, None
        return None if report is None or told is None else (report, *told)

    def fail(self, problem: BaseException) -> None:
        """Completes the future of a message that was not stored."""
        if self.future.done():
            return
        if isinstance(problem, errors.KafkaError):
            raised = KafkaException(of_delivery(problem, was_in_flight(problem)))
            raised.__cause__ = problem
            self.future.set_exception(raised)
        else:
            self.future.set_exception(problem)

    def _stored(self, stored: Any) -> tuple[Any, Message] | None:
        topic, _, key, value, _ = self._given
        timestamp = (stored.timestamp_type + 1, stored.timestamp)
        latency = time.monotonic() - self.since
        message = Message(topic, stored.partition, stored.offset, key, value, None, None, timestamp, latency)
        if not self.future.done():
            self.future.set_result(message)
        return None if self._deliveries.only_errors else (None, message)

    def _failed(self, problem: BaseException) -> tuple[Any, Message] | None:
        if not isinstance(problem, errors.KafkaError):
            return None
        topic, partition, key, value, headers = self._given
        error: Any = of_delivery(problem, was_in_flight(problem))
        latency = time.monotonic() - self.since
        return error, Message(topic, partition, None, key, value, headers, error, latency=latency)


class Deliveries:
    """All messages that have no report yet.

    Args:
        most: How many there may be.
        tasks: Runs reports.
        only_errors: Whether reports are of messages only that were not stored.
    """

    def __init__(self, most: int, tasks: Tasks, *, only_errors: bool) -> None:
        self.most = most
        self.tasks = tasks
        self.only_errors = only_errors
        # Removed by the code that completes them: a callback for each would cost an iteration of the loop.
        self.open: dict[asyncio.Future[Any], Delivery] = {}
        self._flushed_at = -math.inf
        # Calls that wait for room are served in order on each loop. A lock knows its loop, and is kept no longer.
        self._rooms: dict[asyncio.AbstractEventLoop, asyncio.Lock] = {}
        self._waiting: dict[object, asyncio.AbstractEventLoop] = {}
        # Of calls that wait for the end of any message of their loop.
        self._ends: set[asyncio.Future[None]] = set()

    def is_full(self) -> bool:
        """Whether a new one has to wait for room."""
        return len(self.open) >= self.most or bool(self._waiting)

    def end(self, future: asyncio.Future[Any]) -> None:
        """Takes out a message whose future has its outcome."""
        self.open.pop(future, None)
        if self._ends:
            for each in list(self._ends):
                if each.get_loop() is future.get_loop() and not each.done():
                    each.set_result(None)

    async def room(self) -> None:
        """Waits until there is room, behind the calls that wait already."""
        call, loop = object(), asyncio.get_running_loop()
        self._waiting[call] = loop
        try:
            async with self._rooms.setdefault(loop, asyncio.Lock()):
                while len(self.open) >= self.most:
                    await self._next_end()
        finally:
            del self._waiting[call]
            if loop not in self._waiting.values():
                self._rooms.pop(loop, None)

    async def next_told(self) -> None:
        """Waits until the next message of the running loop has its outcome, if there is one."""
        running = asyncio.get_running_loop()
        if not any(each.get_loop() is running for each in list(self.open)):
            await asyncio.sleep(0)
            return
        while not await self._next_end():
            pass

    async def _next_end(self) -> bool:
        """Waits for the end of any message of the running loop; false where it was time to look at what is open."""
        end = asyncio.get_running_loop().create_future()
        self._ends.add(end)
        try:
            await asyncio.wait([end], timeout=LOOK_SECONDS)
        finally:
            self._ends.discard(end)
        if not end.done():
            self.look()
        return end.done()

    async def told(self, futures: list[asyncio.Future[Any]]) -> None:
        """Waits until each of them that is the running loop's has its outcome. All of the messages have ended."""
        running = asyncio.get_running_loop()
        has_waited = False
        while left := [each for each in futures if each in self.open and each.get_loop() is running]:
            waiting = [each for each in left if not each.done()]
            done = (await asyncio.wait(waiting, timeout=LOOK_SECONDS))[0] if waiting else None
            if not done:
                for each in left:
                    self._tell_again(each)
                await asyncio.sleep(0)
            has_waited = True
        if not has_waited:
            await asyncio.sleep(0)

    def look(self) -> None:
        """Looks at the oldest of what is open: at what the running loop should have told, where a signal's handler may
        have raised, and at other loops' messages. Those of a closed loop will never have an outcome, and of a stopped
        one those that have ended take no room: they are forgotten.
        """
        running = asyncio.get_running_loop()
        for each in list(islice(self.open, LOOKED_AT)):
            loop = each.get_loop()
            if loop is running:
                self._tell_again(each)
            elif loop.is_closed() or (not loop.is_running() and self._has_ended(each)):
                self.open.pop(each, None)

    def _tell_again(self, future: asyncio.Future[Any]) -> None:
        if self._has_ended(future):
            delivery = self.open[future]
            future.get_loop().call_soon(delivery, delivery.sent)

    def _has_ended(self, future: asyncio.Future[Any]) -> bool:
        delivery = self.open.get(future)
        return delivery is not None and bool(delivery.sent.done())

    def flushed(self) -> list[asyncio.Future[Any]]:
        """Notes that `flush()` was called; returns what it has to wait for."""
        self._flushed_at = time.monotonic()
        return list(self.open)

    def give_up_newest(self, batch_size: int, buffer_timeout: float) -> None:
        """Cancels the futures of what the library's class would not have handed to its producer yet."""
        newest: list[asyncio.Future[Any]] = []
        later = time.monotonic()
        for future, delivery in reversed(list(self.open.items())):
            is_full = len(newest) >= batch_size - 1
            if is_full or delivery.since <= self._flushed_at or later - delivery.since >= buffer_timeout:
                break
            newest.append(future)
            later = delivery.since
        running = asyncio.get_running_loop()
        for future in newest:
            # Another loop's future is completed there.
            if future.get_loop() is running:
                future.cancel()
                self.end(future)


def was_in_flight(problem: errors.KafkaError) -> bool:
    """True of a message that was purged on its way to the broker."""
    return isinstance(problem, errors.PurgedError) and problem.in_flight
