"""The format of Kafka since 0.11: batches with one header for all records (`kafka.record.default_records`)."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from typing import Any

from kafkars.compat.kafka.errors import CorruptRecordError
from kafkars.compat.kafka.record import _codecs
from kafkars.compat.kafka.record._default_record import ControlRecord, DefaultRecord, DefaultRecordMetadata
from kafkars.compat.kafka.record.abc import ABCRecordBatch, ABCRecordBatchBuilder, Headers
from kafkars.compat.kafka.record.util import calc_crc32c, decode_varint, encode_varint, size_of_varint

__all__ = [
    "ControlRecord",
    "DefaultRecord",
    "DefaultRecordBase",
    "DefaultRecordBatch",
    "DefaultRecordBatchBuilder",
    "DefaultRecordMetadata",
]

NOTHING = 1
"""The length -1 as a varint."""


class DefaultRecordBase:
    """The header of a batch, and the bits of its attributes."""

    HEADER_STRUCT = struct.Struct(">qiibIhiqqqhii")
    """Base offset, length, leader epoch, magic, checksum, attributes, last offset delta, first and greatest timestamp,
    producer id, producer epoch, base sequence, number of records.
    """
    AFTER_LEN_OFFSET = struct.calcsize(">qi")
    MAGIC_OFFSET = struct.calcsize(">qii")
    CRC_OFFSET = struct.calcsize(">qiib")
    ATTRIBUTES_OFFSET = struct.calcsize(">qiibI")

    CODEC_MASK = 0x07
    CODEC_NONE, CODEC_GZIP, CODEC_SNAPPY, CODEC_LZ4, CODEC_ZSTD = range(5)
    TIMESTAMP_TYPE_MASK = 0x08
    TRANSACTIONAL_MASK = 0x10
    CONTROL_MASK = 0x20

    CREATE_TIME = 0
    LOG_APPEND_TIME = 1
    NO_PRODUCER_ID = -1
    NO_SEQUENCE = -1
    MAX_INT = 2**31 - 1


class DefaultRecordBatch(DefaultRecordBase, ABCRecordBatch):
    """A batch to read.

    Raises:
        CorruptRecordError: The data is shorter than a header.
    """

    base_offset: int = 0
    magic: int = 2

    def __init__(self, buffer: Any) -> None:
        self._buffer = bytes(buffer)
        if len(self._buffer) < self.HEADER_STRUCT.size:
            raise CorruptRecordError(f"a batch has {len(self._buffer)} bytes, fewer than its header")
        (
            self.base_offset,
            self._length,
            self.leader_epoch,
            self.magic,
            self.crc,
            self.attributes,
            self.last_offset_delta,
            self.first_timestamp,
            self.max_timestamp,
            self.producer_id,
            self.producer_epoch,
            self.base_sequence,
            self.records_count,
        ) = self.HEADER_STRUCT.unpack_from(self._buffer)
        self._records: Iterator[DefaultRecord] | None = None

    @property
    def size_in_bytes(self) -> int:
        """The size in bytes."""
        return int(self._length) + self.AFTER_LEN_OFFSET

    @property
    def last_offset(self) -> int:
        """The offset of the last record."""
        return self.base_offset + int(self.last_offset_delta)

    @property
    def next_offset(self) -> int:
        """The offset after the last record."""
        return self.last_offset + 1

    @property
    def compression_type(self) -> int:
        """The number of the codec; 0 for none."""
        return int(self.attributes) & self.CODEC_MASK

    @property
    def timestamp_type(self) -> int:
        """The timestamp type: 0 for CreateTime, 1 for LogAppendTime."""
        return int(bool(self.attributes & self.TIMESTAMP_TYPE_MASK))

    @property
    def is_transactional(self) -> bool:
        """True if the batch is part of a transaction."""
        return bool(self.attributes & self.TRANSACTIONAL_MASK)

    @property
    def is_control_batch(self) -> bool:
        """True if the batch is a transaction marker."""
        return bool(self.attributes & self.CONTROL_MASK)

    def has_producer_id(self) -> bool:
        """True if the producer is idempotent."""
        return int(self.producer_id) > self.NO_PRODUCER_ID

    @property
    def has_sequence(self) -> bool:
        """True if the records have sequence numbers of an idempotent producer."""
        return int(self.base_sequence) != self.NO_SEQUENCE

    @property
    def last_sequence(self) -> int:
        """The sequence number of the last record; 0 follows the greatest int32."""
        if not self.has_sequence:
            return self.NO_SEQUENCE
        last = int(self.base_sequence) + int(self.last_offset_delta)
        return last if last <= self.MAX_INT else last - self.MAX_INT - 1

    def validate_crc(self) -> bool:
        """True if the checksum is right."""
        return bool(self.crc == calc_crc32c(self._buffer[self.ATTRIBUTES_OFFSET :]))

    def __iter__(self) -> Iterator[DefaultRecord]:
        """Iterates over the records, once.

        Raises:
            CorruptRecordError: The data is not the number of records that the header says.
        """
        if self._records is None:
            self._records = self._read()
        return self._records

    def __next__(self) -> DefaultRecord:
        return next(iter(self))

    def _read(self) -> Iterator[DefaultRecord]:
        data: bytes = self._buffer[self.HEADER_STRUCT.size :]
        if self.compression_type != self.CODEC_NONE:
            data = _codecs.decompressed(self.compression_type, data)
        at = 0
        for _ in range(int(self.records_count)):
            try:
                record, at = self._record(data, at)
            except (ValueError, IndexError, struct.error) as error:
                raise CorruptRecordError(f"a record cannot be read: {error!r}") from error
            yield record
        if at != len(data):
            raise CorruptRecordError(f"there are {len(data) - at} bytes after the last record")

    def _record(self, data: bytes, at: int) -> tuple[DefaultRecord, int]:
        length, began = decode_varint(data, at)
        later, at = decode_varint(data, began + 1)
        number, at = decode_varint(data, at)
        key, at = _bytes(data, at)
        value, at = _bytes(data, at)
        count, at = decode_varint(data, at)
        if count < 0:
            raise CorruptRecordError(f"a record has {count} headers")
        headers: list[tuple[str, bytes | None]] = []
        for _ in range(count):
            name, at = _bytes(data, at)
            if name is None:
                raise CorruptRecordError("a header has no name")
            content, at = _bytes(data, at)
            headers.append((name.decode("utf-8"), content))
        if at - began != length:
            raise CorruptRecordError(f"a record of {length} bytes takes {at - began}")
        is_brokers = self.timestamp_type == self.LOG_APPEND_TIME
        timestamp = self.max_timestamp if is_brokers else self.first_timestamp + later
        kind = ControlRecord if self.is_control_batch else DefaultRecord
        offset = self.base_offset + number
        return kind(length, offset, timestamp, self.timestamp_type, key, value, headers), at

    def __str__(self) -> str:
        names = ("magic", "base_offset", "last_offset_delta", "first_timestamp", "max_timestamp", "is_transactional")
        told = (*names, "producer_id", "producer_epoch", "base_sequence", "records_count")
        return f"DefaultRecordBatch({', '.join(f'{name}={getattr(self, name)}' for name in told)})"


def _bytes(data: bytes, at: int) -> tuple[bytes | None, int]:
    length, at = decode_varint(data, at)
    if length < 0:
        return None, at
    if at + length > len(data):
        raise IndexError("the batch ends in the middle of a record")
    return data[at : at + length], at + length


class DefaultRecordBatchBuilder(DefaultRecordBase, ABCRecordBatchBuilder):
    """Builds a batch.

    Args:
        magic: The format, always 2.
        compression_type: The number of a codec; 0 for none.
        is_transactional: True for a batch of a transaction.
        producer_id: The producer id; -1 for none.
        producer_epoch: The producer epoch; -1 for none.
        base_sequence: The sequence number of the first record; -1 for none.
        batch_size: The limit in bytes before compression; one record always fits.
    """

    MAX_RECORD_OVERHEAD = 21

    def __init__(
        self,
        magic: int,
        compression_type: int,
        is_transactional: bool,
        producer_id: int,
        producer_epoch: int,
        base_sequence: int,
        batch_size: int,
    ) -> None:
        if magic < 2:  # noqa: PLR2004  the number of the format
            raise AssertionError(f"this builder has no format {magic}")
        self._magic = magic
        self._compression_type = compression_type & self.CODEC_MASK
        self._batch_size = batch_size
        self._is_transactional = bool(is_transactional)
        self._producer = (producer_id, producer_epoch, base_sequence)
        self._times: tuple[int, int] | None = None
        self._last_offset = 0
        self._count = 0
        self._buffer = bytearray(self.HEADER_STRUCT.size)

    def set_producer_state(
        self, producer_id: int, producer_epoch: int, base_sequence: int, is_transactional: bool
    ) -> None:
        """Sets the producer's id, epoch and sequence number.

        Raises:
            AssertionError: A transaction lacks a producer id, or a producer id an epoch or sequence.
        """
        check_producer(producer_id, producer_epoch, base_sequence, is_transactional)
        self._producer = (producer_id, producer_epoch, base_sequence)
        self._is_transactional = is_transactional

    @property
    def producer_id(self) -> int:
        """The producer id."""
        return self._producer[0]

    @property
    def producer_epoch(self) -> int:
        """The producer epoch."""
        return self._producer[1]

    @property
    def base_sequence(self) -> int:
        """The sequence number of the first record."""
        return self._producer[2]

    def append(
        self, offset: int, timestamp: int | None, key: bytes | None, value: bytes | None, headers: Headers | None = None
    ) -> DefaultRecordMetadata | None:
        """Appends a record.

        Args:
            offset: The record's offset, relative to the batch.
            timestamp: Milliseconds since 1970; None for now.
            key: The key, or None.
            value: The value, or None.
            headers: Pairs of name and value.

        Returns:
            The record's metadata; None if it does not fit.

        Raises:
            TypeError: An argument is of a wrong type.
        """
        if timestamp is None:
            timestamp = int(time.time() * 1000)
        for number in (offset, timestamp):
            if type(number) is not int:
                raise TypeError(number)
        _codecs.check_bytes("key", key)
        _codecs.check_bytes("value", value)
        first, latest = self._times or (timestamp, timestamp)
        body = bytearray(1)
        encode_varint(timestamp - first, body.append)
        encode_varint(offset, body.append)
        _write(body, key)
        _write(body, value)
        encode_varint(len(headers or ()), body.append)
        for name, content in headers or ():
            _write(body, name.encode("utf-8"))
            _write(body, content)
        size = len(body) + size_of_varint(len(body))
        if self._times is not None and len(self._buffer) + size > self._batch_size:
            return None
        encode_varint(len(body), self._buffer.append)
        self._buffer += body
        self._times = (first, max(latest, timestamp))
        self._last_offset = offset
        self._count += 1
        return DefaultRecordMetadata(offset, size, timestamp)

    def build(self) -> bytearray:
        """Returns the encoded batch, compressed if that makes it smaller.

        Raises:
            UnsupportedCodecError: The codec's package is not installed.
        """
        is_compressed = False
        if self._compression_type != self.CODEC_NONE:
            body = bytes(self._buffer[self.HEADER_STRUCT.size :])
            smaller = _codecs.compressed(self._compression_type, body)
            is_compressed = len(smaller) < len(body)
            if is_compressed:
                self._buffer[self.HEADER_STRUCT.size :] = smaller
        self.write_header(is_compressed)
        return self._buffer

    def write_header(self, use_compression_type: bool = True) -> None:
        """Writes the header, with the checksum of everything after it."""
        attributes = self._compression_type if use_compression_type else 0
        if self._is_transactional:
            attributes |= self.TRANSACTIONAL_MASK
        fields = (attributes, self._last_offset, *(self._times or (0, 0)), *self._producer, self._count)
        # The broker sets the base offset and the leader epoch.
        self.HEADER_STRUCT.pack_into(
            self._buffer, 0, 0, len(self._buffer) - self.AFTER_LEN_OFFSET, 0, self._magic, 0, *fields
        )
        crc = calc_crc32c(self._buffer[self.ATTRIBUTES_OFFSET :])
        struct.pack_into(">I", self._buffer, self.CRC_OFFSET, crc)

    def size(self) -> int:
        """Returns the size in bytes."""
        return len(self._buffer)

    @classmethod
    def header_size_in_bytes(cls) -> int:
        """Returns the size of the header in bytes."""
        return cls.HEADER_STRUCT.size

    @classmethod
    def size_in_bytes(
        cls, offset_delta: int, timestamp_delta: int, key: bytes | None, value: bytes | None, headers: Headers
    ) -> int:
        """Returns the size of a record in bytes."""
        size = 1 + size_of_varint(offset_delta) + size_of_varint(timestamp_delta) + cls.size_of(key, value, headers)
        return size + size_of_varint(size)

    @classmethod
    def size_of(cls, key: bytes | None, value: bytes | None, headers: Headers) -> int:
        """Returns the size of key, value and headers in bytes."""
        parts = [key, value, *(part for name, content in headers for part in (name.encode("utf-8"), content))]
        return size_of_varint(len(headers)) + sum(_size(part) for part in parts)

    @classmethod
    def estimate_size_in_bytes(cls, key: bytes | None, value: bytes | None, headers: Headers) -> int:
        """Returns the largest possible size of a batch of one record."""
        return cls.HEADER_STRUCT.size + cls.MAX_RECORD_OVERHEAD + cls.size_of(key, value, headers)

    def __str__(self) -> str:
        first, latest = self._times or (0, 0)
        return (
            f"DefaultRecordBatchBuilder(magic={self._magic}, base_offset=0, last_offset_delta={self._last_offset}, "
            f"first_timestamp={first}, max_timestamp={latest}, is_transactional={self._is_transactional}, "
            f"producer_id={self.producer_id}, producer_epoch={self.producer_epoch}, "
            f"base_sequence={self.base_sequence}, records_count={self._count})"
        )


def check_producer(producer_id: int, producer_epoch: int, base_sequence: int, is_transactional: bool) -> None:
    """Checks the producer's id, epoch and sequence number.

    Raises:
        AssertionError: A transaction lacks a producer id, or a producer id an epoch or sequence.
    """
    if is_transactional and producer_id == -1:
        raise AssertionError("a batch of a transaction needs a producer id")
    if producer_id != -1 and -1 in {producer_epoch, base_sequence}:
        raise AssertionError("a producer id needs an epoch and a sequence")


def _write(body: bytearray, content: bytes | None) -> None:
    if content is None:
        body.append(NOTHING)
        return
    encode_varint(len(content), body.append)
    body += content


def _size(content: bytes | None) -> int:
    return 1 if content is None else size_of_varint(len(content)) + len(content)
