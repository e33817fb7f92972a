"""Batches of any format: reading several, building one (`kafka.record.memory_records`)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from kafkars.compat.kafka.errors import CorruptRecordError, IllegalStateError, UnsupportedVersionError
from kafkars.compat.kafka.record.abc import ABCRecords, Headers
from kafkars.compat.kafka.record.default_records import (
    DefaultRecordBatch,
    DefaultRecordBatchBuilder,
    check_producer,
)
from kafkars.compat.kafka.record.legacy_records import LegacyRecordBatch, LegacyRecordBatchBuilder

__all__ = ["MemoryRecords", "MemoryRecordsBuilder"]

NEWEST = 2
CODECS = range(5)


class MemoryRecords(ABCRecords):
    """Batches one after another; a truncated one at the end is not read."""

    LENGTH_OFFSET = struct.calcsize(">q")
    LOG_OVERHEAD = struct.calcsize(">qi")
    MAGIC_OFFSET = struct.calcsize(">qii")
    MIN_SLICE = LOG_OVERHEAD + LegacyRecordBatchBuilder.RECORD_OVERHEAD_V0

    def __init__(self, bytes_data: Any) -> None:
        self._buffer = bytes_data
        self._at = 0

    def size_in_bytes(self) -> int:
        """Returns the size in bytes."""
        return len(self._buffer)

    def valid_bytes(self) -> int:
        """Returns the size of the whole batches in bytes."""
        at = 0
        while (end := self._end(at)) is not None:
            at = end
        return at

    def _end(self, at: int) -> int | None:
        """Returns the end of the batch at a position; None if it is truncated."""
        if at + self.LOG_OVERHEAD > len(self._buffer):
            return None
        (length,) = struct.unpack_from(">i", self._buffer, at + self.LENGTH_OFFSET)
        end = at + self.LOG_OVERHEAD + int(length)
        return end if at < end <= len(self._buffer) else None

    def has_next(self) -> bool:
        """True if there is another batch."""
        return self._end(self._at) is not None

    def next_batch(self) -> DefaultRecordBatch | LegacyRecordBatch | None:
        """Returns the next batch; None after the last.

        Raises:
            CorruptRecordError: The batch is smaller than any record.
        """
        end = self._end(self._at)
        if end is None:
            return None
        batch = memoryview(self._buffer)[self._at : end]
        if len(batch) < self.MIN_SLICE:
            raise CorruptRecordError(f"a batch of {len(batch)} bytes is smaller than any record")
        self._at = end
        (magic,) = struct.unpack_from(">b", batch, self.MAGIC_OFFSET)
        return LegacyRecordBatch(batch, magic) if magic < NEWEST else DefaultRecordBatch(batch)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        batch = self.next_batch()
        if batch is None:
            raise StopIteration
        return batch


class MemoryRecordsBuilder:
    """Builds a batch of any format.

    Args:
        magic: 0, 1 or 2.
        compression_type: The number of a codec, from 0 for none to 4.
        batch_size: The limit in bytes before compression; one record always fits.
        offset: The first record's offset.
        transactional: True for a batch of a transaction.
        producer_id: The producer id; -1 for none.
        producer_epoch: The producer epoch; -1 for none.
        base_sequence: The sequence number of the first record; -1 for none.

    Raises:
        AssertionError: Format or codec are unknown, or the format has no producer id.
    """

    def __init__(
        self,
        magic: int,
        compression_type: int,
        batch_size: int,
        offset: int = 0,
        transactional: bool = False,
        producer_id: int = -1,
        producer_epoch: int = -1,
        base_sequence: int = -1,
    ) -> None:
        if magic not in {0, 1, NEWEST} or compression_type not in CODECS:
            raise AssertionError(f"there is no format {magic} with the codec {compression_type}")
        self._builder: DefaultRecordBatchBuilder | LegacyRecordBatchBuilder
        if magic == NEWEST:
            check_producer(producer_id, producer_epoch, base_sequence, transactional)
            self._builder = DefaultRecordBatchBuilder(
                magic, compression_type, transactional, producer_id, producer_epoch, base_sequence, batch_size
            )
        elif transactional or producer_id != -1:
            raise AssertionError(f"format {magic} has no producers")
        else:
            self._builder = LegacyRecordBatchBuilder(magic, compression_type, batch_size)
        self._batch_size = batch_size
        self._next_offset = offset
        self._written = 0
        self._buffer: bytes | None = None

    def append(self, timestamp: int | None, key: bytes | None, value: bytes | None, headers: Headers = ()) -> Any:
        """Appends a record and returns its metadata; None if it does not fit or the batch is closed."""
        if self._buffer is not None:
            return None
        metadata = self._builder.append(self._next_offset, timestamp, key, value, headers)
        if metadata is not None:
            self._next_offset += 1
        return metadata

    def skip(self, offsets_to_skip: int) -> None:
        """Skips offsets."""
        self._next_offset += offsets_to_skip

    def set_producer_state(
        self, producer_id: int, producer_epoch: int, base_sequence: int, is_transactional: bool
    ) -> None:
        """Sets the producer's id, epoch and sequence number.

        Raises:
            IllegalStateError: The batch is closed.
            UnsupportedVersionError: The format has no producer id.
        """
        if not isinstance(self._builder, DefaultRecordBatchBuilder):
            raise UnsupportedVersionError("formats before that of Kafka 0.11 have no producers")
        if self._buffer is not None:
            raise IllegalStateError("the batch is closed")
        self._builder.set_producer_state(producer_id, producer_epoch, base_sequence, is_transactional)

    @property
    def producer_id(self) -> int | None:
        """The producer id; None in formats without."""
        return self._builder.producer_id if isinstance(self._builder, DefaultRecordBatchBuilder) else None

    @property
    def producer_epoch(self) -> int | None:
        """The producer epoch; None in formats without."""
        return self._builder.producer_epoch if isinstance(self._builder, DefaultRecordBatchBuilder) else None

    @property
    def base_sequence(self) -> int | None:
        """The sequence number of the first record; None in formats without."""
        return self._builder.base_sequence if isinstance(self._builder, DefaultRecordBatchBuilder) else None

    def close(self) -> None:
        """Finishes the batch, to which no records can be appended any more. Idempotent."""
        if self._buffer is None:
            self._written = self._builder.size()
            self._buffer = bytes(self._builder.build())

    def buffer(self) -> bytes:
        """Returns the encoded batch.

        Raises:
            AssertionError: The batch is not closed.
        """
        if self._buffer is None:
            raise AssertionError("the batch is not closed")
        return self._buffer

    def records(self) -> MemoryRecords:
        """Returns the encoded batch as `MemoryRecords`.

        Raises:
            AssertionError: The batch is not closed.
        """
        return MemoryRecords(self.buffer())

    def size_in_bytes(self) -> int:
        """Returns the size in bytes; of a finished batch after compression."""
        return self._builder.size() if self._buffer is None else len(self._buffer)

    def compression_rate(self) -> float:
        """Returns the size after compression divided by the size before.

        Raises:
            AssertionError: The batch is not closed.
        """
        return len(self.buffer()) / self._written

    def is_full(self) -> bool:
        """True if the batch is full or closed."""
        return self._buffer is not None or self._builder.size() >= self._batch_size

    def next_offset(self) -> int:
        """Returns the offset of the next record."""
        return self._next_offset
