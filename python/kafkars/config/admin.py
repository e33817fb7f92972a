"""Settings of administrators."""

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
    """Settings of how long an administrator waits, besides what every client has."""

    default_api_timeout_ms: float = 60_000
    """Time limit of calls that are given none."""

    CHECKS: ClassVar[Mapping[str, Callable[[str, object], Any]]] = {
        **ClientConfig.CHECKS,
        "default_api_timeout_ms": checks.milliseconds(),
    }
