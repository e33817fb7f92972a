"""What a consumer reads, and what of that is paused."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator

from kafkars import aio
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka.abc import ConsumerRebalanceListener
from kafkars.compat.aiokafka.consumer._membership import SubscriptionRequest
from kafkars.compat.aiokafka.consumer._state import ConsumerState
from kafkars.compat.aiokafka.errors import translated
from kafkars.compat.aiokafka.structs import TopicPartition


class SubscriptionError(TypeError, ValueError):
    """An error of both classes: aiokafka documents one and raises the other."""


class Subscribing(ConsumerState):
    """The calls of `AIOKafkaConsumer` that say what is read."""

    def subscribe(
        self,
        topics: Iterable[str] = (),
        pattern: str | re.Pattern[str] | None = None,
        listener: ConsumerRebalanceListener | None = None,
    ) -> None:
        """Reads these topics, or those whose names begin with what the pattern matches, instead of others before.

        Raises:
            TypeError: Neither topics nor a pattern is given, or both, or one of a wrong type.
            ValueError: The pattern is no regular expression.
            IllegalStateError: Partitions are assigned by hand, or the other kind of subscription is there.
        """
        if not (topics or pattern):
            raise SubscriptionError("subscribe() needs topics or a pattern")
        if topics and pattern:
            raise SubscriptionError("subscribe() takes topics or a pattern, not both")
        if listener is not None and not isinstance(listener, ConsumerRebalanceListener):
            raise TypeError(f"listener: expected a ConsumerRebalanceListener, not {listener!r}")
        if pattern is not None:
            try:
                compiled = re.compile(pattern)
            except re.error as error:
                raise ValueError(f"pattern: {pattern!r} is no regular expression: {error}") from error
            self._change(SubscriptionRequest(pattern=compiled, listener=listener))
            return
        if isinstance(topics, str) or not isinstance(topics, Iterable):
            raise TypeError("topics: expected a list of names")
        self._check_kind("topics")
        names = frozenset(topics)
        if not all(isinstance(name, str) for name in names):
            raise TypeError("topics: expected a list of names, and each of them to be text")
        self._change(SubscriptionRequest(names, listener=listener))

    def unsubscribe(self) -> None:
        """Ends reading; the group is left in the background."""
        self._requested = None
        if self._membership is None or self._engine is None or self._closed:
            return
        is_member = self._membership.is_joined
        self._membership.forget()
        if not is_member:
            self._engine.unassign()
            return
        # Paused, so that no fetched record is returned while the group is being left.
        self._membership._pause(self._engine.assignment())
        self._leaving = self._spawn(self._leave(self._engine.unsubscribe()))

    async def _leave(self, left: aio.Call[None]) -> None:
        try:
            await left
        finally:
            self._leaving = None

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Reads these partitions, without the group giving them out.

        Raises:
            IllegalStateError: There is a subscription.
        """
        self._check_kind("partitions")
        self._change(
            SubscriptionRequest(partitions=[TopicPartition(each.topic, each.partition) for each in partitions])
        )

    def _check_kind(self, kind: str) -> None:
        if self._requested is not None and self._requested.kind != kind:
            raise errors.IllegalStateError("topics, a pattern of topics and partitions exclude each other")

    def _change(self, request: SubscriptionRequest) -> None:
        self._check_kind(request.kind)
        if self._membership is None or self._engine is None or self._closed:
            self._requested = request
            self._paused_before_start.clear()
            return
        if request.partitions is not None:
            before = self._engine.assignment()
            with translated():
                self._engine.assign(sorted(request.partitions))
            # As in aiokafka each starts at the committed offset, also partitions that were assigned before.
            kept = sorted(before & self._engine.assignment())
            self._engine.incremental_unassign(kept)
            self._engine.incremental_assign(kept)
            # Only now: if the call fails, everything stays as it was.
            self._requested = request
            self._membership.settle()
            return
        self._requested = request
        if request.pattern is None:
            self._membership.unsettle()
            self._commits.forget()
        self._spawn(self._follow(request))

    async def _follow(self, request: SubscriptionRequest) -> None:
        if self._leaving is not None:
            await asyncio.wait([self._leaving])
        if self._membership is not None and self._requested is request:
            try:
                await self._membership.follow()
            except Exception as error:  # noqa: BLE001  start() raises it, or the next read
                self._failed(error)

    def subscription(self) -> frozenset[str]:
        """Returns the topics that are read: subscribed ones, matches of the pattern, or those of assigned
        partitions.
        """
        if self._requested is None:
            return frozenset()
        if self._requested.partitions is not None:
            return frozenset(partition.topic for partition in self._requested.partitions)
        if self._requested.pattern is None:
            return self._requested.topics
        return frozenset() if self._membership is None else self._membership.topics

    def pause(self, *partitions: TopicPartition) -> None:
        """Returns no records of these partitions until `resume()`."""
        for each in self._named(partitions):
            apart = self._paused_apart()
            if apart is None:
                self._started().pause([each])
            else:
                apart.add(each)

    def resume(self, *partitions: TopicPartition) -> None:
        """Undoes `pause()`."""
        for each in self._named(partitions):
            apart = self._paused_apart()
            if apart is None:
                self._started().resume([each])
            else:
                apart.discard(each)

    def _paused_apart(self) -> set[TopicPartition] | None:
        """Returns the paused partitions where the inner consumer does not have them: not yet, or no more."""
        if self._is_to_start():
            return self._paused_before_start
        between = self._between()
        return None if between is None else between.paused

    def _named(self, partitions: tuple[TopicPartition, ...]) -> Iterator[TopicPartition]:
        """Yields the partitions up to the first that is not assigned, which is an error: as in aiokafka those before
        count.
        """
        if not all(isinstance(partition, TopicPartition) for partition in partitions):
            raise TypeError("partitions are named by TopicPartition")
        if partitions:
            self._check_any_assigned()
        for partition in partitions:
            self._check_assigned((partition,))
            yield partition

    def paused(self) -> set[TopicPartition]:
        """Returns the paused partitions."""
        past = self._past()
        if past is not None:
            return set(past.paused)
        if self._engine is None or self._membership is None:
            return set(self._paused_before_start)
        return set(self._engine.paused() & self.assignment())
