"""Settings of `Admin`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from kafkars.config import checks
from kafkars.config.client import ClientConfig

if TYPE_CHECKING:
    from dataclasses import dataclass as settings
else:
    from kafkars._frozen import settings


@settings(frozen=True, kw_only=True)
class AdminConfig(ClientConfig):
    """Settings of how long calls of `Admin` wait, besides those of every client."""

    default_api_timeout_ms: float = 60_000
    """Time limit of calls without a `timeout` of their own."""

    CHECKS: ClassVar[Mapping[str, Callable[[str, object], Any]]] = {
        **ClientConfig.CHECKS,
        "default_api_timeout_ms": checks.milliseconds(),
    }
