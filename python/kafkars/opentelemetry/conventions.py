"""Attributes of the semantic conventions for messaging, version 1.44, and where their values come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkars.config.client import ClientIdentity

SCHEMA = "https://opentelemetry.io/schemas/1.44.0"

SYSTEM = "messaging.system"
OPERATION_NAME = "messaging.operation.name"
OPERATION_TYPE = "messaging.operation.type"
TOPIC = "messaging.destination.name"
PARTITION = "messaging.destination.partition.id"
GROUP = "messaging.consumer.group.name"
CLIENT_ID = "messaging.client.id"
COUNT = "messaging.batch.message_count"
OFFSET = "messaging.kafka.offset"
KEY = "messaging.kafka.message.key"
TOMBSTONE = "messaging.kafka.message.tombstone"
BODY_SIZE = "messaging.message.body.size"
ADDRESS = "server.address"
PORT = "server.port"
ERROR = "error.type"

DURATIONS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
"""Bounds in seconds that the conventions advise for histograms of durations."""

Value = str | int | bool
Attributes = dict[str, Value]


def of_client(identity: ClientIdentity | None) -> Attributes:
    """Returns the attributes of all spans and metrics of a client; its first address stands for the cluster."""
    made: Attributes = {SYSTEM: "kafka"}
    if identity is None:
        return made
    if identity.group_id is not None:
        made[GROUP] = identity.group_id
    if identity.bootstrap_servers:
        host, _, port = identity.bootstrap_servers[0].rpartition(":")
        made[ADDRESS] = host.strip("[]") or port
        if host and port.isdigit():
            made[PORT] = int(port)
    return made


def of_operation(name: str) -> Attributes:
    """Returns the attributes of an operation."""
    return {OPERATION_NAME: name, OPERATION_TYPE: name}


def of_key(key: object) -> Attributes:
    """Returns the attribute of a key that is text: the conventions leave out keys without a text form."""
    if isinstance(key, (bytes, bytearray)):
        try:
            key = key.decode()
        except UnicodeDecodeError:
            return {}
    return {KEY: key} if isinstance(key, str) else {}


def of_error(error: BaseException) -> str:
    """Returns the class name of an error, such as "MessageTooLargeError"."""
    return type(error).__qualname__
