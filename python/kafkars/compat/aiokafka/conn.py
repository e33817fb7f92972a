"""Names that programs import from `aiokafka.conn`; connections themselves are not exposed."""

from __future__ import annotations

import socket
from collections.abc import Sequence

from kafkars.compat._addresses import with_port
from kafkars.compat.aiokafka.abc import AbstractTokenProvider

__all__ = ["AbstractTokenProvider", "collect_hosts"]


def collect_hosts(hosts: str | Sequence[str], randomize: bool = True) -> list[tuple[str, int, socket.AddressFamily]]:
    """Returns host, port and family of addresses, in any order; names have no family."""
    listed = hosts.strip().split(",") if isinstance(hosts, str) else hosts
    pairs = [with_port(address.strip()).rpartition(":") for address in listed]
    found = [(host.strip("[]"), int(port), family(host)) for host, _, port in pairs]
    if randomize:
        import random  # noqa: PLC0415  only here

        random.shuffle(found)
    return found


def family(host: str) -> socket.AddressFamily:
    """Returns the family of a numeric address, which has brackets in version 6."""
    if host.startswith("["):
        return socket.AF_INET6
    try:
        socket.inet_pton(socket.AF_INET, host)
    except OSError:
        return socket.AF_UNSPEC
    return socket.AF_INET
