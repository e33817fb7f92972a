"""The bases of records, batches and builders of every format (`kafka.record.abc`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["ABCRecord", "ABCRecordBatch", "ABCRecordBatchBuilder", "ABCRecords"]

Headers = Sequence[tuple[str, "bytes | None"]]


class ABCRecord(ABC):
    """One record."""

    __slots__ = ()

    @property
    @abstractmethod
    def size_in_bytes(self) -> int:
        """The size in bytes."""

    @property
    @abstractmethod
    def offset(self) -> int:
        """The record's offset."""

    @property
    @abstractmethod
    def timestamp(self) -> int | None:
        """The record's timestamp in milliseconds since 1970; None in format 0."""

    @property
    @abstractmethod
    def timestamp_type(self) -> int | None:
        """The timestamp type: 0 for CreateTime, 1 for LogAppendTime; None in format 0."""

    @property
    @abstractmethod
    def key(self) -> bytes | None:
        """The record's key."""

    @property
    @abstractmethod
    def value(self) -> bytes | None:
        """The record's value."""

    @property
    @abstractmethod
    def checksum(self) -> int | None:
        """The record's checksum; None in format 2, where the batch has one."""

    @abstractmethod
    def validate_crc(self) -> bool:
        """True if the record's checksum is right, or it has none."""

    @property
    @abstractmethod
    def headers(self) -> list[tuple[str, bytes | None]]:
        """The record's headers; an empty list in formats without headers."""


class ABCRecordBatchBuilder(ABC):
    """The base class of batch builders."""

    __slots__ = ()

    @abstractmethod
    def append(
        self, offset: int, timestamp: int | None, key: bytes | None, value: bytes | None, headers: Any = None
    ) -> Any:
        """Appends a record and returns its metadata; None if it does not fit."""

    @abstractmethod
    def size_in_bytes(self, offset: int, timestamp: int, key: bytes | None, value: bytes | None, headers: Any) -> int:
        """Returns the size that a record adds to the batch, in bytes before compression."""

    @abstractmethod
    def build(self) -> bytearray:
        """Returns the encoded batch."""


class ABCRecordBatch(ABC):
    """A batch, or in the older formats a message that may contain others."""

    __slots__ = ()

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """Iterates over the records."""

    @property
    @abstractmethod
    def base_offset(self) -> int:
        """The base offset of the batch."""

    @property
    @abstractmethod
    def size_in_bytes(self) -> int:
        """The size in bytes."""

    @property
    @abstractmethod
    def magic(self) -> int:
        """The format (magic byte): 0, 1 or 2."""


class ABCRecords(ABC):
    """Batches one after another."""

    __slots__ = ()

    @abstractmethod
    def __init__(self, buffer: Any) -> None:
        """Creates it from encoded batches."""

    @abstractmethod
    def size_in_bytes(self) -> int:
        """Returns the size in bytes."""

    @abstractmethod
    def next_batch(self) -> ABCRecordBatch | None:
        """Returns the next batch; None after the last."""

    @abstractmethod
    def has_next(self) -> bool:
        """True if there is another batch."""
