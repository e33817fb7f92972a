"""The base of every exception that kafkars raises, and the bases of those for broker error codes."""

from __future__ import annotations

from typing import Any


class KafkaError(Exception):
    """Anything that went wrong between this program and a Kafka cluster.

    ``except KafkaError`` catches all of them. What to do is told by `retriable` and `fatal`; the message is for people
    and may change.
    """

    code: int | None = None
    """Kafka's error code; None for conditions that the client has found itself."""

    name: str = "LOCAL"
    """Kafka's name for the error (`NOT_LEADER_OR_FOLLOWER`), or kafkars' for local conditions (`BUFFER_FULL`)."""

    retriable: bool = False
    """True if the same call may succeed later. The client has already tried for as long as its settings allow."""

    fatal: bool = False
    """True if this client cannot go on and a new one must be made."""

    abortable: bool = False
    """True if the open transaction is lost, but the producer can go on: abort the transaction, then try it again."""

    index: int | None = None
    """Index of the record that failed, in a call of many records."""

    sent: Any = None
    """The `Deliveries` of the records that were accepted, if a call of many records failed half way."""

    broker: int | None = None
    """Id of the broker that refused a partition, if one did."""

    topic: str | None
    partition: int | None
    offset: int | None

    def __init__(
        self,
        message: str = "",
        *,
        topic: str | None = None,
        partition: int | None = None,
        offset: int | None = None,
    ) -> None:
        super().__init__(message)
        self.topic = topic
        self.partition = partition
        self.offset = offset


class BrokerError(KafkaError):
    """A broker refused a request. Raised as itself for a code that is newer than this client."""

    name = "UNKNOWN"
    code: int

    broker_message: str | None = None
    """The broker's own words, where an answer to an administrator has any."""


class AuthenticationError(BrokerError):
    """The broker refused this client's login."""


class AuthorizationError(BrokerError):
    """The broker knows this client, but does not allow it to do this."""
