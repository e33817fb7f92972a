"""Functions for compression (`kafka.codec`). kafkars itself compresses what producers send.

gzip is part of Python; snappy, lz4 and zstd need the package `cramjam`, as the original needs packages for them:
without it `has_snappy()` and its like are False, and the functions raise NotImplementedError.
"""

from __future__ import annotations

import gzip
import struct
from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = [
    "gzip_decode",
    "gzip_encode",
    "has_gzip",
    "has_lz4",
    "has_snappy",
    "has_zstd",
    "lz4_decode",
    "lz4_decode_old_kafka",
    "lz4_encode",
    "lz4_encode_old_kafka",
    "lz4f_decode",
    "snappy_decode",
    "snappy_encode",
    "zstd_decode",
    "zstd_encode",
]

XERIAL_HEADER = b"\x82SNAPPY\x00" + struct.pack("!ii", 1, 1)
"""The Xerial header: a magic byte, the name, the version and the oldest compatible version."""
XERIAL_BLOCK = 32 * 1024
LENGTH = struct.Struct("!i")
LZ4_MAGIC = b"\x04\x22\x4d\x18"
CONTENT_SIZE = 0x08
"""Bit of a frame's flags: eight bytes with the size of the content follow."""
WORD = 0xFFFFFFFF
PRIMES = (2654435761, 2246822519, 3266489917, 668265263, 374761393)
"""Of xxHash32."""


def has_gzip() -> bool:
    """True: gzip is part of Python."""
    return True


def has_snappy() -> bool:
    """True if the package `cramjam` is installed."""
    return find_spec("cramjam") is not None


has_lz4 = has_zstd = has_snappy


def _cramjam(codec: str) -> Any:
    if find_spec("cramjam") is None:
        raise NotImplementedError(f"{codec} needs the package cramjam: pip install cramjam")
    return getattr(import_module("cramjam"), codec)


def gzip_encode(payload: bytes, compresslevel: int | None = None) -> bytes:
    """Compresses with gzip; `compresslevel` is 1 to 9, 9 by default."""
    return gzip.compress(payload, compresslevel=compresslevel or 9)


def gzip_decode(payload: bytes) -> bytes:
    """Decompresses gzip."""
    return gzip.decompress(payload)


def snappy_encode(payload: bytes, xerial_compatible: bool = True, xerial_blocksize: int = XERIAL_BLOCK) -> bytes:
    """Compresses with snappy: in Xerial blocks as Java's clients do, or as one block if not `xerial_compatible`."""
    snappy = _cramjam("snappy")
    if not xerial_compatible:
        return bytes(snappy.compress_raw(payload))
    pieces = (payload[at : at + xerial_blocksize] for at in range(0, len(payload), xerial_blocksize))
    blocks = [bytes(snappy.compress_raw(piece)) for piece in pieces]
    return XERIAL_HEADER + b"".join(LENGTH.pack(len(block)) + block for block in blocks)


def snappy_decode(payload: bytes) -> bytes:
    """Decompresses snappy, with or without Xerial blocks.

    Raises:
        ValueError: A block is truncated.
    """
    snappy = _cramjam("snappy")
    data = bytes(payload)
    if not data.startswith(XERIAL_HEADER[:8]):
        return bytes(snappy.decompress_raw(data))
    found, at = [], len(XERIAL_HEADER)
    while at < len(data):
        if len(data) < at + LENGTH.size:
            raise ValueError("the length of a block is cut off")
        (size,) = LENGTH.unpack_from(data, at)
        at += LENGTH.size
        if size < 0 or len(data) < at + size:
            raise ValueError(f"a block of {size} bytes is cut off after {len(data) - at}")
        found.append(bytes(snappy.decompress_raw(data[at : at + size])))
        at += size
    return b"".join(found)


def lz4_encode(payload: bytes, **kwargs: Any) -> bytes:
    """Compresses to an LZ4 frame. Further arguments are ignored."""
    del kwargs
    return bytes(_cramjam("lz4").compress(payload))


def lz4_decode(payload: bytes) -> bytes:
    """Decompresses an LZ4 frame."""
    return bytes(_cramjam("lz4").decompress(payload))


lz4f_decode = lz4_decode


def lz4_encode_old_kafka(payload: bytes) -> bytes:
    """Compresses to an LZ4 frame with the header checksum of Kafka before 0.10, which includes the magic bytes."""
    data = bytearray(lz4_encode(payload))
    end = _header_end(data)
    data[end] = xxhash32(bytes(data[:end])) >> 8 & 0xFF
    return bytes(data)


def lz4_decode_old_kafka(payload: bytes) -> bytes:
    """Decompresses the frames of `lz4_encode_old_kafka()`."""
    data = bytearray(payload)
    end = _header_end(data)
    data[end] = xxhash32(bytes(data[len(LZ4_MAGIC) : end])) >> 8 & 0xFF
    return lz4_decode(bytes(data))


def _header_end(data: bytearray) -> int:
    """Returns the position of the header checksum of a frame.

    Raises:
        ValueError: The data is not an LZ4 frame.
    """
    flags = len(LZ4_MAGIC)
    if not data.startswith(LZ4_MAGIC) or len(data) <= flags + 10:
        raise ValueError("no frame of lz4")
    return flags + (10 if data[flags] & CONTENT_SIZE else 2)


def zstd_encode(payload: bytes) -> bytes:
    """Compresses to a zstd frame."""
    return bytes(_cramjam("zstd").compress(payload))


def zstd_decode(payload: bytes) -> bytes:
    """Decompresses a zstd frame."""
    return bytes(_cramjam("zstd").decompress(payload))


def xxhash32(data: bytes) -> int:
    """Returns the xxHash32, with seed 0, of fewer than 16 bytes: frame headers have no more."""
    state = PRIMES[4] + len(data) & WORD
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        state = state + int.from_bytes(data[at : at + 4], "little") * PRIMES[2] & WORD
        state = _turned(state, 17) * PRIMES[3] & WORD
    for byte in data[whole:]:
        state = state + byte * PRIMES[4] & WORD
        state = _turned(state, 11) * PRIMES[0] & WORD
    state = (state ^ state >> 15) * PRIMES[1] & WORD
    state = (state ^ state >> 13) * PRIMES[2] & WORD
    return state ^ state >> 16


def _turned(value: int, bits: int) -> int:
    return (value << bits | value >> 32 - bits) & WORD
