"""`KafkaConnection` and `KafkaProtocol` as a program of its own uses them, and what they make of bytes that are
none."""

from __future__ import annotations

import random
import socket
import struct
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars.compat.kafka_legacy import KafkaConnection
from kafkars.compat.kafka_legacy.common import (
    ConnectionError,  # noqa: A004  the library's own
    KafkaError,
)
from kafkars.compat.kafka_legacy.conn import collect_hosts
from kafkars.compat.kafka_legacy.protocol import KafkaProtocol, create_message

from tests.brokers import Broker
from tests.support.waiting import SECONDS

CASES = 4000


@pytest.fixture
def connection(broker: Broker) -> Iterator[KafkaConnection]:
    ((host, port), *_) = collect_hosts(broker.bootstrap_servers, randomize=False)
    made = KafkaConnection(host, port, timeout=SECONDS)
    yield made
    made.close()


def test_a_request_that_brokers_still_know(broker: Broker, connection: KafkaConnection) -> None:
    topic = broker.new_topic(partitions=2).encode()
    for number in range(3):
        connection.send(number, KafkaProtocol.encode_metadata_request(b"program", number, [topic]))
        response = KafkaProtocol.decode_metadata_response(connection.recv(number))
        (found,) = response.topics
        assert (found.topic, found.error, sorted(each.partition for each in found.partitions)) == (topic, 0, [0, 1])
        assert {each.leader for each in found.partitions} <= {each.nodeId for each in response.brokers}


def test_copies_and_threads_have_sockets_of_their_own(connection: KafkaConnection) -> None:
    first = connection.get_connected_socket()
    copied = connection.copy()
    copied.reinit()
    found: list[Any] = []

    def ask(each: KafkaConnection) -> None:
        each.send(7, KafkaProtocol.encode_metadata_request(b"program", 7, []))
        found.append((each.get_connected_socket(), KafkaProtocol.decode_metadata_response(each.recv(7)).brokers))
        each.close()

    threads = [threading.Thread(target=ask, args=(each,)) for each in (connection, copied)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert len({id(sock) for sock, _ in found} | {id(first)}) == 3
    assert all(len(brokers) == 1 for _, brokers in found)
    assert connection.get_connected_socket() is first
    copied.close()
    copied.close()


def test_nobody_and_silence() -> None:
    with pytest.raises(ConnectionError, match=r"127\.0\.0\.1:1"):
        KafkaConnection("127.0.0.1", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        connection = KafkaConnection("127.0.0.1", server.getsockname()[1], timeout=0.2)
        with pytest.raises(ConnectionError):
            connection.recv(1)
        other, _ = server.accept()
        other.close()
        connection.reinit()
        other, _ = server.accept()
        other.sendall(struct.pack(">i", 10) + b"half")
        other.close()
        with pytest.raises(ConnectionError):
            connection.recv(2)
        connection.close()


def test_addresses() -> None:
    assert collect_hosts("a:1, b ,c:3", randomize=False) == [("a", 1), ("b", 9092), ("c", 3)]
    assert collect_hosts(["a", "b:2"], randomize=False) == [("a", 9092), ("b", 2)]


def damaged(chance: random.Random) -> bytes:
    """An answer of any kind with bytes that were changed, cut off or added."""
    message_set = KafkaProtocol._encode_message_set([create_message(b"value", b"key"), create_message(None)])
    data = bytearray(
        struct.pack(">iih3siihqi", 7, 1, 3, b"one", 1, 0, 0, 99, len(message_set))
        + message_set
        + struct.pack(">ihi3shq", 1, 2, 3, b"two", 4, 5)
    )
    for _ in range(chance.randint(0, 4)):
        at = chance.randrange(len(data))
        data[at : at + chance.choice((0, 1, 1, 4))] = chance.randbytes(chance.choice((0, 1, 1, 4, 8)))
    return bytes(data[: chance.choice((len(data), chance.randint(0, len(data))))])


def test_bytes_that_are_no_answer() -> None:
    chance = random.Random(5)
    raised = 0
    decoders = [name for name in dir(KafkaProtocol) if name.startswith("decode_")]
    assert len(decoders) == 7
    for _ in range(CASES):
        data = damaged(chance)
        decode = getattr(KafkaProtocol, chance.choice(decoders))
        try:
            found = decode(data)
            for each in found if isinstance(found, Iterator) else ():
                list(getattr(each, "messages", ()))
        except KafkaError:
            raised += 1
    assert CASES * 0.3 < raised < CASES
