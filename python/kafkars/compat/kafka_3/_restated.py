"""Converts the assertion errors of kafka-python 2's face to the error classes of kafka-python 3."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from kafkars.compat.kafka.errors import IllegalStateError

P = ParamSpec("P")
T = TypeVar("T")


def restated(method: Callable[P, T], kind: type[Exception]) -> Callable[P, T]:
    """Wraps a method of kafka-python 2's face so that it raises `kind` instead of AssertionError, or
    `IllegalStateError` once the client is closed.
    """

    @functools.wraps(method)
    def call(*arguments: P.args, **keywords: P.kwargs) -> T:
        owner: Any = arguments[0]
        if owner._closed:
            raise IllegalStateError(f"{type(owner).__name__} is closed")
        try:
            return method(*arguments, **keywords)
        except AssertionError as refusal:
            raise kind(*refusal.args) from refusal

    return call


def shared_settings(version: str) -> dict[str, Any]:
    """Returns the settings of every client that kafka-python 2 lacks or has with other defaults."""
    return {
        "client_id": f"kafka-python-{version}",
        "receive_message_max_bytes": 100_000_000,
        "client_dns_lookup": "use_all_dns_ips",
        "bootstrap_timeout_ms": 30000,
        "proxy_url": None,
    }


def without(settings: dict[str, Any], *names: str) -> dict[str, Any]:
    """Returns the settings without those that kafka-python 3 has removed."""
    return {name: value for name, value in settings.items() if name not in names}
