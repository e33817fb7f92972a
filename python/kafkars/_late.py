"""Names of a package that are imported when they are first asked for: most programs need few of them, and would pay
for all at each start.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

Getattr = Callable[[str], Any]
Dir = Callable[[], list[str]]


def late(package: str, names: Mapping[str, str], submodules: tuple[str, ...] = ()) -> tuple[Getattr, Dir]:
    """The functions `__getattr__` and `__dir__` of a package.

    Args:
        package: Its `__name__`.
        names: For each late name the module that has it, as "module", or as "module:name" under another name.
        submodules: Modules of the package that are its attributes without an import of their own.
    """
    held = vars(sys.modules[package])

    def getattr_(name: str) -> Any:
        if name in submodules:
            return import_module(f"{package}.{name}")
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, there = names[name].partition(":")
        found = getattr(import_module(module), there or name)
        held[name] = found
        return found

    def dir_() -> list[str]:
        return sorted({*held, *names, *submodules})

    return getattr_, dir_
