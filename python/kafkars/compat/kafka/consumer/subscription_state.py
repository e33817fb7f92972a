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
    """Derive from it and pass it to `KafkaConsumer.subscribe`. Its methods run within `poll()` and iteration.

    Exceptions of the methods are logged and not raised, as in kafka-python 2.
    """

    @abc.abstractmethod
    def on_partitions_revoked(self, revoked: Any) -> object:
        """Called before a rebalance with the set of partitions that are revoked; empty when the consumer joins."""

    @abc.abstractmethod
    def on_partitions_assigned(self, assigned: Any) -> object:
        """Called after a rebalance, before the next fetch, with the set of assigned partitions."""


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
        """True while the partition is paused."""
        self.reset_strategy: int | None = None
        """An `OffsetResetStrategy` number while the position is to be looked up, else None."""
        self.highwater: int | None = None
        """The high watermark: the offset after the newest committed record."""
        self.drop_pending_record_batch = False
        """True if fetched records are from before a `seek()` and must be dropped."""
        self.next_allowed_retry_time: float | None = None
        """The time of the next look-up, in seconds since 1970."""
        self._position: OffsetAndMetadata | None = None

    @property
    def position(self) -> OffsetAndMetadata | None:
        """The offset of the next record.

        Raises:
            AssertionError: It is set before `seek()` has set the first one, or the value is not a position.
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
        """True if the partition has a position."""
        return self._position is not None

    @property
    def awaiting_reset(self) -> bool:
        """True if the position is to be looked up."""
        return self.reset_strategy is not None

    def reset(self, strategy: int) -> None:
        """Drops the position, which is to be looked up by `strategy`."""
        self.reset_strategy = strategy
        self._position = None
        self.next_allowed_retry_time = None

    def is_reset_allowed(self) -> bool:
        """True if the position may be looked up now."""
        return self.next_allowed_retry_time is None or self.next_allowed_retry_time < time.time()

    def set_reset_pending(self, next_allowed_retry_time: float) -> None:
        """Notes a running look-up, with the time before which there is no other, in seconds since 1970."""
        self.next_allowed_retry_time = next_allowed_retry_time

    reset_failed = set_reset_pending

    def is_missing_position(self) -> bool:
        """True if the partition has no position and none is to be looked up."""
        return self._position is None and self.reset_strategy is None

    def seek(self, offset: int | OffsetAndMetadata) -> None:
        """Sets the position."""
        self._position = offset if isinstance(offset, OffsetAndMetadata) else OffsetAndMetadata(offset, "", -1)
        self.reset_strategy = None
        self.drop_pending_record_batch = True
        self.next_allowed_retry_time = None

    def pause(self) -> None:
        """Pauses the partition."""
        self.paused = True

    def resume(self) -> None:
        """Resumes the partition."""
        self.paused = False

    def is_fetchable(self) -> bool:
        """True if the partition has a position and is not paused."""
        return not self.paused and self._position is not None


class SubscriptionState:
    """The subscription and positions of a program with its own fetcher. `KafkaConsumer` does not use it.

    Args:
        offset_reset_strategy: "earliest" or "latest"; with any other text a missing position is an error.
    """

    def __init__(self, offset_reset_strategy: str = "earliest") -> None:
        name = offset_reset_strategy.upper()
        known = name in {"EARLIEST", "LATEST"}
        self._strategy: int = getattr(OffsetResetStrategy, name) if known else OffsetResetStrategy.NONE
        self._group_subscription: set[str] = set()
        self._user_assignment: set[TopicPartition] = set()
        self.subscription: set[str] | None = None
        """The subscribed topics."""
        self.subscription_type = SubscriptionType.NONE
        """The kind of a subscription."""
        self.subscribed_pattern: re.Pattern[str] | None = None
        """The subscribed pattern."""
        self.assignment: OrderedDict[TopicPartition, TopicPartitionState] = OrderedDict()
        """The assigned partitions with their states, in the order of fetching."""
        self.rebalance_listener: ConsumerRebalanceListener | None = None
        """The rebalance listener."""

    # What is read

    def subscribe(
        self,
        topics: Sequence[str] = (),
        pattern: str | None = None,
        listener: ConsumerRebalanceListener | None = None,
    ) -> None:
        """Subscribes to topics, or to a pattern whose topics come by `change_subscription()`.

        Raises:
            AssertionError: Neither topics nor a pattern is given.
            IllegalStateError: Both are given, or the subscription is of another kind.
            TypeError: `topics` is not a list, or `listener` not a `ConsumerRebalanceListener`.
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
        """Changes the topics; assigned partitions stay until the next assignment.

        Raises:
            IllegalStateError: There is no subscription.
            TypeError, ValueError: A name is not valid for a topic.
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
        """Removes the topics of other members.

        Raises:
            IllegalStateError: There is no subscription.
        """
        self._check_subscribed()
        self._group_subscription &= self.subscription or set()

    def group_subscription(self) -> set[str]:
        """Returns the topics of all members."""
        return self._group_subscription

    def assign_from_user(self, partitions: Iterable[TopicPartition]) -> None:
        """Assigns partitions manually; those already assigned keep their positions.

        Raises:
            IllegalStateError: There is a subscription.
        """
        self._choose(SubscriptionType.USER_ASSIGNED)
        wanted = list(partitions)
        if self._user_assignment != set(wanted):
            self._user_assignment = set(wanted)
            self._assign({each: self.assignment.get(each) or TopicPartitionState() for each in wanted})

    def assign_from_subscribed(self, assignments: Iterable[TopicPartition]) -> None:
        """Assigns partitions of subscribed topics, without positions, topics in random order.

        Raises:
            IllegalStateError: There is no subscription.
            ValueError: A topic is not subscribed.
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
        """Removes topics, pattern and partitions."""
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
        """Returns the assigned partitions."""
        return set(self.assignment)

    def paused_partitions(self) -> set[TopicPartition]:
        """Returns the paused partitions."""
        return {partition for partition, state in self.assignment.items() if state.paused}

    def fetchable_partitions(self) -> list[TopicPartition]:
        """Returns the fetchable partitions, in order."""
        return [partition for partition, state in self.assignment.items() if state.is_fetchable()]

    def is_assigned(self, partition: TopicPartition) -> bool:
        """True if the partition is assigned."""
        return partition in self.assignment

    def is_paused(self, partition: TopicPartition) -> bool:
        """True if the partition is paused."""
        return partition in self.assignment and self.assignment[partition].paused

    def is_fetchable(self, partition: TopicPartition) -> bool:
        """True if the partition is fetchable."""
        return partition in self.assignment and self.assignment[partition].is_fetchable()

    def pause(self, partition: TopicPartition) -> None:
        """Pauses a partition.

        Raises:
            KeyError: The partition is not assigned; so do all methods below that take a partition.
        """
        self.assignment[partition].pause()

    def resume(self, partition: TopicPartition) -> None:
        """Resumes the partition."""
        self.assignment[partition].resume()

    def move_partition_to_end(self, partition: TopicPartition) -> None:
        """Moves a partition to the end of the fetching order; ignores one that is not assigned."""
        if partition in self.assignment:
            self.assignment.move_to_end(partition)

    # Positions

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Sets the position.

        Raises:
            TypeError: `offset` is neither a number nor an `OffsetAndMetadata`.
        """
        given: Any = offset
        if not isinstance(given, (int, OffsetAndMetadata)):
            raise TypeError("offset: a number or an OffsetAndMetadata is expected")
        self.assignment[partition].seek(offset)

    def position(self, partition: TopicPartition) -> OffsetAndMetadata | None:
        """Returns the position of a partition."""
        return self.assignment[partition].position

    def has_valid_position(self, partition: TopicPartition) -> bool:
        """True if the partition is assigned and has a position."""
        return partition in self.assignment and self.assignment[partition].has_valid_position

    def has_all_fetch_positions(self) -> bool:
        """True if every partition has a position."""
        return all(state.has_valid_position for state in self.assignment.values())

    def missing_fetch_positions(self) -> set[TopicPartition]:
        """Returns the partitions without a position that no look-up is pending for."""
        return {partition for partition, state in self.assignment.items() if state.is_missing_position()}

    def all_consumed_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """Returns the positions of partitions that have one."""
        found = {partition: state.position for partition, state in self.assignment.items()}
        return {partition: position for partition, position in found.items() if position is not None}

    def has_default_offset_reset_policy(self) -> bool:
        """True if a missing position is looked up and not an error."""
        return self._strategy != OffsetResetStrategy.NONE

    def request_offset_reset(self, partition: TopicPartition, offset_reset_strategy: int | None = None) -> None:
        """Drops a position, which is to be looked up by the given strategy, or else the default one."""
        chosen = self._strategy if offset_reset_strategy is None else offset_reset_strategy
        self.assignment[partition].reset(chosen)

    def is_offset_reset_needed(self, partition: TopicPartition) -> bool:
        """True if the position is to be looked up."""
        return self.assignment[partition].awaiting_reset

    def reset_missing_positions(self) -> None:
        """Marks the positions of all partitions that have none for a look-up.

        Raises:
            NoOffsetForPartitionError: There is no default strategy.
        """
        missing = self.missing_fetch_positions()
        if missing and not self.has_default_offset_reset_policy():
            raise NoOffsetForPartitionError(missing)
        for partition in missing:
            self.assignment[partition].reset(self._strategy)

    def partitions_needing_reset(self) -> set[TopicPartition]:
        """Returns the partitions whose position is to be looked up now."""
        return {
            partition
            for partition, state in self.assignment.items()
            if state.awaiting_reset and state.is_reset_allowed()
        }

    def set_reset_pending(self, partitions: Iterable[TopicPartition], next_allowed_reset_time: float) -> None:
        """Notes running look-ups, with the time before which there are no others, in seconds since 1970."""
        for partition in partitions:
            self.assignment[partition].set_reset_pending(next_allowed_reset_time)

    def reset_failed(self, partitions: Iterable[TopicPartition], next_retry_time: float) -> None:
        """Notes failed look-ups, which are repeated from a time in seconds since 1970 on."""
        self.set_reset_pending(partitions, next_retry_time)
