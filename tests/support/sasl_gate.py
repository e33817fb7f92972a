"""A listener with SASL (PLAIN) in front of an embedded broker, which has none: a test says when logins are refused."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kafkars.testing import EmbeddedBroker

API_VERSIONS, SASL_HANDSHAKE, SASL_AUTHENTICATE, METADATA = 18, 17, 36, 3
OURS = (API_VERSIONS, SASL_HANDSHAKE, SASL_AUTHENTICATE)
SETTINGS = {
    "security_protocol": "sasl_plaintext",
    "sasl_mechanism": "PLAIN",
    "sasl_username": "alice",
    "sasl_password": "secret",
}


class SaslGate:
    """Every connection is served by a thread of its own."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.refuses = refuses
        self.refused = 0
        self.change = threading.Condition()
        self.upstream: tuple[str, int] | None = None
        self.open: list[socket.socket] = []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.server.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def settings(self) -> dict[str, Any]:
        """What a client needs to pass."""
        return SETTINGS | {"bootstrap_servers": self.address}

    def cut(self) -> None:
        """Ends every connection."""
        while self.open:
            with contextlib.suppress(OSError):
                self.open.pop().shutdown(socket.SHUT_RDWR)

    def wait_for_refusals(self, count: int, timeout: float) -> None:
        with self.change:
            assert self.change.wait_for(lambda: self.refused >= count, timeout), f"{self.refused} logins were refused"

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        self.cut()

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.server.accept()
                peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.open.append(peer)
                threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer: socket.socket) -> None:
        with contextlib.suppress(OSError), peer, contextlib.ExitStack() as stack:
            broker = stack.enter_context(socket.create_connection(self.upstream)) if self.upstream else None
            while (frame := receive(peer)) is not None:
                api, version, correlation = struct.unpack_from(">hhi", frame)
                if api in OURS:
                    answer = struct.pack(">i", correlation) + self.answer(api, version)
                elif broker is None:
                    return
                else:
                    send(broker, frame)
                    answer = receive(broker) or b""
                send(peer, answer)

    def answer(self, api: int, version: int) -> bytes:
        if api == API_VERSIONS:
            ranges = self.versions()
            listed = b"".join(struct.pack(">hhh", *each) for each in ranges)
            return struct.pack(">hi", 35 if version > 0 else 0, len(ranges)) + listed
        if api == SASL_HANDSHAKE:
            return struct.pack(">hih", 0, 1, 5) + b"PLAIN"
        if not self.refuses:
            return struct.pack(">hhi", 0, -1, 0)
        with self.change:
            self.refused += 1
            self.change.notify_all()
        words = b"wrong password"
        return struct.pack(">hh", 58, len(words)) + words + struct.pack(">i", 0)

    def versions(self) -> list[tuple[int, ...]]:
        ours = [(API_VERSIONS, 0, 0), (SASL_HANDSHAKE, 0, 1), (SASL_AUTHENTICATE, 0, 0)]
        if self.upstream is None:
            return [*ours, (METADATA, 0, 1)]
        with socket.create_connection(self.upstream) as broker:
            send(broker, struct.pack(">hhih", API_VERSIONS, 0, 1, -1))
            listed = receive(broker) or b""
        count = struct.unpack_from(">i", listed, 6)[0]
        theirs = [struct.unpack_from(">hhh", listed, 10 + 6 * index) for index in range(count)]
        return ours + [each for each in theirs if each[0] not in OURS]


@contextmanager
def sasl_gate(*, refuses: bool = False) -> Iterator[SaslGate]:
    """With nothing behind it."""
    gate = SaslGate(refuses=refuses)
    try:
        yield gate
    finally:
        gate.close()


@contextmanager
def guarded_broker(**topics: int) -> Iterator[SaslGate]:
    """An embedded broker that is known by the gate's address only."""
    with (
        sasl_gate() as gate,
        EmbeddedBroker(topics=topics, advertised_host="127.0.0.1", advertised_port=gate.port) as broker,
    ):
        host, port = broker.bootstrap_servers.rsplit(":", 1)
        gate.upstream = (host, int(port))
        yield gate


def receive(peer: socket.socket) -> bytes | None:
    header = peer.recv(4, socket.MSG_WAITALL)
    if len(header) < len("size"):
        return None
    return peer.recv(struct.unpack(">i", header)[0], socket.MSG_WAITALL)


def send(peer: socket.socket, frame: bytes) -> None:
    peer.sendall(struct.pack(">i", len(frame)) + frame)
