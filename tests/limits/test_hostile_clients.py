"""Clients that mean harm: the embedded broker survives them, keeps its memory, and serves the others meanwhile."""

from __future__ import annotations

import random
import resource
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from kafkars import Consumer, Producer

from tests.kafka import wire
from tests.limits.broker_process import BrokerProcess, raise_file_limit
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.alone,
    pytest.mark.timeout(180),
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc"),
]

MEGABYTE = 1_000_000
# What an allocator may keep although nothing needs it any more.
SLACK = 24 * MEGABYTE
TOPIC = "precious"
# Connections that the honest client has while it works.
VISITOR_FILES = 20
FETCH, FETCH_VERSION = 1, 4
API_VERSIONS, API_VERSIONS_VERSION = 18, 0
# Close at once, with a reset: ports that linger would run out.
RESET = struct.pack("ii", 1, 0)


@pytest.fixture(scope="module", autouse=True)
def many_files() -> Iterator[int]:
    """The limit of open files, raised while these tests run."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield raise_file_limit()
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.fixture
def target() -> Iterator[BrokerProcess]:
    """A broker that has served somebody, so that what it needs at all is not taken for growth."""
    with serving(faults=False) as started:
        yield started


@pytest.fixture(params=["plain", "with faults"])
def either_target(request: pytest.FixtureRequest) -> Iterator[BrokerProcess]:
    """The same, or one whose faults on purpose are for the hostile clients."""
    with serving(faults=request.param != "plain") as started:
        yield started


@contextmanager
def serving(*, faults: bool) -> Iterator[BrokerProcess]:
    with BrokerProcess(faults=faults) as started:
        wire.create_topic(started.bootstrap_servers, TOPIC, 1, 1, {})
        with Visitor(started) as visitor:
            visitor.is_served(5)
        yield started


class Visitor:
    """A client that means no harm: it writes a record and reads it, again and again."""

    def __init__(self, broker: BrokerProcess) -> None:
        self._broker = broker
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._failure: Exception | None = None
        self.served = 0

    def is_served(self, times: int = 3) -> None:
        """Waits until it has been served a few times more."""
        wanted = self.served + times
        eventually(lambda: self.served >= wanted or self._failure, "an honest client is served", 60)
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        bootstrap = self._broker.bootstrap_servers
        try:
            with Producer(bootstrap_servers=bootstrap) as producer, Consumer(bootstrap_servers=bootstrap) as consumer:
                consumer.assign([(TOPIC, 0)])
                while not self._stop.is_set():
                    value = b"visit %d" % self.served
                    stored = producer.send(TOPIC, value).result(30)
                    consumer.seek((TOPIC, 0), stored.offset)
                    record = consumer.poll(timeout=30)
                    assert record is not None
                    assert record.value == value
                    self.served += 1
        except Exception as failure:  # noqa: BLE001  # raised in the test's thread
            self._failure = failure

    def __enter__(self) -> Visitor:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stop.set()
        self._thread.join(60)
        if self._failure is not None:
            raise self._failure


def connect(broker: BrokerProcess) -> socket.socket:
    host, _, port = broker.bootstrap_servers.rpartition(":")
    opened = socket.create_connection((host, int(port)), timeout=30)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    return opened


def send(opened: socket.socket, data: bytes) -> None:
    """Sends as far as the broker lets us: it may have closed the connection by then."""
    with suppress(OSError):
        opened.sendall(data)


def is_closed(opened: socket.socket) -> bool:
    """Whether the broker has closed the connection, after anything that it has said."""
    try:
        while opened.recv(65_536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


def garbage() -> Iterator[bytes]:
    """First bytes of what is no Kafka: chance, other protocols, lengths that no frame has."""
    chance = random.Random(20_260_102)
    yield from (struct.pack(">i", length) + chance.randbytes(64) for length in (-1, -(2**31), 2**31 - 1, 200 << 20))
    yield b"GET / HTTP/1.1\r\nHost: broker\r\n\r\n"
    yield bytes.fromhex("16030100c8010000c40303") + chance.randbytes(200)
    # A frame of chance, with its true length.
    for _ in range(400):
        body = chance.randbytes(chance.randrange(200))
        yield struct.pack(">i", len(body)) + body
    # A proper header, and a body that promises two thousand million of everything.
    for api in range(80):
        for version in (0, 3, 9):
            body = b"\x7f\xff\xff\xff" * chance.randrange(1, 40)
            yield wire.request(api, version, 1, body)


def test_garbage_neither_crashes_it_nor_stays_in_memory(either_target: BrokerProcess) -> None:
    before = either_target.memory()
    with Visitor(either_target) as visitor:
        for number, data in enumerate(garbage()):
            with connect(either_target) as opened:
                send(opened, data)
                if number % 50 == 0:
                    opened.shutdown(socket.SHUT_WR)
                    assert is_closed(opened)
        visitor.is_served()
    assert either_target.memory() - before < SLACK


def test_frames_that_never_end_cost_what_was_sent_of_them(either_target: BrokerProcess) -> None:
    """Five hundred clients announce 99 MB each and send a few bytes; half of them say that this was all."""
    before, files = either_target.memory(), either_target.open_files()
    with Visitor(either_target) as visitor, ExitStack() as stack:
        for number in range(500):
            opened = stack.enter_context(connect(either_target))
            send(opened, struct.pack(">i", 99 << 20) + b"\x00\x00\x00\x09" + bytes(100))
            if number % 2 == 0:
                opened.shutdown(socket.SHUT_WR)
        visitor.is_served()
        # A half-open connection is not waited for: who has sent its last byte is let go.
        eventually(
            lambda: either_target.open_files() <= files + 250 + VISITOR_FILES, "the half-open connections are closed"
        )
        assert either_target.peak_memory() - before < SLACK


def test_slow_readers_keep_no_answers_in_memory(either_target: BrokerProcess) -> None:
    """A hundred clients ask a thousand times for megabytes each, and read nothing."""
    with Producer(bootstrap_servers=either_target.bootstrap_servers) as producer:
        sent = [producer.send(TOPIC, bytes(100_000)) for _ in range(160)]
        # Not from the beginning: the first pieces of a log are small, and one answer is of one piece.
        request = fetch(sent[60].result(30).offset)
    with connect(either_target) as opened:
        opened.sendall(request)
        (length,) = struct.unpack(">i", wire.receive(opened, 4))
        assert length > MEGABYTE
    before = either_target.memory()
    with Visitor(either_target) as visitor, ExitStack() as stack:
        for _ in range(100):
            opened = stack.enter_context(connect(either_target))
            opened.setblocking(False)
            for _ in range(1_000):
                try:
                    if opened.send(request) < len(request):
                        break
                except BlockingIOError:
                    break
        visitor.is_served(10)
        # More than 100 GB were asked for; one copy of an answer for each client would be more than 100 MB.
        assert either_target.peak_memory() - before < 100 * MEGABYTE
    assert either_target.memory() - before < 100 * MEGABYTE


def fetch(offset: int) -> bytes:
    """A request for all that there is from an offset on, without waiting."""
    partition = struct.pack(">iqi", 0, offset, 50 * MEGABYTE)
    topics = struct.pack(">i", 1) + wire.string(TOPIC) + struct.pack(">i", 1) + partition
    return wire.request(FETCH, FETCH_VERSION, 1, struct.pack(">iiiib", -1, 0, 1, 50 * MEGABYTE, 0) + topics)


def test_long_names_are_not_kept(target: BrokerProcess) -> None:
    """Ten thousand requests, each with a client id of 32 kB: 320 MB if what is recorded of them had no bound."""
    before = target.memory()
    name = b"n" * 32_000
    payload = struct.pack(">hhih", API_VERSIONS, API_VERSIONS_VERSION, 1, len(name)) + name
    request = struct.pack(">i", len(payload)) + payload
    with Visitor(target) as visitor, connect(target) as opened:
        for _ in range(1_000):
            opened.sendall(request * 10)
            for _ in range(10):
                (length,) = struct.unpack(">i", wire.receive(opened, 4))
                wire.receive(opened, length)
        visitor.is_served()
    assert target.memory() - before < SLACK + 20 * MEGABYTE


def test_ten_thousand_connections_come_and_go(target: BrokerProcess) -> None:
    before, files = target.memory(), target.open_files()
    hello = wire.request(API_VERSIONS, API_VERSIONS_VERSION, 1, b"")

    def nothing(_opened: socket.socket) -> None:
        pass

    def ask(opened: socket.socket) -> None:
        send(opened, hello)

    def ask_in_part(opened: socket.socket) -> None:
        send(opened, hello[:7])

    manners: list[Callable[[socket.socket], None]] = [nothing, ask, ask_in_part]
    with Visitor(target) as visitor:
        for number in range(10_000):
            with connect(target) as opened:
                manners[number % len(manners)](opened)
        visitor.is_served()
    eventually(lambda: target.open_files() <= files, "every connection is closed")
    assert target.memory() - before < SLACK


def test_idle_connections_cost_little(target: BrokerProcess, many_files: int) -> None:
    """Several thousand clients that have asked once and then say nothing."""
    count = min(4_000, many_files - 200)
    before = target.memory()
    hello = wire.request(API_VERSIONS, API_VERSIONS_VERSION, 1, b"")
    with Visitor(target) as visitor, ExitStack() as stack:
        for _ in range(count):
            opened = stack.enter_context(connect(target))
            opened.sendall(hello)
            (length,) = struct.unpack(">i", wire.receive(opened, 4))
            wire.receive(opened, length)
        visitor.is_served()
        per_connection = (target.memory() - before) / count
    # Measured: about 3 kB; a buffer that an idle connection kept would be 64 kB.
    assert per_connection < 16_000
