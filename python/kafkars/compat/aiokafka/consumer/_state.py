"""What all calls of a consumer share (`AIOKafkaConsumer`)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from kafkars import _kafkars, aio
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka.consumer._commits import Commits
from kafkars.compat.aiokafka.consumer._membership import Membership, SubscriptionRequest
from kafkars.compat.aiokafka.consumer._standing import Standing
from kafkars.compat.aiokafka.consumer.fetcher import Subscriptions
from kafkars.compat.aiokafka.consumer.group_coordinator import GroupCoordinator
from kafkars.compat.aiokafka.structs import TopicPartition


class NothingAssignedError(errors.IllegalStateError, AssertionError):
    """An error of both classes: aiokafka documents one and raises the other."""


class ConsumerState(_kafkars.AiokafkaReader):
    """A consumer as its parts know it: before its start, at work, stopped."""

    _closed: bool | None = None
    """None before the constructor has ended."""
    _loop: asyncio.AbstractEventLoop
    _config_: dict[str, Any]
    """The settings of the inner consumer."""
    _group_id: str | None
    _request_timeout_ms: int
    _engine_: aio.Consumer[Any, Any] | None
    """The inner consumer."""
    _membership_: Membership | None
    _tasks_: set[asyncio.Task[None]]
    _watching_: list[asyncio.Task[None]]
    """Those of the tasks that only a stop ends."""
    _leaving_: asyncio.Task[None] | None
    """Leaves the group after `unsubscribe()`."""
    _requested_: SubscriptionRequest | None
    """What is to be read."""
    _paused_before_start_: set[TopicPartition]
    _last_: Standing
    _coordinator: GroupCoordinator
    _subscription: Subscriptions
    _commits_: Commits

    def assignment(self) -> frozenset[TopicPartition]:
        """Returns the assigned partitions; none from `subscribe()` to other topics until those are assigned."""
        return self._assignment_()

    def _assignment_(self) -> frozenset[TopicPartition]:
        """The same for the consumer itself: as in aiokafka it does not go by methods that a subclass replaces."""
        past = self._past_()
        if past is not None:
            return past.assignment
        by_hand = None if self._requested_ is None else self._requested_.partitions
        if self._engine_ is None or self._membership_ is None or self._leaving_ is not None:
            return by_hand or frozenset()
        return self._engine_.assignment() if self._membership_.is_settled else frozenset()

    def _past_(self) -> Standing | None:
        """Where the consumer stood when it was stopped, or gave back what it had; None while it has partitions."""
        return self._last_ if self._closed else self._between_()

    def _between_(self) -> Standing | None:
        """What a member has given back before it has got anything else: as in aiokafka a program goes on seeing it, and
        what it changes of it ends with it.
        """
        return None if self._membership_ is None or self._closed else self._membership_.between

    def _read_to_(self) -> dict[TopicPartition, int]:
        """Returns how far the program has read, where that is known."""
        past = self._past_()
        if past is not None:
            return past.positions
        assignment = self._assignment_()
        read = (
            (TopicPartition(topic, number), offset) for topic, number, offset in _kafkars.AiokafkaReader._consumed(self)
        )
        return {partition: offset for partition, offset in read if partition in assignment}

    def _is_to_start_(self) -> bool:
        return self._membership_ is None and not self._closed

    def _started_(self) -> aio.Consumer[Any, Any]:
        if self._engine_ is None or self._is_to_start_():
            raise errors.IllegalStateError("the consumer has no connection yet: await consumer.start() first")
        if self._closed:
            raise errors.ConsumerStoppedError
        return self._engine_

    def _working_(self) -> aio.Consumer[Any, Any]:
        """Returns the inner consumer as long as it works: while it is being stopped, too."""
        engine = self._engine_
        return self._started_() if engine is None or engine.closed or not self._closed else engine

    def _check_group_(self) -> None:
        if self._group_id is None:
            raise errors.IllegalOperation("this call needs the setting group_id")

    def _check_any_assigned_(self) -> None:
        if not self._assignment_():
            raise NothingAssignedError("no partition is assigned")

    def _check_assigned_(self, partitions: Iterable[TopicPartition]) -> None:
        assignment = self._assignment_()
        for partition in partitions:
            if partition not in assignment:
                raise errors.IllegalStateError(f"Partition {partition} is not assigned")

    def _failed_(self, error: BaseException) -> None:
        """Keeps an error of the group for `start()`, or for the next read.

        It goes without the frames that it has come through: one of them lives on, and who clears those of a traceback,
        as `assertRaises()` of `unittest` does, would end it.
        """
        error = error.with_traceback(None)
        if self._membership_ is None or not self._membership_.fail(error):
            _kafkars.AiokafkaReader._raise_later(self, error)

    def _spawn_(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._loop.create_task(work)
        self._tasks_.add(task)
        task.add_done_callback(self._tasks_.discard)
        return task
