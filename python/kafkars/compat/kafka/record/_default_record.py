"""Records of batches."""

from __future__ import annotations

import struct
from typing import NamedTuple

from kafkars.compat.kafka.record.abc import ABCRecord


class DefaultRecord(ABCRecord):
    """One record of a batch."""

    def __init__(
        self,
        size_in_bytes: int,
        offset: int,
        timestamp: int,
        timestamp_type: int,
        key: bytes | None,
        value: bytes | None,
        headers: list[tuple[str, bytes | None]],
    ) -> None:
        self._fields = (offset, timestamp, timestamp_type, key, value, headers)
        self._size_in_bytes = size_in_bytes

    @property
    def size_in_bytes(self) -> int:
        """The record's size in bytes, without its length field."""
        return self._size_in_bytes

    @property
    def offset(self) -> int:
        """The record's offset."""
        return self._fields[0]

    @property
    def timestamp(self) -> int:
        """The record's timestamp in milliseconds since 1970."""
        return self._fields[1]

    @property
    def timestamp_type(self) -> int:
        """The timestamp type: 0 for CreateTime, 1 for LogAppendTime."""
        return self._fields[2]

    @property
    def key(self) -> bytes | None:
        """The record's key."""
        return self._fields[3]

    @property
    def value(self) -> bytes | None:
        """The record's value."""
        return self._fields[4]

    @property
    def headers(self) -> list[tuple[str, bytes | None]]:
        """The record's headers."""
        return self._fields[5]

    @property
    def checksum(self) -> None:
        """None: the batch has one checksum for all of its records."""
        return

    def validate_crc(self) -> bool:
        """True: the batch has one checksum for all of its records."""
        return True

    def __repr__(self) -> str:
        names = ("offset", "timestamp", "timestamp_type", "key", "value", "headers")
        told = (f"{name}={value!r}" for name, value in zip(names, self._fields, strict=True))
        return f"DefaultRecord({', '.join(told)})"


class ControlRecord(DefaultRecord):
    """A transaction marker, whose key says whether the transaction was committed.

    Raises:
        struct.error: The key is not that of a marker.
    """

    KEY_STRUCT = struct.Struct(">hh")

    def __init__(
        self,
        size_in_bytes: int,
        offset: int,
        timestamp: int,
        timestamp_type: int,
        key: bytes | None,
        value: bytes | None,
        headers: list[tuple[str, bytes | None]],
    ) -> None:
        super().__init__(size_in_bytes, offset, timestamp, timestamp_type, key, value, headers)
        self._version, self._type = self.KEY_STRUCT.unpack(key or b"")

    @property
    def version(self) -> int:
        """The version of the key."""
        return int(self._version)

    @property
    def type(self) -> int:
        """The marker's type: 0 for an abort, 1 for a commit."""
        return int(self._type)

    @property
    def abort(self) -> bool:
        """True if the transaction was aborted."""
        return self.type == 0

    @property
    def commit(self) -> bool:
        """True if the transaction was committed."""
        return self.type == 1

    def __repr__(self) -> str:
        return (
            f"ControlRecord(offset={self.offset!r}, timestamp={self.timestamp!r}, "
            f"timestamp_type={self.timestamp_type!r}, version={self.version!r}, "
            f"type={self.type!r} <{'abort' if self.abort else 'commit'!s}>)"
        )


class _Metadata(NamedTuple):
    offset: int
    size: int
    timestamp: int


class DefaultRecordMetadata(_Metadata):
    """The result of a builder's `append()` for a record that was added."""

    @property
    def crc(self) -> None:
        """None: the batch has one checksum for all of its records."""
        return

    def __repr__(self) -> str:
        return f"DefaultRecordMetadata(offset={self.offset!r}, size={self.size!r}, timestamp={self.timestamp!r})"
