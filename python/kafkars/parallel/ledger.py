"""What is being worked on, what may start next, and how far each partition may be committed. No threads, no tasks."""

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
    """A record on its way."""

    record: Any
    partition: PartitionWork
    lane: Hashable | None
    size: int
    started_at: float | None = None


@dataclass(eq=False)
class PartitionWork:
    """A partition, from its assignment to its revocation. What comes back after that does not count."""

    offsets: FinishedOffsets = field(default_factory=FinishedOffsets)
    committed: int | None = None
    is_open: bool = True


class WorkLedger:
    """The records between the consumer and the handler."""

    def __init__(self, settings: ParallelSettings) -> None:
        self._settings = settings
        self._partitions: dict[TopicPartition, PartitionWork] = {}
        self._lanes: Lanes[RecordWork] = Lanes()
        self._under_way: dict[RecordWork, None] = {}
        self.in_flight = 0
        self.bytes_in_flight = 0
        self.finished = 0

    def room(self) -> int:
        """Tells how many records may be fetched now."""
        if self.bytes_in_flight >= self._settings.max_in_flight_bytes:
            return 0
        return max(0, self._settings.max_in_flight - self.in_flight)

    @property
    def is_half_empty(self) -> bool:
        """True if fetching, once stopped for want of room, is worth going on with."""
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
        """The handler is about to be called. False if it must not be: the partition has gone to somebody else."""
        if work.partition.is_open:
            work.started_at = time.monotonic()
            self._under_way[work] = None
        return work.partition.is_open

    def finish(self, work: RecordWork) -> RecordWork | None:
        """The record is done with, or was left out as `start` said. Returns what may start instead."""
        self._under_way.pop(work, None)
        if work.partition.is_open:
            work.partition.offsets.finish(work.record.offset)
            self.finished += 1
        self.in_flight -= 1
        self.bytes_in_flight -= work.size
        return self._lanes.finish(work.lane)

    def give_up(self, work: RecordWork) -> RecordWork | None:
        """The handler failed: the record stays unfinished, so that whoever reads on from what is committed gets it
        again.
        """
        self._under_way.pop(work, None)
        self.in_flight -= 1
        self.bytes_in_flight -= work.size
        return self._lanes.finish(work.lane)

    def is_drained(self, partitions: Iterable[TopicPartition]) -> bool:
        """True if nothing of these partitions is worked on, or waits to be."""
        return self.in_flight == 0 or self.unfinished(partitions) == 0

    def unfinished(self, partitions: Iterable[TopicPartition]) -> int:
        """Records of these partitions that are not done with."""
        states = (self._partitions.get(partition) for partition in partitions)
        return sum(state.offsets.unfinished for state in states if state is not None)

    def close(self, partitions: Iterable[TopicPartition]) -> int:
        """Closes partitions, which are somebody else's from now on. Returns how many of their records were not
        finished.
        """
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
        """What is finished without a gap and not committed yet, of these partitions or of all."""
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
        """The coordinator has these."""
        for partition, committed in offsets.items():
            state = self._partitions.get(partition)
            if state is not None and (state.committed is None or state.committed < committed.offset):
                state.committed = committed.offset

    def oldest(self) -> float | None:
        """Seconds since the record was started that has been under way longest."""
        # In the order in which they were started.
        for work in self._under_way:
            if work.started_at is not None:
                return time.monotonic() - work.started_at
        return None
