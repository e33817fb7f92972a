"""The `_fetcher` of a consumer, as far as frameworks use it (`aiokafka.consumer.fetcher`)."""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkars.compat.aiokafka._not_offered import NotOffered
from kafkars.compat.aiokafka.errors import ConsumerStoppedError
from kafkars.compat.aiokafka.structs import ConsumerRecord as ConsumerRecord  # noqa: PLC0414  programs import it from here
from kafkars.compat.aiokafka.structs import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.abc import ConsumerRebalanceListener
    from kafkars.compat.aiokafka.consumer._membership import SubscriptionRequest
    from kafkars.compat.aiokafka.consumer.consumer import AIOKafkaConsumer

# Faust waits without a limit if it names none.
FOREVER_MS = 2**31 - 1


READ_UNCOMMITTED = 0
READ_COMMITTED = 1
"""Isolation levels as requests name them."""


class OffsetResetStrategy:
    """Where to read from that has no offset, as requests name it."""

    LATEST = -1
    EARLIEST = -2
    NONE = 0

    @classmethod
    def from_str(cls, name: str) -> int:
        """Returns the number of a name; NONE for what is none."""
        return {"latest": cls.LATEST, "earliest": cls.EARLIEST}.get(name.lower(), cls.NONE)

    @classmethod
    def to_str(cls, value: int) -> str:
        """Returns the name of a number; others are timestamps."""
        names = {cls.LATEST: "latest", cls.EARLIEST: "earliest", cls.NONE: "none"}
        return names.get(value, f"timestamp({value})")


class FetchResult(NotOffered):
    """aiokafka's fetched records; only its name is here."""


class FetchError(NotOffered):
    """aiokafka's refused fetch; only its name is here."""


class FetchRequest(NotOffered):
    """aiokafka's request for records; only its name is here."""


class PartitionRecords(NotOffered):
    """aiokafka's buffer of fetched records of a partition; only its name is here."""


class PartitionState(NamedTuple):
    """The state of a partition."""

    highwater: int | None
    """The high watermark as of the last fetch."""
    lso: int | None
    """The last stable offset as of the last fetch."""
    position: int | None
    """Always None: `AIOKafkaConsumer.position` tells the position."""
    timestamp: int | None
    """The time of the last fetch response, in milliseconds since 1970."""
    paused: bool
    """True from `pause()` to `resume()`."""


class AssignedPartitions:
    """The partitions a consumer has."""

    def __init__(self, consumer: AIOKafkaConsumer) -> None:
        self._consumer = consumer

    @property
    def active(self) -> bool:
        """True if there are any."""
        return bool(self.tps)

    @property
    def tps(self) -> frozenset[TopicPartition]:
        """The partitions."""
        return self._consumer._assignment_()

    def state_value(self, tp: TopicPartition) -> PartitionState | None:
        """Returns the state of a partition; None if it is not assigned."""
        if tp not in self.tps:
            return None
        consumer = self._consumer
        highwater, stable, timestamp = consumer._fetched_(tp) or (None, None, None)
        return PartitionState(
            highwater,
            stable,
            None,
            timestamp,
            tp in consumer._paused_(),
        )

    def all_consumed_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """Returns how far the program has read, where that is known."""
        read = self._consumer._read_to_().items()
        return {partition: OffsetAndMetadata(offset, "") for partition, offset in read}


class Subscription:
    """What a consumer reads."""

    def __init__(self, consumer: AIOKafkaConsumer) -> None:
        self.topics = consumer._subscribed_()
        self.assignment = AssignedPartitions(consumer)


class Subscriptions:
    """The state of a consumer's subscription."""

    def __init__(self, consumer: weakref.ref[AIOKafkaConsumer]) -> None:
        self._consumer = consumer

    @property
    def subscription(self) -> Subscription | None:
        """None where nothing is subscribed to or assigned."""
        consumer = self._consumer()
        return None if consumer is None or consumer._requested_ is None else Subscription(consumer)

    @property
    def topics(self) -> frozenset[str]:
        """The topics that are read."""
        consumer = self._consumer()
        return frozenset() if consumer is None else consumer._subscribed_()

    @property
    def subscribed_pattern(self) -> re.Pattern[str] | None:
        """The pattern of the topics."""
        requested = self._requested()
        return None if requested is None else requested.pattern

    @property
    def listener(self) -> ConsumerRebalanceListener | None:
        """What hears of rebalances."""
        requested = self._requested()
        return None if requested is None else requested.listener

    _listener = listener

    def _requested(self) -> SubscriptionRequest | None:
        consumer = self._consumer()
        return None if consumer is None else consumer._requested_

    def partitions_auto_assigned(self) -> bool:
        """True if partitions come of topics or a pattern."""
        requested = self._requested()
        return requested is not None and requested.partitions is None

    def assigned_partitions(self) -> frozenset[TopicPartition]:
        """Returns the assigned partitions."""
        consumer = self._consumer()
        return frozenset() if consumer is None else consumer._assignment_()

    def is_assigned(self, tp: TopicPartition) -> bool:
        """True if a partition is assigned."""
        return tp in self.assigned_partitions()

    def paused_partitions(self) -> set[TopicPartition]:
        """Returns the paused partitions."""
        consumer = self._consumer()
        return set() if consumer is None else consumer._paused_()

    def pause(self, tp: TopicPartition) -> None:
        """Returns no records of a partition until `resume()`."""
        consumer = self._consumer()
        if consumer is not None:
            consumer.pause(tp)

    def resume(self, tp: TopicPartition) -> None:
        """Undoes `pause()`."""
        consumer = self._consumer()
        if consumer is not None:
            consumer.resume(tp)

    def fetch_context(self) -> AbstractContextManager[None]:
        """Surrounds a wait for records in aiokafka; here it does nothing."""
        return nullcontext()


class Fetcher:
    """Fetched records for frameworks that do not call `getmany()`."""

    def __init__(self, consumer: AIOKafkaConsumer) -> None:
        self._consumer = weakref.ref(consumer)
        self._subscriptions = Subscriptions(self._consumer)

    @property
    def _closed(self) -> bool:
        consumer = self._consumer()
        return consumer is None or bool(consumer._closed)

    async def fetched_records(
        self, partitions: Iterable[TopicPartition], timeout: float | None = 0, max_records: int | None = None
    ) -> dict[TopicPartition, list[Any]]:
        """Returns records of these partitions, or of all if none is named.

        Args:
            partitions: The partitions; pairs of topic and number will do.
            timeout: Seconds; None for no limit.
            max_records: The most to hand out; None for what is there.
        """
        consumer = self._consumer()
        if consumer is None:
            return {}
        wanted = [TopicPartition(topic, partition) for topic, partition in partitions or ()]
        timeout_ms = FOREVER_MS if timeout is None else int(timeout * 1000)
        found: dict[TopicPartition, list[Any]] = await consumer.getmany(
            *wanted, timeout_ms=timeout_ms, max_records=max_records
        )
        return found

    async def next_record(self, partitions: Iterable[TopicPartition]) -> Any:
        """Returns the next record, of these partitions where any are named."""
        consumer = self._consumer()
        if consumer is None:
            raise ConsumerStoppedError
        return await consumer.getone(*partitions)

    async def close(self) -> None:
        """Ends reading, by stopping the consumer."""
        consumer = self._consumer()
        if consumer is not None:
            await consumer.stop()
