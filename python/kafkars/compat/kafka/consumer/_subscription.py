"""The subscription or assignment of a `KafkaConsumer`, and how it is passed on to kafkars."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from enum import Enum
from typing import Any

import kafkars
from kafkars.compat.kafka.consumer.subscription_state import ConsumerRebalanceListener
from kafkars.compat.kafka.coordinator._adapter import ApplicationAssignor
from kafkars.compat.kafka.errors import IllegalStateError, KafkaError
from kafkars.compat.kafka.structs import TopicPartition
from kafkars.compat.kafka.util import ensure_valid_topic_name
from kafkars.errors import KafkaTimeoutError as EngineTimeoutError

log = logging.getLogger("kafka.coordinator.consumer")

INTERNAL = frozenset({"__consumer_offsets", "__transaction_state"})
"""Topics that belong to brokers."""

ONE_WAY = "subscribe() with topics, subscribe() with a pattern and assign() exclude each other: unsubscribe() first"


class Kind(Enum):
    """The kinds of a subscription."""

    TOPICS = "topics"
    PATTERN = "pattern"
    PARTITIONS = "partitions"


class ConsumerSubscription:
    """Topics, a pattern of topics, or partitions: the group assigns partitions, or without a group the consumer takes
    every partition.
    """

    def __init__(
        self,
        engine: kafkars.Consumer[Any, Any],
        *,
        has_group: bool,
        hides_internal: bool,
        max_age: float,
        raises: bool = False,
        tells_losses: bool = False,
        assignors: Iterable[object] = (),
    ) -> None:
        self._engine = engine
        self._has_group = has_group
        self._hidden = INTERNAL if hides_internal else frozenset[str]()
        self._max_age = max_age
        self._raises = raises
        self._tells_losses = tells_losses
        self._assignors = [each for each in assignors if isinstance(each, ApplicationAssignor)]
        self._kind: Kind | None = None
        self._pattern: re.Pattern[str] | None = None
        self._listener: ConsumerRebalanceListener | None = None
        self._looked_at = float("-inf")
        self._told_of_loss = False
        # The topics under which the consumer is a member of its group; None while it is none.
        self._joined: frozenset[str] | None = None
        self.topics: frozenset[str] | None = None
        """The topics; None without a subscription or with a manual assignment."""

    @property
    def subscription(self) -> frozenset[str] | None:
        """The subscription, under the name that monitoring agents read."""
        return self.topics

    def subscribe(self, topics: Sequence[str], pattern: str | None, listener: ConsumerRebalanceListener | None) -> None:
        """Subscribes to topics or a pattern."""
        if not topics and not pattern:
            raise AssertionError("subscribe() needs topics or a pattern")
        if topics and pattern:
            raise IllegalStateError(ONE_WAY)
        kind = Kind.PATTERN if pattern else Kind.TOPICS
        if kind is Kind.TOPICS:
            if isinstance(topics, str) or not isinstance(topics, Sequence):
                raise TypeError("topics: expected a list of names")
            self._refuse(kind)
            for topic in topics:
                ensure_valid_topic_name(topic)
        if listener and not isinstance(listener, ConsumerRebalanceListener):
            raise TypeError(f"listener: expected a ConsumerRebalanceListener, not {listener!r}")
        self._choose(kind)
        self._listener = listener
        self._looked_at = float("-inf")
        self._told_of_loss = False
        self._pattern = re.compile(pattern) if pattern else None
        self.topics = frozenset() if pattern else frozenset(topics)
        if kind is Kind.TOPICS and self._has_group:
            self._join()

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Assigns partitions; those already assigned keep their positions, as in kafka-python."""
        has_assigned = self._kind is Kind.PARTITIONS
        self._choose(Kind.PARTITIONS)
        self._tell_whence()
        wanted = {TopicPartition(*each) for each in partitions}
        if has_assigned:
            self._change(wanted)
        else:
            self._engine.assign(sorted(wanted))

    def forget(self) -> None:
        """Unsubscribes; the consumer leaves the group."""
        was_subscribed = self._joined is not None
        self._kind, self._pattern, self._listener, self.topics, self._joined = None, None, None, None, None
        if was_subscribed:
            try:
                self._engine.unsubscribe()
            except EngineTimeoutError as error:
                # The subscription is given up all the same, which is all that kafka-python waits for.
                log.warning("the group was not left: %s", error)
        else:
            self._engine.unassign()

    def fall_silent(self) -> None:
        """Drops the listener, as a closing consumer of kafka-python 2 does."""
        self._listener = None

    @property
    def follows(self) -> bool:
        """True if new topics and partitions are looked for here, because there is no group."""
        return self._kind is Kind.PATTERN or (self._kind is Kind.TOPICS and not self._has_group)

    def is_awaited(self) -> bool:
        """True if the subscription is a pattern in a group that matches no topic yet: to the engine this
        consumer is not a member of the group, and yet it must not set the group's offsets.
        """
        if self._kind is not Kind.PATTERN or not self._has_group or self._joined is not None:
            return False
        self.follow()
        return self._joined is None

    def follow(self) -> None:
        """Looks for new topics and partitions when it is time; every call that reads calls it."""
        if not self.follows:
            return
        now = time.monotonic()
        if now - self._looked_at < self._max_age:
            return
        self._looked_at = now
        if self._joined is not None and self._engine.health().state == "failed":
            # Another member has its place: only the program begins anew.
            return
        if self._pattern is not None:
            names = set(self._engine.topics()) - self._hidden
            matched = frozenset(name for name in names if self._pattern.match(name))
            changed, self.topics = matched != self.topics, matched
            if self._has_group:
                # A member whose last topic goes stays in the group, without partitions.
                if (changed and matched) or (self._joined and not matched):
                    self._join()
                return
        self._take_all(self.topics or frozenset())

    def _refuse(self, kind: Kind) -> None:
        if self._kind is not None and self._kind is not kind:
            raise IllegalStateError(ONE_WAY)

    def _choose(self, kind: Kind) -> None:
        self._refuse(kind)
        self._kind = kind

    def _take_all(self, topics: frozenset[str]) -> None:
        """Assigns every partition of the topics, without a group."""
        self._tell_whence()
        there = set(self._engine.topics())
        found = {
            TopicPartition(topic, info.partition)
            for topic in topics
            if topic in there or self._kind is Kind.TOPICS
            for info in self._engine.partitions_for(topic)
        }
        self._change(found)

    def _change(self, wanted: set[TopicPartition]) -> None:
        known = self._engine.assignment()
        self._engine.incremental_unassign(sorted(known - wanted))
        self._engine.incremental_assign(sorted(wanted - known))

    def _join(self) -> None:
        for assignor in self._assignors:
            assignor.topics = self.topics or frozenset()
        subscribe = self._engine._subscribe_found if self._kind is Kind.PATTERN else self._engine.subscribe
        subscribe(
            sorted(self.topics or ()),
            on_partitions_assigned=self._assigned,
            on_partitions_revoked=self._revoked,
            on_partitions_lost=self._lost,
        )
        self._joined = self.topics

    def _tell_whence(self) -> None:
        """Tells the engine which topics a pattern has found, so that looking one up does not create it again."""
        self._engine._topics_were_found(self._kind is Kind.PATTERN)

    def _assigned(self, partitions: list[TopicPartition]) -> None:
        if self._listener is None:
            return
        listener, was_told, self._told_of_loss = self._listener, self._told_of_loss, False
        # Before the first assignment kafka-python gives back what the consumer has: nothing. What is assigned is read
        # whatever that raises, so the listener hears of it in any case.
        try:
            if not was_told:
                self._tell(listener.on_partitions_revoked, ())
        finally:
            self._tell(listener.on_partitions_assigned, partitions)

    def _revoked(self, partitions: list[TopicPartition]) -> None:
        if self._listener is not None:
            self._told_of_loss = True
            self._tell(self._listener.on_partitions_revoked, partitions)

    def _lost(self, partitions: list[TopicPartition]) -> None:
        """Tells of partitions that others may have by now. Listeners of kafka-python 2 hear no difference."""
        if self._listener is not None:
            self._told_of_loss = True
            revoked = self._listener.on_partitions_revoked
            lost = getattr(self._listener, "on_partitions_lost", revoked)
            self._tell(lost if self._tells_losses else revoked, partitions)

    def _tell(self, method: Callable[[Any], object], partitions: Iterable[TopicPartition]) -> None:
        """Calls a method of the listener; its exceptions are logged, as in kafka-python 2, or raised, as in 3."""
        try:
            told = method(set(partitions))
            if isinstance(told, Coroutine):
                import asyncio  # noqa: PLC0415  few listeners are asynchronous

                asyncio.run(told)
        except Exception as error:
            log.exception("%s of a rebalance listener failed for %s", method.__name__, sorted(partitions))
            if self._raises:
                raise KafkaError(f"{method.__name__} of a rebalance listener failed: {error!r}") from error
