"""Compression of messages that a program makes by hand (`kafka.codec`). What producers send is compressed by the
engine.

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
    """True: it is part of Python."""
    return True


def has_snappy() -> bool:
    """True if snappy can be had."""
    return find_spec("cramjam") is not None


def gzip_encode(payload: bytes, compresslevel: int | None = None) -> bytes:
    """Compresses; level 9 when none is given."""
    return gzip.compress(payload, compresslevel=compresslevel or 9)


def gzip_decode(payload: bytes) -> bytes:
    """Takes back `gzip_encode`.

    Raises:
        OSError, EOFError, zlib.error: It is no gzip, or damaged.
    """
    return gzip.decompress(payload)


def snappy_encode(payload: bytes, xerial_compatible: bool = False, xerial_blocksize: int = XERIAL_BLOCK) -> bytes:
    """Compresses; with `xerial_compatible` in blocks behind a header, as Java's clients do.

    Args:
        payload: What is compressed.
        xerial_compatible: Whether in blocks.
        xerial_blocksize: Bytes of `payload` in a block.

    Raises:
        NotImplementedError: Snappy cannot be had.
    """
    if not xerial_compatible:
        return _compress(payload)
    blocks = [_compress(payload[at : at + xerial_blocksize]) for at in range(0, len(payload), xerial_blocksize)]
    return XERIAL_HEADER + b"".join(LENGTH.pack(len(block)) + block for block in blocks)


def snappy_decode(payload: bytes) -> bytes:
    """Takes back `snappy_encode`, in blocks or not.

    Raises:
        NotImplementedError: Snappy cannot be had.
        Exception: It is no snappy, or damaged.
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
    """True if something begins as snappy in blocks does, and goes on."""
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
