"""Requests, responses and messages of kafka-python 0.9, for `kafka.common`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple


class Message(NamedTuple):
    """A message of format 0. A compressed one holds a set of others in its value."""

    magic: int
    attributes: int
    key: bytes | None
    value: bytes | None


class OffsetAndMessage(NamedTuple):
    """A message as `SimpleConsumer` returns it, with its offset."""

    offset: int
    message: Message


class KafkaMessage(NamedTuple):
    """A message as `KafkaConsumer` returns it; `value` is the result of `deserializer_class`."""

    topic: bytes
    partition: int
    offset: int
    key: bytes | None
    value: Any


class TopicAndPartition(NamedTuple):
    """A partition of a topic: a key of `KafkaClient.topics_to_brokers`."""

    topic: bytes
    partition: int


class MetadataRequest(NamedTuple):
    """A request for the metadata of topics."""

    topics: Sequence[bytes]


class BrokerMetadata(NamedTuple):
    """A broker; `host` is bytes, as received."""

    nodeId: int  # noqa: N815  programs read it under this name
    host: bytes | None
    port: int | None


class PartitionMetadata(NamedTuple):
    """A partition; `leader` is -1 while there is none."""

    topic: bytes
    partition: int
    leader: int
    replicas: Sequence[int]
    isr: Sequence[int]
    error: int


class TopicMetadata(NamedTuple):
    """A topic and its partitions."""

    topic: bytes
    error: int
    partitions: Sequence[PartitionMetadata]


class MetadataResponse(NamedTuple):
    """The metadata of a cluster."""

    brokers: Sequence[BrokerMetadata]
    topics: Sequence[TopicMetadata]


class ConsumerMetadataRequest(NamedTuple):
    """A request for the coordinators of groups."""

    groups: Sequence[bytes]


class ConsumerMetadataResponse(NamedTuple):
    """The coordinator of a group."""

    error: int
    nodeId: int  # noqa: N815  programs read it under this name
    host: bytes | None
    port: int


class ProduceRequest(NamedTuple):
    """Messages for one partition."""

    topic: bytes
    partition: int
    messages: Sequence[Message]


class ProduceResponse(NamedTuple):
    """The outcome of a `ProduceRequest`; `offset` is that of its first message."""

    topic: bytes
    partition: int
    error: int
    offset: int


class FetchRequest(NamedTuple):
    """A request for the messages of one partition from an offset on."""

    topic: bytes
    partition: int
    offset: int
    max_bytes: int


class FetchResponse(NamedTuple):
    """Messages of one partition, which can be iterated once."""

    topic: bytes
    partition: int
    error: int
    highwaterMark: int  # noqa: N815  programs read it under this name
    messages: Iterable[OffsetAndMessage]


class OffsetRequest(NamedTuple):
    """A request for offsets; `time` is -1 for the end, -2 for the beginning, else ms since 1970."""

    topic: bytes
    partition: int
    time: int
    max_offsets: int


class OffsetResponse(NamedTuple):
    """Offsets of one partition, the latest first."""

    topic: bytes
    partition: int
    error: int
    offsets: tuple[int, ...]


class OffsetCommitRequest(NamedTuple):
    """The offset to commit for a group in one partition."""

    topic: bytes
    partition: int
    offset: int
    metadata: bytes | None


class OffsetCommitResponse(NamedTuple):
    """The outcome of an `OffsetCommitRequest`."""

    topic: bytes
    partition: int
    error: int


class OffsetFetchRequest(NamedTuple):
    """A request for the committed offset of a group in one partition."""

    topic: bytes
    partition: int


class OffsetFetchResponse(NamedTuple):
    """The committed offset of a group in one partition; -1 if there is none."""

    topic: bytes
    partition: int
    offset: int
    metadata: bytes | None
    error: int


class RetryOptions(NamedTuple):
    """Retry settings of an asynchronous producer; `limit` None retries for ever, 0 never."""

    limit: int | None
    backoff_ms: int
    retry_on_timeouts: bool
