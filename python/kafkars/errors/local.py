"""Errors for conditions that the client finds itself, for which Kafka has no error code."""

from __future__ import annotations

from typing import Any

from kafkars.errors.base import KafkaError


class ConfigError(KafkaError, ValueError):
    """A setting is unknown, contradictory, or of the wrong type; the message names it and what is accepted."""

    name = "INVALID_CONFIG"

    setting: str | None
    """The setting's name as the application writes it (`linger_ms`), or None where the problem is not one setting's."""

    problem: str
    """What is wrong and what is accepted: the message without the setting's name."""

    def __init__(self, problem: str = "", *, setting: str | None = None) -> None:
        super().__init__(problem if setting is None else f"{setting}: {problem}")
        self.setting = setting
        self.problem = problem

    @classmethod
    def of(cls, setting: str, problem: str) -> ConfigError:
        """Returns the error for one setting, whose name is where the message begins.

        Args:
            setting: Its name as the application writes it.
            problem: What is wrong with its value, and what is accepted.
        """
        return cls(problem, setting=setting)


class KafkaTimeoutError(KafkaError, TimeoutError):
    """A time limit passed. The message names the limit, the time waited and the outcome of the last try.

    `__cause__` of a commit's is what the coordinator answered to the last try, if it answered.
    """

    name = "TIMED_OUT"
    retriable = True


class BootstrapError(KafkaError, ConnectionError):
    """No bootstrap address led to a working broker.

    `causes` has one pair for each address tried: the address and the reason why it failed.
    """

    name = "BOOTSTRAP_FAILED"
    retriable = True
    causes: tuple[tuple[str, str], ...]

    def __init__(self, message: str = "", *, causes: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.causes = causes


class BrokerConnectionError(KafkaError, ConnectionError):
    """A connection to a broker could not be made or was lost, and trying again did not help in time."""

    name = "CONNECTION_FAILED"
    retriable = True


class UnresolvedHostError(BrokerConnectionError):
    """The host name of a broker's address could not be resolved."""

    name = "UNRESOLVED_HOST"


class NotKafkaError(BrokerConnectionError):
    """The server at the address does not speak Kafka's protocol, or only over TLS."""

    name = "NOT_KAFKA"
    retriable = False


class TlsError(KafkaError, ConnectionError):
    """Broker and client did not agree on TLS: no common version or cipher, a port without TLS, or a file that cannot be
    read.
    """

    name = "TLS_FAILED"


class CertificateError(TlsError):
    """A certificate was not accepted: the broker's by this client, or this client's by the broker. The message says
    whose and why.
    """

    name = "CERTIFICATE_REJECTED"


class CredentialsError(KafkaError):
    """A password, token or key could not be got from a file, a function of the application or an endpoint."""

    name = "NO_CREDENTIALS"


class HandshakeTimeoutError(KafkaTimeoutError):
    """A broker stopped answering in the middle of a TLS or SASL handshake."""

    name = "HANDSHAKE_TIMED_OUT"


class ProtocolError(KafkaError):
    """A broker sent bytes that do not follow the protocol, or a request cannot be expressed in it."""

    name = "PROTOCOL_VIOLATION"


class UnsupportedByBrokerError(KafkaError):
    """The broker offers no version of a request that this client can use."""

    name = "UNSUPPORTED_BY_BROKER"


class ClosedError(KafkaError):
    """The client was closed before or during the call."""

    name = "CLOSED"
    fatal = True


class ForkedClientError(KafkaError, RuntimeError):
    """The client was made before ``os.fork()`` and is used in the child process: make one in the child instead."""

    name = "FORKED"
    fatal = True


class HandlerError(KafkaError, RuntimeError):
    """The handler of a `ParallelConsumer` raised, and the record was not finished: it will be delivered again.

    `record` is the record, and `__cause__` what was raised.
    """

    name = "HANDLER_FAILED"
    record: Any = None

    @classmethod
    def of(cls, record: Any, error: BaseException) -> HandlerError:
        """Makes the error for a record and the exception that its handler raised."""
        topic, partition, offset = record.topic, record.partition, record.offset
        failed = cls(
            f"the handler failed for the record at offset {offset} of {topic}-{partition}: {type(error).__name__}: {error}",
            topic=topic,
            partition=partition,
            offset=offset,
        )
        failed.record = record
        failed.__cause__ = error
        return failed


class ClientStateError(KafkaError, RuntimeError):
    """The call does not fit the client's state, such as reading with nothing assigned."""

    name = "INVALID_STATE"


class NotAssignedError(ClientStateError):
    """The call names a partition that is not, or no longer, assigned to this consumer."""

    name = "NOT_ASSIGNED"


class BufferFullError(KafkaError, BufferError):
    """Unacknowledged records fill `buffer_memory`: records arrive faster than brokers acknowledge them."""

    name = "BUFFER_FULL"
    retriable = True


class DeliveryTimeoutError(KafkaTimeoutError):
    """A record was not acknowledged within `delivery_timeout_ms`; it may or may not be stored.

    `__cause__` is what the last try has met, of it or of the records before it: the broker's refusal, or that the
    connection ended. There is none if the broker could not be reached for it.
    """

    name = "DELIVERY_TIMED_OUT"


class MetadataTimeoutError(KafkaTimeoutError):
    """The metadata of a topic did not come in time: it may not exist, or no broker could tell.

    `__cause__` is the error that brokers answered last, where there was one.
    """

    name = "METADATA_TIMED_OUT"


class RecordTooLargeError(KafkaError, ValueError):
    """A record alone exceeds `max_request_size`; nothing was sent."""

    name = "RECORD_TOO_LARGE"


class InvalidPartitionError(KafkaError, ValueError):
    """The topic has no such partition."""

    name = "INVALID_PARTITION"


class InvalidRecordTimestampError(KafkaError, ValueError):
    """The timestamp of a record to send is negative."""

    name = "INVALID_RECORD_TIMESTAMP"


class PurgedError(KafkaError):
    """The application gave the record up with `purge()` before it was acknowledged."""

    name = "PURGED"
    in_flight = False
    """Whether the record was under way, so that a broker may have it."""


class TransactionStateError(ClientStateError):
    """The call does not fit the state of transactions: one was begun twice, a record sent outside of one, or
    `init_transactions()` not called. Nothing has changed.
    """

    name = "INVALID_TRANSACTION_STATE"


class TransactionFailedError(KafkaError):
    """A record of the transaction was not stored, for the reason in ``__cause__``: abort the transaction."""

    name = "TRANSACTION_FAILED"
    abortable = True


class TransactionTimedOutError(KafkaError):
    """The transaction was open for `transaction_timeout_ms`: abort it, then it may be tried again (KIP-588)."""

    name = "TRANSACTION_TIMED_OUT"
    abortable = True


class TransactionAbortedError(KafkaError):
    """The record, or the call, is part of a transaction that was aborted."""

    name = "TRANSACTION_ABORTED"


class TransactionOutcomeUnknownError(ClosedError):
    """The producer was closed, with too little time for it, while its transaction was being committed: the coordinator
    may have committed it, or will abort it. Check what the transaction has written before you repeat its work.
    """

    name = "TRANSACTION_OUTCOME_UNKNOWN"


class SerializationError(KafkaError, ValueError):
    """A serializer failed or returned something other than bytes; the cause is in ``__cause__``."""

    name = "SERIALIZATION_FAILED"


class DeserializationError(KafkaError, ValueError):
    """A deserializer failed; the cause is in ``__cause__``. Or a record does not fit into the Arrow columns asked for.

    The first is raised when `key` or `value` is read, so the consumer is already past the record: skip it, or read
    `raw_key` and `raw_value`. The second leaves the consumer's position where it was.

    `topic`, `partition` and `offset` say which record; `raw` has the bytes that the deserializer got, None with Arrow.
    """

    name = "DESERIALIZATION_FAILED"
    raw: bytes | None = None


class CorruptRecordError(KafkaError):
    """A fetched batch is damaged: wrong checksum, impossible lengths, or a decompressed size above the limit.

    Seek past `offset` to go on without the batch.
    """

    name = "CORRUPT_RECORD"


class NoOffsetError(KafkaError, LookupError):
    """A partition has no valid position and `auto_offset_reset` is "none": seek to where reading should start."""

    name = "NO_OFFSET"


class LogTruncationError(KafkaError, LookupError):
    """Records that were read are gone after an unclean leader election, and `auto_offset_reset` is "none" (KIP-320).

    The message says where the log differs from what was read, if the broker knows; seek to where to go on.
    """

    name = "LOG_TRUNCATED"


class ConsumerStuckError(KafkaTimeoutError):
    """No broker has answered for `stuck_timeout_ms` although there is something to read or a group to be in."""

    name = "CONSUMER_STUCK"


class MaxPollIntervalExceededError(KafkaError, TimeoutError):
    """The application did not poll for `max_poll_interval_ms`: the consumer gave up its partitions.

    The message names the limit and the measured gap. The next poll joins the group again.
    """

    name = "MAX_POLL_INTERVAL_EXCEEDED"
    retriable = True


class SessionExpiredError(KafkaError, TimeoutError):
    """The coordinator was not heard for `session_timeout_ms`; the consumer joins the group again."""

    name = "SESSION_EXPIRED"
    retriable = True


class RebalanceTimeoutError(KafkaError, TimeoutError):
    """Partitions were not revoked within `rebalance_timeout_ms`, so the group went on without this consumer.

    The message names the limit and the measured time. The consumer joins the group again.
    """

    name = "REBALANCE_TIMEOUT"
    retriable = True


class AssignorError(KafkaError):
    """An assignor failed, or made an assignment that is not valid."""

    name = "ASSIGNOR_FAILED"


class CommitFailedError(KafkaError):
    """Offsets were not committed because the partitions went to another member, or this one has left its group.

    Their new owners start from the last commit, so some records will be read again.
    """

    name = "COMMIT_FAILED"


class InvalidArgumentError(KafkaError, ValueError):
    """A call's arguments cannot work; the message says which and what is accepted."""

    name = "INVALID_ARGUMENT"
