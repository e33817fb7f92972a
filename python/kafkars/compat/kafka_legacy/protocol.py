"""Encoding of requests and decoding of responses of brokers until Kafka 0.9 (`kafka.protocol`).

Current brokers do not support most of these versions any more. `KafkaClient` uses newer ones; this is for programs that
encode or decode such bytes themselves.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kafkars.compat.kafka_legacy import _messages
from kafkars.compat.kafka_legacy._messages import (
    ALL_CODECS,
    ATTRIBUTE_CODEC_MASK,
    CODEC_GZIP,
    CODEC_NONE,
    CODEC_SNAPPY,
)
from kafkars.compat.kafka_legacy._responses import ResponseDecoders
from kafkars.compat.kafka_legacy.codec import gzip_encode, snappy_encode
from kafkars.compat.kafka_legacy.common import (
    FetchRequest,
    Message,
    OffsetAndMessage,
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetRequest,
    ProduceRequest,
    UnsupportedCodecError,
)
from kafkars.compat.kafka_legacy.util import group_by_topic_and_partition, write_int_string, write_short_string

__all__ = [
    "ALL_CODECS",
    "ATTRIBUTE_CODEC_MASK",
    "CODEC_GZIP",
    "CODEC_NONE",
    "CODEC_SNAPPY",
    "KafkaProtocol",
    "create_gzip_message",
    "create_message",
    "create_message_set",
    "create_snappy_message",
]

NO_REPLICA = -1


class KafkaProtocol(ResponseDecoders):
    """Encodes requests, which begin with their length, and decodes responses, which are passed without
    it.
    """

    PRODUCE_KEY = 0
    FETCH_KEY = 1
    OFFSET_KEY = 2
    METADATA_KEY = 3
    OFFSET_COMMIT_KEY = 8
    OFFSET_FETCH_KEY = 9
    CONSUMER_METADATA_KEY = 10

    @classmethod
    def _encode_message_header(cls, client_id: bytes, correlation_id: int, request_key: int, version: int = 0) -> bytes:
        return struct.pack(">hhi", request_key, version, correlation_id) + write_short_string(client_id)

    @classmethod
    def _encode_message_set(cls, messages: Iterable[Message]) -> bytes:
        return _messages.encode_message_set(messages)

    @classmethod
    def _encode_message(cls, message: Message) -> bytes:
        return _messages.encode_message(message)

    @classmethod
    def _decode_message_set_iter(cls, data: bytes) -> Iterator[OffsetAndMessage]:
        return _messages.decode_message_set(data)

    @classmethod
    def _decode_message(cls, data: bytes, offset: int) -> Iterator[tuple[int, Message]]:
        return _messages.decode_message(data, offset)

    @classmethod
    def encode_produce_request(
        cls,
        client_id: bytes,
        correlation_id: int,
        payloads: Sequence[ProduceRequest] | None = None,
        acks: int = 1,
        timeout: int = 1000,
    ) -> bytes:
        """Encodes a Produce request.

        Args:
            client_id: The client id.
            correlation_id: The request's id, which the response repeats.
            payloads: The messages, at most one request for each partition.
            acks: Required acknowledgements: 0 none, 1 of the leader, -1 of all in-sync replicas, else of so many
                replicas.
            timeout: Milliseconds that the broker waits for the acknowledgements.
        """
        header = cls._encode_message_header(client_id, correlation_id, cls.PRODUCE_KEY)
        grouped = group_by_topic_and_partition(payloads or [])

        def partition(payload: ProduceRequest) -> bytes:
            return struct.pack(">i", payload.partition) + write_int_string(cls._encode_message_set(payload.messages))

        return write_int_string(header + struct.pack(">hi", acks, timeout) + _by_topic(grouped, partition))

    @classmethod
    def encode_fetch_request(
        cls,
        client_id: bytes,
        correlation_id: int,
        payloads: Sequence[FetchRequest] | None = None,
        max_wait_time: int = 100,
        min_bytes: int = 4096,
    ) -> bytes:
        """Encodes a Fetch request.

        Args:
            client_id: The client id.
            correlation_id: The request's id, which the response repeats.
            payloads: The offsets to read from, at most one request for each partition.
            max_wait_time: Milliseconds that the broker waits for `min_bytes`.
            min_bytes: The bytes that the broker waits for before it responds.
        """
        header = cls._encode_message_header(client_id, correlation_id, cls.FETCH_KEY)
        grouped = group_by_topic_and_partition(payloads or [])

        def partition(payload: FetchRequest) -> bytes:
            return struct.pack(">iqi", payload.partition, payload.offset, payload.max_bytes)

        body = struct.pack(">iii", NO_REPLICA, max_wait_time, min_bytes) + _by_topic(grouped, partition)
        return write_int_string(header + body)

    @classmethod
    def encode_offset_request(
        cls, client_id: bytes, correlation_id: int, payloads: Sequence[OffsetRequest] | None = None
    ) -> bytes:
        """Encodes an Offset request."""
        header = cls._encode_message_header(client_id, correlation_id, cls.OFFSET_KEY)
        grouped = group_by_topic_and_partition(payloads or [])

        def partition(payload: OffsetRequest) -> bytes:
            return struct.pack(">iqi", payload.partition, payload.time, payload.max_offsets)

        return write_int_string(header + struct.pack(">i", NO_REPLICA) + _by_topic(grouped, partition))

    @classmethod
    def encode_metadata_request(
        cls,
        client_id: bytes,
        correlation_id: int,
        topics: Sequence[bytes] | None = None,
        payloads: Sequence[bytes] | None = None,
    ) -> bytes:
        """Encodes a Metadata request, for all topics if neither `payloads` nor else `topics` names any."""
        header = cls._encode_message_header(client_id, correlation_id, cls.METADATA_KEY)
        names = (topics or []) if payloads is None else payloads
        return write_int_string(header + struct.pack(">i", len(names)) + b"".join(map(write_short_string, names)))

    @classmethod
    def encode_consumer_metadata_request(cls, client_id: bytes, correlation_id: int, payloads: bytes) -> bytes:
        """Encodes a ConsumerMetadata request for the coordinator of the group `payloads`."""
        header = cls._encode_message_header(client_id, correlation_id, cls.CONSUMER_METADATA_KEY)
        return write_int_string(header + write_short_string(payloads))

    @classmethod
    def encode_offset_commit_request(
        cls, client_id: bytes, correlation_id: int, group: bytes, payloads: Sequence[OffsetCommitRequest]
    ) -> bytes:
        """Encodes an OffsetCommit request."""
        header = cls._encode_message_header(client_id, correlation_id, cls.OFFSET_COMMIT_KEY)
        grouped = group_by_topic_and_partition(payloads)

        def partition(payload: OffsetCommitRequest) -> bytes:
            return struct.pack(">iq", payload.partition, payload.offset) + write_short_string(payload.metadata)

        return write_int_string(header + write_short_string(group) + _by_topic(grouped, partition))

    @classmethod
    def encode_offset_fetch_request(
        cls,
        client_id: bytes,
        correlation_id: int,
        group: bytes,
        payloads: Sequence[OffsetFetchRequest],
        from_kafka: bool = False,
    ) -> bytes:
        """Encodes an OffsetFetch request for a group's offsets in ZooKeeper, or with `from_kafka` in Kafka."""
        header = cls._encode_message_header(client_id, correlation_id, cls.OFFSET_FETCH_KEY, version=int(from_kafka))
        grouped = group_by_topic_and_partition(payloads)

        def partition(payload: OffsetFetchRequest) -> bytes:
            return struct.pack(">i", payload.partition)

        return write_int_string(header + write_short_string(group) + _by_topic(grouped, partition))


def create_message(payload: bytes | None, key: bytes | None = None) -> Message:
    """Creates a message."""
    return Message(0, 0, key, payload)


def create_gzip_message(
    payloads: Iterable[tuple[bytes | None, bytes | None]], key: bytes | None = None, compresslevel: int | None = None
) -> Message:
    """Creates a message that contains others, compressed by gzip.

    Args:
        payloads: Value and key of each message.
        key: The key of the outer message.
        compresslevel: 1 to 9; 9 by default.
    """
    inner = KafkaProtocol._encode_message_set([create_message(payload, own_key) for payload, own_key in payloads])
    return Message(0, CODEC_GZIP, key, gzip_encode(inner, compresslevel=compresslevel))


def create_snappy_message(payloads: Iterable[tuple[bytes | None, bytes | None]], key: bytes | None = None) -> Message:
    """Creates a message that contains others, compressed by snappy without Xerial blocks.

    Args:
        payloads: Value and key of each message.
        key: The key of the outer message.

    Raises:
        NotImplementedError: The package `cramjam` is not installed.
    """
    inner = KafkaProtocol._encode_message_set([create_message(payload, own_key) for payload, own_key in payloads])
    return Message(0, CODEC_SNAPPY, key, snappy_encode(inner))


def create_message_set(
    messages: Iterable[tuple[bytes | None, bytes | None]],
    codec: int = CODEC_NONE,
    key: bytes | None = None,
    compresslevel: int | None = None,
) -> list[Message]:
    """Creates a message for each value and key, or with a codec one that contains all of them.

    Raises:
        UnsupportedCodecError: The codec is unknown.
    """
    if codec == CODEC_NONE:
        return [create_message(payload, own_key) for payload, own_key in messages]
    if codec == CODEC_GZIP:
        return [create_gzip_message(messages, key, compresslevel)]
    if codec == CODEC_SNAPPY:
        return [create_snappy_message(messages, key)]
    raise UnsupportedCodecError(f"Codec 0x{codec:02x} unsupported")


def _by_topic(grouped: Mapping[bytes, Mapping[int, Any]], encode: Any) -> bytes:
    """Encodes an array of topics, each with its name and its array of partitions."""
    parts = [struct.pack(">i", len(grouped))]
    for topic, partitions in grouped.items():
        parts += [write_short_string(topic), struct.pack(">i", len(partitions)), *map(encode, partitions.values())]
    return b"".join(parts)
