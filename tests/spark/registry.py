"""A schema registry on loopback, as small as the tests can have it, and Avro as a serializer would write it."""

from __future__ import annotations

import json
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Registry:
    """Schemas by id and by subject, and how often each path was asked for."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: Counter[str] = Counter()
        self.credentials: str | None = None
        """The header that is demanded."""
        self.failures = 0
        """So many requests are answered with 503 first."""
        self._schemas: dict[int, dict[str, Any]] = {}
        self._newest: dict[str, int] = {}

    def add(self, subject: str, schema: Any, number: int, **more: Any) -> bytes:
        """Adds a version of a subject, and gives what stands before payloads that are written with it."""
        self._schemas[number] = {"schema": schema if isinstance(schema, str) else json.dumps(schema), **more}
        self._newest[subject] = number
        return struct.pack(">bI", 0, number)

    def answer(self, path: str, credentials: str | None) -> tuple[int, dict[str, Any]]:
        """Status and content."""
        self.asked[path] += 1
        if self.failures:
            self.failures -= 1
            return 503, {}
        if credentials != self.credentials:
            return 401, {}
        match path.strip("/").split("/"):
            case ["schemas", "ids", number] if int(number) in self._schemas:
                return 200, self._schemas[int(number)]
            case ["subjects", subject, "versions", "latest"] if subject in self._newest:
                return 200, {"subject": subject, **self._schemas[self._newest[subject]]}
        return 404, {"error_code": 40403}


@contextmanager
def running() -> Iterator[Registry]:
    """A registry as long as the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, content = registry.answer(self.path, self.headers.get("Authorization"))
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        registry = Registry(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield registry
        finally:
            server.shutdown()
            thread.join()


def long(value: int) -> bytes:
    """A long, as Avro writes it."""
    left = (value << 1) ^ (value >> 63)
    found = bytearray()
    while left > 0x7F:
        found.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*found, left])


def text(value: str) -> bytes:
    """A string, as Avro writes it."""
    encoded = value.encode()
    return long(len(encoded)) + encoded
