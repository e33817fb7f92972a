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
            ours = peer if self.context is None else self.context.wrap_socket(peer, server_side=True)
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

    def close(self) -> None:
        for each in (self.server, *self.open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self.server.close()


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
