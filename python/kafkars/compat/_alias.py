"""The import hook by which `import confluent_kafka.admin` finds `kafkars.compat.confluent_kafka.admin`."""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec, PathFinder, all_suffixes
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    # The classes below derive from none of `importlib.abc`, whose import would load a dozen modules.
    from collections.abc import Iterable, Iterator, Sequence
    from importlib.abc import Loader


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
        self.was_asked = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the spec of a module of the library; None for other modules, and for names that nobody knows, so that
        programs may ask whether a module is there.

        Raises:
            ModuleNotFoundError: The library has it and the face has not. The text says what to use instead.
        """
        if fullname != self.library and not fullname.startswith(self.library + "."):
            return None
        self.was_asked = True
        rest = fullname[len(self.library) :]
        for package in (self.face, self.base):
            if package is not None and is_there(package + rest):
                return ModuleSpec(fullname, cast("Loader", AliasLoader(package + rest)))
        advice = self.advice(rest[1:])
        if advice is None:
            if not self.is_in_library(fullname, path, target):
                return None
            advice = f"{self.face} has no module of that name"
        raise ModuleNotFoundError(f"{fullname} is not offered by kafkars: {advice}", name=fullname)

    def is_in_library(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None) -> bool:
        """True if the library itself has a module, or another finder knows one of that name."""
        installed = PathFinder.find_spec(self.library)
        if installed is not None and installed.submodule_search_locations is not None:
            parents = fullname.split(".")[1:-1]
            folders = [os.path.join(each, *parents) for each in installed.submodule_search_locations]  # noqa: PTH118  pathlib is slow to import
            if PathFinder.find_spec(fullname, folders) is not None:
                return True
        behind = sys.meta_path[sys.meta_path.index(self) + 1 :] if self in sys.meta_path else []
        return any(other.find_spec(fullname, path, target) for other in behind if hasattr(other, "find_spec"))

    def advice(self, module: str) -> str | None:
        """Returns what to use instead of a module that is not offered, from the face's `NOT_OFFERED`."""
        alternatives: dict[str, str] = getattr(sys.modules.get(self.face), "NOT_OFFERED", {})
        return alternatives.get(module)


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

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Returns a stand-in, which `exec_module()` replaces."""
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Replaces the stand-in of the import by the face's module."""
        if module.__spec__ is not None:
            sys.modules[module.__spec__.name] = module.__dict__["face"] = importlib.import_module(self.name)


class StandIn(ModuleType):
    """A module while it is imported by the library's name. Whoever waits for that import, as tracing does, is given
    this, and finds and patches in it what is the face's.
    """

    def __getattr__(self, name: str) -> Any:
        if "face" not in self.__dict__:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self.__dict__["face"], name)

    def __setattr__(self, name: str, value: object) -> None:
        if "face" in self.__dict__:
            setattr(self.__dict__["face"], name, value)
        else:
            # What the import itself notes of a module is the stand-in's.
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.__dict__["face"], name)

    def __dir__(self) -> list[str]:
        return dir(self.__dict__["face"])


def put_in(finder: AliasFinder) -> None:
    """Puts a finder before those that would find the library itself, and behind those that watch imports."""
    places = (at for at, other in enumerate(sys.meta_path) if other is PathFinder)
    sys.meta_path.insert(next(places, 0), finder)
    # One in front that looks through the path by itself, as typeguard's does, asks nobody behind it.
    if watchers(finder) and find_spec(finder.library) is not None and not finder.was_asked:
        sys.meta_path.remove(finder)
        sys.meta_path.insert(0, finder)


def import_watched(finder: AliasFinder) -> None:
    """Imports the modules that somebody watches for. The library has them all with its first import; the face imports
    most of them when they are used, and then by its own name.
    """
    asked = [watcher.find_spec for watcher in watchers(finder) if hasattr(watcher, "find_spec")]
    if not asked:
        return
    for module in modules_below(sys.modules[finder.face].__path__):
        name = finder.library + module
        # One that raises keeps the module from the program, which may never ask for it.
        with suppress(ImportError):
            if any(watches(name, None) is not None for watches in asked):
                importlib.import_module(name)


def watchers(finder: AliasFinder) -> list[Any]:
    """The finders in front that are not the interpreter's own."""
    in_front = sys.meta_path[: sys.meta_path.index(finder)]
    return [other for other in in_front if not is_of_interpreter(other)]


def is_of_interpreter(finder: object) -> bool:
    """True for the finders of built-in and frozen modules."""
    return finder is BuiltinImporter or finder is FrozenImporter


def modules_below(path: Iterable[str]) -> Iterator[str]:
    """The public modules below a package, each with a dot in front, in order. Imports none of them."""
    for folder in path:
        for name, is_package in modules_in(folder):
            if name.startswith("_"):
                continue
            yield f".{name}"
            if is_package:
                inner = modules_below([os.path.join(folder, name)])  # noqa: PTH118  pathlib is slow to import
                yield from (f".{name}{below}" for below in inner)


def modules_in(folder: str) -> Iterator[tuple[str, bool]]:
    """The modules in a package's folder, and whether each is a package."""
    if not os.path.isdir(folder):  # noqa: PTH112  pathlib is slow to import
        # A program that is one file: tools that make those teach this module where its packages are. It is slow to
        # import, and setuptools alone has imports watched.
        from pkgutil import iter_modules  # noqa: PLC0415  only for those

        yield from ((module.name, module.ispkg) for module in iter_modules([folder]))
        return
    suffixes = all_suffixes()
    of_packages = {f"__init__{suffix}" for suffix in suffixes}
    for entry in names_in(folder):
        name, dot, rest = entry.partition(".")
        if dot + rest in suffixes:
            yield name, False
        elif not dot and not of_packages.isdisjoint(names_in(os.path.join(folder, name))):  # noqa: PTH118  pathlib is slow to import
            yield name, True


def names_in(folder: str) -> list[str]:
    """What a folder has, in order; nothing where it is none, or may not be read."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  pathlib is slow to import
    except OSError:
        return []
