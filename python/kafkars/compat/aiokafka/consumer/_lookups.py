"""What a consumer asks brokers, and what they said last."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from kafkars import _kafkars
from kafkars._times import Milliseconds
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka.consumer import _membership
from kafkars.compat.aiokafka.consumer._standing import Fetched
from kafkars.compat.aiokafka.consumer._state import ConsumerState
from kafkars.compat.aiokafka.errors import translated
from kafkars.compat.aiokafka.structs import OffsetAndTimestamp, TopicPartition
from kafkars.errors import InvalidArgumentError, UnsupportedForMessageFormatError
from kafkars.errors import KafkaError as EngineError

LARGEST = 2**63 - 1
"""The largest timestamp in milliseconds."""


class Lookups(ConsumerState):
    """The calls of `AIOKafkaConsumer` about topics, and about the ends and times of their partitions."""

    async def topics(self) -> set[str]:
        """Returns the names of all topics that are not internal."""
        with translated():
            return set(await self._started_().topics()) - _membership.INTERNAL

    def partitions_for_topic(self, topic: str | None) -> set[int] | None:
        """Returns the known partitions of a topic; None if the topic is not known."""
        nothing: dict[str | None, set[int]] = {}
        known = _kafkars.AiokafkaReader._known_partitions(self, topic) if isinstance(topic, str) else nothing.get(topic)
        return None if known is None else set(known)

    async def beginning_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Returns the offsets of the oldest records."""
        with partitions_known():
            return await self._started_().beginning_offsets(list(partitions))

    async def end_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Returns the offsets after the newest records; with `read_committed` the last stable offsets."""
        with partitions_known():
            return await self._started_().end_offsets(list(partitions))

    async def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Returns for each partition the first record that is not older than a time in ms since 1970, or None.

        Raises:
            ValueError: A time is negative, or too large.
            TypeError: A time is no number.
            KafkaTimeoutError: There is no such partition; aiokafka waits for it until `request_timeout_ms`.
        """
        wanted: dict[TopicPartition | tuple[str, int], int] = {
            partition: Milliseconds(timestamp) for partition, timestamp in timestamps.items()
        }
        for partition, timestamp in timestamps.items():
            if timestamp < 0:
                raise ValueError(f"the time for {partition} is {timestamp}, which is negative")
            if timestamp > LARGEST:
                raise ValueError(
                    f"the time for {partition} is {timestamp}, which is more than a time can be, {LARGEST}"
                )
        with partitions_known():
            found = await self._times_(wanted)
        return {
            partition: None if place is None else OffsetAndTimestamp(place.offset, place.timestamp)
            for partition, place in found.items()
        }

    async def _times_(self, wanted: Mapping[Any, int]) -> dict[TopicPartition, Any]:
        """Asks for times. A partition whose records have none is answered by None, as in aiokafka."""
        try:
            return await self._started_().offsets_for_times(wanted)
        except UnsupportedForMessageFormatError as error:
            partition = partition_of(error)
            if partition is None or partition not in wanted:
                raise
        others = {each: time for each, time in wanted.items() if each != partition}
        return {partition: None, **(await self._times_(others) if others else {})}

    def highwater(self, partition: TopicPartition) -> int | None:
        """Returns the high watermark as of the last fetch; None before the first."""
        found = self._fetched_(partition)
        return None if found is None else found[0]

    def last_stable_offset(self, partition: TopicPartition) -> int | None:
        """Returns the last stable offset as of the last fetch; None before the first."""
        found = self._fetched_(partition)
        return None if found is None else found[1]

    def last_poll_timestamp(self, partition: TopicPartition) -> int | None:
        """Returns the time of the last fetch response, in milliseconds since 1970; None before the first."""
        found = self._fetched_(partition)
        return None if found is None else found[2]

    def _fetched_(self, partition: TopicPartition) -> Fetched | None:
        if self._is_to_start_() and not self._assignment_():
            self._started_()
        if partition not in self._assignment_():
            raise AssertionError(f"partition {partition} is not assigned")
        if self._is_to_start_():
            return None
        past = self._past_()
        return self._told_by_fetch_(partition) if past is None else past.fetched.get(partition)

    def _told_by_fetch_(self, partition: TopicPartition) -> Fetched | None:
        found = _kafkars.AiokafkaReader._last_fetch(self, partition)
        return None if found is None else (found[0], found[1], int(time.time() * 1000 - found[2]))


class partitions_known(translated):  # noqa: N801  reads as a phrase
    """As `translated()`, but a partition that does not exist is a time-out, and an error about one has it as its
    argument, as in aiokafka.
    """

    __slots__ = ()

    def of(self, error: BaseException) -> BaseException | None:
        """Returns the error of aiokafka."""
        if isinstance(error, InvalidArgumentError):
            return errors.KafkaTimeoutError(str(error))
        made = super().of(error)
        if isinstance(made, errors.BrokerResponseError) and isinstance(error, EngineError):
            partition = partition_of(error)
            made.args = made.args if partition is None else (partition,)
        return made


def partition_of(error: EngineError) -> TopicPartition | None:
    """Returns the partition that an error is about."""
    if error.topic is None or error.partition is None:
        return None
    return TopicPartition(error.topic, error.partition)
