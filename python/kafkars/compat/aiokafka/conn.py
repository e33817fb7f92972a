"""Names that programs import from `aiokafka.conn`; connections themselves are not exposed."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from enum import IntEnum
from typing import NoReturn

from kafkars.compat._addresses import PORT, with_port
from kafkars.compat.aiokafka._not_offered import NotOffered
from kafkars.compat.aiokafka.abc import AbstractTokenProvider

__all__ = [
    "AIOKafkaConnection",
    "AbstractTokenProvider",
    "CloseReason",
    "collect_hosts",
    "create_conn",
    "get_ip_port_afi",
]

DEFAULT_KAFKA_PORT = PORT


class CloseReason(IntEnum):
    """Why a connection was closed."""

    CONNECTION_BROKEN = 0
    CONNECTION_TIMEOUT = 1
    OUT_OF_SYNC = 2
    IDLE_DROP = 3
    SHUTDOWN = 4
    AUTH_FAILURE = 5


class AIOKafkaConnection(NotOffered):
    """aiokafka's connection; only its name is here."""

    INSTEAD = "the engine has the connections"


async def create_conn(*_arguments: object, **_keywords: object) -> NoReturn:
    """Always fails: the engine has the connections.

    Raises:
        NotImplementedError: Always.
    """
    AIOKafkaConnection()


def get_ip_port_afi(host_and_port_str: str) -> tuple[str, int, socket.AddressFamily]:
    """Returns host, port and family of an address; names have no family, and the port is 9092 where none is named.

    Raises:
        ValueError: What is behind the colon is no number.
    """
    host, _, port = with_port(host_and_port_str.strip()).rpartition(":")
    host = host.strip("[]")
    found = family(host)
    if ":" in host and found is not socket.AF_INET6:
        raise ValueError(f"the port of an address is a number: {host_and_port_str!r}")
    return host, int(port), found


def collect_hosts(hosts: str | Sequence[str], randomize: bool = True) -> list[tuple[str, int, socket.AddressFamily]]:
    """Returns host, port and family of addresses, in any order; names have no family."""
    listed = hosts.strip().split(",") if isinstance(hosts, str) else hosts
    found = [get_ip_port_afi(address) for address in listed]
    if randomize:
        import random  # noqa: PLC0415  only here

        random.shuffle(found)
    return found


def family(host: str) -> socket.AddressFamily:
    """Returns the family of a numeric address."""
    for each in (socket.AF_INET, socket.AF_INET6):
        with suppress(OSError):
            socket.inet_pton(each, host)
            return each
    return socket.AF_UNSPEC
