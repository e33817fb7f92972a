"""Every exception of kafka-python, and the one map from errors of kafkars to them.

Follows kafka-python 2.3 (`kafka.errors`): names, bases, numbers, what may be retried, the form of the message. Names
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
    """The request was given up."""

    retriable = True


COMMIT_FAILED = (
    "the offsets were not committed, because the group has given the partitions to another member: this one was taken for "
    "dead, or did not call poll() for max_poll_interval_ms; raise that setting, or take fewer records at a time "
    "(max_poll_records)"
)


class CommitFailedError(KafkaError):
    """The group has given the partitions to another member meanwhile; its message says what to change."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(args or (COMMIT_FAILED,)))


class IllegalArgumentError(KafkaError):
    """An argument is not valid."""


class IllegalStateError(KafkaError):
    """The call does not fit the state the client is in."""


class IncompatibleBrokerVersion(UnsupportedVersionError):
    """The broker is too old or too new for the call."""


class KafkaConfigurationError(KafkaError):
    """A setting is unknown, or settings contradict each other."""


class KafkaConnectionError(InvalidMetadataError):
    """A broker cannot be reached, or the connection to it is gone."""

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
    """The time for the call is over."""

    retriable = True


class LogTruncationError(KafkaError):
    """Records that were read have been replaced since, after an unclean election of a leader.

    Args:
        divergent_offsets: Where each partition's log parts from what was read; None where nobody knows.
    """

    def __init__(self, divergent_offsets: Any, *args: Any) -> None:
        super().__init__(*(args or (f"Detected truncated partitions: {divergent_offsets}",)))
        self.divergent_offsets = divergent_offsets


class MetadataEmptyBrokerList(RetriableError):
    """The cluster named no brokers."""

    retriable = True


class NoBrokersAvailable(KafkaTimeoutError):
    """No broker could be reached. kafka-python 3 raises `KafkaTimeoutError` there, whose subclass this is."""

    invalid_metadata = True


class NoOffsetForPartitionError(KafkaError):
    """Nothing is committed for a partition, and `auto_offset_reset` names no place to start."""


class NodeNotReadyError(RetriableError):
    """The broker has no connection yet."""

    retriable = True


class QuotaViolationError(KafkaError):
    """The client has used more than it may."""


class StaleMetadata(InvalidMetadataError):
    """The metadata is too old."""

    retriable = True
    invalid_metadata = True


class TooManyInFlightRequests(RetriableError):
    """The connection has no room for another request."""

    retriable = True


class TransactionAbortedError(KafkaError):
    """The record belonged to a transaction that was aborted before it was sent."""


class TlsRefused(NoBrokersAvailable, ssl.SSLError):
    """Broker and client did not agree on TLS. kafka-python raises either of the two, by the moment at which it finds
    out.
    """

    __str__ = NoBrokersAvailable.__str__


class CertificateRefused(NoBrokersAvailable, ssl.SSLCertVerificationError):
    """A certificate was refused: the broker's or the client's."""

    __str__ = NoBrokersAvailable.__str__


class UnknownBrokerIdError(KafkaError):
    """No broker has this number."""


class UnrecognizedBrokerVersion(KafkaError):
    """The broker is of a version nobody knows."""


class UnsupportedCodecError(KafkaError):
    """The records are compressed in a way nobody knows."""


class AuthenticationMethodNotSupported(KafkaError):
    """The broker does not speak the SASL mechanism. A name of kafka-python 2.0."""


class AuthenticationFailedError(KafkaError):
    """The broker did not accept the credentials. A name of kafka-python 2.0."""


class KafkaUnavailableError(KafkaError):
    """The cluster cannot be reached. A name of kafka-python 2.0."""


class FailedPayloadsError(KafkaError):
    """Some of the requests failed. A name of kafka-python 2.0."""

    def __init__(self, payload: Any, *args: Any) -> None:
        super().__init__(*args)
        self.payload = payload


class ProtocolError(KafkaError):
    """A broker's answer makes no sense. A name of kafka-python 2.0."""


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
"""The class of each of Kafka's numbers that kafka-python knows."""


def for_code(error_code: int) -> type[BrokerResponseError]:
    """The class of one of Kafka's numbers; a new subclass of `UnknownError` with the number where there is none."""
    known = kafka_errors.get(error_code)
    return known or type("UnrecognizedBrokerError", (UnknownError,), {"errno": error_code})


def check_error(response: Any) -> None:
    """Raises what an answer says: an exception itself, or the error of its number in `error`."""
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
    """The error that a program written for kafka-python expects instead of one of the engine, which stays as its cause.

    Anything that is not the engine's is given back as it is.
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
    """The same for the outcome of a record: `close()` has given it up; for a call it is a mistake of the program."""
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
    """Returns a function that makes an error of another class with the same message."""
    return lambda error: kind(in_own_words(str(error)))


def at_offset(error: engine.KafkaError) -> BaseException:
    """`{partition: offset}` as the argument, where the error knows them."""
    if error.topic is None or error.partition is None:
        return OffsetOutOfRangeError(str(error))
    return OffsetOutOfRangeError({TopicPartition(error.topic, error.partition): error.offset})


def without_offset(error: engine.KafkaError) -> BaseException:
    """The partition as the argument, where the error knows it."""
    if error.topic is None or error.partition is None:
        return NoOffsetForPartitionError(str(error))
    return NoOffsetForPartitionError(TopicPartition(error.topic, error.partition))


def login_refused(error: engine.KafkaError) -> BaseException:
    """kafka-python runs out of time where the broker does not let it in: an error that says why, and is that one
    too.
    """
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
    """What a constructor raises that finds no broker: a broker that is not believed is an error of `ssl`, as in
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
