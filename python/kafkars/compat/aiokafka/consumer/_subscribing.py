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
            self._change_(SubscriptionRequest(pattern=compiled, listener=listener))
            return
        if isinstance(topics, str) or not isinstance(topics, Iterable):
            raise TypeError("topics: expected a list of names")
        self._check_kind_("topics")
        names = frozenset(topics)
        if not all(isinstance(name, str) for name in names):
            raise TypeError("topics: expected a list of names, and each of them to be text")
        self._change_(SubscriptionRequest(names, listener=listener))

    def unsubscribe(self) -> None:
        """Ends reading; the group is left in the background."""
        self._requested_ = None
        if self._membership_ is None or self._engine_ is None or self._closed:
            return
        is_member = self._membership_.is_joined
        self._membership_.forget()
        if not is_member:
            self._engine_.unassign()
            return
        # Paused, so that no fetched record is returned while the group is being left.
        self._membership_._pause(self._engine_.assignment())
        self._leaving_ = self._spawn_(self._leave_(self._engine_.unsubscribe()))

    async def _leave_(self, left: aio.Call[None]) -> None:
        try:
            await left
        finally:
            self._leaving_ = None

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Reads these partitions, without the group giving them out.

        Raises:
            IllegalStateError: There is a subscription.
        """
        self._check_kind_("partitions")
        self._change_(
            SubscriptionRequest(partitions=[TopicPartition(each.topic, each.partition) for each in partitions])
        )

    def _check_kind_(self, kind: str) -> None:
        if self._requested_ is not None and self._requested_.kind != kind:
            raise errors.IllegalStateError("topics, a pattern of topics and partitions exclude each other")

    def _change_(self, request: SubscriptionRequest) -> None:
        self._check_kind_(request.kind)
        if self._membership_ is None or self._engine_ is None or self._closed:
            self._requested_ = request
            self._paused_before_start_.clear()
            return
        if request.partitions is not None:
            before = self._engine_.assignment()
            with translated():
                self._engine_.assign(sorted(request.partitions))
            # As in aiokafka each starts at the committed offset, also partitions that were assigned before.
            kept = sorted(before & self._engine_.assignment())
            self._engine_.incremental_unassign(kept)
            self._engine_.incremental_assign(kept)
            # Only now: if the call fails, everything stays as it was.
            self._requested_ = request
            self._membership_.settle()
            return
        self._requested_ = request
        if request.pattern is None:
            self._membership_.unsettle()
            self._commits_.forget()
        self._spawn_(self._follow_(request))

    async def _follow_(self, request: SubscriptionRequest) -> None:
        if self._leaving_ is not None:
            await asyncio.wait([self._leaving_])
        if self._membership_ is not None and self._requested_ is request:
            try:
                await self._membership_.follow()
            except Exception as error:  # noqa: BLE001  start() raises it, or the next read
                self._failed_(error)

    def subscription(self) -> frozenset[str]:
        """Returns the topics that are read: subscribed ones, matches of the pattern, or those of assigned
        partitions.
        """
        return self._subscribed_()

    def _subscribed_(self) -> frozenset[str]:
        if self._requested_ is None:
            return frozenset()
        if self._requested_.partitions is not None:
            return frozenset(partition.topic for partition in self._requested_.partitions)
        if self._requested_.pattern is None:
            return self._requested_.topics
        return frozenset() if self._membership_ is None else self._membership_.topics

    def pause(self, *partitions: TopicPartition) -> None:
        """Returns no records of these partitions until `resume()`."""
        for each in self._named_(partitions):
            apart = self._paused_apart_()
            if apart is None:
                self._started_().pause([each])
            else:
                apart.add(each)

    def resume(self, *partitions: TopicPartition) -> None:
        """Undoes `pause()`."""
        for each in self._named_(partitions):
            apart = self._paused_apart_()
            if apart is None:
                self._started_().resume([each])
            else:
                apart.discard(each)

    def _paused_apart_(self) -> set[TopicPartition] | None:
        """Returns the paused partitions where the inner consumer does not have them: not yet, or no more."""
        if self._is_to_start_():
            return self._paused_before_start_
        between = self._between_()
        return None if between is None else between.paused

    def _named_(self, partitions: tuple[TopicPartition, ...]) -> Iterator[TopicPartition]:
        """Yields the partitions up to the first that is not assigned, which is an error: as in aiokafka those before
        count.
        """
        if not all(isinstance(partition, TopicPartition) for partition in partitions):
            raise TypeError("partitions are named by TopicPartition")
        if partitions:
            self._check_any_assigned_()
        for partition in partitions:
            self._check_assigned_((partition,))
            yield partition

    def paused(self) -> set[TopicPartition]:
        """Returns the paused partitions."""
        return self._paused_()

    def _paused_(self) -> set[TopicPartition]:
        past = self._past_()
        if past is not None:
            return set(past.paused)
        if self._engine_ is None or self._membership_ is None:
            return set(self._paused_before_start_)
        return set(self._engine_.paused() & self._assignment_())
