"""What a consumer has as `_fetcher`, as far as frameworks reach into it (`aiokafka.consumer.fetcher`)."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkars.compat.aiokafka._not_offered import NotOffered
from kafkars.compat.aiokafka.structs import TopicPartition

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.consumer.consumer import AIOKafkaConsumer

# Faust waits without a limit where it names none.
FOREVER_MS = 2**31 - 1


class FetchRequest(NotOffered):
    """What aiokafka asks a broker for records with."""


class PartitionRecords(NotOffered):
    """Records of a partition that were fetched and not handed out."""


class PartitionState(NamedTuple):
    """How far a partition is."""

    highwater: int | None
    """Offset after the newest record, as the last fetch told it."""
    lso: int | None
    """Offset up to which transactions have ended, likewise."""
    position: int | None
    """None: `AIOKafkaConsumer.position` asks for it."""
    timestamp: int | None
    """When the last fetch was answered, in milliseconds since 1970."""


class Assignment:
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
        return self._consumer.assignment()

    def state_value(self, tp: TopicPartition) -> PartitionState | None:
        """How far one is; None where the consumer does not have it."""
        if tp not in self.tps:
            return None
        consumer = self._consumer
        return PartitionState(
            consumer.highwater(tp), consumer.last_stable_offset(tp), None, consumer.last_poll_timestamp(tp)
        )


class Subscription:
    """What a consumer reads."""

    def __init__(self, consumer: AIOKafkaConsumer) -> None:
        self.topics = consumer.subscription()
        self.assignment = Assignment(consumer)


class Subscriptions:
    """The state of a consumer's subscription."""

    def __init__(self, consumer: weakref.ref[AIOKafkaConsumer]) -> None:
        self._consumer = consumer

    @property
    def subscription(self) -> Subscription | None:
        """None without a consumer."""
        consumer = self._consumer()
        return None if consumer is None else Subscription(consumer)

    def fetch_context(self) -> AbstractContextManager[None]:
        """Around a wait for records; the engine notices on its own that somebody waits."""
        return nullcontext()


class Fetcher:
    """Records, as frameworks take them past `getmany()`."""

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
        """Records of these partitions, or of all where none is named.

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
