"""Basic types of Kafka's wire format: encoders and decoders of numbers, text, bytes, arrays and tuples."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from typing import Any, BinaryIO

__all__ = [
    "AbstractType",
    "Array",
    "Boolean",
    "Bytes",
    "Float64",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Schema",
    "String",
    "UInt32",
    "UnsignedVarInt32",
]

BITS, LOW, MORE = 7, 0x7F, 0x80
"""A byte of a varint: the number of its value bits, their mask, and the bit that says another byte follows."""
SHOWN = 100
"""Bytes that `repr` shows."""


class AbstractType:
    """A type of the wire format. Types of fixed size are used as classes, the others as objects."""

    @classmethod
    def encode(cls, value: Any) -> bytes:
        """Encodes a value."""
        raise NotImplementedError

    @classmethod
    def decode(cls, data: BinaryIO) -> Any:
        """Decodes the next value of a stream."""
        raise NotImplementedError

    @classmethod
    def repr(cls, value: Any) -> str:
        """Returns a value as readable text."""
        return repr(value)


class _Number(AbstractType):
    """The base of numbers of fixed size."""

    FORM = struct.Struct(">b")

    @classmethod
    def encode(cls, value: Any) -> bytes:
        """Encodes a number.

        Raises:
            ValueError: The value is not a number, or out of range.
        """
        try:
            return cls.FORM.pack(value)
        except struct.error as problem:
            raise ValueError(f"{value!r} is no {cls.__name__}: {problem}") from problem

    @classmethod
    def decode(cls, data: BinaryIO) -> Any:
        """Decodes the next number.

        Raises:
            ValueError: The stream is truncated.
        """
        return cls.FORM.unpack(taken(data, cls.FORM.size))[0]


class Int8(_Number):
    """An int8."""

    FORM = struct.Struct(">b")


class Int16(_Number):
    """A big-endian int16."""

    FORM = struct.Struct(">h")


class Int32(_Number):
    """A big-endian int32."""

    FORM = struct.Struct(">i")


class UInt32(_Number):
    """A big-endian uint32."""

    FORM = struct.Struct(">I")


class Int64(_Number):
    """A big-endian int64."""

    FORM = struct.Struct(">q")


class Float64(_Number):
    """A big-endian IEEE 754 double."""

    FORM = struct.Struct(">d")


class Boolean(_Number):
    """A boolean, as one byte."""

    FORM = struct.Struct(">?")


class UnsignedVarInt32(AbstractType):
    """An unsigned varint."""

    @classmethod
    def encode(cls, value: int) -> bytes:
        """Encodes a number."""
        value &= 0xFFFFFFFF
        groups = bytearray()
        while value >> BITS:
            groups.append(value & LOW | MORE)
            value >>= BITS
        groups.append(value)
        return bytes(groups)

    @classmethod
    def decode(cls, data: BinaryIO) -> int:
        """Decodes the next number.

        Raises:
            ValueError: The number has more than 32 bits, or the stream is truncated.
        """
        value = 0
        for shift in range(0, 35, BITS):
            (group,) = taken(data, 1)
            value |= (group & LOW) << shift
            if not group & MORE:
                return value
        raise ValueError("a number of variable size has more than five bytes")


class String(AbstractType):
    """Text after its length as an int16; -1 is None."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self.encoding = encoding

    def encode(self, value: Any) -> bytes:  # type: ignore[override]
        """Encodes text."""
        if value is None:
            return Int16.encode(-1)
        data = str(value).encode(self.encoding)
        return Int16.encode(len(data)) + data

    def decode(self, data: BinaryIO) -> str | None:  # type: ignore[override]
        """Decodes the next text.

        Raises:
            ValueError: The stream is truncated.
        """
        length = Int16.decode(data)
        return None if length < 0 else taken(data, length).decode(self.encoding)


class Bytes(AbstractType):
    """Bytes after their length as an int32; -1 is None."""

    @classmethod
    def encode(cls, value: bytes | None) -> bytes:
        """Encodes bytes."""
        return Int32.encode(-1) if value is None else Int32.encode(len(value)) + value

    @classmethod
    def decode(cls, data: BinaryIO) -> bytes | None:
        """Decodes the next bytes.

        Raises:
            ValueError: The stream is truncated.
        """
        length = Int32.decode(data)
        return None if length < 0 else taken(data, length)

    @classmethod
    def repr(cls, value: bytes | None) -> str:
        """Returns the first bytes as text."""
        return repr(value[:SHOWN] + b"..." if value is not None and len(value) > SHOWN else value)


class Schema(AbstractType):
    """A tuple of named values of several types, one after the other."""

    def __init__(self, *fields: tuple[str, Any]) -> None:
        self.names: tuple[str, ...] = tuple(name for name, _ in fields)
        self.fields: tuple[Any, ...] = tuple(field for _, field in fields)

    def encode(self, value: Sequence[Any]) -> bytes:  # type: ignore[override]
        """Encodes a tuple.

        Raises:
            ValueError: The tuple has another number of values than the schema.
        """
        if len(value) != len(self.fields):
            raise ValueError(f"{len(value)} values for {len(self.fields)} fields: {', '.join(self.names)}")
        return b"".join(field.encode(each) for field, each in zip(self.fields, value, strict=True))

    def decode(self, data: BinaryIO | bytes) -> tuple[Any, ...]:  # type: ignore[override]
        """Decodes the next tuple."""
        stream: BinaryIO = io.BytesIO(data) if isinstance(data, bytes) else data
        return tuple(field.decode(stream) for field in self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def repr(self, value: Any) -> str:  # type: ignore[override]
        """Returns the values with their names; what is no such tuple, as it is."""
        try:
            pairs = zip(self.names, self.fields, value, strict=False)
            return "(" + ", ".join(f"{name}={field.repr(each)}" for name, field, each in pairs) + ")"
        except Exception:  # noqa: BLE001  a text about wrong values must not be an error of its own
            return repr(value)


class Array(AbstractType):
    """Values of one type after their count as an int32; -1 is None."""

    def __init__(self, *array_of: Any) -> None:
        if not array_of:
            raise ValueError("Array needs the type of its values")
        first = array_of[0]
        self.array_of: Any = Schema(*array_of) if len(array_of) > 1 or isinstance(first, tuple) else first

    def encode(self, items: Sequence[Any] | None) -> bytes:  # type: ignore[override]
        """Encodes a list."""
        if items is None:
            return Int32.encode(-1)
        return Int32.encode(len(items)) + b"".join(self.array_of.encode(item) for item in items)

    def decode(self, data: BinaryIO) -> list[Any] | None:  # type: ignore[override]
        """Decodes the next list."""
        length = Int32.decode(data)
        return None if length < 0 else [self.array_of.decode(data) for _ in range(length)]

    def repr(self, value: Sequence[Any] | None) -> str:  # type: ignore[override]
        """Returns the values as text."""
        return "NULL" if value is None else "[" + ", ".join(self.array_of.repr(item) for item in value) + "]"


def taken(data: BinaryIO, length: int) -> bytes:
    """Reads `length` bytes of a stream.

    Raises:
        ValueError: The stream is truncated.
    """
    found = data.read(length)
    if len(found) != length:
        raise ValueError(f"{length} bytes are needed and {len(found)} are left")
    return found
