"""The exceptions of kafka-python 0.9, for `kafka.common`. Errors of brokers have Kafka's error code as `errno`."""

from __future__ import annotations

from typing import ClassVar


class KafkaError(RuntimeError):
    """The base of all errors."""


class BrokerResponseError(KafkaError):
    """A broker answered with an error; the response is its argument."""

    errno: ClassVar[int]
    message: ClassVar[str]


class UnknownError(BrokerResponseError):
    """Any error that this list has no class for."""

    errno = -1
    message = "UNKNOWN"


class OffsetOutOfRangeError(BrokerResponseError):
    """The log does not have this offset."""

    errno = 1
    message = "OFFSET_OUT_OF_RANGE"


class InvalidMessageError(BrokerResponseError):
    """The broker found the messages damaged."""

    errno = 2
    message = "INVALID_MESSAGE"


class UnknownTopicOrPartitionError(BrokerResponseError):
    """The topic or partition does not exist."""

    errno = 3
    # Spelt as the original spells it.
    message = "UNKNOWN_TOPIC_OR_PARTITON"


class InvalidFetchRequestError(BrokerResponseError):
    """The requested size is invalid."""

    errno = 4
    message = "INVALID_FETCH_SIZE"


class LeaderNotAvailableError(BrokerResponseError):
    """The partition has no leader at the moment."""

    errno = 5
    message = "LEADER_NOT_AVAILABLE"


class NotLeaderForPartitionError(BrokerResponseError):
    """The broker asked is not the partition's leader."""

    errno = 6
    message = "NOT_LEADER_FOR_PARTITION"


class RequestTimedOutError(BrokerResponseError):
    """The required acknowledgements did not come in time."""

    errno = 7
    message = "REQUEST_TIMED_OUT"


class BrokerNotAvailableError(BrokerResponseError):
    """The broker is not available."""

    errno = 8
    message = "BROKER_NOT_AVAILABLE"


class ReplicaNotAvailableError(BrokerResponseError):
    """A replica is not available; the leader may be."""

    errno = 9
    message = "REPLICA_NOT_AVAILABLE"


class MessageSizeTooLargeError(BrokerResponseError):
    """The messages are larger than the topic takes."""

    errno = 10
    message = "MESSAGE_SIZE_TOO_LARGE"


class StaleControllerEpochError(BrokerResponseError):
    """A broker got a request of a former controller."""

    errno = 11
    message = "STALE_CONTROLLER_EPOCH"


class OffsetMetadataTooLargeError(BrokerResponseError):
    """The text committed with an offset is too long."""

    errno = 12
    message = "OFFSET_METADATA_TOO_LARGE"


class StaleLeaderEpochCodeError(BrokerResponseError):
    """The connection between broker and client was lost; today's brokers call it NETWORK_EXCEPTION."""

    errno = 13
    message = "STALE_LEADER_EPOCH_CODE"


class OffsetsLoadInProgressCode(BrokerResponseError):  # noqa: N818  programs catch it under this name
    """The coordinator is still loading committed offsets."""

    errno = 14
    message = "OFFSETS_LOAD_IN_PROGRESS_CODE"


class ConsumerCoordinatorNotAvailableCode(BrokerResponseError):  # noqa: N818  programs catch it under this name
    """The group has no coordinator at the moment."""

    errno = 15
    message = "CONSUMER_COORDINATOR_NOT_AVAILABLE_CODE"


class NotCoordinatorForConsumerCode(BrokerResponseError):  # noqa: N818  programs catch it under this name
    """The broker asked is not the group's coordinator."""

    errno = 16
    message = "NOT_COORDINATOR_FOR_CONSUMER_CODE"


class KafkaUnavailableError(KafkaError):
    """No broker answers."""


class KafkaTimeoutError(KafkaError):
    """A time limit has passed."""


class FailedPayloadsError(KafkaError):
    """A request did not get through, or its answer did not come. `payload` is the request."""

    def __init__(self, payload: object, *args: object) -> None:
        super().__init__(*args)
        self.payload = payload


class ConnectionError(KafkaError):  # noqa: A001  programs catch it under this name
    """A connection could not be made, or was lost."""


class BufferUnderflowError(KafkaError):
    """The data is truncated."""


class ChecksumError(KafkaError):
    """A message is damaged."""


class ConsumerFetchSizeTooSmall(KafkaError):  # noqa: N818  programs catch it under this name
    """A message is larger than the requested size."""


class ConsumerNoMoreData(KafkaError):  # noqa: N818  programs catch it under this name
    """There are no more messages."""


class ConsumerTimeout(KafkaError):  # noqa: N818  programs catch it under this name
    """No message came for `consumer_timeout_ms`."""


class ProtocolError(KafkaError):
    """Something cannot be expressed in the protocol."""


class UnsupportedCodecError(KafkaError):
    """The codec is unknown."""


class KafkaConfigurationError(KafkaError):
    """A setting is unknown, missing or wrong."""


class AsyncProducerQueueFull(KafkaError):  # noqa: N818  programs catch it under this name
    """The queue of an asynchronous producer is full. `failed_msgs` did not get into it."""

    def __init__(self, failed_msgs: object, *args: object) -> None:
        super().__init__(*args)
        self.failed_msgs = failed_msgs
