"""What kafka-python 2 asserts, 3 raises as errors of other classes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from kafkars.compat.kafka.errors import IllegalStateError

P = ParamSpec("P")
T = TypeVar("T")


def restated(method: Callable[P, T], kind: type[Exception]) -> Callable[P, T]:
    """A method of the face of kafka-python 2 whose assertions are errors of another class, or `IllegalStateError` once
    it is closed.
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
    """Defaults of every client that 2 does not have, or has otherwise."""
    return {
        "client_id": f"kafka-python-{version}",
        "receive_message_max_bytes": 100_000_000,
        "client_dns_lookup": "use_all_dns_ips",
        "bootstrap_timeout_ms": 30000,
        "proxy_url": None,
    }


def without(settings: dict[str, Any], *names: str) -> dict[str, Any]:
    """Settings but for those that 3 has no longer."""
    return {name: value for name, value in settings.items() if name not in names}
