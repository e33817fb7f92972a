"""Peers that break off between TCP and the end of the login: what was said twice is told at once, once is retried."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any

import kafkars
import pytest
from kafkars.errors import CertificateError, KafkaError, NotKafkaError, SaslAuthenticationFailedError, TlsError
from kafkars.testing import Certificates, EmbeddedBroker, Listener

from tests.security.test_hostile_peers import FakeBroker

pytestmark = pytest.mark.timeout(60)
LONG = 30.0
SOON = 10.0
"""Much less than a call's own time, much more than two handshakes take on a busy machine."""


class Breaking:
    """Answers the first bytes of each connection with what it is told, and passes on the connections after some."""

    def __init__(self, answer: bytes, *, times: int = 1 << 30, to: int = 0) -> None:
        self.answer, self.times, self.to = answer, times, to
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        with suppress(OSError):
            while True:
                peer, _ = self.server.accept()
                self.times -= 1
                serve = self.break_off if self.times >= 0 else self.pass_on
                threading.Thread(target=serve, args=(peer,), daemon=True).start()

    def break_off(self, peer: socket.socket) -> None:
        with suppress(OSError), peer:
            peer.recv(1 << 16)
            if self.answer:
                peer.sendall(self.answer)
                peer.recv(1 << 16)

    def pass_on(self, peer: socket.socket) -> None:
        def pump(source: socket.socket, sink: socket.socket) -> None:
            with suppress(OSError):
                while data := source.recv(1 << 16):
                    sink.sendall(data)
                sink.shutdown(socket.SHUT_WR)

        with suppress(OSError), peer, socket.create_connection(("127.0.0.1", self.to)) as broker:
            back = threading.Thread(target=pump, args=(broker, peer), daemon=True)
            back.start()
            pump(peer, broker)
            back.join()

    def close(self) -> None:
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()


def alert(number: int, level: int = 2) -> bytes:
    return struct.pack(">BHHBB", 21, 0x0303, 2, level, number)


ANSWERS = {
    **{f"alert {each.name.lower()}": alert(each) for each in ssl.AlertDescription if each != 0},
    "an alert of no name": alert(200),
    "a flood of warnings": alert(90, level=1) * 100,
    "a certificate before the greeting": struct.pack(">BHHB", 22, 0x0303, 4, 11) + b"\0\0\0",
    "encrypted bytes": struct.pack(">BHH", 23, 0x0303, 40) + b"x" * 40,
}


def call_admin(settings: dict[str, Any]) -> None:
    with kafkars.Admin(**settings) as admin:
        admin.list_topics(timeout=LONG)


def call_producer(settings: dict[str, Any]) -> None:
    with kafkars.Producer(**settings, max_block_ms=int(LONG * 1000)) as producer:
        producer.send("topic", b"x").result(LONG)


def call_consumer(settings: dict[str, Any]) -> None:
    with kafkars.Consumer(**settings, group_id="group") as consumer:
        consumer.subscribe(["topic"])
        consumer.poll(LONG)


CALLS: dict[str, Callable[[dict[str, Any]], None]] = {
    "admin": call_admin,
    "producer": call_producer,
    "consumer": call_consumer,
}


def told_soon(call: str, settings: dict[str, Any], *expected: type[KafkaError]) -> str:
    since = time.monotonic()
    with pytest.raises(expected) as raised:
        CALLS[call]({"socket_connection_setup_timeout_ms": 10_000, **settings})
    assert time.monotonic() - since < SOON
    return str(raised.value)


@pytest.mark.parametrize("answer", ANSWERS)
def test_what_ends_tls_twice_is_told(answer: str) -> None:
    with closing(Breaking(ANSWERS[answer])) as peer:
        settings = {"bootstrap_servers": peer.address, "security_protocol": "ssl"}
        words = told_soon("admin", settings, TlsError, CertificateError)
    assert "Error(" not in words


@pytest.mark.parametrize("call", CALLS)
def test_a_proxy_that_does_not_know_the_host_says_so(call: str) -> None:
    with closing(Breaking(alert(ssl.AlertDescription.ALERT_DESCRIPTION_UNRECOGNIZED_NAME))) as peer:
        address = peer.address.replace("127.0.0.1", "localhost")
        words = told_soon(call, {"bootstrap_servers": address, "security_protocol": "ssl"}, TlsError)
    assert "knows no host" in words
    assert '"localhost"' in words


class GarbledBroker(FakeBroker):
    """Answers one kind of request with something else."""

    def __init__(self, garbled: int, change: Callable[[bytes], bytes]) -> None:
        self.garbled, self.change = garbled, change
        super().__init__([b""])

    def serve(self, peer: socket.socket) -> None:
        with suppress(OSError), peer:
            while len(header := peer.recv(4, socket.MSG_WAITALL)) == 4:
                frame = peer.recv(struct.unpack(">i", header)[0], socket.MSG_WAITALL)
                api, version, correlation = struct.unpack_from(">hhi", frame)
                answers = {
                    18: self.api_versions(version),
                    17: struct.pack(">hih", 0, 1, 5) + b"PLAIN",
                    36: struct.pack(">hhi", 0, -1, 0),
                }
                answer = struct.pack(">i", correlation) + answers.get(api, b"")
                answer = self.change(answer) if api == self.garbled else answer
                peer.sendall(struct.pack(">i", len(answer)) + answer)


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "garbled": lambda answer: answer[:4] + b"\xff" * 300,
    "short": lambda answer: answer[:5],
    "another's": lambda answer: b"\x7f\xff\xff\xff" + answer[4:],
    "empty": lambda _: b"",
}


# A poll says at its own end that nothing there speaks Kafka, as of every such peer.
LOGINS = [*((17, call) for call in CALLS), *((36, call) for call in CALLS), (18, "admin"), (18, "producer")]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("api", "call"), LOGINS)
def test_answers_of_a_login_that_are_not_kafkas_are_told(api: int, call: str, change: str) -> None:
    with closing(GarbledBroker(api, CHANGES[change])) as broker:
        settings = {
            "bootstrap_servers": broker.address,
            "security_protocol": "sasl_plaintext",
            "sasl_mechanism": "PLAIN",
            "sasl_username": "u",
            "sasl_password": "Xq7-secret",
        }
        expected = NotKafkaError if api == 18 else SaslAuthenticationFailedError
        words = told_soon(call, settings, expected, *([KafkaError] if api == 18 else []))
    assert "Xq7-secret" not in words


@pytest.fixture(scope="module")
def secure() -> Iterator[tuple[EmbeddedBroker, dict[str, Any]]]:
    certificates = Certificates()
    with EmbeddedBroker(listeners={"S": Listener("SSL")}, certificates=certificates, topics={"topic": 1}) as broker:
        settings = {"security_protocol": "ssl", "ssl_ca_pem": certificates.ca_pem}
        yield broker, settings


@pytest.mark.parametrize("answer", [b"", alert(80), alert(112)], ids=["closed", "internal error", "unknown host"])
def test_what_ends_tls_once_is_retried(answer: bytes, secure: tuple[EmbeddedBroker, dict[str, Any]]) -> None:
    broker, settings = secure
    port = int(str(broker.bootstrap_servers).rpartition(":")[2])
    with closing(Breaking(answer, times=1, to=port)) as peer:
        with kafkars.Admin(bootstrap_servers=peer.address, **settings) as admin:
            assert admin.list_topics(timeout=LONG) == ["topic"]
        assert peer.times < 0
