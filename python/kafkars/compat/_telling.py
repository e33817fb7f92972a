"""Callbacks of the faces whose arguments are made by Python code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def tell(made: Callable[[], tuple[Any, ...]], callback: Callable[..., object]) -> None:
    """Calls a callback with what `made()` returns.

    The handler of a signal may raise meanwhile, as that of Ctrl+C does. The callback is called all the same, since
    nobody would call it later, and the exception is raised after it.

    Args:
        made: Returns the arguments, and may be called again.
        callback: What is called, once.
    """
    arguments: tuple[Any, ...] | None = None
    try:
        arguments = made()
    except BaseException:
        callback(*(made() if arguments is None else arguments))
        raise
    callback(*arguments)
