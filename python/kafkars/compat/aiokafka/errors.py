"""Every exception of aiokafka, and the one map from errors of kafkars to them.

They follow aiokafka 0.14 (`aiokafka.errors`): names, bases, error codes, `retriable`, and the form of the message.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kafkars import errors as engine
from kafkars.compat._wording import renaming
from kafkars.compat.aiokafka._broker_errors import (
    BrokerNotAvailableError,
    BrokerResponseError,
    ClusterAuthorizationFailedError,
    ConcurrentTransactions,
    CoordinatorLoadInProgressError,
    CoordinatorNotAvailableError,
    CorruptRecordException,
    DelegationTokenAuthDisabled,
    DelegationTokenAuthorizationFailed,
    DelegationTokenExpired,
    DelegationTokenNotFound,
    DelegationTokenOwnerMismatch,
    DelegationTokenRequestNotAllowed,
    DuplicateSequenceNumber,
    FetchSessionIdNotFound,
    GroupAuthorizationFailedError,
    GroupCoordinatorNotAvailableError,
    GroupIdNotFound,
    GroupLoadInProgressError,
    IllegalGenerationError,
    IllegalSaslStateError,
    InconsistentGroupProtocolError,
    InvalidCommitOffsetSizeError,
    InvalidConfigurationError,
    InvalidFetchRequestError,
    InvalidFetchSessionEpoch,
    InvalidGroupIdError,
    InvalidMessageError,
    InvalidPartitionsError,
    InvalidPrincipalType,
    InvalidProducerEpoch,
    InvalidProducerIdMapping,
    InvalidReplicationAssignmentError,
    InvalidReplicationFactorError,
    InvalidRequestError,
    InvalidRequiredAcksError,
    InvalidSessionTimeoutError,
    InvalidTimestampError,
    InvalidTopicError,
    InvalidTransactionTimeout,
    InvalidTxnState,
    KafkaError,
    KafkaStorageError,
    LeaderNotAvailableError,
    ListenerNotFound,
    LogDirNotFound,
    MemberIdRequired,
    MessageSizeTooLargeError,
    NoError,
    NonEmptyGroup,
    NotControllerError,
    NotCoordinatorError,
    NotCoordinatorForGroupError,
    NotEnoughReplicasAfterAppendError,
    NotEnoughReplicasError,
    NotLeaderForPartitionError,
    OffsetMetadataTooLargeError,
    OffsetOutOfRangeError,
    OperationNotAttempted,
    OutOfOrderSequenceNumber,
    PolicyViolationError,
    ReassignmentInProgress,
    RebalanceInProgressError,
    RecordListTooLargeError,
    ReplicaNotAvailableError,
    RequestTimedOutError,
    SaslAuthenticationFailed,
    SecurityDisabled,
    StaleControllerEpochError,
    StaleLeaderEpochCodeError,
    TopicAlreadyExistsError,
    TopicAuthorizationFailedError,
    TransactionalIdAuthorizationFailed,
    TransactionCoordinatorFenced,
    UnknownError,
    UnknownMemberIdError,
    UnknownProducerId,
    UnknownTopicOrPartitionError,
    UnsupportedForMessageFormatError,
    UnsupportedSaslMechanismError,
    UnsupportedVersionError,
)
from kafkars.types import TopicPartition

if TYPE_CHECKING:
    from types import TracebackType


class IllegalStateError(KafkaError):
    """The call does not fit the state the client is in."""


class IllegalArgumentError(KafkaError):
    """An argument is not valid."""


class NoBrokersAvailable(KafkaError):
    """No broker could be reached."""

    retriable = True
    invalid_metadata = True


class NodeNotReadyError(KafkaError):
    """The broker has no connection yet."""

    retriable = True


class KafkaProtocolError(KafkaError):
    """A broker's response does not follow the protocol."""

    retriable = True


class CorrelationIdError(KafkaProtocolError):
    """A response has the correlation id of another request."""


class Cancelled(KafkaError):
    """The request was cancelled."""

    retriable = True


class TooManyInFlightRequests(KafkaError):
    """The connection has no room for another request."""

    retriable = True


class StaleMetadata(KafkaError):
    """The metadata is too old."""

    retriable = True
    invalid_metadata = True


class MetadataEmptyBrokerList(KafkaError):
    """The cluster named no brokers."""

    retriable = True


class UnrecognizedBrokerVersion(KafkaError):
    """The version of the broker is not known."""


class IncompatibleBrokerVersion(KafkaError):
    """The broker is too old or too new for the call."""


class CommitFailedError(KafkaError):
    """The group has given the partitions to another member meanwhile; its message says what to change."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(COMMIT_FAILED, *args, **kwargs)


COMMIT_FAILED = (
    "the offsets were not committed, because the group has given the partitions to another member: this one was taken for "
    "dead, or did not call getone() or getmany() for max_poll_interval_ms; raise that setting, or take fewer records at a "
    "time (max_records, max_poll_records)"
)


class AuthenticationMethodNotSupported(KafkaError):
    """The broker does not have the SASL mechanism."""


class AuthenticationFailedError(KafkaError):
    """The broker refused the credentials."""


class KafkaUnavailableError(KafkaError):
    """The cluster cannot be reached."""


class KafkaTimeoutError(KafkaError):
    """The time for the call is over."""


class KafkaConnectionError(KafkaError):
    """A broker cannot be reached, or the connection to it is gone."""

    retriable = True
    invalid_metadata = True


class UnsupportedCodecError(KafkaError):
    """The codec of the records is not known."""


class KafkaConfigurationError(KafkaError):
    """The settings contradict each other."""


class QuotaViolationError(KafkaError):
    """The client has exceeded a quota."""


class ConsumerStoppedError(Exception):
    """The consumer was stopped."""


class IllegalOperation(Exception):
    """The client was not configured for this call."""


class NoOffsetForPartitionError(KafkaError):
    """A partition has no committed offset, and `auto_offset_reset` is "none"."""


class RecordTooLargeError(KafkaError):
    """A record is larger than `max_partition_fetch_bytes`."""


class ProducerClosed(KafkaError):
    """The producer was stopped."""


FENCED = (
    "another producer uses the transactional_id, or the transaction was open for longer than transaction_timeout_ms"
)


class ProducerFenced(KafkaError):
    """Another producer has taken over the transactional id, or the transaction was open for too long."""

    def __init__(self, msg: str = FENCED) -> None:
        super().__init__(msg)


IllegalStateException = IllegalStateError
"""The name in older documents."""
TransactionIdAuthorizationFailed = TransactionalIdAuthorizationFailed
"""The name in older documents."""

kafka_errors: dict[int, type[BrokerResponseError]] = {cls.errno: cls for cls in BrokerResponseError.__subclasses__()}
"""The class of each error code that aiokafka knows."""


UNKNOWN_TOPIC_ID = 100
"""What a broker says of a topic that was deleted, to who names it by its id."""


def for_code(error_code: int) -> type[BrokerResponseError]:
    """Returns the class of an error code; `UnknownError` for those that aiokafka has no class for."""
    return kafka_errors.get(error_code, UnknownError)


def of(error: BaseException, group: str | None = None, transactional_id: str | None = None) -> BaseException | None:
    """Returns the error that a program for aiokafka expects instead of one of kafkars, which becomes its cause.

    None means that aiokafka raises nothing there: the member joins its group again on its own. Other exceptions are
    returned as they are. `group` and `transactional_id` are those of the call, which is what an error about one of them
    has as its argument.
    """
    if not isinstance(error, engine.KafkaError):
        return error
    if isinstance(error, (engine.SerializationError, engine.DeserializationError)) and error.__cause__ is not None:
        return error.__cause__
    if isinstance(error, engine.TransactionFailedError) and error.__cause__ is not None:
        return of(error.__cause__, group, transactional_id)
    for kind, translation in TRANSLATIONS.items():
        if isinstance(error, kind):
            made = translation(error)
            break
    else:
        made = by_code(error)
    if made is not None:
        made.__cause__ = error
    if isinstance(made, GroupAuthorizationFailedError) and group is not None:
        made.args = (group,)
    if isinstance(made, TransactionalIdAuthorizationFailed) and transactional_id is not None:
        made.args = (transactional_id,)
    return made


def by_code(error: engine.KafkaError) -> BaseException:
    """Makes an error of the class for the broker's error code, or of the base if there is none."""
    if error.code is None:
        return KafkaError(str(error))
    if error.code == UNKNOWN_TOPIC_ID:
        # aiokafka names topics by their names only, and has no class for this.
        return UnknownTopicOrPartitionError(str(error))
    return for_code(error.code)(str(error))


def of_topic(error: engine.KafkaError) -> BaseException:
    """Makes the error about a topic that the program may not use, with its name as the argument where it is known."""
    return TopicAuthorizationFailedError(str(error) if error.topic is None else error.topic)


def at_offset(kind: type[KafkaError]) -> Callable[[engine.KafkaError], BaseException]:
    """Makes an error with `{partition: offset}` as its argument, if they are known."""

    def translation(error: engine.KafkaError) -> BaseException:
        if error.topic is None or error.partition is None:
            return kind(str(error))
        partition = TopicPartition(error.topic, error.partition)
        return kind(partition) if error.offset is None else kind({partition: error.offset})

    return translation


CERTFILE = "a context of aiokafka.helpers.create_ssl_context(certfile=..., keyfile=...); what load_cert_chain() puts into another cannot be read"
in_own_words = renaming(
    {
        "ssl_ca_location or ssl_ca_pem": "create_ssl_context(cafile=...)",
        "ssl_ca_location": "create_ssl_context(cafile=...)",
        "ssl_ca_pem": "create_ssl_context(cadata=...)",
        "ssl_certificate_location and ssl_key_location, or ssl_keystore_location": CERTFILE,
        "ssl_certificate_location and ssl_keystore_location": CERTFILE,
        "ssl_certificate_location": "create_ssl_context(certfile=...)",
        "ssl_key_location": "create_ssl_context(keyfile=...)",
        "ssl_key_password": "create_ssl_context(password=...)",
        'ssl_endpoint_identification_algorithm="none"': "ssl_context.check_hostname = False",
        "sasl_username": "sasl_plain_username",
        "sasl_password": "sasl_plain_password",
        "sasl_oauthbearer_token_provider": "sasl_oauth_token_provider",
    }
)


def last_met(error: engine.KafkaError) -> BaseException | None:
    """Returns what the last try of a record has met, as aiokafka raises it when the time of the record is over; where
    no broker could be tried, that none is ready.
    """
    return NodeNotReadyError(str(error)) if error.__cause__ is None else of(error.__cause__)


def saying(kind: Callable[[str], BaseException]) -> Callable[[engine.KafkaError], BaseException]:
    """Returns a function that makes an error of another class with the same message."""
    return lambda error: kind(in_own_words(str(error)))


def rejoined(error: engine.KafkaError) -> None:
    """Logs the error, which is not raised."""
    logging.getLogger("aiokafka.consumer.group_coordinator").warning("%s", error)


# The first match counts: subclasses stand before their bases.
TRANSLATIONS: dict[type[engine.KafkaError], Callable[[engine.KafkaError], BaseException | None]] = {
    engine.ConfigError: saying(ValueError),
    engine.InvalidArgumentError: saying(ValueError),
    engine.MetadataTimeoutError: saying(UnknownTopicOrPartitionError),
    engine.MaxPollIntervalExceededError: rejoined,
    engine.SessionExpiredError: rejoined,
    engine.RebalanceTimeoutError: rejoined,
    engine.BufferFullError: saying(KafkaTimeoutError),
    engine.HandshakeTimeoutError: saying(KafkaConnectionError),
    engine.DeliveryTimeoutError: last_met,
    engine.KafkaTimeoutError: saying(KafkaTimeoutError),
    engine.TlsError: saying(KafkaConnectionError),
    engine.CredentialsError: saying(KafkaConnectionError),
    engine.BootstrapError: saying(KafkaConnectionError),
    engine.BrokerConnectionError: saying(KafkaConnectionError),
    engine.ProtocolError: saying(KafkaProtocolError),
    engine.UnsupportedByBrokerError: saying(UnsupportedVersionError),
    engine.ClosedError: saying(ProducerClosed),
    engine.TransactionStateError: saying(IllegalOperation),
    engine.ForkedClientError: saying(IllegalStateError),
    engine.ClientStateError: saying(IllegalStateError),
    engine.RecordTooLargeError: saying(MessageSizeTooLargeError),
    engine.InvalidPartitionError: saying(AssertionError),
    engine.InvalidRecordTimestampError: saying(InvalidTimestampError),
    engine.TransactionTimedOutError: saying(ProducerFenced),
    engine.ProducerFencedError: saying(ProducerFenced),
    engine.InvalidProducerEpochError: saying(ProducerFenced),
    engine.CorruptRecordError: saying(CorruptRecordException),
    engine.TopicAuthorizationFailedError: of_topic,
    engine.NoOffsetError: at_offset(NoOffsetForPartitionError),
    engine.LogTruncationError: at_offset(OffsetOutOfRangeError),
    engine.OffsetOutOfRangeError: at_offset(OffsetOutOfRangeError),
    engine.CommitFailedError: saying(CommitFailedError),
}


class translated:  # noqa: N801  reads as a verb
    """Translates errors of kafkars that leave the block to those of aiokafka, of a client of `group` or with the
    `transactional_id`.
    """

    __slots__ = ("_group", "_transactional_id")

    def __init__(self, group: str | None = None, transactional_id: str | None = None) -> None:
        self._group = group
        self._transactional_id = transactional_id

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            return
        made = self.of(error)
        if made is not error and made is not None:
            raise made.with_traceback(sys.exc_info()[2]) from error

    def of(self, error: BaseException) -> BaseException | None:
        """Returns the error of aiokafka."""
        return of(error, self._group, self._transactional_id)


__all__ = [
    "AuthenticationFailedError",
    "AuthenticationMethodNotSupported",
    "BrokerNotAvailableError",
    "BrokerResponseError",
    "Cancelled",
    "ClusterAuthorizationFailedError",
    "CommitFailedError",
    "ConcurrentTransactions",
    "ConsumerStoppedError",
    "CoordinatorLoadInProgressError",
    "CoordinatorNotAvailableError",
    "CorrelationIdError",
    "CorruptRecordException",
    "DelegationTokenAuthDisabled",
    "DelegationTokenAuthorizationFailed",
    "DelegationTokenExpired",
    "DelegationTokenNotFound",
    "DelegationTokenOwnerMismatch",
    "DelegationTokenRequestNotAllowed",
    "DuplicateSequenceNumber",
    "FetchSessionIdNotFound",
    "GroupAuthorizationFailedError",
    "GroupCoordinatorNotAvailableError",
    "GroupIdNotFound",
    "GroupLoadInProgressError",
    "IllegalArgumentError",
    "IllegalGenerationError",
    "IllegalOperation",
    "IllegalSaslStateError",
    "IllegalStateError",
    "IllegalStateException",
    "IncompatibleBrokerVersion",
    "InconsistentGroupProtocolError",
    "InvalidCommitOffsetSizeError",
    "InvalidConfigurationError",
    "InvalidFetchRequestError",
    "InvalidFetchSessionEpoch",
    "InvalidGroupIdError",
    "InvalidMessageError",
    "InvalidPartitionsError",
    "InvalidPrincipalType",
    "InvalidProducerEpoch",
    "InvalidProducerIdMapping",
    "InvalidReplicationAssignmentError",
    "InvalidReplicationFactorError",
    "InvalidRequestError",
    "InvalidRequiredAcksError",
    "InvalidSessionTimeoutError",
    "InvalidTimestampError",
    "InvalidTopicError",
    "InvalidTransactionTimeout",
    "InvalidTxnState",
    "KafkaConfigurationError",
    "KafkaConnectionError",
    "KafkaError",
    "KafkaProtocolError",
    "KafkaStorageError",
    "KafkaTimeoutError",
    "KafkaUnavailableError",
    "LeaderNotAvailableError",
    "ListenerNotFound",
    "LogDirNotFound",
    "MemberIdRequired",
    "MessageSizeTooLargeError",
    "MetadataEmptyBrokerList",
    "NoBrokersAvailable",
    "NoError",
    "NoOffsetForPartitionError",
    "NodeNotReadyError",
    "NonEmptyGroup",
    "NotControllerError",
    "NotCoordinatorError",
    "NotCoordinatorForGroupError",
    "NotEnoughReplicasAfterAppendError",
    "NotEnoughReplicasError",
    "NotLeaderForPartitionError",
    "OffsetMetadataTooLargeError",
    "OffsetOutOfRangeError",
    "OperationNotAttempted",
    "OutOfOrderSequenceNumber",
    "PolicyViolationError",
    "ProducerClosed",
    "ProducerFenced",
    "QuotaViolationError",
    "ReassignmentInProgress",
    "RebalanceInProgressError",
    "RecordListTooLargeError",
    "RecordTooLargeError",
    "ReplicaNotAvailableError",
    "RequestTimedOutError",
    "SaslAuthenticationFailed",
    "SecurityDisabled",
    "StaleControllerEpochError",
    "StaleLeaderEpochCodeError",
    "StaleMetadata",
    "TooManyInFlightRequests",
    "TopicAlreadyExistsError",
    "TopicAuthorizationFailedError",
    "TransactionCoordinatorFenced",
    "TransactionIdAuthorizationFailed",
    "TransactionalIdAuthorizationFailed",
    "UnknownError",
    "UnknownMemberIdError",
    "UnknownProducerId",
    "UnknownTopicOrPartitionError",
    "UnrecognizedBrokerVersion",
    "UnsupportedCodecError",
    "UnsupportedForMessageFormatError",
    "UnsupportedSaslMechanismError",
    "UnsupportedVersionError",
    "for_code",
    "kafka_errors",
]
