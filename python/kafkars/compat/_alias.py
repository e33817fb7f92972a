"""The import hook by which `import confluent_kafka.admin` finds `kafkars.compat.confluent_kafka.admin`."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    # The classes below derive from none of `importlib.abc`, whose import would load a dozen modules.
    from collections.abc import Sequence
    from importlib.abc import Loader
    from types import ModuleType


class AliasFinder:
    """Finds a library's modules in its face, and no others: half an installed library must not be mixed in.

    Args:
        library: The name programs import.
        face: The package that stands in for it.
        base: The package of another version, whose modules stand in where the face has none of its own.
    """

    def __init__(self, library: str, face: str, base: str | None = None) -> None:
        self.library = library
        self.face = face
        self.base = base

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the spec of a module of the library; None for other modules.

        Raises:
            ModuleNotFoundError: The face does not have it. The text says what to use instead.
        """
        del path, target
        if fullname != self.library and not fullname.startswith(self.library + "."):
            return None
        rest = fullname[len(self.library) :]
        for package in (self.face, self.base):
            if package is not None and is_there(package + rest):
                return ModuleSpec(fullname, cast("Loader", AliasLoader(package + rest)))
        raise ModuleNotFoundError(f"{fullname} is not offered by kafkars: {self.advice(rest[1:])}", name=fullname)

    def advice(self, module: str) -> str:
        """Returns what to use instead of a module that is not offered, from the face's `NOT_OFFERED`."""
        alternatives: dict[str, str] = getattr(sys.modules.get(self.face), "NOT_OFFERED", {})
        return alternatives.get(module, f"{self.face} has no module of that name")


def is_there(module: str) -> bool:
    """True if there is a module of that name; False also if its parent is no package."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


class AliasLoader:
    """Loads a module by returning another one, so that both names have one module object."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, _spec: ModuleSpec) -> None:
        """Returns an empty module, which `exec_module()` replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Replaces the empty module of the import by the face's."""
        if module.__spec__ is not None:
            sys.modules[module.__spec__.name] = importlib.import_module(self.name)
