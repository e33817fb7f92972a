"""Messages of format 0 as bytes, alone and in message sets, which brokers used until Kafka 0.10."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from kafkars.compat.kafka_legacy.codec import gzip_decode, snappy_decode
from kafkars.compat.kafka_legacy.common import (
    BufferUnderflowError,
    ChecksumError,
    ConsumerFetchSizeTooSmall,
    Message,
    OffsetAndMessage,
    ProtocolError,
    UnsupportedCodecError,
)
from kafkars.compat.kafka_legacy.util import crc32, read_int_string, relative_unpack, write_int_string

ATTRIBUTE_CODEC_MASK = 0x03
CODEC_NONE = 0x00
CODEC_GZIP = 0x01
CODEC_SNAPPY = 0x02
ALL_CODECS = (CODEC_NONE, CODEC_GZIP, CODEC_SNAPPY)

ENTRY_BYTES = 8 + 4 + 4 + 1 + 1 + 4 + 4
"""The size of a message in a set without its key and value: offset, length, checksum, format, attributes and two
lengths."""


def encode_message(message: Message) -> bytes:
    """Encodes a message with its checksum.

    Raises:
        ProtocolError: The message is not of format 0.
    """
    if message.magic != 0:
        raise ProtocolError(f"Unexpected magic number: {message.magic}")
    body = struct.pack(">BB", message.magic, message.attributes)
    body += write_int_string(message.key) + write_int_string(message.value)
    return struct.pack(">I", crc32(body)) + body


def encode_message_set(messages: Iterable[Message]) -> bytes:
    """Encodes a message set, with offsets 0, which brokers replace."""
    encoded = (encode_message(message) for message in messages)
    return b"".join(struct.pack(">qi", 0, len(message)) + message for message in encoded)


def decode_message_set(data: bytes) -> Iterator[OffsetAndMessage]:
    """Decodes the messages of a set, with those inside compressed ones. A truncated set ends with its last whole
    message.

    Raises:
        ConsumerFetchSizeTooSmall: Not even the first message is whole.
        ChecksumError, UnsupportedCodecError: As `decode_message`.
    """
    cur = 0
    found = False
    while cur < len(data):
        try:
            (offset,), cur = relative_unpack(">q", data, cur)
            message, cur = read_int_string(data, cur)
            for each in decode_message(message or b"", offset):
                found = True
                yield OffsetAndMessage(*each)
        except BufferUnderflowError:  # noqa: PERF203  it ends the loop
            if found:
                return
            raise ConsumerFetchSizeTooSmall from None


def decode_message(data: bytes, offset: int) -> Iterator[tuple[int, Message]]:
    """Decodes a message with its offset, or the messages in it if it is compressed.

    Raises:
        BufferUnderflowError: The message is truncated.
        ChecksumError: The checksum does not match.
        UnsupportedCodecError: The codec is neither gzip nor snappy.
    """
    (crc, magic, attributes), cur = relative_unpack(">IBB", data, 0)
    if crc != crc32(data[4:]):
        raise ChecksumError("Message checksum failed")
    key, cur = read_int_string(data, cur)
    value, cur = read_int_string(data, cur)
    codec = attributes & ATTRIBUTE_CODEC_MASK
    if codec == CODEC_NONE:
        yield offset, Message(magic, attributes, key, value)
    elif codec == CODEC_GZIP:
        yield from decode_message_set(gzip_decode(value or b""))
    elif codec == CODEC_SNAPPY:
        yield from decode_message_set(snappy_decode(value or b""))
    else:
        raise UnsupportedCodecError(f"Codec 0x{codec:02x} unsupported")


class MessageSet(tuple[Message, ...]):  # noqa: SLOT001  tuples take no slots
    """Messages that kafkars is to compress, which producers create in place of a compressed message.

    Args:
        messages: The uncompressed messages.
        codec: The codec.
        level: The compression level; None for 9 with gzip, as in the original.
    """

    codec: int
    level: int | None

    def __new__(cls, messages: Iterable[Message], codec: int, level: int | None = None) -> MessageSet:
        """See the class."""
        made = super().__new__(cls, messages)
        made.codec = codec
        made.level = level
        return made
