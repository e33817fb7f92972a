"""Looking twice: only waiting shows that nothing more comes, and a busy machine may pause for longer than that."""

from __future__ import annotations

from collections.abc import Callable

MORE = 4.0
"""How many times longer the second look waits."""


def twice(look: Callable[[float], str | None]) -> str | None:
    """The difference that `look` finds with a patience of 1, if it finds one with more patience, too."""
    return look(1.0) and look(MORE)
