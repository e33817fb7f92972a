"""The subscription of a consumer, and the listeners for its rebalances."""

from __future__ import annotations

import asyncio
import inspect
import logging
import re
import weakref
from collections.abc import Awaitable, Callable, Iterable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kafkars import _kafkars, aio
from kafkars.compat.aiokafka.abc import ConsumerRebalanceListener
from kafkars.compat.aiokafka.coordinator._adapter import ApplicationAssignor
from kafkars.compat.aiokafka.errors import UnknownTopicOrPartitionError
from kafkars.compat.aiokafka.structs import TopicPartition
from kafkars.errors import KafkaError, KafkaTimeoutError, NotAssignedError

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.consumer._standing import Standing
    from kafkars.compat.aiokafka.consumer.consumer import AIOKafkaConsumer

log = logging.getLogger("aiokafka.consumer.group_coordinator")

REBALANCE_SECONDS = 10.0
"""Seconds for which the commit of what goes may delay a rebalance, in which other members wait."""

INTERNAL = frozenset({"__consumer_offsets", "__transaction_state"})
"""Internal topics of brokers."""


class SubscriptionRequest:
    """What a consumer is to read: topics, a pattern of topics, or partitions."""

    def __init__(
        self,
        topics: Iterable[str] = (),
        pattern: re.Pattern[str] | None = None,
        partitions: Iterable[TopicPartition] | None = None,
        listener: ConsumerRebalanceListener | None = None,
    ) -> None:
        self.topics = frozenset(topics)
        self.pattern = pattern
        self.partitions = None if partitions is None else frozenset(partitions)
        self.listener = listener

    @property
    def kind(self) -> str:
        """The kind of subscription; kinds exclude each other."""
        if self.partitions is not None:
            return "partitions"
        return "topics" if self.pattern is None else "pattern"

    def matched(self, names: Iterable[str], *, exclude_internal: bool) -> frozenset[str]:
        """Returns those of the existing topics that are meant."""
        if self.pattern is None:
            return self.topics
        hidden = INTERNAL if exclude_internal else frozenset[str]()
        return frozenset(name for name in names if name not in hidden and self.pattern.match(name))


async def know(engine: aio.Consumer[Any, Any], topics: frozenset[str]) -> None:
    """Waits until the metadata of topics is there, which may create them.

    Raises:
        UnknownTopicOrPartitionError: One does not come.
    """
    try:
        for topic in sorted(topics):
            await engine.partitions_for(topic)
    except KafkaTimeoutError as error:
        raise UnknownTopicOrPartitionError(str(error)) from error


class Membership:
    """Carries out a subscription: as a member of the group, or without a group by assigning every partition.

    What is asked for is the consumer's `_requested`, and kept nowhere else; `_joined_for` is what the group was told.
    Where they differ, a task is about to `follow()`.

    The inner consumer and the tasks have a weak reference to the face's consumer only, so that one that is dropped
    unclosed is collected, and warns.
    """

    def __init__(self, consumer: AIOKafkaConsumer, engine: aio.Consumer[Any, Any], *, has_group: bool) -> None:
        self.consumer = weakref.ref(consumer)
        self.engine = engine
        self.has_group = has_group
        self.topics: frozenset[str] = frozenset()
        self._joined_for: SubscriptionRequest | None = None
        # What start() waits for: the first assignment that counts, whatever it is that was subscribed to by then.
        self._first: asyncio.Future[None] | None = None
        # How many calls of start() do; who has given up hears of no error, which then waits for the next read.
        self._starting = 0
        self.stopping = False
        self._told_of_loss = False
        # True once what is assigned is what the subscription has brought: before that, the program has no partitions.
        self.is_settled = False
        # What the program had, from the time when it was given back until others are given.
        self.between: Standing | None = None
        # Grows whenever partitions are given or taken.
        self.changes = 0
        self._next_change: asyncio.Future[None] | None = None
        # True while what the group has given is for topics that were subscribed to before.
        self._is_stale = False
        # What was read last went to other members while nobody was reading, and nothing was assigned since: it must
        # not pass for committed.
        self.has_lost = False
        self.assignors: tuple[ApplicationAssignor, ...] = ()

    @property
    def requested(self) -> SubscriptionRequest | None:
        """What the consumer is to read."""
        consumer = self.consumer()
        return None if consumer is None else consumer._requested_

    async def begin(self, consumer: AIOKafkaConsumer) -> None:
        """Carries out what is asked for, and waits for the first assignment of partitions. Calls beside each other wait
        for the same. As in aiokafka, giving up the wait gives up nothing else, and listeners run in other tasks. A
        program that waits here cannot poll, so `max_poll_interval_ms` does not run meanwhile.

        Raises:
            BaseException: The group has failed, by this error.
        """
        if self._first is None:
            self._first = asyncio.get_running_loop().create_future()
            # Marks the exception as retrieved, should the wait be given up.
            self._first.add_done_callback(lambda done: done.cancelled() or done.exception())
            request = consumer._requested_
            if request is not None and request.partitions is not None:
                self._assign(request.partitions, consumer._paused_before_start_)
            elif request is not None:
                consumer._spawn_(consumer._follow_(request))
        self._starting += 1
        try:
            with _kafkars.AiokafkaReader._waiting(consumer):
                await asyncio.shield(self._first)
        finally:
            self._starting -= 1

    def _assign(self, partitions: Iterable[TopicPartition], paused: Iterable[TopicPartition]) -> None:
        self.engine.assign(sorted(partitions))
        self.engine.pause(list(paused))
        self.settle()
        self._has_joined()

    async def follow(self) -> None:
        """Subscribes to what is asked for."""
        request = self.requested
        if request is not None and request.partitions is None:
            self.engine._topics_were_found(request.pattern is not None)
            if not self.has_group:
                await self._look_anew(request)
            await self.refresh()

    async def _look_anew(self, request: SubscriptionRequest) -> None:
        """Fetches metadata: as in aiokafka, who subscribes again without a group gets partitions that have come since.
        In a group its leader looks for them.
        """
        consumer = self.consumer()
        if consumer is None or not (self._first is None or self._first.done()):
            # start() has just fetched them.
            return
        seconds = consumer._request_timeout_ms / 1000
        del consumer
        try:
            await self.engine._handle().refresh(sorted(request.topics), seconds)
        except KafkaError as error:
            log.warning("metadata was not fetched for a subscription: %s", error)

    def unsettle(self) -> None:
        """Takes the partitions away from the program, because it has subscribed to other topics: as in aiokafka it has
        none, and reads nothing, until it gets new ones.
        """
        self.is_settled = False
        self.between = None
        self._note_change()
        if not self.has_group:
            self.engine.unassign()
            return
        # The group takes them only after a rebalance, which also ends the pause.
        self._pause(self.engine.assignment())

    def settle(self) -> None:
        """What is assigned from now on is what was asked for last."""
        self.is_settled = True
        self.between = None
        self._note_change()

    async def change(self) -> None:
        """Waits until partitions are given or taken, or the subscription ends.

        Raises:
            BaseException: The group has failed, by this error.
        """
        if self._next_change is None:
            self._next_change = asyncio.get_running_loop().create_future()
            self._next_change.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(self._next_change)

    def _note_change(self, error: BaseException | None = None) -> None:
        self.changes += 1
        waits, self._next_change = self._next_change, None
        if waits is not None and error is None:
            waits.set_result(None)
        elif waits is not None and error is not None:
            waits.set_exception(error)

    def _pause(self, partitions: Iterable[TopicPartition]) -> None:
        # The group may take them meanwhile.
        with suppress(NotAssignedError):
            self.engine.pause(list(partitions))

    async def refresh(self) -> None:
        """Checks for new topics and partitions."""
        consumer, request = self.consumer(), self.requested
        if consumer is None or request is None or request.kind == "partitions":
            return
        if consumer._leaving_ is not None or self.stopping:
            # Once the group is left, what was subscribed to since is followed.
            return
        names = await self.engine.topics() if request.pattern is not None else []
        topics = request.matched(names, exclude_internal=consumer._exclude_internal_topics)
        if self.requested is not request:
            return
        if self.has_group:
            await self._join(topics, request)
            return
        found = [
            TopicPartition(topic, info.partition)
            for topic in topics
            for info in await self.engine.partitions_for(topic)
        ]
        if self.requested is not request:
            return
        self.topics = topics
        known = self.engine.assignment()
        self.engine.incremental_unassign(sorted(known - set(found)))
        self.engine.incremental_assign(sorted(set(found) - known))
        self.settle()
        self._has_joined()

    async def _join(self, topics: frozenset[str], request: SubscriptionRequest) -> None:
        again = self._joined_for is not None and topics == self.topics
        if again and (request is self._joined_for or request.pattern is not None):
            # Looked for what is new, and nothing is: a rebalance would take positions away. As in aiokafka, neither
            # does a pattern that is subscribed to again change anything.
            return
        if request is self._joined_for and self.engine.health().state == "failed":
            # Another member has its place: only the program begins anew.
            return
        self.topics = topics
        self._joined_for = request
        for assignor in self.assignors:
            assignor.topics = topics
        if request.listener is not None and not self.engine.assignment() and not self._told_of_loss:
            # As in aiokafka, whoever has nothing gives it back before assignors are asked.
            self._told_of_loss = True
            try:
                await told(request.listener.on_partitions_revoked, set())
            except asyncio.CancelledError:
                if self.stopping:
                    raise
                # The listener has cancelled its own task. Without a member reads would wait for ever, and nobody would
                # hear of it.
                log.exception("on_partitions_revoked of a rebalance listener has cancelled its task")
            if self._joined_for is not request or self.stopping:
                return
        me: weakref.ref[Membership] = weakref.ref(self)
        # As in aiokafka it is a member, too, where a pattern has found nothing yet.
        subscribe = self.engine.subscribe if request.pattern is None else self.engine._subscribe_found
        subscribe(
            sorted(topics),
            on_partitions_assigned=through(me, Membership._assigned),
            on_partitions_revoked=through(me, Membership._revoked),
            on_partitions_lost=through(me, Membership._lost),
        )
        if again:
            # The topics are the same and the listener is not: it hears of what there is by a rebalance, as in aiokafka.
            self.engine.enforce_rebalance("subscribed again")

    @property
    def is_joined(self) -> bool:
        """True if the consumer takes part in the group, or is about to."""
        return self._joined_for is not None

    def forget(self) -> None:
        """Ends the subscription."""
        self._joined_for = None
        self.topics = frozenset()
        self.has_lost = self.is_settled = self._is_stale = self._told_of_loss = False
        self.between = None
        self._note_change()
        self._has_joined()

    def stop(self) -> None:
        """Ends the waits of the program. Nobody hears of the group any more."""
        self.stopping = True
        self._note_change()
        self._has_joined()

    def fail(self, error: BaseException) -> bool:
        """Fails the waits for assignments; False if nobody waits for the first."""
        self._note_change(error)
        if self._first is None or self._first.done():
            return False
        self._first.set_exception(error)
        return self._starting > 0

    def _assigned(self, partitions: list[TopicPartition]) -> Awaitable[None] | None:
        if self.stopping:
            return None
        if self._is_for_others(partitions):
            # Another rebalance follows, and the listener hears of that.
            self._is_stale = True
            self._pause(partitions)
            return None
        self.has_lost = self._is_stale = False
        listener = self._listener()
        # aiokafka reports what is revoked before every assignment, and an empty set where that is nothing.
        is_first, self._told_of_loss = not self._told_of_loss, False
        if listener is None:
            self.settle()
            self._has_joined()
            return None
        return self._tell_of_gain(listener, frozenset(partitions), is_first=is_first)

    def _listener(self) -> ConsumerRebalanceListener | None:
        """Whoever hears of rebalances. Nobody hears of those of a subscription that has ended."""
        request = self.requested
        return None if request is None or self._joined_for is None else request.listener

    def _is_for_others(self, partitions: list[TopicPartition]) -> bool:
        """True if partitions were given for a subscription that another one has replaced, which `_join` tells the group
        of or has told it of. Patterns replace each other only as far as other topics match.
        """
        request = self.requested
        if request is not self._joined_for and (request is None or request.pattern is None or self._joined_for is None):
            return True
        return not self.topics.issuperset(partition.topic for partition in partitions)

    async def _tell_of_gain(
        self, listener: ConsumerRebalanceListener, partitions: frozenset[TopicPartition], *, is_first: bool
    ) -> None:
        try:
            if is_first:
                await told(listener.on_partitions_revoked, set())
        finally:
            self.settle()
            # As in aiokafka start() does not wait for the listener, which may wait for what the program does then.
            self._has_joined()
        await told(listener.on_partitions_assigned, set(partitions))

    def _revoked(self, partitions: list[TopicPartition]) -> Awaitable[None] | None:
        # What goes with a subscription that has ended says nothing of what the program has assigned itself since.
        if self.stopping or self._is_stale or not self.is_joined:
            return None
        listener = self._listener()
        if listener is None:
            self._gave_back()
            return None
        self._told_of_loss = True
        return self._tell_of_loss(listener, frozenset(partitions))

    async def _tell_of_loss(self, listener: ConsumerRebalanceListener, partitions: frozenset[TopicPartition]) -> None:
        try:
            await self._commit_finished(partitions)
            if not self.stopping:
                await told(listener.on_partitions_revoked, partitions)
        finally:
            self._gave_back()

    async def _commit_finished(self, partitions: frozenset[TopicPartition]) -> None:
        """Commits what was read of partitions that go, where commits are automatic: as in aiokafka before the listener
        hears of it, which may ask what is committed, or take long.
        """
        finished = self.engine._finished_offsets()
        try:
            going = {each: finished[each] for each in partitions if each in finished}
            await self.engine.commit(going, timeout=REBALANCE_SECONDS)
        except KafkaError as error:
            # The revocation itself commits it again.
            log.warning("offsets were not committed before a rebalance: %s", error)

    def _gave_back(self) -> None:
        consumer = self.consumer()
        # What goes when the group has been left was given up by unsubscribe(), and the program has others by now.
        if consumer is not None and self.is_settled and self.is_joined:
            self.between = consumer._standing_()
        self._note_change()

    def _lost(self, partitions: list[TopicPartition]) -> Awaitable[None] | None:
        self.has_lost = self.is_joined and bool(partitions)
        return self._revoked(partitions)

    def _has_joined(self) -> None:
        if self._first is not None and not self._first.done():
            self._first.set_result(None)


def through(
    membership: weakref.ref[Membership], method: Callable[[Membership, list[TopicPartition]], Awaitable[None] | None]
) -> Callable[[list[TopicPartition]], Awaitable[None] | None]:
    """Returns a listener for the inner consumer that keeps nothing alive."""

    def listener(partitions: list[TopicPartition]) -> Awaitable[None] | None:
        found = membership()
        return None if found is None else method(found, partitions)

    return listener


async def told(method: Callable[[Any], Any], partitions: AbstractSet[TopicPartition]) -> None:
    """Calls a method of a listener, which may be a coroutine function; its exceptions are logged, as in aiokafka.

    So is a CancelledError if it was not the task that was cancelled, but something that the listener has waited for.
    """
    try:
        answer = method(partitions)
        if inspect.isawaitable(answer):
            await answer
    except asyncio.CancelledError:
        if is_cancelled():
            raise
        log.exception("%s of a rebalance listener was cancelled for %s", method.__name__, sorted(partitions))
    except Exception:
        log.exception("%s of a rebalance listener failed for %s", method.__name__, sorted(partitions))


def is_cancelled() -> bool:
    """Whether somebody has cancelled this task. Python 3.10 does not tell: there it counts as cancelled."""
    cancelling = getattr(asyncio.current_task(), "cancelling", None)
    return cancelling is None or cancelling() > 0


async def serve(consumer: weakref.ref[AIOKafkaConsumer]) -> None:
    """Runs listeners while the application does not read; errors of the group wait for the next read."""
    while True:
        reader = consumer()
        if reader is None:
            return
        news = _kafkars.AiokafkaReader._serve(reader)
        del reader
        try:
            if await news:
                return
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001  whatever it is, the reader gets it
            reader = consumer()
            if reader is None:
                return
            reader._failed_(error)
            del reader


async def watch(membership: weakref.ref[Membership], period: float) -> None:
    """Checks for new topics and partitions periodically."""
    while True:
        await asyncio.sleep(period)
        found = membership()
        consumer = None if found is None else found.consumer()
        if found is None or consumer is None:
            return
        # In a task of its own, because it may run a listener, which ends when it ends.
        looking = consumer._spawn_(look(found))
        del found, consumer
        await asyncio.wait([looking])


async def look(membership: Membership) -> None:
    """Checks for new topics and partitions."""
    try:
        await membership.refresh()
    except KafkaError as error:
        log.warning("new topics were not looked for: %s", error)
