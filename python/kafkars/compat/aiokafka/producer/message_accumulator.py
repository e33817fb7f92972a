"""Batches filled by hand (`aiokafka.producer.message_accumulator`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kafkars import _kafkars
from kafkars.compat.aiokafka._not_offered import NotOffered
from kafkars.compat.aiokafka.errors import translated
from kafkars.types import AppendedRecord


class MessageBatch(NotOffered):
    """aiokafka's batch on its way; only its name is here."""


class MessageAccumulator(NotOffered):
    """aiokafka's batches that wait to be sent; only its name is here."""


CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


class BatchBuilder:
    """A batch to fill by hand, from `create_batch()` for `send_batch()`.

    It takes `batch_size` bytes, and is compressed as the producer that sends it is set to.
    """

    def __init__(
        self,
        batch_size: int,
        compression_type: int | str | None,
        *,
        is_transactional: bool = False,
        key_serializer: Callable[[Any], Any] | None = None,
        value_serializer: Callable[[Any], Any] | None = None,
    ) -> None:
        del compression_type, is_transactional
        self._native = _kafkars.AiokafkaSender._new_batch(batch_size)
        self._key_serializer = key_serializer
        self._value_serializer = value_serializer

    def append(
        self,
        *,
        timestamp: int | None,
        key: Any,
        value: Any,
        headers: Sequence[tuple[str, bytes | None]] | None = [],
    ) -> RecordMetadata | None:
        """Adds a record; returns None if it does not fit any more, or the batch is closed.

        Args:
            timestamp: Milliseconds since 1970; None for now.
            key: Bytes, or what the producer's serializer takes.
            value: The same.
            headers: Pairs of name and value; None for none.
        """
        if self._native.closed:
            return None
        if self._key_serializer is not None:
            key = self._key_serializer(key)
        if self._value_serializer is not None:
            value = self._value_serializer(value)
        key, value = _kafkars.AiokafkaSender._bytes_of(key), _kafkars.AiokafkaSender._bytes_of(value)
        pairs = _kafkars.AiokafkaSender._checked_headers(headers) if headers else None
        with translated():
            appended = self._native.append(value, key, timestamp=timestamp, headers=pairs)
        if appended is None:
            self.close()
            return None
        return RecordMetadata(appended)

    def close(self) -> None:
        """Closes the batch for further records; so does sending it."""
        self._native.close()

    def closed(self) -> bool:
        """True if it takes no more records."""
        return self._native.closed

    def size(self) -> int:
        """Returns the size in bytes, before compression."""
        return self._native.size()

    def record_count(self) -> int:
        """Returns the number of records."""
        return self._native.record_count()


class RecordMetadata:
    """The position and the size of a record in its batch."""

    __slots__ = ("_of",)

    def __init__(self, of: AppendedRecord) -> None:
        self._of = of

    @property
    def offset(self) -> int:
        """Its position in the batch, from 0."""
        return self._of.offset

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return self._of.size

    @property
    def timestamp(self) -> int:
        """Milliseconds since 1970."""
        return self._of.timestamp

    @property
    def crc(self) -> None:
        """Always None: a batch has one checksum for all of its records."""
        return

    def __repr__(self) -> str:
        return f"DefaultRecordMetadata(offset={self.offset}, size={self.size}, timestamp={self.timestamp})"
