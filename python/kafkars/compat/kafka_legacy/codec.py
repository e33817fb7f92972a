"""Compression of messages that a program encodes itself (`kafka.codec`). The engine compresses what producers
send.

Snappy needs the package `cramjam`, as the original needs `python-snappy`; without it `has_snappy()` is False.
"""

from __future__ import annotations

import gzip
import struct
from importlib import import_module
from importlib.util import find_spec

__all__ = ["gzip_decode", "gzip_encode", "has_gzip", "has_snappy", "snappy_decode", "snappy_encode"]

# A byte of 0x82, the name, a zero, the version and the oldest version that can read it.
XERIAL_HEADER = b"\x82SNAPPY\x00" + struct.pack("!ii", 1, 1)
XERIAL_BLOCK = 32 * 1024
LENGTH = struct.Struct("!i")


def has_gzip() -> bool:
    """True: gzip is part of Python."""
    return True


def has_snappy() -> bool:
    """True if the package `cramjam` is installed."""
    return find_spec("cramjam") is not None


def gzip_encode(payload: bytes, compresslevel: int | None = None) -> bytes:
    """Compresses with gzip; `compresslevel` is 1 to 9, 9 by default."""
    return gzip.compress(payload, compresslevel=compresslevel or 9)


def gzip_decode(payload: bytes) -> bytes:
    """Decompresses gzip.

    Raises:
        OSError, EOFError, zlib.error: The data is not gzip, or damaged.
    """
    return gzip.decompress(payload)


def snappy_encode(payload: bytes, xerial_compatible: bool = False, xerial_blocksize: int = XERIAL_BLOCK) -> bytes:
    """Compresses with snappy; with `xerial_compatible` in blocks after a header, as Java's clients do.

    Args:
        payload: The data.
        xerial_compatible: True compresses in blocks.
        xerial_blocksize: The bytes of `payload` in each block.

    Raises:
        NotImplementedError: The package `cramjam` is not installed.
    """
    if not xerial_compatible:
        return _compress(payload)
    blocks = [_compress(payload[at : at + xerial_blocksize]) for at in range(0, len(payload), xerial_blocksize)]
    return XERIAL_HEADER + b"".join(LENGTH.pack(len(block)) + block for block in blocks)


def snappy_decode(payload: bytes) -> bytes:
    """Decompresses snappy, with or without Xerial blocks.

    Raises:
        NotImplementedError: The package `cramjam` is not installed.
        Exception: The data is not snappy, or damaged.
    """
    if not _detect_xerial_stream(payload):
        return _decompress(payload)
    blocks = []
    cur = len(XERIAL_HEADER)
    while cur < len(payload):
        (length,) = LENGTH.unpack_from(payload, cur)
        cur += LENGTH.size
        if not 0 <= length <= len(payload) - cur:
            raise ValueError(f"a block of {length} bytes where {len(payload) - cur} are left")
        blocks.append(_decompress(payload[cur : cur + length]))
        cur += length
    return b"".join(blocks)


def _detect_xerial_stream(payload: bytes) -> bool:
    """True if the data begins with the Xerial header and is longer."""
    return len(payload) > len(XERIAL_HEADER) and payload.startswith(XERIAL_HEADER)


def _compress(payload: bytes) -> bytes:
    _check_snappy()
    return bytes(import_module("cramjam").snappy.compress_raw(payload))


def _decompress(payload: bytes) -> bytes:
    _check_snappy()
    return bytes(import_module("cramjam").snappy.decompress_raw(payload))


def _check_snappy() -> None:
    if not has_snappy():
        raise NotImplementedError("Snappy codec is not available: install the package cramjam")
