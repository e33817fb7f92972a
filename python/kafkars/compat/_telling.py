"""Callbacks of the faces whose arguments are made by Python code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def teller(
    made: Callable[..., tuple[Any, ...]], callback: Callable[..., object], kept: list[BaseException] | None = None
) -> Callable[..., None]:
    """Returns a function that calls a callback with what `made()` makes of its arguments.

    The handler of a signal may raise meanwhile, as that of Ctrl+C does. The callback is called all the same, since
    nobody would call it later, and the exception is raised after it. Native code that calls the function looks for
    signals just before.

    Args:
        made: Returns the arguments, and may be called again.
        callback: What is called, once, however often the function is.
        kept: Gets what the callback raises, unless it is no `Exception`; without it that is raised.
    """
    is_told = False

    def tell(*outcome: Any) -> None:
        nonlocal is_told
        if is_told:
            return
        arguments = made(*outcome)
        try:
            # In one step: Python runs no handler between the two.
            _ = (is_told := True, callback(*arguments))
        except Exception as raised:
            if kept is None or not is_told:
                raise
            kept.append(raised)

    def told(*outcome: Any) -> None:
        try:
            tell(*outcome)
        except BaseException:
            tell(*outcome)
            raise

    return told
