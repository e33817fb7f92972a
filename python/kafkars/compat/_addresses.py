"""Addresses of brokers as kafka-python and aiokafka accept them: with a port or without."""

from __future__ import annotations

PORT = 9092
"""Kafka's default port."""


def with_port(address: str) -> str:
    """Returns an address with Kafka's default port if it has none."""
    _, colon, port = address.rpartition(":")
    has_port = colon and port.isdecimal() and (address.count(":") == 1 or address.startswith("["))
    return address if has_port else f"{address}:{PORT}"
