"""Rebalance listeners, and the positions of a program that fetches by itself
(`kafka.consumer.subscription_state`).
"""

from __future__ import annotations

import abc
import random
import re
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any

from kafkars.compat.kafka.errors import IllegalStateError, NoOffsetForPartitionError
from kafkars.compat.kafka.protocol.list_offsets import OffsetResetStrategy
from kafkars.compat.kafka.structs import OffsetAndMetadata, TopicPartition
from kafkars.compat.kafka.util import ensure_valid_topic_name

__all__ = ["ConsumerRebalanceListener", "SubscriptionState", "SubscriptionType", "TopicPartitionState"]

ONE_WAY = "topics, a pattern of topics and assigned partitions exclude each other: unsubscribe() first"


class ConsumerRebalanceListener(abc.ABC):
    """Given to `KafkaConsumer.subscribe`. Its methods run within `poll()` and iteration, on the caller's thread.

    What they raise is logged and goes no further, as in kafka-python 2.
    """

    @abc.abstractmethod
    def on_partitions_revoked(self, revoked: Any) -> object:
        """Before a rebalance: the set of partitions the consumer gives back; empty when it joins."""

    @abc.abstractmethod
    def on_partitions_assigned(self, assigned: Any) -> object:
        """After a rebalance and before anything is fetched: the set of partitions the consumer has now."""


class SubscriptionType(IntEnum):
    """The kind of a subscription."""

    NONE = 0
    AUTO_TOPICS = 1
    AUTO_PATTERN = 2
    USER_ASSIGNED = 3


class TopicPartitionState:
    """The position and the state of one partition."""

    def __init__(self) -> None:
        self.paused = False
        """True while nothing of it is to be read."""
        self.reset_strategy: int | None = None
        """The place to go to, a number of `OffsetResetStrategy`, where it is still to be looked up."""
        self.highwater: int | None = None
        """The offset after the newest record."""
        self.drop_pending_record_batch = False
        """True if records of before a `seek()` must not be given out."""
        self.next_allowed_retry_time: float | None = None
        """When the place may be looked up again, in seconds since 1970."""
        self._position: OffsetAndMetadata | None = None

    @property
    def position(self) -> OffsetAndMetadata | None:
        """The next record's offset.

        Raises:
            AssertionError: It is set where there is none yet, or to something else: `seek()` sets the first.
        """
        return self._position

    @position.setter
    def position(self, offset: OffsetAndMetadata) -> None:
        given: Any = offset
        if self._position is None:
            raise AssertionError("there is no position yet")
        if not isinstance(given, OffsetAndMetadata):
            raise AssertionError("an OffsetAndMetadata is expected")  # noqa: TRY004  as in kafka-python
        self._position = offset

    @property
    def has_valid_position(self) -> bool:
        """True if there is a position."""
        return self._position is not None

    @property
    def awaiting_reset(self) -> bool:
        """True if its place is still to be looked up."""
        return self.reset_strategy is not None

    def reset(self, strategy: int) -> None:
        """Forgets the position: its place is to be looked up."""
        self.reset_strategy = strategy
        self._position = None
        self.next_allowed_retry_time = None

    def is_reset_allowed(self) -> bool:
        """True if the place may be looked up now."""
        return self.next_allowed_retry_time is None or self.next_allowed_retry_time < time.time()

    def set_reset_pending(self, next_allowed_retry_time: float) -> None:
        """The place is being looked up, and not again before a time in seconds since 1970."""
        self.next_allowed_retry_time = next_allowed_retry_time

    reset_failed = set_reset_pending

    def is_missing_position(self) -> bool:
        """True if there is no position and none is being looked up."""
        return self._position is None and self.reset_strategy is None

    def seek(self, offset: int | OffsetAndMetadata) -> None:
        """Goes to an offset."""
        self._position = offset if isinstance(offset, OffsetAndMetadata) else OffsetAndMetadata(offset, "", -1)
        self.reset_strategy = None
        self.drop_pending_record_batch = True
        self.next_allowed_retry_time = None

    def pause(self) -> None:
        """Nothing of it is to be read."""
        self.paused = True

    def resume(self) -> None:
        """It is to be read again."""
        self.paused = False

    def is_fetchable(self) -> bool:
        """True if it is to be read and there is a position."""
        return not self.paused and self._position is not None


class SubscriptionState:
    """The subscription and positions of a program that fetches by itself. `KafkaConsumer` does not use it.

    Args:
        offset_reset_strategy: "earliest" or "latest"; with anything else a missing position is an error.
    """

    def __init__(self, offset_reset_strategy: str = "earliest") -> None:
        name = offset_reset_strategy.upper()
        known = name in {"EARLIEST", "LATEST"}
        self._strategy: int = getattr(OffsetResetStrategy, name) if known else OffsetResetStrategy.NONE
        self._group_subscription: set[str] = set()
        self._user_assignment: set[TopicPartition] = set()
        self.subscription: set[str] | None = None
        """The topics subscribed to."""
        self.subscription_type = SubscriptionType.NONE
        """The kind of a subscription."""
        self.subscribed_pattern: re.Pattern[str] | None = None
        """The pattern of topics."""
        self.assignment: OrderedDict[TopicPartition, TopicPartitionState] = OrderedDict()
        """The partitions that are read, in the order in which they are."""
        self.rebalance_listener: ConsumerRebalanceListener | None = None
        """What hears of partitions."""

    # What is read

    def subscribe(
        self,
        topics: Sequence[str] = (),
        pattern: str | None = None,
        listener: ConsumerRebalanceListener | None = None,
    ) -> None:
        """Takes topics, or a pattern that `change_subscription()` follows.

        Raises:
            AssertionError: Neither is given.
            IllegalStateError: Both are given, or another kind before.
            TypeError: `topics` is no list, or `listener` no `ConsumerRebalanceListener`.
        """
        if not topics and not pattern:
            raise AssertionError("topics or a pattern must be given")
        if topics and pattern:
            raise IllegalStateError(ONE_WAY)
        if pattern:
            self._choose(SubscriptionType.AUTO_PATTERN)
            self.subscription = set()
            self.subscribed_pattern = re.compile(pattern)
        else:
            if isinstance(topics, str) or not isinstance(topics, Sequence):
                raise TypeError("topics: a list of names is expected")
            self._choose(SubscriptionType.AUTO_TOPICS)
            self.change_subscription(topics)
        if listener and not isinstance(listener, ConsumerRebalanceListener):
            raise TypeError("listener: a ConsumerRebalanceListener is expected")
        self.rebalance_listener = listener

    def change_subscription(self, topics: str | Iterable[str]) -> None:
        """Takes other topics; partitions stay until they are assigned anew.

        Raises:
            IllegalStateError: There is no subscription.
            TypeError, ValueError: A name cannot be a topic's.
        """
        self._check_subscribed()
        wanted = {topics} if isinstance(topics, str) else set(topics)
        if self.subscription == wanted:
            return
        for topic in wanted:
            ensure_valid_topic_name(topic)
        self.subscription = wanted
        self._group_subscription |= wanted

    def group_subscribe(self, topics: Iterable[str]) -> None:
        """Adds topics that other members of the group subscribe to.

        Raises:
            IllegalStateError: There is no subscription.
        """
        self._check_subscribed()
        self._group_subscription.update(topics)

    def reset_group_subscription(self) -> None:
        """Forgets the topics of other members.

        Raises:
            IllegalStateError: There is no subscription.
        """
        self._check_subscribed()
        self._group_subscription &= self.subscription or set()

    def group_subscription(self) -> set[str]:
        """The topics of all members."""
        return self._group_subscription

    def assign_from_user(self, partitions: Iterable[TopicPartition]) -> None:
        """Takes partitions; those that it has already keep their positions.

        Raises:
            IllegalStateError: There is a subscription.
        """
        self._choose(SubscriptionType.USER_ASSIGNED)
        wanted = list(partitions)
        if self._user_assignment != set(wanted):
            self._user_assignment = set(wanted)
            self._assign({each: self.assignment.get(each) or TopicPartitionState() for each in wanted})

    def assign_from_subscribed(self, assignments: Iterable[TopicPartition]) -> None:
        """Takes partitions of the topics subscribed to, without positions, topics in random order.

        Raises:
            IllegalStateError: There is no subscription.
            ValueError: A topic is not subscribed to.
        """
        self._check_subscribed()
        given = list(assignments)
        for partition in given:
            if partition.topic not in (self.subscription or ()):
                raise ValueError(f"{partition} is of a topic that is not subscribed to")
        topics = list({partition.topic for partition in given})
        random.shuffle(topics)
        given.sort(key=lambda partition: topics.index(partition.topic))
        self._assign({partition: TopicPartitionState() for partition in given})

    def unsubscribe(self) -> None:
        """Forgets topics, pattern and partitions."""
        self.subscription = None
        self.subscribed_pattern = None
        self.subscription_type = SubscriptionType.NONE
        self._user_assignment.clear()
        self.assignment.clear()

    def partitions_auto_assigned(self) -> bool:
        """True if there is a subscription."""
        return self.subscription_type in {SubscriptionType.AUTO_TOPICS, SubscriptionType.AUTO_PATTERN}

    # The name in kafka-python 2.0.
    _ensure_valid_topic_name = staticmethod(ensure_valid_topic_name)

    def _choose(self, kind: SubscriptionType) -> None:
        if self.subscription_type not in {SubscriptionType.NONE, kind}:
            raise IllegalStateError(ONE_WAY)
        self.subscription_type = kind

    def _check_subscribed(self) -> None:
        if not self.partitions_auto_assigned():
            raise IllegalStateError(ONE_WAY)

    def _assign(self, states: dict[TopicPartition, TopicPartitionState]) -> None:
        order: dict[str, int] = {}
        for partition in states:
            order.setdefault(partition.topic, len(order))
        self.assignment.clear()
        # Partitions of a topic are next to each other, so that one request has them together.
        for partition in sorted(states, key=lambda each: order[each.topic]):
            self.assignment[partition] = states[partition]

    # Partitions

    def assigned_partitions(self) -> set[TopicPartition]:
        """The partitions that are read."""
        return set(self.assignment)

    def paused_partitions(self) -> set[TopicPartition]:
        """Of those the paused ones."""
        return {partition for partition, state in self.assignment.items() if state.paused}

    def fetchable_partitions(self) -> list[TopicPartition]:
        """Of those that can be asked for, in order."""
        return [partition for partition, state in self.assignment.items() if state.is_fetchable()]

    def is_assigned(self, partition: TopicPartition) -> bool:
        """True if the partition is read."""
        return partition in self.assignment

    def is_paused(self, partition: TopicPartition) -> bool:
        """True if it is paused."""
        return partition in self.assignment and self.assignment[partition].paused

    def is_fetchable(self, partition: TopicPartition) -> bool:
        """True if it can be asked for."""
        return partition in self.assignment and self.assignment[partition].is_fetchable()

    def pause(self, partition: TopicPartition) -> None:
        """Nothing of it is to be read.

        Raises:
            KeyError: It is not assigned; so with every call below that names a partition.
        """
        self.assignment[partition].pause()

    def resume(self, partition: TopicPartition) -> None:
        """It is to be read again."""
        self.assignment[partition].resume()

    def move_partition_to_end(self, partition: TopicPartition) -> None:
        """It is asked for after all others; one that is not assigned is not looked at."""
        if partition in self.assignment:
            self.assignment.move_to_end(partition)

    # Positions

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Goes to an offset.

        Raises:
            TypeError: It is neither a number nor an `OffsetAndMetadata`.
        """
        given: Any = offset
        if not isinstance(given, (int, OffsetAndMetadata)):
            raise TypeError("offset: a number or an OffsetAndMetadata is expected")
        self.assignment[partition].seek(offset)

    def position(self, partition: TopicPartition) -> OffsetAndMetadata | None:
        """Where it stands."""
        return self.assignment[partition].position

    def has_valid_position(self, partition: TopicPartition) -> bool:
        """True if it is assigned and has a position."""
        return partition in self.assignment and self.assignment[partition].has_valid_position

    def has_all_fetch_positions(self) -> bool:
        """True if every partition has a position."""
        return all(state.has_valid_position for state in self.assignment.values())

    def missing_fetch_positions(self) -> set[TopicPartition]:
        """Those that have no position and none that is being looked up."""
        return {partition for partition, state in self.assignment.items() if state.is_missing_position()}

    def all_consumed_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """The positions that there are."""
        found = {partition: state.position for partition, state in self.assignment.items()}
        return {partition: position for partition, position in found.items() if position is not None}

    def has_default_offset_reset_policy(self) -> bool:
        """True if a missing position is no error."""
        return self._strategy != OffsetResetStrategy.NONE

    def request_offset_reset(self, partition: TopicPartition, offset_reset_strategy: int | None = None) -> None:
        """Forgets a position: its place is to be looked up, by another strategy where one is given."""
        chosen = self._strategy if offset_reset_strategy is None else offset_reset_strategy
        self.assignment[partition].reset(chosen)

    def is_offset_reset_needed(self, partition: TopicPartition) -> bool:
        """True if its place is to be looked up."""
        return self.assignment[partition].awaiting_reset

    def reset_missing_positions(self) -> None:
        """The places of all that have no position are to be looked up.

        Raises:
            NoOffsetForPartitionError: There is no strategy for it.
        """
        missing = self.missing_fetch_positions()
        if missing and not self.has_default_offset_reset_policy():
            raise NoOffsetForPartitionError(missing)
        for partition in missing:
            self.assignment[partition].reset(self._strategy)

    def partitions_needing_reset(self) -> set[TopicPartition]:
        """Those whose place is to be looked up now."""
        return {
            partition
            for partition, state in self.assignment.items()
            if state.awaiting_reset and state.is_reset_allowed()
        }

    def set_reset_pending(self, partitions: Iterable[TopicPartition], next_allowed_reset_time: float) -> None:
        """Their places are being looked up, and not again before a time in seconds since 1970."""
        for partition in partitions:
            self.assignment[partition].set_reset_pending(next_allowed_reset_time)

    def reset_failed(self, partitions: Iterable[TopicPartition], next_retry_time: float) -> None:
        """They were not found, and are not looked up again before a time in seconds since 1970."""
        self.set_reset_pending(partitions, next_retry_time)
