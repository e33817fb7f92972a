"""Bookkeeping of parallel consumers, without threads or tasks: records under way, what may start, what to commit."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kafkars.parallel.lanes import Lanes
from kafkars.parallel.offsets import FinishedOffsets
from kafkars.types import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from kafkars.parallel.settings import ParallelSettings


@dataclass(eq=False)
class RecordWork:
    """A record that was fetched and is not finished."""

    record: Any
    partition: PartitionWork
    lane: Hashable | None
    size: int
    started_at: float | None = None


@dataclass(eq=False)
class PartitionWork:
    """A partition from its assignment to its revocation. Results that come after that are ignored."""

    offsets: FinishedOffsets = field(default_factory=FinishedOffsets)
    committed: int | None = None
    is_open: bool = True


class WorkLedger:
    """Keeps the records between the consumer and the handler."""

    def __init__(self, settings: ParallelSettings) -> None:
        self._settings = settings
        self._partitions: dict[TopicPartition, PartitionWork] = {}
        self._lanes: Lanes[RecordWork] = Lanes()
        self._under_way: dict[RecordWork, None] = {}
        self.in_flight = 0
        self.bytes_in_flight = 0
        self.finished = 0

    def room(self) -> int:
        """Returns how many records may be fetched now."""
        if self.bytes_in_flight >= self._settings.max_in_flight_bytes:
            return 0
        return max(0, self._settings.max_in_flight - self.in_flight)

    @property
    def is_half_empty(self) -> bool:
        """True if fetching that was stopped for lack of room should go on."""
        return (
            self.in_flight * 2 <= self._settings.max_in_flight
            and self.bytes_in_flight * 2 <= self._settings.max_in_flight_bytes
        )

    def take(self, record: Any) -> RecordWork | None:
        """Accepts a record from the consumer. Returns it as work if it may start now."""
        partition = TopicPartition(record.topic, record.partition)
        state = self._partitions.get(partition)
        if state is None:
            state = self._partitions[partition] = PartitionWork()
        size = max(0, record.serialized_key_size) + max(0, record.serialized_value_size)
        work = RecordWork(record, state, self._lane(record), size)
        state.offsets.start(record.offset, record.leader_epoch)
        self.in_flight += 1
        self.bytes_in_flight += size
        return self._lanes.add(work.lane, work)

    def _lane(self, record: Any) -> Hashable | None:
        if self._settings.ordering == "unordered":
            return None
        if self._settings.ordering == "partition":
            return record.topic, record.partition
        key = record.raw_key
        return None if key is None else (record.topic, record.partition, key)

    def start(self, work: RecordWork) -> bool:
        """Notes that the handler is about to be called. False if it must not be: the partition was revoked."""
        if work.partition.is_open:
            work.started_at = time.monotonic()
            self._under_way[work] = None
        return work.partition.is_open

    def finish(self, work: RecordWork) -> RecordWork | None:
        """Notes that a record is finished, or left out because of `start`. Returns the work that may start instead."""
        self._under_way.pop(work, None)
        if work.partition.is_open:
            work.partition.offsets.finish(work.record.offset)
            self.finished += 1
        self.in_flight -= 1
        self.bytes_in_flight -= work.size
        return self._lanes.finish(work.lane)

    def give_up(self, work: RecordWork) -> RecordWork | None:
        """Notes that the handler failed: the record stays unfinished, so that it is not committed and will be read
        again.
        """
        self._under_way.pop(work, None)
        self.in_flight -= 1
        self.bytes_in_flight -= work.size
        return self._lanes.finish(work.lane)

    def is_drained(self, partitions: Iterable[TopicPartition]) -> bool:
        """True if no record of these partitions is under way or waits to start."""
        return self.in_flight == 0 or self.unfinished(partitions) == 0

    def unfinished(self, partitions: Iterable[TopicPartition]) -> int:
        """Returns the number of unfinished records of these partitions."""
        states = (self._partitions.get(partition) for partition in partitions)
        return sum(state.offsets.unfinished for state in states if state is not None)

    def close(self, partitions: Iterable[TopicPartition]) -> int:
        """Closes partitions that were revoked. Returns the number of their unfinished records."""
        left = 0
        for partition in partitions:
            state = self._partitions.pop(partition, None)
            if state is not None:
                state.is_open = False
                left += state.offsets.unfinished
        return left

    def committable(
        self, partitions: Iterable[TopicPartition] | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """Returns the offsets up to which all is finished and that are not committed, of these partitions or of all."""
        found = {}
        for partition in self._partitions if partitions is None else partitions:
            state = self._partitions.get(partition)
            if state is None or state.offsets.committable is None:
                continue
            offset, leader_epoch = state.offsets.committable
            if offset != state.committed:
                found[partition] = OffsetAndMetadata(offset, "", leader_epoch)
        return found

    def note_committed(self, offsets: dict[TopicPartition, OffsetAndMetadata]) -> None:
        """Notes that these offsets were committed."""
        for partition, committed in offsets.items():
            state = self._partitions.get(partition)
            if state is not None and (state.committed is None or state.committed < committed.offset):
                state.committed = committed.offset

    def oldest(self) -> float | None:
        """Returns for how many seconds the oldest started record has been under way."""
        # They are in the order in which they were started.
        for work in self._under_way:
            if work.started_at is not None:
                return time.monotonic() - work.started_at
        return None
