"""The kafkars clients behind one `KafkaClient`: each is made when it is first used, by the process that uses it."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import RLock
from typing import TypeVar

from kafkars import Admin, Consumer, Producer, errors
from kafkars.compat._quiet import quiet
from kafkars.compat.kafka_legacy._fetching import Fetcher
from kafkars.compat.kafka_legacy._sizes import MessageLimits
from kafkars.compat.kafka_legacy.common import KafkaUnavailableError

T = TypeVar("T")

TIME_LIMIT = 30.0
"""The seconds for which a call retries, unless the client's own time-out is shorter. The original did not retry."""

FIRST_TRY = 1.0
"""Seconds after which it is checked whether any of the addresses can be connected to."""

LARGEST_REQUEST = 1 << 30
"""Largest request in bytes: as in the original, only the topic's own limit counts."""

LEAST_TIMEOUT = 0.1
NODE_LOST = (errors.KafkaTimeoutError, errors.BootstrapError, errors.BrokerConnectionError)


class Engine:
    """Creates, holds and closes the kafkars clients.

    Args:
        hosts: Addresses of brokers.
        client_id: The client id.
        timeout: Seconds that a call may take; None for `TIME_LIMIT`.
    """

    def __init__(self, hosts: Sequence[tuple[str, int]], client_id: str, timeout: float | None) -> None:
        self.hosts = hosts
        self.client_id = client_id
        self.time_limit = TIME_LIMIT if timeout is None else max(LEAST_TIMEOUT, min(timeout, TIME_LIMIT))
        self.limits = MessageLimits(self.admin)
        self.takes_what_fits = False
        self._process = os.getpid()
        self._is_given_up = False
        # Guards the clients: the timer of a consumer commits while the program reads.
        self._lock = RLock()
        self._admin: Admin | None = None
        self._fetcher: Fetcher | None = None
        self._producers: dict[tuple[int, str, int | None], Producer[bytes, bytes]] = {}

    def admin(self) -> Admin:
        """Returns the `Admin` that asks for topics, offsets and coordinators."""
        with self._here():
            if self._admin is None:
                self._admin = quiet(
                    Admin(
                        bootstrap_servers=self._addresses(),
                        client_id=self.client_id,
                        request_timeout_ms=self.time_limit * 1000,
                        default_api_timeout_ms=self.time_limit * 1000,
                    )
                )
            return self._admin

    def fetcher(self) -> Fetcher:
        """Returns the `Fetcher`, which reads."""
        with self._here():
            if self._fetcher is None:
                consumer: Consumer[bytes, bytes] = quiet(
                    Consumer(
                        bootstrap_servers=self._addresses(),
                        client_id=self.client_id,
                        auto_offset_reset="none",
                        allow_auto_create_topics=True,
                        request_timeout_ms=self.time_limit * 1000,
                        default_api_timeout_ms=self.time_limit * 1000,
                        topic_metadata_propagation_max_ms=self.time_limit * 1000,
                    )
                )
                self._fetcher = Fetcher(consumer, self.time_limit)
            return self._fetcher

    def producer(self, acks: int, codec: str, level: int | None) -> Producer[bytes, bytes]:
        """Returns the producer with these settings."""
        with self._here():
            known = self._producers.get((acks, codec, level))
            if known is None:
                known = self._producers[acks, codec, level] = quiet(
                    Producer(
                        {
                            "bootstrap_servers": self._addresses(),
                            "client_id": self.client_id,
                            "acks": acks,
                            "compression_type": codec,
                            "compression_level": level,
                            "linger_ms": 0,
                            "max_request_size": LARGEST_REQUEST,
                            "buffer_memory": LARGEST_REQUEST,
                            "request_timeout_ms": self.time_limit * 1000,
                            "delivery_timeout_ms": self.time_limit * 1000,
                            "max_block_ms": self.time_limit * 1000,
                            "topic_metadata_propagation_max_ms": self.time_limit * 1000,
                        }
                    )
                )
            return known

    def ask(self, question: Callable[[Admin, float], T]) -> T:
        """Makes a call of `Admin`, which fails early if no address can be connected to.

        Args:
            question: The call; its second argument is its time limit in seconds.

        Raises:
            KafkaUnavailableError: The cluster does not answer.
        """
        if not self.hosts:
            raise KafkaUnavailableError("All servers failed to process request: there is no address")
        admin = self.admin()
        end = time.monotonic() + self.time_limit
        with suppress(*NODE_LOST):
            answer = question(admin, min(FIRST_TRY, self.time_limit))
            if not isinstance(answer, Mapping) or not any(isinstance(each, NODE_LOST) for each in answer.values()):
                return answer
        if not self._somebody_listens():
            raise KafkaUnavailableError("All servers failed to process request")
        try:
            return question(admin, max(LEAST_TIMEOUT, end - time.monotonic()))
        except NODE_LOST as error:
            raise KafkaUnavailableError(f"All servers failed to process request: {error}") from error

    def close(self) -> None:
        """Closes all clients; the next call makes new ones."""
        self._end(self.time_limit)

    def give_up(self) -> None:
        """Closes all clients for good, and ends calls that wait for them.

        A call of another thread that waits fails at once; messages that wait for a broker are not sent.
        """
        self._is_given_up = True
        self._end(0)

    def _end(self, seconds: float) -> None:
        with self._own_lock():
            fetcher, self._fetcher = self._fetcher, None
            admin, self._admin = self._admin, None
            producers, self._producers = self._producers, {}
        for producer in producers.values():
            producer.close(seconds)
        if fetcher is not None:
            fetcher.close()
        if admin is not None:
            admin.close()

    @contextmanager
    def _here(self) -> Iterator[None]:
        """Holds the lock while a client is looked up or made.

        Raises:
            KafkaUnavailableError: The clients were closed for good.
        """
        with self._own_lock():
            if self._is_given_up:
                raise KafkaUnavailableError("All servers failed to process request: the client was given up")
            yield

    def _own_lock(self) -> RLock:
        """Returns the lock; after a fork a new one for the child, which makes clients of its own."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._lock = RLock()
            self._admin, self._fetcher, self._producers = None, None, {}
            self._is_given_up = False
        return self._lock

    def _addresses(self) -> list[str]:
        return [f"{host}:{port}" for host, port in self.hosts]

    def _somebody_listens(self) -> bool:
        for address in self.hosts:
            try:
                socket.create_connection(address, FIRST_TRY).close()
            except OSError:
                continue
            return True
        return False
