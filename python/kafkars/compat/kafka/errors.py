"""Every exception of kafka-python, and the one map from errors of kafkars to them.

Follows kafka-python 2.3 (`kafka.errors`): names, bases, error codes, retriable or not, form of messages. Names
that only 2.0 or 3.x has are here too, so that `except` clauses of either keep working.
"""

from __future__ import annotations

import ssl
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kafkars import errors as engine
from kafkars.compat._wording import renaming
from kafkars.compat.kafka import _broker_errors
from kafkars.compat.kafka._broker_errors import *  # noqa: F403  every class there is one of this module's
from kafkars.compat.kafka._broker_errors import (
    BrokerResponseError,
    CoordinatorLoadInProgressError,
    CoordinatorNotAvailableError,
    CorruptRecordError,
    InvalidMetadataError,
    InvalidTimestampError,
    KafkaError,
    LeaderNotAvailableError,
    MessageSizeTooLargeError,
    NetworkExceptionError,
    NotCoordinatorError,
    NotLeaderForPartitionError,
    OffsetOutOfRangeError,
    ProducerFencedError,
    RetriableError,
    UnknownError,
    UnknownTopicOrPartitionError,
    UnsupportedVersionError,
)
from kafkars.types import TopicPartition

if TYPE_CHECKING:
    from types import TracebackType


class Cancelled(RetriableError):
    """The request was cancelled."""

    retriable = True


COMMIT_FAILED = (
    "the offsets were not committed, because the group has given the partitions to another member: this one was taken for "
    "dead, or did not call poll() for max_poll_interval_ms; raise that setting, or take fewer records at a time "
    "(max_poll_records)"
)


class CommitFailedError(KafkaError):
    """The group has assigned the partitions to another member; the message says what to change."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(args or (COMMIT_FAILED,)))


class IllegalArgumentError(KafkaError):
    """An argument is not valid."""


class IllegalStateError(KafkaError):
    """The call is not allowed in the client's current state."""


class IncompatibleBrokerVersion(UnsupportedVersionError):
    """The broker is too old or too new for the call."""


class KafkaConfigurationError(KafkaError):
    """A setting is unknown, or settings contradict each other."""


class KafkaConnectionError(InvalidMetadataError):
    """A broker cannot be connected to, or the connection was lost."""

    retriable = True
    invalid_metadata = True


class KafkaProtocolError(KafkaError):
    """A broker's response does not follow the protocol."""

    retriable = True


class CorrelationIdError(RetriableError, KafkaProtocolError):
    """A response has the correlation id of another request."""


class InvalidReceiveError(KafkaProtocolError):
    """A response is larger than the client accepts."""


class KafkaTimeoutError(RetriableError):
    """A time limit has passed."""

    retriable = True


class LogTruncationError(KafkaError):
    """Records that were read are gone from the log, after an unclean leader election.

    Args:
        divergent_offsets: The offset by partition at which the log diverges from what was read; None if unknown.
    """

    def __init__(self, divergent_offsets: Any, *args: Any) -> None:
        super().__init__(*(args or (f"Detected truncated partitions: {divergent_offsets}",)))
        self.divergent_offsets = divergent_offsets


class MetadataEmptyBrokerList(RetriableError):
    """The metadata has no brokers."""

    retriable = True


class NoBrokersAvailable(KafkaTimeoutError):
    """No broker could be reached. kafka-python 3 raises `KafkaTimeoutError` there, whose subclass this is."""

    invalid_metadata = True


class NoOffsetForPartitionError(KafkaError):
    """A partition has no committed offset, and `auto_offset_reset` names no position to start at."""


class NodeNotReadyError(RetriableError):
    """The broker has no connection yet."""

    retriable = True


class QuotaViolationError(KafkaError):
    """A quota or a metric's bound was exceeded."""


class StaleMetadata(InvalidMetadataError):
    """The metadata is stale."""

    retriable = True
    invalid_metadata = True


class TooManyInFlightRequests(RetriableError):
    """The connection has no room for another request."""

    retriable = True


class TransactionAbortedError(KafkaError):
    """The record belonged to a transaction that was aborted before it was sent."""


class TlsRefused(NoBrokersAvailable, ssl.SSLError):
    """The TLS handshake failed. kafka-python raises either of the two bases, depending on when it finds
    out.
    """

    __str__ = NoBrokersAvailable.__str__


class CertificateRefused(NoBrokersAvailable, ssl.SSLCertVerificationError):
    """A certificate was refused: the broker's or the client's."""

    __str__ = NoBrokersAvailable.__str__


class UnknownBrokerIdError(KafkaError):
    """No broker has this id."""


class UnrecognizedBrokerVersion(KafkaError):
    """The version of the broker is unknown."""


class UnsupportedCodecError(KafkaError):
    """The compression codec is unknown or not installed."""


class AuthenticationMethodNotSupported(KafkaError):
    """The broker does not support the SASL mechanism. A name of kafka-python 2.0."""


class AuthenticationFailedError(KafkaError):
    """The broker did not accept the credentials. A name of kafka-python 2.0."""


class KafkaUnavailableError(KafkaError):
    """No broker can be reached. A name of kafka-python 2.0."""


class FailedPayloadsError(KafkaError):
    """Some of the requests failed. A name of kafka-python 2.0."""

    def __init__(self, payload: Any, *args: Any) -> None:
        super().__init__(*args)
        self.payload = payload


class ProtocolError(KafkaError):
    """A broker's response does not follow the protocol. A name of kafka-python 2.0."""


class AsyncProducerQueueFull(KafkaError):
    """The queue of an asynchronous producer was full. A name of kafka-python 2.0."""

    def __init__(self, failed_msgs: Any, *args: Any) -> None:
        super().__init__(*args)
        self.failed_msgs = failed_msgs


# Older and newer spellings of one class.
ConnectionError = KafkaConnectionError  # noqa: A001  the name in kafka-python 1
CorruptRecordException = CorruptRecordError
InvalidMessageError = CorruptRecordError
StaleLeaderEpochCodeError = NetworkExceptionError
GroupLoadInProgressError = CoordinatorLoadInProgressError
GroupCoordinatorNotAvailableError = CoordinatorNotAvailableError
NotCoordinatorForGroupError = NotCoordinatorError
IllegalStateException = IllegalStateError

kafka_errors: dict[int, type[BrokerResponseError]] = {
    made.errno: made
    for made in vars(_broker_errors).values()
    if isinstance(made, type) and issubclass(made, BrokerResponseError) and made.errno is not None
}
"""The class of each error code that kafka-python knows."""


def for_code(error_code: int) -> type[BrokerResponseError]:
    """Returns the class of an error code; a new subclass of `UnknownError` if there is none."""
    known = kafka_errors.get(error_code)
    return known or type("UnrecognizedBrokerError", (UnknownError,), {"errno": error_code})


def check_error(response: Any) -> None:
    """Raises a response that is an exception, or the error of a response's code in `error`."""
    if isinstance(response, Exception):
        raise response
    if response.error:
        raise for_code(response.error)(response)


# Errors that kafka-python 2.0 retries.
RETRY_BACKOFF_ERROR_TYPES = (KafkaUnavailableError, LeaderNotAvailableError, KafkaConnectionError, FailedPayloadsError)
RETRY_REFRESH_ERROR_TYPES = (
    NotLeaderForPartitionError,
    UnknownTopicOrPartitionError,
    LeaderNotAvailableError,
    KafkaConnectionError,
)
RETRY_ERROR_TYPES = RETRY_BACKOFF_ERROR_TYPES + RETRY_REFRESH_ERROR_TYPES


def of(error: BaseException) -> BaseException:
    """Translates an error of the engine to kafka-python's, with the original as its cause.

    Other exceptions are returned unchanged.
    """
    if not isinstance(error, engine.KafkaError):
        return error
    if isinstance(error, (engine.SerializationError, engine.DeserializationError)) and error.__cause__ is not None:
        return error.__cause__
    if isinstance(error, engine.TransactionFailedError) and error.__cause__ is not None:
        return of(error.__cause__)
    for kind, translation in TRANSLATIONS.items():
        if isinstance(error, kind):
            made = translation(error)
            break
    else:
        made = KafkaError(str(error)) if error.code is None else for_code(error.code)(str(error))
    made.__cause__ = error
    return made


def of_delivery(error: BaseException) -> BaseException:
    """Translates the error of a delivery: a closed client means that `close()` gave the record up."""
    if not isinstance(error, engine.ClosedError):
        return of(error)
    made = IllegalStateError("Producer is closed forcefully.")
    made.__cause__ = error
    return made


in_own_words = renaming(
    {
        "ssl_ca_location or ssl_ca_pem": "ssl_cafile",
        "ssl_ca_location": "ssl_cafile",
        "ssl_ca_pem": "ssl_context",
        "ssl_crl_location": "ssl_crlfile",
        "ssl_certificate_location and ssl_key_location, or ssl_keystore_location": "ssl_certfile and ssl_keyfile",
        "ssl_certificate_location and ssl_keystore_location": "ssl_certfile",
        "ssl_certificate_location": "ssl_certfile",
        "ssl_key_location": "ssl_keyfile",
        "ssl_key_password": "ssl_password",
        "ssl_cipher_suites": "ssl_ciphers",
        'ssl_endpoint_identification_algorithm="none"': "ssl_check_hostname=False",
        "sasl_username": "sasl_plain_username",
        "sasl_password": "sasl_plain_password",
        "sasl_oauthbearer_token_provider": "sasl_oauth_token_provider",
    }
)


def saying(kind: Callable[[str], BaseException]) -> Callable[[engine.KafkaError], BaseException]:
    """Returns a function that converts an error to another class with the same message."""
    return lambda error: kind(in_own_words(str(error)))


def at_offset(error: engine.KafkaError) -> BaseException:
    """Returns the error with `{partition: offset}` as its argument, if the engine's error has them."""
    if error.topic is None or error.partition is None:
        return OffsetOutOfRangeError(str(error))
    return OffsetOutOfRangeError({TopicPartition(error.topic, error.partition): error.offset})


def without_offset(error: engine.KafkaError) -> BaseException:
    """Returns the error with the partition as its argument, if the engine's error has it."""
    if error.topic is None or error.partition is None:
        return NoOffsetForPartitionError(str(error))
    return NoOffsetForPartitionError(TopicPartition(error.topic, error.partition))


def login_refused(error: engine.KafkaError) -> BaseException:
    """Returns an error that says why a login was refused, and is also the time-out that kafka-python raises."""
    kind = KafkaConnectionError if error.code is None else for_code(error.code)
    made = type(kind.__name__, (kind, KafkaTimeoutError), {"__module__": kind.__module__, "retriable": kind.retriable})
    refused: BaseException = made(in_own_words(str(error)))
    return refused


# The first match counts: subclasses stand before their bases.
TRANSLATIONS: dict[type[engine.KafkaError], Callable[[engine.KafkaError], BaseException]] = {
    engine.ConfigError: saying(KafkaConfigurationError),
    engine.InvalidPartitionError: saying(AssertionError),
    engine.InvalidRecordTimestampError: saying(InvalidTimestampError),
    engine.InvalidArgumentError: saying(ValueError),
    engine.BufferFullError: saying(KafkaTimeoutError),
    engine.MetadataTimeoutError: saying(KafkaTimeoutError),
    engine.HandshakeTimeoutError: saying(KafkaConnectionError),
    engine.KafkaTimeoutError: saying(KafkaTimeoutError),
    engine.TlsError: saying(KafkaConnectionError),
    engine.CredentialsError: login_refused,
    engine.AuthenticationError: login_refused,
    engine.BootstrapError: saying(NoBrokersAvailable),
    engine.BrokerConnectionError: saying(KafkaConnectionError),
    engine.ProtocolError: saying(KafkaProtocolError),
    engine.UnsupportedByBrokerError: saying(UnsupportedVersionError),
    engine.ForkedClientError: saying(IllegalStateError),
    engine.ClosedError: saying(AssertionError),
    # kafka-python has no class of its own for a call of a transaction out of order.
    engine.TransactionStateError: saying(KafkaError),
    engine.ClientStateError: saying(IllegalStateError),
    engine.RecordTooLargeError: saying(MessageSizeTooLargeError),
    engine.TransactionTimedOutError: saying(ProducerFencedError),
    engine.ProducerFencedError: saying(ProducerFencedError),
    engine.InvalidProducerEpochError: saying(ProducerFencedError),
    engine.CorruptRecordError: saying(CorruptRecordError),
    engine.NoOffsetError: without_offset,
    engine.LogTruncationError: at_offset,
    engine.OffsetOutOfRangeError: at_offset,
    engine.CommitFailedError: saying(CommitFailedError),
}


def of_first_contact(error: engine.KafkaError) -> BaseException:
    """Returns what a constructor raises that finds no broker: a refused certificate is an error of `ssl`, as in
    kafka-python.
    """
    kinds: dict[type[engine.KafkaError], type[Exception]] = {
        engine.CertificateError: CertificateRefused,
        engine.TlsError: TlsRefused,
    }
    made = next((made for kind, made in kinds.items() if isinstance(error, kind)), NoBrokersAvailable)
    return made(in_own_words(str(error)))


class translated:  # noqa: N801  reads as a verb
    """Errors of the engine leave the block as those of kafka-python."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            return
        made = of(error)
        if made is not error:
            raise made.with_traceback(sys.exc_info()[2]) from error
