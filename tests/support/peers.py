"""Things that listen on a port and are not a Kafka broker. Each is a context manager that yields its address."""

from __future__ import annotations

import shutil
import socket
import socketserver
import ssl
import subprocess
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

UNRESOLVABLE = "no-such-host.invalid:9092"
"""RFC 2606 keeps `.invalid` free of names, so no resolver has an answer."""


@contextmanager
def closed_port() -> Iterator[str]:
    """An address that refuses connections: bound, so that nobody else gets the port, and not listening."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield address_of(bound)


@contextmanager
def silent_server() -> Iterator[str]:
    """Accepts connections (the system does, from the backlog) and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield address_of(listener)


@contextmanager
def hanging_up_server() -> Iterator[str]:
    """Accepts a connection and closes it when the first bytes have come, as a TLS or SASL listener of Kafka does."""

    class HangUp(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1)

    with serving(socketserver.ThreadingTCPServer(("127.0.0.1", 0), HangUp)) as address:
        yield address


@contextmanager
def http_server() -> Iterator[str]:
    """A web server; like all the common ones it answers what is not HTTP with `400 Bad Request` and hangs up."""

    class Refuse(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1_024)
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    with serving(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refuse)) as address:
        yield address


@contextmanager
def tls_server() -> Iterator[str]:
    """Speaks TLS with a certificate of its own; answers a plaintext request with a TLS alert."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        context.load_cert_chain(*self_signed(Path(folder)))

    class Handshake(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError), context.wrap_socket(self.request, server_side=True) as secured:
                secured.recv(1)

    with serving(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handshake)) as address:
        yield address


@contextmanager
def serving(server: socketserver.ThreadingTCPServer) -> Iterator[str]:
    """Runs `server` in threads, which have ended when the block has."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    with server:
        thread.start()
        try:
            yield address_of(server.socket)
        finally:
            server.shutdown()
            thread.join()


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl on PATH: it makes the certificate")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost"
    subprocess.run(
        [*command.split(), "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True, timeout=30
    )
    return certificate, key


def address_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"{host}:{port}"
