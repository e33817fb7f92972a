"""Structs and errors of kafka-python 0.9 (`kafka.common`)."""

from __future__ import annotations

from typing import Protocol

from kafkars.compat.kafka_legacy import _errors
from kafkars.compat.kafka_legacy._errors import (
    AsyncProducerQueueFull,
    BrokerNotAvailableError,
    BrokerResponseError,
    BufferUnderflowError,
    ChecksumError,
    ConnectionError,  # noqa: A004  programs catch it under this name
    ConsumerCoordinatorNotAvailableCode,
    ConsumerFetchSizeTooSmall,
    ConsumerNoMoreData,
    ConsumerTimeout,
    FailedPayloadsError,
    InvalidFetchRequestError,
    InvalidMessageError,
    KafkaConfigurationError,
    KafkaError,
    KafkaTimeoutError,
    KafkaUnavailableError,
    LeaderNotAvailableError,
    MessageSizeTooLargeError,
    NotCoordinatorForConsumerCode,
    NotLeaderForPartitionError,
    OffsetMetadataTooLargeError,
    OffsetOutOfRangeError,
    OffsetsLoadInProgressCode,
    ProtocolError,
    ReplicaNotAvailableError,
    RequestTimedOutError,
    StaleControllerEpochError,
    StaleLeaderEpochCodeError,
    UnknownError,
    UnknownTopicOrPartitionError,
    UnsupportedCodecError,
)
from kafkars.compat.kafka_legacy._structs import (
    BrokerMetadata,
    ConsumerMetadataRequest,
    ConsumerMetadataResponse,
    FetchRequest,
    FetchResponse,
    KafkaMessage,
    Message,
    MetadataRequest,
    MetadataResponse,
    OffsetAndMessage,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    OffsetRequest,
    OffsetResponse,
    PartitionMetadata,
    ProduceRequest,
    ProduceResponse,
    RetryOptions,
    TopicAndPartition,
    TopicMetadata,
)


class Response(Protocol):
    """Any response with an error code, 0 for none."""

    @property
    def error(self) -> int:
        """Kafka's error code."""
        raise NotImplementedError


kafka_errors: dict[int, type[BrokerResponseError]] = {
    kind.errno: kind
    for kind in vars(_errors).values()
    if isinstance(kind, type) and issubclass(kind, BrokerResponseError) and kind is not BrokerResponseError
}
"""The classes of brokers' errors by error code."""

# Names that the documentation of 0.9.5 has, and its code does not.
BrokerNotFoundError = BrokerNotAvailableError
InvalidFetchRequest = InvalidFetchRequestError
LeaderNotFoundError = LeaderNotAvailableError
x = UnknownTopicOrPartitionError


def check_error(response: Response | Exception) -> None:
    """Raises the error of a response: the response itself if it is an exception, or the class of its error code."""
    if isinstance(response, Exception):
        raise response
    if response.error:
        raise kafka_errors.get(response.error, UnknownError)(response)


RETRY_BACKOFF_ERROR_TYPES: tuple[type[KafkaError], ...] = (
    KafkaUnavailableError,
    LeaderNotAvailableError,
    ConnectionError,
    FailedPayloadsError,
)
"""Errors after which a producer waits before it retries."""

RETRY_REFRESH_ERROR_TYPES: tuple[type[KafkaError], ...] = (
    NotLeaderForPartitionError,
    UnknownTopicOrPartitionError,
    LeaderNotAvailableError,
    ConnectionError,
)
"""Errors after which a producer fetches metadata before it retries."""

RETRY_ERROR_TYPES: tuple[type[KafkaError], ...] = RETRY_BACKOFF_ERROR_TYPES + RETRY_REFRESH_ERROR_TYPES
"""Errors after which a producer retries."""

__all__ = [
    "RETRY_BACKOFF_ERROR_TYPES",
    "RETRY_ERROR_TYPES",
    "RETRY_REFRESH_ERROR_TYPES",
    "AsyncProducerQueueFull",
    "BrokerMetadata",
    "BrokerNotAvailableError",
    "BrokerNotFoundError",
    "BrokerResponseError",
    "BufferUnderflowError",
    "ChecksumError",
    "ConnectionError",
    "ConsumerCoordinatorNotAvailableCode",
    "ConsumerFetchSizeTooSmall",
    "ConsumerMetadataRequest",
    "ConsumerMetadataResponse",
    "ConsumerNoMoreData",
    "ConsumerTimeout",
    "FailedPayloadsError",
    "FetchRequest",
    "FetchResponse",
    "InvalidFetchRequest",
    "InvalidFetchRequestError",
    "InvalidMessageError",
    "KafkaConfigurationError",
    "KafkaError",
    "KafkaMessage",
    "KafkaTimeoutError",
    "KafkaUnavailableError",
    "LeaderNotAvailableError",
    "LeaderNotFoundError",
    "Message",
    "MessageSizeTooLargeError",
    "MetadataRequest",
    "MetadataResponse",
    "NotCoordinatorForConsumerCode",
    "NotLeaderForPartitionError",
    "OffsetAndMessage",
    "OffsetCommitRequest",
    "OffsetCommitResponse",
    "OffsetFetchRequest",
    "OffsetFetchResponse",
    "OffsetMetadataTooLargeError",
    "OffsetOutOfRangeError",
    "OffsetRequest",
    "OffsetResponse",
    "OffsetsLoadInProgressCode",
    "PartitionMetadata",
    "ProduceRequest",
    "ProduceResponse",
    "ProtocolError",
    "ReplicaNotAvailableError",
    "RequestTimedOutError",
    "RetryOptions",
    "StaleControllerEpochError",
    "StaleLeaderEpochCodeError",
    "TopicAndPartition",
    "TopicMetadata",
    "UnknownError",
    "UnknownTopicOrPartitionError",
    "UnsupportedCodecError",
    "check_error",
    "kafka_errors",
    "x",
]
