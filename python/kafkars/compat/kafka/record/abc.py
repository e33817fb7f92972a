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
        """Its size in bytes."""

    @property
    @abstractmethod
    def offset(self) -> int:
        """Its offset."""

    @property
    @abstractmethod
    def timestamp(self) -> int | None:
        """Its time in milliseconds since 1970; None in the oldest format."""

    @property
    @abstractmethod
    def timestamp_type(self) -> int | None:
        """0 for the producer's time, 1 for the broker's, None in the oldest format."""

    @property
    @abstractmethod
    def key(self) -> bytes | None:
        """Its key."""

    @property
    @abstractmethod
    def value(self) -> bytes | None:
        """Its value."""

    @property
    @abstractmethod
    def checksum(self) -> int | None:
        """Its own checksum; None in the format that has one for the batch."""

    @abstractmethod
    def validate_crc(self) -> bool:
        """True if its own checksum is right, or it has none."""

    @property
    @abstractmethod
    def headers(self) -> list[tuple[str, bytes | None]]:
        """Its headers; an empty list in formats without."""


class ABCRecordBatchBuilder(ABC):
    """Makes one batch."""

    __slots__ = ()

    @abstractmethod
    def append(
        self, offset: int, timestamp: int | None, key: bytes | None, value: bytes | None, headers: Any = None
    ) -> Any:
        """Adds a record; gives its metadata, or None where it does not fit in."""

    @abstractmethod
    def size_in_bytes(self, offset: int, timestamp: int, key: bytes | None, value: bytes | None, headers: Any) -> int:
        """By how many bytes a record makes the batch larger, before it is compressed."""

    @abstractmethod
    def build(self) -> bytearray:
        """The finished batch."""


class ABCRecordBatch(ABC):
    """A batch, or in the older formats one message that may have others in it."""

    __slots__ = ()

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """Its records."""

    @property
    @abstractmethod
    def base_offset(self) -> int:
        """The offset that it has itself."""

    @property
    @abstractmethod
    def size_in_bytes(self) -> int:
        """Its size in bytes."""

    @property
    @abstractmethod
    def magic(self) -> int:
        """The number of its format."""


class ABCRecords(ABC):
    """Batches one after another."""

    __slots__ = ()

    @abstractmethod
    def __init__(self, buffer: Any) -> None:
        """Takes bytes."""

    @abstractmethod
    def size_in_bytes(self) -> int:
        """The number of bytes."""

    @abstractmethod
    def next_batch(self) -> ABCRecordBatch | None:
        """The next batch; None after the last."""

    @abstractmethod
    def has_next(self) -> bool:
        """True if there is another batch."""
