"""Varints and checksums (`kafka.record.util`)."""

from __future__ import annotations

import binascii
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

__all__ = ["calc_crc32", "calc_crc32c", "decode_varint", "encode_varint", "size_of_varint"]

CASTAGNOLI = 0x82F63B78
"""The polynomial of CRC-32C, its lowest bit first."""
LONGEST_SHIFT = 64
MORE = 0x80
"""The bit of a byte which says that another byte follows."""
LOW = 0x7F


def _zigzag(value: int) -> int:
    """Zigzag-encodes a number."""
    return (value << 1) ^ (value >> 63)


def encode_varint(value: int, write: Callable[[int], object]) -> int:
    """Writes a zigzag varint byte by byte, and returns its size in bytes."""
    rest = _zigzag(value)
    count = 1
    while rest > LOW:
        write(MORE | (rest & LOW))
        rest >>= 7
        count += 1
    write(rest)
    return count


def size_of_varint(value: int) -> int:
    """Returns the size of a varint in bytes."""
    return max((_zigzag(value).bit_length() + 6) // 7, 1)


def decode_varint(buffer: Any, pos: int = 0) -> tuple[int, int]:
    """Decodes the zigzag varint at `pos`, and returns its end, too.

    Raises:
        IndexError: The buffer is truncated.
        ValueError: The varint has more than 64 bits.
    """
    found = shift = 0
    while True:
        byte = buffer[pos]
        pos += 1
        found |= (byte & LOW) << shift
        if byte < MORE:
            return (found >> 1) ^ -(found & 1), pos
        shift += 7
        if shift >= LONGEST_SHIFT:
            raise ValueError("a number has more than 64 bits")


def calc_crc32(data: Any) -> int:
    """Returns the CRC-32 of bytes."""
    return binascii.crc32(data) & 0xFFFFFFFF


def calc_crc32c(data: Any) -> int:
    """Returns the CRC-32C of bytes; faster if the package `crc32c` is installed."""
    return _crc32c()(data)


@cache
def _crc32c() -> Callable[[Any], int]:
    if find_spec("crc32c") is not None:
        from crc32c import crc32c  # noqa: PLC0415  it may not be there

        found: Callable[[Any], int] = crc32c
        return found
    return crc32c_by_table


def crc32c_by_table(data: Any) -> int:
    """Computes CRC-32C by a table, without a package."""
    table = _table()
    crc = 0xFFFFFFFF
    for byte in bytes(data):
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


@cache
def _table() -> list[int]:
    return [_remainder(byte) for byte in range(256)]


def _remainder(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (CASTAGNOLI if byte & 1 else 0)
    return byte
