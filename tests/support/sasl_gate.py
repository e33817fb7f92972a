"""A listener with SASL in front of an embedded broker: a test says when logins are refused, and how long they hold.

Any one message of a mechanism is believed, so it serves those that send one: PLAIN, OAUTHBEARER.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from kafkars.testing import EmbeddedBroker

API_VERSIONS, SASL_HANDSHAKE, SASL_AUTHENTICATE, METADATA = 18, 17, 36, 3
OURS = (API_VERSIONS, SASL_HANDSHAKE, SASL_AUTHENTICATE)
LIFETIME_SINCE = 1
LIE = b"r=x,s=eA==,i=1"
SETTINGS = {
    "security_protocol": "sasl_plaintext",
    "sasl_mechanism": "PLAIN",
    "sasl_username": "alice",
    "sasl_password": "secret",
}


class SaslGate:
    """Every connection is served by a thread of its own."""

    def __init__(self, *, refuses: bool = False, lifetime: float = 0, is_old: bool = False) -> None:
        self.refuses = refuses
        # How long a login holds in seconds; 0 for as long as the connection.
        self.lifetime = lifetime
        # Knows no SaslAuthenticate, as brokers before 1.0: messages of SASL travel without headers.
        self.is_old = is_old
        self.refused = 0
        self.believed = 0
        self.connections = 0
        # What a refusal says, made of the message that is refused.
        self.words: Callable[[bytes], str] = lambda _: "wrong password"
        # What else goes wrong with a login: "not offered", "silent", "hangs up" or "lies".
        self.fault = ""
        # What it says to who is believed.
        self.reply = b""
        # The latest message of a mechanism.
        self.message = b""
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

    @property
    def token_settings(self) -> dict[str, Any]:
        """The same without credentials, for OAUTHBEARER."""
        return {
            "bootstrap_servers": self.address,
            "security_protocol": "sasl_plaintext",
            "sasl_mechanism": "OAUTHBEARER",
        }

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
                with self.change:
                    self.connections += 1
                threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer: socket.socket) -> None:
        ends = float("inf")
        # A frame may be cut in its middle, by `cut` or by a broker that stops.
        with contextlib.suppress(OSError, struct.error), peer, contextlib.ExitStack() as stack:
            broker = stack.enter_context(socket.create_connection(self.upstream)) if self.upstream else None
            while (frame := receive(peer)) is not None:
                api, version, correlation = struct.unpack_from(">hhi", frame)
                if api == SASL_AUTHENTICATE and self.fault == "silent":
                    continue
                if api == SASL_AUTHENTICATE and self.fault == "hangs up":
                    return
                if api in OURS:
                    answer = struct.pack(">i", correlation) + self.answer(api, version, frame)
                    if api == SASL_AUTHENTICATE and not self.refuses and self.lifetime:
                        ends = time.monotonic() + self.lifetime
                elif broker is None or time.monotonic() > ends:
                    return  # Kafka too ends a connection that is used after its login
                else:
                    send(broker, frame)
                    answer = receive(broker) or b""
                send(peer, answer)
                if api == SASL_HANDSHAKE and version == 0:
                    self.message = receive(peer) or b""
                    if self.judge():
                        return
                    send(peer, b"")

    def judge(self) -> bool:
        """Counts a login, and says whether it is refused."""
        with self.change:
            self.refused += self.refuses
            self.believed += not self.refuses
            self.change.notify_all()
        return self.refuses

    def answer(self, api: int, version: int, frame: bytes) -> bytes:
        if api == API_VERSIONS:
            ranges = self.versions()
            listed = b"".join(struct.pack(">hhh", *each) for each in ranges)
            return struct.pack(">hi", 35 if version > 0 else 0, len(ranges)) + listed
        if api == SASL_HANDSHAKE:
            offered = [b"OTHER"] if self.fault == "not offered" else [b"PLAIN", b"OAUTHBEARER"]
            listed = b"".join(struct.pack(">h", len(name)) + name for name in offered)
            return struct.pack(">hi", 33 if self.fault == "not offered" else 0, len(offered)) + listed
        client_id = struct.unpack_from(">h", frame, 8)[0]
        self.message = frame[14 + max(client_id, 0) :]
        ends = struct.pack(">q", int(self.lifetime * 1000)) if version >= LIFETIME_SINCE else b""
        if not self.judge() and self.fault != "lies":
            return struct.pack(">hhi", 0, -1, len(self.reply)) + self.reply + ends
        if self.fault == "lies":
            return struct.pack(">hhi", 0, -1, len(LIE)) + LIE + ends
        words = self.words(self.message).encode()
        return struct.pack(">hh", 58, len(words)) + words + struct.pack(">i", 0) + ends

    def versions(self) -> list[tuple[int, ...]]:
        ours: list[tuple[int, ...]] = [(API_VERSIONS, 0, 0), (SASL_HANDSHAKE, 0, 0 if self.is_old else 1)]
        if not self.is_old:
            ours.append((SASL_AUTHENTICATE, 0, LIFETIME_SINCE if self.lifetime else 0))
        if self.upstream is None:
            return [*ours, (METADATA, 0, 1)]
        with socket.create_connection(self.upstream) as broker:
            send(broker, struct.pack(">hhih", API_VERSIONS, 0, 1, -1))
            listed = receive(broker) or b""
        count = struct.unpack_from(">i", listed, 6)[0]
        theirs = [struct.unpack_from(">hhh", listed, 10 + 6 * index) for index in range(count)]
        return ours + [each for each in theirs if each[0] not in OURS]


@contextmanager
def sasl_gate(*, refuses: bool = False, is_old: bool = False) -> Iterator[SaslGate]:
    """With nothing behind it."""
    gate = SaslGate(refuses=refuses, is_old=is_old)
    try:
        yield gate
    finally:
        gate.close()


@contextmanager
def guarded_broker(*, lifetime: float = 0, is_old: bool = False, **topics: int) -> Iterator[SaslGate]:
    """An embedded broker that is known by the gate's address only."""
    gate = SaslGate(lifetime=lifetime, is_old=is_old)
    try:
        with EmbeddedBroker(topics=topics, advertised_host="127.0.0.1", advertised_port=gate.port) as broker:
            host, port = broker.bootstrap_servers.rsplit(":", 1)
            gate.upstream = (host, int(port))
            yield gate
    finally:
        gate.close()


def receive(peer: socket.socket) -> bytes | None:
    header = peer.recv(4, socket.MSG_WAITALL)
    if len(header) < len("size"):
        return None
    size = struct.unpack(">i", header)[0]
    return peer.recv(size, socket.MSG_WAITALL) if size else b""


def send(peer: socket.socket, frame: bytes) -> None:
    peer.sendall(struct.pack(">i", len(frame)) + frame)
