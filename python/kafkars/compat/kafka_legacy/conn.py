"""A socket to one broker, for programs that make requests themselves (`kafka.conn`). `KafkaClient` does not use
it.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import struct
from collections.abc import Iterable
from random import shuffle
from threading import local
from typing import NoReturn

from kafkars.compat.kafka_legacy.common import ConnectionError  # noqa: A004  the library's own

__all__ = ["DEFAULT_KAFKA_PORT", "DEFAULT_SOCKET_TIMEOUT_SECONDS", "KafkaConnection", "collect_hosts"]

log = logging.getLogger("kafka.conn")

DEFAULT_SOCKET_TIMEOUT_SECONDS = 120
DEFAULT_KAFKA_PORT = 9092
CHUNK = 65536


def collect_hosts(hosts: str | Iterable[str], randomize: bool = True) -> list[tuple[str, int]]:
    """Returns the hosts and ports of brokers; the port defaults to 9092.

    Args:
        hosts: A list, or comma-separated text.
        randomize: True shuffles the result.
    """
    listed = hosts.strip().split(",") if isinstance(hosts, str) else hosts
    found = []
    for each in listed:
        host, _, port = each.partition(":")
        found.append((host.strip(), int(port) if port else DEFAULT_KAFKA_PORT))
    if randomize:
        shuffle(found)
    return found


class KafkaConnection(local):
    """A socket to one broker, one for each thread that uses it. After each `send()` comes a `recv()`.

    Current brokers do not support most request versions that `kafka.protocol` encodes, and disconnect.

    Args:
        host: The broker's host name or address.
        port: The broker's port.
        timeout: Time limit in seconds of sending and receiving; None for none.

    Raises:
        ConnectionError: The broker cannot be connected to.
    """

    def __init__(self, host: str, port: int, timeout: float | None = DEFAULT_SOCKET_TIMEOUT_SECONDS) -> None:
        super().__init__()
        self.host = host
        self.port = port
        self.timeout = timeout
        self._sock: socket.socket | None = None
        self.reinit()

    def __repr__(self) -> str:
        return f"<KafkaConnection host={self.host} port={self.port}>"

    def get_connected_socket(self) -> socket.socket:
        """Returns the socket, and connects it first if needed."""
        if self._sock is None:
            self.reinit()
            return self.get_connected_socket()
        return self._sock

    def send(self, request_id: int, payload: bytes) -> None:
        """Sends a request, which must begin with its length.

        Args:
            request_id: Any number; it is logged.
            payload: The encoded request.

        Raises:
            ConnectionError: The connection was lost; the next call connects again.
        """
        log.debug("About to send %d bytes to Kafka, request %d", len(payload), request_id)
        connected = self.get_connected_socket()
        try:
            connected.sendall(payload)
        except OSError:
            log.exception("Unable to send payload to Kafka")
            self._raise_connection_error()

    def recv(self, request_id: int) -> bytes:
        """Receives the next response, without its length.

        Args:
            request_id: Any number; it is logged.

        Raises:
            ConnectionError: The connection was lost; the next call connects again.
        """
        log.debug("Reading response %d from Kafka", request_id)
        (size,) = struct.unpack(">i", self._read_bytes(4))
        return self._read_bytes(size)

    def copy(self) -> KafkaConnection:
        """Returns a copy without a socket, for another thread; `reinit()` connects it."""
        # The arguments are for threads: each that uses the copy connects with them.
        other = KafkaConnection.__new__(KafkaConnection, self.host, self.port, self.timeout)  # type: ignore[call-arg]
        other.host = self.host
        other.port = self.port
        other.timeout = self.timeout
        other._sock = None
        return other

    def close(self) -> None:
        """Closes the socket, if there is one; sending connects again."""
        if self._sock is None:
            return
        log.debug("Closing socket connection for %s:%d", self.host, self.port)
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()
        self._sock = None

    def reinit(self) -> None:
        """Closes the socket, if there is one, and connects again.

        Raises:
            ConnectionError: The broker cannot be connected to.
        """
        log.debug("Reinitializing socket connection for %s:%d", self.host, self.port)
        self.close()
        try:
            self._sock = socket.create_connection((self.host, self.port), self.timeout)
        except OSError:
            log.exception("Unable to connect to kafka broker at %s:%d", self.host, self.port)
            self._raise_connection_error()

    def _read_bytes(self, num_bytes: int) -> bytes:
        connected = self.get_connected_socket()
        parts = []
        while num_bytes > 0:
            try:
                data = connected.recv(min(num_bytes, CHUNK))
            except OSError:
                log.exception("Unable to receive data from Kafka")
                self._raise_connection_error()
            if not data:
                log.error("Not enough data to read message -- did server kill socket?")
                self._raise_connection_error()
            num_bytes -= len(data)
            parts.append(data)
        return b"".join(parts)

    def _raise_connection_error(self) -> NoReturn:
        self.close()
        raise ConnectionError(f"Kafka @ {self.host}:{self.port} went away")
