"""A token that connections share while it is fresh, whoever gives it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping

from kafkars.config.secret import Secret

RENEWED_AFTER = 0.8
"""The part of a token's time after which another one is got; the rest is for the way to the broker."""

Given = tuple[Secret, float | None, Mapping[str, str]]
"""A token, the seconds that it lives from now on (None: nobody knows), and its extensions."""


class KeptToken:
    """Keeps a token for four fifths of its time, or until a broker refuses it. Called by the engine's helper threads.

    Args:
        ask: Gets another token. Several connections that are made at once share one call.
        description: How messages name it.
    """

    def __init__(self, ask: Callable[[], Given], description: str) -> None:
        self.description = description
        self._ask = ask
        self._lock = threading.Lock()
        self._kept: tuple[Secret, Mapping[str, str]] | None = None
        # By both clocks: the one of the day may be put right, the other one stands still while the machine sleeps.
        self._ends = (0.0, 0.0)
        self._renewed = (0.0, 0.0)

    def __call__(self) -> tuple[str, float | None, dict[str, str]]:
        """The token, its end in seconds since 1970, and its extensions."""
        with self._lock:
            kept = self._kept
            if kept is None or any(now >= renewed for now, renewed in zip(clocks(), self._renewed, strict=True)):
                kept = self._renew()
            day, steady = clocks()
            left = min(self._ends[0] - day, self._ends[1] - steady)
            return kept[0].read(), day + left if math.isfinite(left) else None, dict(kept[1])

    def refused(self) -> None:
        """A broker does not take the token, so the next connection gets another one."""
        with self._lock:
            self._kept = None

    def _renew(self) -> tuple[Secret, Mapping[str, str]]:
        asked = clocks()
        token, lives, extensions = self._ask()
        self._kept = (token, extensions)
        if lives is None or not math.isfinite(lives):
            # A token of unknown length is asked for each time.
            self._renewed, self._ends = asked, later(asked, math.inf)
        else:
            self._renewed, self._ends = later(asked, lives * RENEWED_AFTER), later(asked, lives)
        return self._kept

    def __repr__(self) -> str:
        """Leaves the token out."""
        return f"<{type(self).__name__}: {self.description}>"


def clocks() -> tuple[float, float]:
    """Now, by the clock of the day and by the one that only goes forward."""
    return time.time(), time.monotonic()


def later(since: tuple[float, float], seconds: float) -> tuple[float, float]:
    """So long after a moment."""
    return since[0] + seconds, since[1] + seconds


class TokenEndpointError(RuntimeError):
    """The endpoint gave no token."""
