"""The formats of Kafka before 0.11: messages, of which a compressed one contains others
(`kafka.record.legacy_records`).
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from kafkars.compat.kafka.errors import CorruptRecordError
from kafkars.compat.kafka.record import _codecs
from kafkars.compat.kafka.record.abc import ABCRecord, ABCRecordBatch, ABCRecordBatchBuilder
from kafkars.compat.kafka.record.util import calc_crc32

__all__ = [
    "LegacyRecord",
    "LegacyRecordBase",
    "LegacyRecordBatch",
    "LegacyRecordBatchBuilder",
    "LegacyRecordMetadata",
]

LENGTH = struct.Struct(">i")


class LegacyRecordBase:
    """Headers of messages, and the bits of their attributes."""

    HEADER_STRUCT_V0 = struct.Struct(">qiIbb")
    """Offset, length, checksum, magic, attributes."""
    HEADER_STRUCT_V1 = struct.Struct(">qiIbbq")
    """The same and the timestamp."""
    LOG_OVERHEAD = CRC_OFFSET = struct.calcsize(">qi")
    MAGIC_OFFSET = LOG_OVERHEAD + struct.calcsize(">I")
    RECORD_OVERHEAD_V0 = struct.calcsize(">Ibbii")
    RECORD_OVERHEAD_V1 = struct.calcsize(">Ibbqii")
    KEY_OFFSET_V0 = HEADER_STRUCT_V0.size
    KEY_OFFSET_V1 = HEADER_STRUCT_V1.size
    KEY_LENGTH = VALUE_LENGTH = LENGTH.size

    CODEC_MASK = 0x07
    CODEC_NONE, CODEC_GZIP, CODEC_SNAPPY, CODEC_LZ4 = range(4)
    TIMESTAMP_TYPE_MASK = 0x08
    CREATE_TIME = 0
    LOG_APPEND_TIME = 1
    NO_TIMESTAMP = -1


class Message(NamedTuple):
    """The fields of one encoded message."""

    offset: int
    crc: int
    attributes: int
    timestamp: int | None
    key: bytes | None
    value: bytes | None
    checked: memoryview
    """The bytes that the checksum covers."""


def read(buffer: memoryview, at: int, magic: int) -> tuple[Message, int]:
    """Decodes the message at a position, and returns its end, too.

    Raises:
        CorruptRecordError: The message is truncated, or a length is impossible.
    """
    try:
        message, end = _read(buffer, at, magic)
    except struct.error as error:
        raise CorruptRecordError(f"a message cannot be read: {error}") from error
    if end <= at:
        raise CorruptRecordError("a message has a negative length")
    return message, end


def _read(buffer: memoryview, at: int, magic: int) -> tuple[Message, int]:
    timestamp: int | None = None
    if magic == 0:
        offset, length, crc, _, attributes = LegacyRecordBase.HEADER_STRUCT_V0.unpack_from(buffer, at)
        key_at = at + LegacyRecordBase.KEY_OFFSET_V0
    else:
        offset, length, crc, _, attributes, timestamp = LegacyRecordBase.HEADER_STRUCT_V1.unpack_from(buffer, at)
        key_at = at + LegacyRecordBase.KEY_OFFSET_V1
    end = at + LegacyRecordBase.LOG_OVERHEAD + length
    key, value_at = _content(buffer, key_at)
    value, _ = _content(buffer, value_at)
    checked = buffer[at + LegacyRecordBase.MAGIC_OFFSET : end]
    return Message(offset, crc, attributes, timestamp, key, value, checked), end


def _content(buffer: memoryview, at: int) -> tuple[bytes | None, int]:
    (length,) = LENGTH.unpack_from(buffer, at)
    at += LENGTH.size
    return (None, at) if length < 0 else (bytes(buffer[at : at + length]), at + length)


class LegacyRecordBatch(ABCRecordBatch, LegacyRecordBase):
    """A message to read, with those that it contains.

    Raises:
        AssertionError: Length or format differ from those of the data.
    """

    def __init__(self, buffer: Any, magic: int) -> None:
        self._buffer = memoryview(buffer)
        self._magic = magic
        header = self.HEADER_STRUCT_V0.unpack_from(self._buffer)
        if header[1] != len(self._buffer) - self.LOG_OVERHEAD or header[3] != magic:
            raise AssertionError("the message has another length or format than it says")
        self._message, _ = read(self._buffer, 0, magic)

    @property
    def base_offset(self) -> int:
        """The message's own offset."""
        return self._message.offset

    @property
    def size_in_bytes(self) -> int:
        """The size in bytes."""
        return len(self._buffer)

    @property
    def timestamp_type(self) -> int | None:
        """The timestamp type: 0 for CreateTime, 1 for LogAppendTime; None in format 0."""
        return None if self._magic == 0 else int(bool(self._message.attributes & self.TIMESTAMP_TYPE_MASK))

    @property
    def compression_type(self) -> int:
        """The number of the codec; 0 for none."""
        return self._message.attributes & self.CODEC_MASK

    @property
    def magic(self) -> int:
        """The format (magic byte): 0, 1 or 2."""
        return self._magic

    def validate_crc(self) -> bool:
        """True if the checksum is right."""
        return self._message.crc == calc_crc32(self._message.checked)

    def __iter__(self) -> Iterator[LegacyRecord]:
        """Iterates over the records.

        Raises:
            CorruptRecordError: The message is compressed and has no value.
            AssertionError: A contained message is compressed, too.
        """
        if not self.compression_type:
            yield self._record(self._message, self._message.offset)
            return
        if self._message.value is None:
            raise CorruptRecordError("a compressed message has no value")
        inner = memoryview(_codecs.decompressed(self.compression_type, self._message.value, old_lz4=self._magic == 0))
        messages, at = [], 0
        while at < len(inner):
            message, at = read(inner, at, self._magic)
            messages.append(message)
        # The newer format has the last one's offset outside, and inside they are counted.
        base = self._message.offset - messages[-1].offset if self._magic > 0 and messages else -1
        for message in messages:
            if message.attributes & self.CODEC_MASK:
                raise AssertionError(f"the message at {message.offset} is compressed twice")
            yield self._record(message, message.offset + max(base, 0))

    def _record(self, message: Message, offset: int) -> LegacyRecord:
        kind = self.timestamp_type
        timestamp = self._message.timestamp if kind == self.LOG_APPEND_TIME else message.timestamp
        return LegacyRecord(
            self._magic, offset, timestamp, kind, message.key, message.value, message.crc, message.checked
        )


class LegacyRecord(ABCRecord):
    """One record."""

    def __init__(
        self,
        magic: int,
        offset: int,
        timestamp: int | None,
        timestamp_type: int | None,
        key: bytes | None,
        value: bytes | None,
        crc: int,
        crc_bytes: Any,
    ) -> None:
        self._fields = (magic, offset, timestamp, timestamp_type, key, value, crc)
        self._crc_bytes = crc_bytes

    @property
    def magic(self) -> int:
        """The format (magic byte): 0, 1 or 2."""
        return self._fields[0]

    @property
    def offset(self) -> int:
        """The record's offset."""
        return self._fields[1]

    @property
    def timestamp(self) -> int | None:
        """The record's timestamp in milliseconds since 1970; None in format 0."""
        return self._fields[2]

    @property
    def timestamp_type(self) -> int | None:
        """The timestamp type: 0 for CreateTime, 1 for LogAppendTime; None in format 0."""
        return self._fields[3]

    @property
    def key(self) -> bytes | None:
        """The record's key."""
        return self._fields[4]

    @property
    def value(self) -> bytes | None:
        """The record's value."""
        return self._fields[5]

    @property
    def headers(self) -> list[tuple[str, bytes | None]]:
        """An empty list: these formats have no headers."""
        return []

    @property
    def checksum(self) -> int:
        """The record's checksum."""
        return self._fields[6]

    def validate_crc(self) -> bool:
        """True if the checksum is right."""
        return self.checksum == calc_crc32(self._crc_bytes)

    @property
    def size_in_bytes(self) -> int:
        """The uncompressed size in bytes."""
        return LegacyRecordBatchBuilder.estimate_size_in_bytes(self.magic, 0, self.key, self.value)

    def __repr__(self) -> str:
        names = ("offset", "timestamp", "timestamp_type", "key", "value", "crc")
        told = (f"{name}={value!r}" for name, value in zip(names, self._fields[1:], strict=True))
        return f"LegacyRecord(magic={self.magic!r} {', '.join(told)})"


class LegacyRecordMetadata(NamedTuple):
    """The result of a builder's `append()` for a record that was added."""

    offset: int
    crc: int
    size: int
    timestamp: int

    def __repr__(self) -> str:
        return (
            f"LegacyRecordMetadata(offset={self.offset!r}, crc={self.crc!r}, size={self.size!r}, "
            f"timestamp={self.timestamp!r})"
        )


class LegacyRecordBatchBuilder(ABCRecordBatchBuilder, LegacyRecordBase):
    """Builds messages one after another, or one that contains them compressed.

    Args:
        magic: The format, 0 or 1.
        compression_type: The number of a codec; 0 for none.
        batch_size: The limit in bytes before compression; one record always fits.
    """

    def __init__(self, magic: int, compression_type: int, batch_size: int) -> None:
        self._magic = magic
        self._compression_type = compression_type
        self._batch_size = batch_size
        self._buffer = bytearray()

    def append(
        self, offset: int, timestamp: int | None, key: bytes | None, value: bytes | None, headers: Any = None
    ) -> LegacyRecordMetadata | None:
        """Appends a record.

        Args:
            offset: The record's offset, relative to the batch.
            timestamp: Milliseconds since 1970; None for now. Format 0 has none.
            key: The key, or None.
            value: The value, or None.
            headers: Must be empty: these formats have no headers.

        Returns:
            The record's metadata; None if it does not fit.

        Raises:
            AssertionError: Headers are given.
            TypeError: An argument is of a wrong type.
        """
        _no_headers(headers)
        if self._magic == 0:
            timestamp = self.NO_TIMESTAMP
        elif timestamp is None:
            timestamp = int(time.time() * 1000)
        for number in (offset, timestamp):
            if type(number) is not int:
                raise TypeError(number)
        _codecs.check_bytes("key", key)
        _codecs.check_bytes("value", value)
        size = self.size_in_bytes(offset, timestamp, key, value)
        if offset != 0 and len(self._buffer) + size >= self._batch_size:
            return None
        crc, message = self._message(offset, timestamp, key, value)
        self._buffer += message
        return LegacyRecordMetadata(offset, crc, size, timestamp)

    def _message(
        self, offset: int, timestamp: int, key: bytes | None, value: bytes | None, attributes: int = 0
    ) -> tuple[int, bytes]:
        checked = struct.pack(">bb", self._magic, attributes)
        if self._magic > 0:
            checked += struct.pack(">q", timestamp)
        for content in (key, value):
            checked += LENGTH.pack(-1) if content is None else LENGTH.pack(len(content)) + bytes(content)
        crc = calc_crc32(checked)
        return crc, struct.pack(">qiI", offset, len(checked) + 4, crc) + checked

    def build(self) -> bytearray:
        """Returns the encoded batch.

        Raises:
            UnsupportedCodecError: The codec's package is not installed.
        """
        if self._compression_type:
            data = _codecs.compressed(self._compression_type, bytes(self._buffer), old_lz4=self._magic == 0)
            _, message = self._message(0, 0, None, data, self._compression_type)
            self._buffer = bytearray(message)
        return self._buffer

    def size(self) -> int:
        """Returns the size in bytes."""
        return len(self._buffer)

    def size_in_bytes(
        self, offset: int, timestamp: int, key: bytes | None, value: bytes | None, headers: Any = None
    ) -> int:
        """Returns the size of a record in bytes.

        Raises:
            AssertionError: Headers are given.
        """
        del offset, timestamp
        _no_headers(headers)
        return self.LOG_OVERHEAD + self.record_size(self._magic, key, value)

    @classmethod
    def record_size(cls, magic: int, key: bytes | None, value: bytes | None) -> int:
        """Returns the size of a message in bytes, without its offset and length."""
        return cls.record_overhead(magic) + len(key or b"") + len(value or b"")

    @classmethod
    def record_overhead(cls, magic: int) -> int:
        """Returns the size of a message in bytes, without offset, length, key and value.

        Raises:
            AssertionError: The format is unknown.
        """
        if magic not in {0, 1}:
            raise AssertionError(f"this builder has no format {magic}")
        return cls.RECORD_OVERHEAD_V1 if magic else cls.RECORD_OVERHEAD_V0

    @classmethod
    def estimate_size_in_bytes(cls, magic: int, compression_type: int, key: bytes | None, value: bytes | None) -> int:
        """Returns the largest possible size of a batch of one record."""
        around = cls.record_overhead(magic) if compression_type else 0
        return cls.LOG_OVERHEAD + around + cls.record_size(magic, key, value)


def _no_headers(headers: Any) -> None:
    if headers:
        raise AssertionError("formats before that of Kafka 0.11 have no headers")
