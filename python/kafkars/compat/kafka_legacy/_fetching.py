"""Fetch requests of the face: a kafkars consumer, which reads ahead, serves them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from kafkars import Consumer, TopicPartition, errors
from kafkars.compat.kafka_legacy._messages import ENTRY_BYTES
from kafkars.compat.kafka_legacy._numbers import number_of
from kafkars.compat.kafka_legacy.common import ConsumerFetchSizeTooSmall, Message, OffsetAndMessage

if TYPE_CHECKING:
    from kafkars import PartitionInfo, Record

GRACE = 5.0
"""Seconds that brokers may take to answer, in addition to the time for which a request waits for messages."""
OUT_OF_RANGE = errors.OffsetOutOfRangeError.code


@dataclass(frozen=True)
class FetchTarget:
    """The request for one partition."""

    offset: int
    max_bytes: int


@dataclass(frozen=True)
class FetchResult:
    """The response of one partition: its error code (None if the cluster did not answer), the log's end, the
    messages.
    """

    error: int | None
    high: int
    messages: Iterator[OffsetAndMessage] = field(default_factory=lambda: iter(()))


@dataclass
class Reading:
    """The buffered records of one partition: from the offset `start` up to the consumer's position."""

    start: int
    # Each with its size in a message set, which several requests need.
    records: deque[tuple[Record[bytes, bytes], int]] = field(default_factory=deque)
    size: int = 0

    def add(self, record: Record[bytes, bytes]) -> None:
        size = size_of(record)
        self.records.append((record, size))
        self.size += size

    def move(self, offset: int) -> None:
        """Drops records before an offset."""
        while self.records and self.records[0][0].offset < offset:
            self.size -= self.records.popleft()[1]
        self.start = offset

    def fitting(self, size: int) -> list[Record[bytes, bytes]]:
        """Returns the first records, up to a number of bytes."""
        found = []
        for record, each in self.records:
            size -= each
            if size < 0:
                break
            found.append(record)
        return found


class PartitionPauses:
    """Pauses and resumes partitions of a consumer, and skips calls that would change nothing, which are most."""

    def __init__(self, consumer: Consumer[bytes, bytes]) -> None:
        self._consumer = consumer
        self._paused: set[TopicPartition] = set()

    def pause(self, partitions: Iterable[TopicPartition]) -> None:
        if new := set(partitions) - self._paused:
            self._consumer.pause(new)
            self._paused |= new

    def resume(self, partitions: Iterable[TopicPartition]) -> None:
        if again := self._paused.intersection(partitions):
            self._consumer.resume(again)
            self._paused -= again

    def forget(self, partition: TopicPartition) -> None:
        """Forgets a partition that is not read any more; when it is read again, it is not paused."""
        self._paused.discard(partition)


class Fetcher:
    """Serves fetch requests. A partition that a request leaves out is paused until it is asked for again.

    Args:
        consumer: The consumer, which belongs to the fetcher from now on.
        time_limit: Seconds to wait for messages that are known to exist.
    """

    def __init__(self, consumer: Consumer[bytes, bytes], time_limit: float) -> None:
        self._consumer = consumer
        self._time_limit = time_limit
        self._pauses = PartitionPauses(consumer)
        self._reading: dict[TopicPartition, Reading] = {}
        self._lock = Lock()

    def partitions_for(self, topic: str, timeout: float) -> list[PartitionInfo]:
        """Returns a topic's partitions; brokers that auto-create topics create it."""
        return self._consumer.partitions_for(topic, timeout=timeout)

    def fetch(
        self, wanted: Mapping[TopicPartition, FetchTarget], max_wait: float, min_bytes: int
    ) -> dict[TopicPartition, FetchResult]:
        """Returns the messages of each partition.

        The result has everything that was in the log when the call began, as far as it fits; then up to `max_wait`
        seconds are waited for `min_bytes`.
        """
        with self._lock:
            time_limit = min(self._time_limit, max_wait + GRACE)
            return Round(self._consumer, self._pauses, self._reading, wanted, time_limit).run(max_wait, min_bytes)

    def close(self) -> None:
        """Ends the consumer."""
        self._consumer.close(self._time_limit)


class Round:
    """One fetch request.

    Args:
        consumer: The kafkars consumer.
        pauses: Pauses its partitions.
        reading: The buffered records of each partition, kept from request to request.
        wanted: The requests by partition.
        time_limit: Seconds to wait for messages that are known to exist.
    """

    def __init__(
        self,
        consumer: Consumer[bytes, bytes],
        pauses: PartitionPauses,
        reading: dict[TopicPartition, Reading],
        wanted: Mapping[TopicPartition, FetchTarget],
        time_limit: float,
    ) -> None:
        self._consumer = consumer
        self._pauses = pauses
        self._reading = reading
        self._wanted = wanted
        self._time_limit = time_limit
        self._ends: dict[TopicPartition, int] = {}
        self._errors: dict[TopicPartition, int | None] = {}
        # Partitions whose reading starts in this round, at offsets that were checked against the log.
        self._fresh: set[TopicPartition] = set()

    def run(self, max_wait: float, min_bytes: int) -> dict[TopicPartition, FetchResult]:
        """Carries the request out; see `Fetcher.fetch`."""
        deadline = time.monotonic() + max_wait
        self._assign()
        self._look_at_ends([each for each in self._asked() if not self._is_full(each)])
        limit = time.monotonic() + self._time_limit
        while behind := [each for each in self._asked() if self._is_behind(each)]:
            # A partition with enough records is paused while another one is slow.
            self._pauses.pause(each for each in self._asked() if each not in behind)
            if not self._poll(limit - time.monotonic()) and time.monotonic() > limit:
                self._fail(behind, None)
        self._pauses.resume(self._asked())
        # As with brokers: an error ends the wait.
        while not self._errors and self._size() < min_bytes and (left := deadline - time.monotonic()) > 0:
            self._poll(left)
        return {each: self._answer(each) for each in self._wanted}

    def _assign(self) -> None:
        """Makes the consumer read the requested partitions from their offsets, and no others."""
        new: dict[TopicPartition, int] = {}
        for each, wanted in self._wanted.items():
            reading = self._reading.get(each)
            if reading is not None and reading.start <= wanted.offset <= self._position(each):
                reading.move(wanted.offset)
            elif wanted.offset < 0:
                self._errors[each] = OUT_OF_RANGE
            else:
                new[each] = wanted.offset
        self._take_up(new)
        self._pauses.pause(each for each in self._reading if each not in self._wanted)
        self._pauses.resume(self._asked())

    def _position(self, partition: TopicPartition) -> int:
        """Returns the consumer's position; -1 for a topic that was deleted and created again."""
        try:
            return self._consumer.position(partition)
        except errors.NoOffsetError:
            return -1

    def _take_up(self, new: Mapping[TopicPartition, int]) -> None:
        """Starts reading partitions at other offsets than before."""
        lows = self._limits(list(new), self._consumer.beginning_offsets)
        self._ends.update(self._limits(list(lows), self._consumer.end_offsets))
        for each, low in lows.items():
            if each not in self._ends:
                continue
            if not low <= new[each] <= self._ends[each]:
                self._fail([each], errors.OffsetOutOfRangeError())
                continue
            if each in self._reading:
                self._consumer.seek(each, new[each])
            else:
                self._consumer.incremental_assign({each: new[each]})
            self._reading[each] = Reading(new[each])
            self._fresh.add(each)

    def _look_at_ends(self, partitions: Sequence[TopicPartition]) -> None:
        """Looks up where logs end. An offset after the end is out of range: the log was created again, or truncated."""
        unknown = [each for each in partitions if each not in self._ends]
        self._ends.update(self._limits(unknown, self._consumer.end_offsets))
        gone = [each for each in unknown if each in self._ends and self._wanted[each].offset > self._ends[each]]
        self._fail(gone, errors.OffsetOutOfRangeError())

    def _limits(
        self, partitions: Sequence[TopicPartition], ask: Callable[..., dict[TopicPartition, int]]
    ) -> dict[TopicPartition, int]:
        """Looks up where logs begin or end; a partition whose look-up fails has an error from now on."""
        if not partitions:
            return {}
        try:
            return ask(partitions, timeout=self._time_limit)
        except errors.KafkaError as error:
            if len(partitions) == 1 or isinstance(error, errors.KafkaTimeoutError):
                # The topic was created again, with fewer partitions.
                is_gone = isinstance(error, errors.InvalidArgumentError)
                self._fail(partitions, errors.UnknownTopicOrPartitionError() if is_gone else error)
                return {}
        # One has failed, which says nothing of the others: each is looked up alone.
        return {each: limit for one in partitions for each, limit in self._limits([one], ask).items()}

    def _asked(self) -> list[TopicPartition]:
        return [each for each in self._wanted if each not in self._errors]

    def _is_full(self, partition: TopicPartition) -> bool:
        reading = self._reading.get(partition)
        return reading is not None and reading.size >= self._wanted[partition].max_bytes

    def _is_behind(self, partition: TopicPartition) -> bool:
        """True if records are missing that were in the log when the request began."""
        if self._is_full(partition):
            return False
        return self._position(partition) < self._ends[partition]

    def _size(self) -> int:
        return sum(min(self._reading[each].size, self._wanted[each].max_bytes) for each in self._asked())

    def _poll(self, seconds: float) -> bool:
        """Polls for some seconds; True if records have come."""
        try:
            records = self._consumer.poll_batch(timeout=max(seconds, 0.0))
        except errors.KafkaError as error:
            culprit = TopicPartition(error.topic or "", -1 if error.partition is None else error.partition)
            if isinstance(error, errors.NoOffsetError) and culprit in self._fresh:
                # The topic was created again before this round: the offsets are those of its new log, but the consumer
                # has only just noticed. Its reading starts again, once.
                self._drop(culprit)
                self._take_up({culprit: self._wanted[culprit].offset})
                self._fresh.discard(culprit)
                return True
            # The topic was created again, so the requested offset is not in its log.
            told = errors.OffsetOutOfRangeError() if isinstance(error, errors.NoOffsetError) else error
            self._fail([culprit] if culprit in self._reading else self._asked(), told)
            return True
        for record in records:
            self._reading[TopicPartition(record.topic, record.partition)].add(record)
        return bool(records)

    def _fail(self, partitions: Sequence[TopicPartition], error: errors.KafkaError | None) -> None:
        """Stops reading partitions after an error; the next request starts them again."""
        for each in partitions:
            self._errors[each] = None if error is None else number_of(error)
            self._drop(each)

    def _drop(self, partition: TopicPartition) -> None:
        """Stops reading a partition."""
        self._fresh.discard(partition)
        if self._reading.pop(partition, None) is not None:
            self._consumer.incremental_unassign([partition])
            self._pauses.forget(partition)

    def _answer(self, partition: TopicPartition) -> FetchResult:
        if partition in self._errors:
            return FetchResult(self._errors[partition], self._ends.get(partition, -1))
        wanted, reading = self._wanted[partition], self._reading[partition]
        marks = self._consumer.watermarks(partition)
        high = max(self._ends.get(partition, -1), -1 if marks is None else marks.high)
        fitting = reading.fitting(wanted.max_bytes)
        return FetchResult(0, high, messages(fitting, too_small=bool(reading.records) and not fitting))


def messages(records: Sequence[Record[bytes, bytes]], too_small: bool) -> Iterator[OffsetAndMessage]:
    """Converts records to messages.

    Raises:
        ConsumerFetchSizeTooSmall: The first record does not fit.
    """
    if too_small:
        raise ConsumerFetchSizeTooSmall
    for record in records:
        yield OffsetAndMessage(record.offset, Message(0, 0, record.raw_key, record.raw_value))


def size_of(record: Record[bytes, bytes]) -> int:
    """Returns the size of a record in a message set."""
    return ENTRY_BYTES + max(record.serialized_key_size, 0) + max(record.serialized_value_size, 0)
