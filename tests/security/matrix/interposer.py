"""A peer between a client and a broker that goes wrong at one place of the way in."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.sasl_gate import SASL_AUTHENTICATE, SASL_HANDSHAKE

UNSUPPORTED_MECHANISM = 33


class Handshake:
    """What two sides have agreed on."""

    def __init__(self, greeting: bytes, encrypted: ssl.SSLSocket) -> None:
        self.greeting = greeting
        self.version = encrypted.version()
        self.cipher = (encrypted.cipher() or ("",))[0]
        self.is_resumed = encrypted.session_reused
        self.application = encrypted.selected_alpn_protocol()

    @property
    def extensions(self) -> list[int]:
        """The numbers of the extensions of the client's greeting (RFC 8446, section 4.1.2)."""
        # Behind the headers of the record and of the message, the version and the random number.
        at = 5 + 4 + 2 + 32
        for width in (1, 2, 1):  # session id, cipher suites, compressions
            at += width + int.from_bytes(self.greeting[at : at + width], "big")
        at += 2
        found = []
        while at + 4 <= len(self.greeting):
            number, size = struct.unpack_from(">HH", self.greeting, at)
            found.append(number)
            at += 4 + size
        return found


class Interposer:
    """Passes frames on until the fault: with TLS of its own, because only its two ends can look into that.

    Faults: `silent in TLS`, `hangs up in TLS`, `old TLS`, `silent in SASL`, `hangs up in SASL`, `offers NAME` (it says
    that the broker has that mechanism only).
    """

    def __init__(self, upstream: str, fault: str, certificate: Path | None) -> None:
        host, port = upstream.rsplit(":", 1)
        self.upstream = (host, int(port))
        self.fault = fault
        self.context = None if certificate is None else server_context(certificate, is_old=fault == "old TLS")
        # Bytes that came after a mechanism was refused: a client that falls back would send its secret there.
        self.after_refusal = 0
        # Of each connection, once TLS is there.
        self.handshakes: list[Handshake] = []
        self.open: list[socket.socket] = []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.server.accept()
                peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.open.append(peer)
                threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer: socket.socket) -> None:
        with contextlib.suppress(OSError), peer:
            if self.fault == "silent in TLS":
                while peer.recv(1 << 16):
                    pass
                return
            if self.fault == "hangs up in TLS":
                peer.recv(1 << 16)
                return
            ours = peer
            if self.context is not None:
                greeting = peer.recv(1 << 14, socket.MSG_PEEK)
                encrypted = self.context.wrap_socket(peer, server_side=True)
                self.handshakes.append(Handshake(greeting, encrypted))
                ours = encrypted
            with ours, socket.create_connection(self.upstream) as broker:
                self.open += [ours, broker]
                self.pass_on(ours, broker)

    def pass_on(self, ours: socket.socket, broker: socket.socket) -> None:
        while frame := receive(ours):
            api, version, correlation = struct.unpack_from(">hhi", frame)
            if api == SASL_HANDSHAKE and self.fault.startswith("offers "):
                name = self.fault.removeprefix("offers ").encode()
                body = struct.pack(">hih", UNSUPPORTED_MECHANISM, 1, len(name)) + name
                ours.sendall(struct.pack(">ii", 4 + len(body), correlation) + body)
                while more := ours.recv(1 << 16):
                    self.after_refusal += len(more)
                return
            # What follows the first version of the handshake has no header.
            is_login = api == SASL_AUTHENTICATE or (api == SASL_HANDSHAKE and version == 0)
            if is_login and self.fault == "silent in SASL":
                while ours.recv(1 << 16):
                    pass
                return
            if is_login and self.fault == "hangs up in SASL":
                return
            broker.sendall(struct.pack(">i", len(frame)) + frame)
            answer = receive(broker)
            ours.sendall(struct.pack(">i", len(answer)) + answer)

    def cut(self) -> None:
        """Ends every connection."""
        while self.open:
            with contextlib.suppress(OSError):
                self.open.pop().shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        self.cut()


def server_context(certificate: Path, *, is_old: bool) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if is_old:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")
    return context


def receive(peer: socket.socket) -> bytes:
    """One frame; nothing at the end. TLS knows no MSG_WAITALL."""
    header = exactly(peer, 4)
    return exactly(peer, struct.unpack(">i", header)[0]) if header else b""


def exactly(peer: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = peer.recv(size - len(found))
        if not more:
            return b""
        found += more
    return found


@contextmanager
def interposer(upstream: str, fault: str, certificate: Path | None) -> Iterator[Interposer]:
    peer = Interposer(upstream, fault, certificate)
    try:
        yield peer
    finally:
        peer.close()
