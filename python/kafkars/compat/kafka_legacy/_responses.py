"""Decoders of responses of brokers until Kafka 0.9, for `kafka.protocol.KafkaProtocol`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from kafkars.compat.kafka_legacy._messages import decode_message_set
from kafkars.compat.kafka_legacy.common import (
    BrokerMetadata,
    ConsumerMetadataResponse,
    FetchResponse,
    MetadataResponse,
    OffsetCommitResponse,
    OffsetFetchResponse,
    OffsetResponse,
    PartitionMetadata,
    ProduceResponse,
    TopicMetadata,
)
from kafkars.compat.kafka_legacy.util import read_int_string, read_short_string, relative_unpack

T = TypeVar("T")


class ResponseDecoders:
    """Methods that decode a response without its length prefix, and raise `BufferUnderflowError` if it is truncated."""

    @classmethod
    def decode_produce_response(cls, data: bytes) -> Iterator[ProduceResponse]:
        """Decodes the outcome of each partition's messages."""

        def partition(topic: bytes, cur: int) -> tuple[ProduceResponse, int]:
            (number, error, offset), cur = relative_unpack(">ihq", data, cur)
            return ProduceResponse(topic, number, error, offset), cur

        return _of_topics(data, partition)

    @classmethod
    def decode_fetch_response(cls, data: bytes) -> Iterator[FetchResponse]:
        """Decodes each partition's messages, which are decoded when they are iterated over."""

        def partition(topic: bytes, cur: int) -> tuple[FetchResponse, int]:
            (number, error, high), cur = relative_unpack(">ihq", data, cur)
            messages, cur = read_int_string(data, cur)
            return FetchResponse(topic, number, error, high, decode_message_set(messages or b"")), cur

        return _of_topics(data, partition)

    @classmethod
    def decode_offset_response(cls, data: bytes) -> Iterator[OffsetResponse]:
        """Decodes each partition's offsets."""

        def partition(topic: bytes, cur: int) -> tuple[OffsetResponse, int]:
            (number, error), cur = relative_unpack(">ih", data, cur)
            offsets, cur = _numbers("q", data, cur)
            return OffsetResponse(topic, number, error, offsets), cur

        return _of_topics(data, partition)

    @classmethod
    def decode_metadata_response(cls, data: bytes) -> MetadataResponse:
        """Decodes brokers and topics."""
        (_correlation, count), cur = relative_unpack(">ii", data, 0)
        brokers = []
        for _ in range(count):
            (node,), cur = relative_unpack(">i", data, cur)
            host, cur = read_short_string(data, cur)
            (port,), cur = relative_unpack(">i", data, cur)
            brokers.append(BrokerMetadata(node, host, port))
        (count,), cur = relative_unpack(">i", data, cur)
        topics = []
        for _ in range(count):
            topic, cur = _topic_metadata(data, cur)
            topics.append(topic)
        return MetadataResponse(brokers, topics)

    @classmethod
    def decode_consumer_metadata_response(cls, data: bytes) -> ConsumerMetadataResponse:
        """Decodes the coordinator of a group."""
        (_correlation, error, node), cur = relative_unpack(">ihi", data, 0)
        host, cur = read_short_string(data, cur)
        (port,), cur = relative_unpack(">i", data, cur)
        return ConsumerMetadataResponse(error, node, host, port)

    @classmethod
    def decode_offset_commit_response(cls, data: bytes) -> Iterator[OffsetCommitResponse]:
        """Decodes the outcome of each partition's commit."""

        def partition(topic: bytes, cur: int) -> tuple[OffsetCommitResponse, int]:
            (number, error), cur = relative_unpack(">ih", data, cur)
            return OffsetCommitResponse(topic, number, error), cur

        return _of_topics(data, partition)

    @classmethod
    def decode_offset_fetch_response(cls, data: bytes) -> Iterator[OffsetFetchResponse]:
        """Decodes each partition's committed offset."""

        def partition(topic: bytes, cur: int) -> tuple[OffsetFetchResponse, int]:
            (number, offset), cur = relative_unpack(">iq", data, cur)
            metadata, cur = read_short_string(data, cur)
            (error,), cur = relative_unpack(">h", data, cur)
            return OffsetFetchResponse(topic, number, offset, metadata, error), cur

        return _of_topics(data, partition)


def _of_topics(data: bytes, partition: Callable[[bytes, int], tuple[T, int]]) -> Iterator[T]:
    """Yields the result of `partition` for each partition of each topic, in order."""
    (_correlation, topics), cur = relative_unpack(">ii", data, 0)
    for _ in range(topics):
        topic, cur = read_short_string(data, cur)
        (partitions,), cur = relative_unpack(">i", data, cur)
        for _ in range(partitions):
            found, cur = partition(topic or b"", cur)
            yield found


def _topic_metadata(data: bytes, cur: int) -> tuple[TopicMetadata, int]:
    (topic_error,), cur = relative_unpack(">h", data, cur)
    name, cur = read_short_string(data, cur)
    topic = name or b""
    (count,), cur = relative_unpack(">i", data, cur)
    partitions = []
    for _ in range(count):
        (error, partition, leader), cur = relative_unpack(">hii", data, cur)
        replicas, cur = _numbers("i", data, cur)
        in_sync, cur = _numbers("i", data, cur)
        partitions.append(PartitionMetadata(topic, partition, leader, replicas, in_sync, error))
    return TopicMetadata(topic, topic_error, partitions), cur


def _numbers(kind: str, data: bytes, cur: int) -> tuple[tuple[Any, ...], int]:
    """Decodes an array of numbers, after its count."""
    (count,), cur = relative_unpack(">i", data, cur)
    return relative_unpack(f">{max(count, 0)}{kind}", data, cur)
