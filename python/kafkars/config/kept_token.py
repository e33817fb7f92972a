"""A token that the connections of a client share while it is fresh."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping

from kafkars.config.secret import Secret

RENEWED_AFTER = 0.8
"""The part of a token's lifetime after which it is replaced; the rest is a margin for the login."""

Given = tuple[Secret, float | None, Mapping[str, str]]
"""A token, its remaining lifetime in seconds (None if unknown), and its extensions."""


class KeptToken:
    """Keeps a token for four fifths of its lifetime, or until a broker refuses it. Called by native helper threads.

    Args:
        ask: Gets another token. Several connections that are made at once share one call.
        description: The name that messages have for it.
    """

    def __init__(self, ask: Callable[[], Given], description: str) -> None:
        self.description = description
        self._ask = ask
        self._lock = threading.Lock()
        self._kept: tuple[Secret, Mapping[str, str]] | None = None
        # By both clocks: the wall clock may be adjusted, and the monotonic one may stop while the machine sleeps.
        self._ends = (0.0, 0.0)
        self._renewed = (0.0, 0.0)

    def __call__(self) -> tuple[str, float | None, dict[str, str]]:
        """Returns the token, its expiry in seconds since 1970, and its extensions."""
        with self._lock:
            kept = self._kept
            if kept is None or any(now >= renewed for now, renewed in zip(clocks(), self._renewed, strict=True)):
                kept = self._renew()
            day, steady = clocks()
            left = min(self._ends[0] - day, self._ends[1] - steady)
            return kept[0].read(), day + left if math.isfinite(left) else None, dict(kept[1])

    def refused(self) -> None:
        """Called when a broker has refused the token: the next connection gets another one."""
        with self._lock:
            self._kept = None

    def _renew(self) -> tuple[Secret, Mapping[str, str]]:
        asked = clocks()
        token, lives, extensions = self._ask()
        self._kept = (token, extensions)
        if lives is None or not math.isfinite(lives):
            # A token of unknown lifetime is not shared: each connection asks for one.
            self._renewed, self._ends = asked, later(asked, math.inf)
        else:
            self._renewed, self._ends = later(asked, lives * RENEWED_AFTER), later(asked, lives)
        return self._kept

    def __repr__(self) -> str:
        """Leaves the token out."""
        return f"<{type(self).__name__}: {self.description}>"


def clocks() -> tuple[float, float]:
    """Returns the time by the wall clock and by the monotonic clock."""
    return time.time(), time.monotonic()


def later(since: tuple[float, float], seconds: float) -> tuple[float, float]:
    """Returns the moment so many seconds after another one, by both clocks."""
    return since[0] + seconds, since[1] + seconds


class TokenEndpointError(RuntimeError):
    """The token endpoint gave no token."""
