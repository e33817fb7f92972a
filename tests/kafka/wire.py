"""Just enough of Kafka's protocol, by hand, to see whether a node serves and to create a topic.

Independent of every client, ours included, so a test of a client is not prepared by the client under test.
Versions used: Metadata v1, CreateTopics v2, FindCoordinator v1: the oldest that every broker from 2.8 to 4.x still
answers.
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support.waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Mapping

METADATA, METADATA_VERSION = 3, 1
CREATE_TOPICS, CREATE_TOPICS_VERSION = 19, 2
FIND_COORDINATOR, FIND_COORDINATOR_VERSION = 10, 1
TOPIC_ALREADY_EXISTS = 36
NOT_CONTROLLER = 41
# Kinds of keys that coordinators have.
GROUP, TRANSACTION = 0, 1
SECONDS = 10.0


class NotServingError(RuntimeError):
    """The node answered, but not with what was asked for."""


@dataclass(frozen=True)
class ClusterView:
    """What one node says about the cluster and, when asked, about one topic."""

    brokers: set[int]
    controller: int
    # Partitions without an error, and the nodes that lead them.
    leaders: dict[int, int]
    # Partitions whose copies are not all in sync.
    under_replicated: int
    # Topics without an error.
    topics: frozenset[str]

    @property
    def led_partitions(self) -> int:
        """How many partitions have a leader."""
        return len(self.leaders)


def metadata(address: str, topic: str | None = None, seconds: float = SECONDS) -> ClusterView:
    """Asks one node and waits `seconds` for the answer. Without a topic, about no topic."""
    names = [] if topic is None else [topic]
    return _view(address, struct.pack(">i", len(names)) + b"".join(map(string, names)), seconds)


def topics(address: str, seconds: float = SECONDS) -> frozenset[str]:
    """The topics that one node knows. To ask for one by its name may create it."""
    return _view(address, struct.pack(">i", -1), seconds).topics


def wait_until_gone(addresses: str, topic: str) -> None:
    """Waits until each node has heard that a topic was deleted.

    The answer to a deletion comes from the controller. Until the others hear of it they take records and commits for
    the topic, and throw them away with it.
    """
    nodes = addresses.split(",")
    eventually(lambda: all(topic not in topics(node) for node in nodes), f"every broker knows that {topic} is gone")


def _view(address: str, body: bytes, seconds: float) -> ClusterView:
    answer = Answer(call(address, METADATA, METADATA_VERSION, body, seconds))
    brokers = set()
    for _ in range(answer.int32()):
        brokers.add(answer.int32())
        answer.string()
        answer.int32()
        answer.string()
    controller = answer.int32()
    leaders = {}
    under_replicated = 0
    found = set()
    for _ in range(answer.int32()):
        code, name = answer.int16(), answer.string()
        if code == 0 and name is not None:
            found.add(name)
        answer.int8()
        for _ in range(answer.int32()):
            error = answer.int16()
            partition, leader = answer.int32(), answer.int32()
            if error == 0 and leader >= 0:
                leaders[partition] = leader
            copies, in_sync = (answer.array_of_int32() for _ in range(2))
            under_replicated += len(in_sync) < len(copies)
    return ClusterView(brokers, controller, leaders, under_replicated, frozenset(found))


def find_coordinator(address: str, key: str, kind: int) -> int:
    """The id of the node that coordinates `key`."""
    body = string(key) + struct.pack(">b", kind)
    answer = Answer(call(address, FIND_COORDINATOR, FIND_COORDINATOR_VERSION, body))
    # throttle time
    answer.int32()
    code, message, node = answer.int16(), answer.string(), answer.int32()
    if code != 0:
        raise NotServingError(f"no coordinator of {key}: error {code}: {message}")
    return node


def create_topic(
    address: str, name: str, partitions: int, copies: int, settings: Mapping[str, str], *, seconds: float = SECONDS
) -> bool:
    """Creates a topic, unless it is there already. False if this node is not the controller and may not.

    The broker answers when the topic is made or `seconds` are over, whichever comes first.
    """
    topic = string(name) + struct.pack(">ihi", partitions, copies, 0) + struct.pack(">i", len(settings))
    topic += b"".join(string(key) + string(value) for key, value in settings.items())
    body = struct.pack(">i", 1) + topic + struct.pack(">ib", int(seconds * 1000), 0)
    answer = Answer(call(address, CREATE_TOPICS, CREATE_TOPICS_VERSION, body, seconds + SECONDS))
    answer.int32()
    answer.int32()
    answer.string()
    code = answer.int16()
    if code not in {0, TOPIC_ALREADY_EXISTS, NOT_CONTROLLER}:
        raise NotServingError(f"topic {name} was not created: error {code}: {answer.string()}")
    return code != NOT_CONTROLLER


def call(address: str, api_key: int, version: int, body: bytes, seconds: float = SECONDS) -> bytes:
    """One request on a connection of its own; answers the body of the response, for which it waits `seconds`."""
    host, _, port = address.rpartition(":")
    frame = request(api_key, version, 1, body)
    with socket.create_connection((host, int(port)), timeout=seconds) as connection:
        connection.sendall(frame)
        (length,) = struct.unpack(">i", receive(connection, 4))
        return receive(connection, length)[4:]


def request(api_key: int, version: int, correlation: int, body: bytes) -> bytes:
    """A frame with a header v1 (no tagged fields)."""
    payload = struct.pack(">hhi", api_key, version, correlation) + string("kafkars-tests") + body
    return struct.pack(">i", len(payload)) + payload


def receive(connection: socket.socket, length: int) -> bytes:
    """Exactly `length` bytes."""
    parts = bytearray()
    while len(parts) < length:
        part = connection.recv(length - len(parts))
        if not part:
            raise NotServingError("the connection was closed in the middle of an answer")
        parts += part
    return bytes(parts)


def string(text: str) -> bytes:
    """A string with its length in two bytes."""
    encoded = text.encode()
    return struct.pack(">h", len(encoded)) + encoded


class Answer:
    """Reads a response from the front."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._position = 0

    def int8(self) -> int:
        return self._number(">b", 1)

    def int16(self) -> int:
        return self._number(">h", 2)

    def int32(self) -> int:
        return self._number(">i", 4)

    def string(self) -> str | None:
        length = self.int16()
        if length < 0:
            return None
        start = self._position
        self.skip(length)
        return self._body[start : start + length].decode()

    def array_of_int32(self) -> list[int]:
        return [self.int32() for _ in range(self.int32())]

    def skip(self, count: int) -> None:
        self._position += max(0, count)

    def _number(self, layout: str, size: int) -> int:
        try:
            (number,) = struct.unpack_from(layout, self._body, self._position)
        except struct.error as error:
            raise NotServingError(f"an answer ended early: {error}") from error
        self._position += size
        return int(number)
