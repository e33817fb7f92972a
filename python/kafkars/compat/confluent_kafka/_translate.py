"""Translates errors of kafkars to `KafkaError`; no other module does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from kafkars import errors
from kafkars.compat.confluent_kafka._codes import BROKER
from kafkars.compat.confluent_kafka.error import LOCAL, KafkaError, KafkaException

__all__ = ["local_error", "of_engine", "refusal", "translated"]

LOCAL_NAMES: dict[type[errors.KafkaError], str] = {
    errors.ConfigError: "_INVALID_ARG",
    errors.KafkaTimeoutError: "_TIMED_OUT",
    errors.BootstrapError: "_TRANSPORT",
    errors.BrokerConnectionError: "_TRANSPORT",
    errors.ProtocolError: "_BAD_MSG",
    errors.UnsupportedByBrokerError: "_UNSUPPORTED_FEATURE",
    errors.ClosedError: "_DESTROY",
    errors.ForkedClientError: "_STATE",
    errors.HandlerError: "_APPLICATION",
    errors.ClientStateError: "_STATE",
    errors.NotAssignedError: "_UNKNOWN_PARTITION",
    errors.BufferFullError: "_QUEUE_FULL",
    errors.DeliveryTimeoutError: "_MSG_TIMED_OUT",
    errors.MetadataTimeoutError: "_MSG_TIMED_OUT",
    errors.InvalidPartitionError: "_UNKNOWN_PARTITION",
    errors.InvalidRecordTimestampError: "_INVALID_ARG",
    errors.PurgedError: "_PURGE_QUEUE",
    errors.TransactionStateError: "_STATE",
    errors.TransactionFailedError: "_INCONSISTENT",
    errors.TransactionTimedOutError: "_TIMED_OUT",
    errors.TransactionAbortedError: "_PURGE_QUEUE",
    errors.SerializationError: "_VALUE_SERIALIZATION",
    errors.DeserializationError: "_VALUE_DESERIALIZATION",
    errors.CorruptRecordError: "_BAD_MSG",
    errors.NoOffsetError: "_AUTO_OFFSET_RESET",
    errors.LogTruncationError: "_LOG_TRUNCATION",
    errors.ConsumerStuckError: "_ALL_BROKERS_DOWN",
    errors.MaxPollIntervalExceededError: "_MAX_POLL_EXCEEDED",
    errors.SessionExpiredError: "_TIMED_OUT",
    errors.RebalanceTimeoutError: "_TIMED_OUT",
    errors.AssignorError: "_FAIL",
    errors.InvalidArgumentError: "_INVALID_ARG",
    errors.KafkaError: "_FAIL",
}
"""librdkafka's names for errors without an error code of brokers; the most derived class counts."""

CONNECTING: dict[type[errors.KafkaError], str] = {
    errors.TlsError: "_SSL",
    errors.AuthenticationError: "_AUTHENTICATION",
    errors.CredentialsError: "_AUTHENTICATION",
    errors.HandshakeTimeoutError: "_TRANSPORT",
    errors.UnresolvedHostError: "_RESOLVE",
}
"""Codes with which `error_cb` gets the reasons why a connection failed. In librdkafka calls that need the connection
time out: here they have the same code, but fail as soon as the reason is known."""

BROKER_NAMES: dict[type[errors.KafkaError], str] = {
    errors.RecordTooLargeError: "MSG_SIZE_TOO_LARGE",
    errors.CommitFailedError: "ILLEGAL_GENERATION",
}
"""Errors that kafkars finds itself, and that the library reports with an error code of brokers."""


SECURITY_SETTINGS = {
    name: name.replace("_", ".")
    for name in (
        "security_protocol",
        "ssl_ca_location",
        "ssl_ca_pem",
        "ssl_crl_location",
        "ssl_certificate_location",
        "ssl_certificate_pem",
        "ssl_key_location",
        "ssl_key_pem",
        "ssl_key_password",
        "ssl_keystore_location",
        "ssl_keystore_password",
        "ssl_endpoint_identification_algorithm",
        "ssl_cipher_suites",
        "sasl_mechanism",
        "sasl_username",
        "sasl_password",
        "sasl_oauthbearer_token_endpoint_url",
        "sasl_oauthbearer_client_id",
        "sasl_oauthbearer_client_secret",
        "sasl_oauthbearer_scope",
        "sasl_oauthbearer_extensions",
        "sasl_kerberos_service_name",
        "sasl_kerberos_principal",
        "sasl_kerberos_keytab",
    )
} | {
    "sasl_oauthbearer_token_provider": "oauth_cb",
    "sasl_oauthbearer_token_endpoint_ca_location": "https.ca.location",
    "sasl_oauthbearer_token_endpoint_ca_pem": "https.ca.pem",
}

SETTINGS = {
    'auto_offset_reset is "none"': 'auto.offset.reset is "error"',
    "buffer_memory": "queue.buffering.max.kbytes",
    "delivery_timeout_ms": "message.timeout.ms",
    "max_block_ms": "topic.metadata.propagation.max.ms",
    "max_poll_interval_ms": "max.poll.interval.ms",
    "max_request_size": "message.max.bytes",
    "request_timeout_ms": "socket.timeout.ms",
    "session_timeout_ms": "session.timeout.ms",
    "transaction_timeout_ms": "transaction.timeout.ms",
    "transactional_id": "transactional.id",
    "bootstrap_servers": "bootstrap.servers",
    **SECURITY_SETTINGS,
    "fetch_max_bytes": "fetch.max.bytes",
    "receive_message_max_bytes": "receive.message.max.bytes",
}
"""kafkars' names of settings in texts, and those of the library."""
# The longest names first: one name may begin with another.
SETTING = re.compile("|".join(map(re.escape, sorted(SETTINGS, key=len, reverse=True))))


def of_engine(
    problem: errors.KafkaError, what: str = "", unconnected: str = "_TIMED_OUT", *, transactional: bool = False
) -> KafkaError:
    """Translates an error of kafkars to that of the library.

    Args:
        problem: The engine's error.
        what: The call that failed, for the text.
        unconnected: What the call says where no broker could be reached, or let the client in.
        transactional: Whether a call of transactions failed: of all calls only those tell what may be repeated.
    """
    text = SETTING.sub(lambda found: SETTINGS[found[0]], str(problem))
    if what:
        text = f"{what}: {text}"
    if isinstance(problem, (errors.BootstrapError, *CONNECTING)):
        return KafkaError(LOCAL[unconnected], text, retriable=transactional and problem.retriable)
    cause = cause_of(problem)
    is_fenced = isinstance(cause, errors.ProducerFencedError | errors.InvalidProducerEpochError)
    is_fatal = problem.fatal and not isinstance(problem, errors.ClosedError)
    return KafkaError(
        LOCAL["_FENCED"] if is_fenced else code_of(cause if isinstance(cause, errors.KafkaError) else problem),
        text,
        fatal=is_fatal or is_fenced,
        retriable=transactional and problem.retriable,
        txn_requires_abort=problem.abortable and not is_fenced,
    )


def cause_of(problem: errors.KafkaError) -> BaseException | None:
    """Returns the error whose code counts.

    A transaction that failed for a message has the code of a broker's refusal, or of the time-out; otherwise, and for a
    message to what is no topic's name, it is only said to be inconsistent.
    """
    if not isinstance(problem, errors.TransactionFailedError):
        return problem
    cause = problem.__cause__
    if isinstance(cause, errors.DeliveryTimeoutError):
        return errors.KafkaTimeoutError(str(cause))
    if isinstance(cause, errors.InvalidTopicError):
        return problem
    return cause if isinstance(cause, errors.KafkaError) and cause.code is not None else problem


def code_of(problem: errors.KafkaError) -> int:
    """Returns Kafka's error code, or librdkafka's if there is none."""
    if problem.code is not None:
        return problem.code
    for kind in type(problem).__mro__:
        if kind in BROKER_NAMES:
            return BROKER[BROKER_NAMES[kind]]
        if kind in LOCAL_NAMES:
            return LOCAL[LOCAL_NAMES[kind]]
    return LOCAL["_FAIL"]


def local_error(name: str, text: str | None = None, *, fatal: bool = False) -> KafkaError:
    """Makes the error of one of librdkafka's own names."""
    return KafkaError(LOCAL[name], text, fatal=fatal)


def refusal(name: str, text: str | None = None, *, fatal: bool = False) -> KafkaException:
    """Returns the translated error as an exception to be raised."""
    return KafkaException(local_error(name, text, fatal=fatal))


@contextmanager
def translated(what: str = "", unconnected: str = "_TIMED_OUT", *, transactional: bool = False) -> Iterator[None]:
    """Translates errors of kafkars that leave the block to `KafkaException`."""
    try:
        yield
    except errors.KafkaError as problem:
        raise KafkaException(of_engine(problem, what, unconnected, transactional=transactional)) from problem


def of_connection(problem: errors.KafkaError) -> KafkaError:
    """Translates an error for `error_cb`, which gets the reason why a connection failed."""
    names = [name for kind, name in CONNECTING.items() if isinstance(problem, kind)]
    return of_engine(problem, unconnected=names[0] if names else "_TRANSPORT")


def of_commit(problem: errors.KafkaError, what: str = "") -> KafkaError:
    """Translates the error of a commit: a code and no more, since the library does not say of commits what is fatal. It
    names topics there: for it a deleted one is unknown, not its id.
    """
    error = of_engine(problem, what)
    is_deleted = error.code() == BROKER["UNKNOWN_TOPIC_ID"]
    return KafkaError(BROKER["UNKNOWN_TOPIC_OR_PART"] if is_deleted else error.code(), error.str())


def of_message(problem: errors.KafkaError) -> KafkaException:
    """Returns the exception of `produce()` for a message that kafkars refuses."""
    error = of_engine(problem, "Unable to produce message")
    if error.txn_requires_abort():
        return refusal("_STATE", error.str())
    return refusal("_FATAL", error.str()) if error.fatal() else KafkaException(error)


def of_producer(problem: errors.KafkaError) -> KafkaException:
    """Returns the exception of a call of transactions for what keeps the producer from going on."""
    return KafkaException(of_engine(problem, transactional=True))


def fatal_of(problem: errors.KafkaError) -> KafkaException | None:
    """Returns the exception of a poll for an error that has ended the producer; None for any other."""
    raised = of_producer(problem)
    return raised if raised.args[0].fatal() else None


def of_delivery(problem: errors.KafkaError, in_flight: bool) -> KafkaError:
    """Returns the error in the delivery report of a message that was not stored.

    Args:
        problem: The engine's error.
        in_flight: Whether it was purged on its way to the broker.
    """
    if in_flight:
        return local_error("_PURGE_INFLIGHT", str(problem))
    if isinstance(problem, errors.RequestTimedOutError) and isinstance(problem.__cause__, errors.KafkaTimeoutError):
        # No broker has said so.
        return local_error("_MSG_TIMED_OUT", str(problem))
    answer = problem.__cause__ if isinstance(problem, errors.MetadataTimeoutError) else None
    if isinstance(answer, errors.UnknownTopicOrPartitionError | errors.UnknownTopicIdError):
        return KafkaError(BROKER["UNKNOWN_TOPIC_OR_PART"], str(problem))
    if isinstance(problem, (errors.BootstrapError, errors.BufferFullError, *CONNECTING)):
        # In the library messages wait for brokers until they time out.
        return local_error("_MSG_TIMED_OUT", str(problem))
    if isinstance(problem, errors.InvalidProducerEpochError) and problem.code is not None:
        # What the broker said of the message; that the producer is fenced is told by polls and calls.
        return KafkaError(problem.code, str(problem))
    return of_engine(problem)
