"""Compression of batches."""

from __future__ import annotations

from kafkars.compat.kafka import codec
from kafkars.compat.kafka.errors import CorruptRecordError, UnsupportedCodecError

NONE, GZIP, SNAPPY, LZ4, ZSTD = range(5)
NAMES = {GZIP: "gzip", SNAPPY: "snappy", LZ4: "lz4", ZSTD: "zstd"}


def check(number: int) -> str:
    """Returns the name of a codec.

    Raises:
        UnsupportedCodecError: The codec is unknown, or its package is not installed.
    """
    name = NAMES.get(number)
    if name is None:
        raise UnsupportedCodecError(f"there is no codec {number}")
    if not getattr(codec, f"has_{name}")():
        raise UnsupportedCodecError(f"{name} needs the package cramjam")
    return name


def compressed(number: int, data: bytes, *, old_lz4: bool = False) -> bytes:
    """Compresses bytes; `old_lz4` writes the LZ4 frames that brokers before 0.10 expect."""
    name = check(number)
    encode = codec.lz4_encode_old_kafka if old_lz4 and number == LZ4 else getattr(codec, f"{name}_encode")
    made: bytes = encode(data)
    return made


def decompressed(number: int, data: bytes, *, old_lz4: bool = False) -> bytes:
    """Decompresses bytes.

    Raises:
        CorruptRecordError: The codec cannot decompress the data.
        UnsupportedCodecError: The codec is unknown, or its package is not installed.
    """
    name = check(number)
    decode = codec.lz4_decode_old_kafka if old_lz4 and number == LZ4 else getattr(codec, f"{name}_decode")
    try:
        made: bytes = decode(data)
    except Exception as error:
        raise CorruptRecordError(f"what {name} has made cannot be read: {error!r}") from error
    return made


def check_bytes(name: str, given: object) -> None:
    """Refuses keys and values that are not bytes.

    Raises:
        TypeError: The value is neither bytes nor None.
    """
    if given is not None and not isinstance(given, (bytes, bytearray, memoryview)):
        raise TypeError(f"{name}: bytes are expected, not {type(given).__name__}")
