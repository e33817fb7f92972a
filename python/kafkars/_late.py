"""Imports names of a package when they are first used: most programs need few of them, and would pay for all of them at
each start.

A module that one thread is importing while another one forks stays locked in the child for ever, because the importing
thread is not there to finish. So a fork waits until late imports of other threads are done, and none begins before it.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock, get_ident
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

Getattr = Callable[[str], Any]
Dir = Callable[[], list[str]]

FORK_SECONDS = 2.0
"""Longest wait in seconds of a fork for imports, and of an import for a fork. Without a limit they could wait for each
other: the forking thread may hold the lock of a module that it is importing itself."""

LOOK_SECONDS = 0.0005

_gate = allocate_lock()
"""Held during a fork, and while an import is noted."""

_forker: int | None = None
"""Id of the thread that holds the gate for its fork."""

_importing: dict[int, int] = {}
"""The number of nested late imports of each thread, by the thread's id."""


def late(
    package: str, names: Mapping[str, str], submodules: tuple[str, ...] = (), first: str | None = None
) -> tuple[Getattr, Dir]:
    """Makes the functions `__getattr__` and `__dir__` of a package.

    Args:
        package: Its `__name__`.
        names: For each late name the module that has it, as "module", or as "module:name" under another name.
        submodules: Modules of the package that are its attributes without an import of their own.
        first: A module that has the names of others, too. Once it was imported it is asked first: somebody may have
            replaced them there.
    """
    held = vars(sys.modules[package])

    def getattr_(name: str) -> Any:
        if name in submodules:
            return imported(f"{package}.{name}")
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, there = names[name].partition(":")
        if first is not None and hasattr(sys.modules.get(first), there or name):
            module = first
        found = getattr(imported(module), there or name)
        # Another thread may have put something of its own there while this one imported: that stays.
        return held.setdefault(name, found)

    def dir_() -> list[str]:
        return sorted({*held, *names, *submodules})

    return getattr_, dir_


def imported(module: str) -> Any:
    """Imports a module, entirely before or entirely after any fork."""
    thread = get_ident()
    if thread in _importing:
        _importing[thread] += 1
    else:
        has_gate = _gate.acquire(timeout=FORK_SECONDS)
        _importing[thread] = 1
        if has_gate:
            _gate.release()
    try:
        return import_module(module)
    finally:
        _importing[thread] -= 1
        if not _importing[thread]:
            del _importing[thread]


def _before_fork() -> None:
    global _forker  # noqa: PLW0603  one lock of the process
    until = time.monotonic() + FORK_SECONDS
    if _gate.acquire(timeout=FORK_SECONDS):
        _forker = get_ident()
    while set(_importing) - {get_ident()} and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)


def _after_fork_in_parent() -> None:
    global _forker  # noqa: PLW0603  one lock of the process
    if _forker == get_ident():
        _forker = None
        _gate.release()


def _after_fork_in_child() -> None:
    global _gate, _forker
    _gate, _forker = allocate_lock(), None
    for thread in set(_importing) - {get_ident()}:
        del _importing[thread]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
