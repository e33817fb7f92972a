"""A way to a real broker on which it seems to know no SaslAuthenticate, as brokers before 1.0."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.sasl_gate import API_VERSIONS, SASL_AUTHENTICATE, SASL_HANDSHAKE, receive, send


class OldHandshake:
    """Answers ApiVersions itself and passes everything else on as it is."""

    def __init__(self, upstream: str) -> None:
        host, port = upstream.rsplit(":", 1)
        self.upstream = (host, int(port))
        # Versions of SaslHandshake that came.
        self.handshakes: list[int] = []
        self.open: list[socket.socket] = []
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.server.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self.server.accept()
                threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer: socket.socket) -> None:
        with contextlib.suppress(OSError), peer, socket.create_connection(self.upstream) as broker:
            self.open += [peer, broker]
            while True:
                frame = receive(peer)
                if frame is None:
                    return
                api, version, correlation = struct.unpack_from(">hhi", frame)
                if api != API_VERSIONS:
                    break
                send(peer, struct.pack(">i", correlation) + self.versions(version))
            assert api == SASL_HANDSHAKE
            self.handshakes.append(version)
            send(broker, frame)
            threading.Thread(target=self.copy, args=(broker, peer), daemon=True).start()
            self.copy(peer, broker)

    def copy(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def versions(self, version: int) -> bytes:
        with socket.create_connection(self.upstream) as broker:
            send(broker, struct.pack(">hhih", API_VERSIONS, 0, 1, -1))
            listed = receive(broker) or b""
        count = struct.unpack_from(">i", listed, 6)[0]
        ranges = [struct.unpack_from(">hhh", listed, 10 + 6 * index) for index in range(count)]
        ours = {SASL_HANDSHAKE: [(SASL_HANDSHAKE, 0, 0)], SASL_AUTHENTICATE: [], API_VERSIONS: [(API_VERSIONS, 0, 0)]}
        kept = [each for one in ranges for each in ours.get(one[0], [one])]
        return struct.pack(">hi", 35 if version > 0 else 0, len(kept)) + b"".join(
            struct.pack(">hhh", *each) for each in kept
        )

    def close(self) -> None:
        for each in (self.server, *self.open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self.server.close()


@contextmanager
def old_handshake(upstream: str) -> Iterator[OldHandshake]:
    proxy = OldHandshake(upstream)
    try:
        yield proxy
    finally:
        proxy.close()
