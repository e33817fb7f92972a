"""Basic types of Kafka's wire format (`kafka.protocol.types`): what encodes and decodes numbers, text, bytes, arrays
and tuples.
"""

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
"""A group of a number of variable size: its bits, what they are, and that another one follows."""
SHOWN = 100
"""Bytes that `repr` shows."""


class AbstractType:
    """Something that has a form on the wire. Types of fixed size are used as classes, the others as objects."""

    @classmethod
    def encode(cls, value: Any) -> bytes:
        """The bytes of a value."""
        raise NotImplementedError

    @classmethod
    def decode(cls, data: BinaryIO) -> Any:
        """The next value of a stream."""
        raise NotImplementedError

    @classmethod
    def repr(cls, value: Any) -> str:
        """Returns a value as text for people."""
        return repr(value)


class _Number(AbstractType):
    """The base of numbers of fixed size."""

    FORM = struct.Struct(">b")

    @classmethod
    def encode(cls, value: Any) -> bytes:
        """The bytes of a number.

        Raises:
            ValueError: It is none, or does not fit.
        """
        try:
            return cls.FORM.pack(value)
        except struct.error as problem:
            raise ValueError(f"{value!r} is no {cls.__name__}: {problem}") from problem

    @classmethod
    def decode(cls, data: BinaryIO) -> Any:
        """The next number.

        Raises:
            ValueError: The stream ends before.
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
    """True or false, in a byte."""

    FORM = struct.Struct(">?")


class UnsignedVarInt32(AbstractType):
    """An unsigned varint."""

    @classmethod
    def encode(cls, value: int) -> bytes:
        """The bytes of a number."""
        value &= 0xFFFFFFFF
        groups = bytearray()
        while value >> BITS:
            groups.append(value & LOW | MORE)
            value >>= BITS
        groups.append(value)
        return bytes(groups)

    @classmethod
    def decode(cls, data: BinaryIO) -> int:
        """The next number.

        Raises:
            ValueError: It has more than 32 bits, or the stream ends before.
        """
        value = 0
        for shift in range(0, 35, BITS):
            (group,) = taken(data, 1)
            value |= (group & LOW) << shift
            if not group & MORE:
                return value
        raise ValueError("a number of variable size has more than five bytes")


class String(AbstractType):
    """Text after its length in two bytes; -1 is None."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self.encoding = encoding

    def encode(self, value: Any) -> bytes:  # type: ignore[override]
        """The bytes of text."""
        if value is None:
            return Int16.encode(-1)
        data = str(value).encode(self.encoding)
        return Int16.encode(len(data)) + data

    def decode(self, data: BinaryIO) -> str | None:  # type: ignore[override]
        """The next text.

        Raises:
            ValueError: The stream ends before.
        """
        length = Int16.decode(data)
        return None if length < 0 else taken(data, length).decode(self.encoding)


class Bytes(AbstractType):
    """Bytes after their number in four bytes; -1 is None."""

    @classmethod
    def encode(cls, value: bytes | None) -> bytes:
        """The bytes, with their number."""
        return Int32.encode(-1) if value is None else Int32.encode(len(value)) + value

    @classmethod
    def decode(cls, data: BinaryIO) -> bytes | None:
        """The next bytes.

        Raises:
            ValueError: The stream ends before.
        """
        length = Int32.decode(data)
        return None if length < 0 else taken(data, length)

    @classmethod
    def repr(cls, value: bytes | None) -> str:
        """The first of them."""
        return repr(value[:SHOWN] + b"..." if value is not None and len(value) > SHOWN else value)


class Schema(AbstractType):
    """Values of several types one after the other, by name."""

    def __init__(self, *fields: tuple[str, Any]) -> None:
        self.names: tuple[str, ...] = tuple(name for name, _ in fields)
        self.fields: tuple[Any, ...] = tuple(field for _, field in fields)

    def encode(self, value: Sequence[Any]) -> bytes:  # type: ignore[override]
        """The bytes of a tuple.

        Raises:
            ValueError: It has another number of values.
        """
        if len(value) != len(self.fields):
            raise ValueError(f"{len(value)} values for {len(self.fields)} fields: {', '.join(self.names)}")
        return b"".join(field.encode(each) for field, each in zip(self.fields, value, strict=True))

    def decode(self, data: BinaryIO | bytes) -> tuple[Any, ...]:  # type: ignore[override]
        """The next tuple."""
        stream: BinaryIO = io.BytesIO(data) if isinstance(data, bytes) else data
        return tuple(field.decode(stream) for field in self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def repr(self, value: Any) -> str:  # type: ignore[override]
        """The values with their names."""
        pairs = zip(self.names, self.fields, value, strict=False)
        return "(" + ", ".join(f"{name}={field.repr(each)}" for name, field, each in pairs) + ")"


class Array(AbstractType):
    """Values of one type after their number in four bytes; -1 is None."""

    def __init__(self, *array_of: Any) -> None:
        if not array_of:
            raise ValueError("Array needs the type of its values")
        first = array_of[0]
        self.array_of: Any = Schema(*array_of) if len(array_of) > 1 or isinstance(first, tuple) else first

    def encode(self, items: Sequence[Any] | None) -> bytes:  # type: ignore[override]
        """The bytes of a list."""
        if items is None:
            return Int32.encode(-1)
        return Int32.encode(len(items)) + b"".join(self.array_of.encode(item) for item in items)

    def decode(self, data: BinaryIO) -> list[Any] | None:  # type: ignore[override]
        """The next list."""
        length = Int32.decode(data)
        return None if length < 0 else [self.array_of.decode(data) for _ in range(length)]

    def repr(self, value: Sequence[Any] | None) -> str:  # type: ignore[override]
        """Each value."""
        return "NULL" if value is None else "[" + ", ".join(self.array_of.repr(item) for item in value) + "]"


def taken(data: BinaryIO, length: int) -> bytes:
    """So many bytes of a stream.

    Raises:
        ValueError: It ends before.
    """
    found = data.read(length)
    if len(found) != length:
        raise ValueError(f"{length} bytes are needed and {len(found)} are left")
    return found
