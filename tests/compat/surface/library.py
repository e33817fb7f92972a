"""A library under its original name or as a face, and how a row's name is found in it."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

FACES = "kafkars.compat"
# Tables of kafka-python, by its major version: what is imported, and the packages of the face, the first that has a
# module.
PACKAGES = {"kafka_python": "kafka", "kafka_python_2": "kafka"}
FACE_PACKAGES = {"kafka_python": ("kafka_3", "kafka"), "kafka_python_2": ("kafka",)}


class MissingDependencyError(Exception):
    """A module of an original library needs a package that is not installed here."""


@dataclass(frozen=True)
class Library:
    """Where the names of a table are looked for."""

    name: str
    is_face: bool

    @property
    def package(self) -> str:
        """The name under which programs import it."""
        return PACKAGES.get(self.name, self.name)

    @property
    def roots(self) -> list[str]:
        if self.is_face:
            return [f"{FACES}.{package}" for package in FACE_PACKAGES.get(self.name, (self.name,))]
        return [self.package]

    def module(self, path: str) -> Any:
        """A module by its path below the library."""
        *others, last = (f"{root}.{path}" if path else root for root in self.roots)
        for name in others:
            try:
                return importlib.import_module(name)
            except ModuleNotFoundError:  # noqa: PERF203 - there are two at most
                continue
        return importlib.import_module(last)

    def find(self, name: str) -> Any:
        """What a dotted name stands for, as a program would get at it.

        Raises:
            AttributeError, ImportError, NotImplementedError: It is not there.
            MissingDependencyError: It cannot be looked at here.
        """
        found = self.module("")
        path = ""
        for part in name.split("."):
            below = f"{path}.{part}".lstrip(".")
            try:
                found = getattr(found, part)
            except AttributeError as error:
                # Modules are attributes of their package only once somebody has imported them.
                if not _is_module(found):
                    raise
                found = self._import(below, name, error)
            path = below
        return found

    def _import(self, path: str, wanted: str, missing: AttributeError) -> Any:
        try:
            return self.module(path)
        except ModuleNotFoundError as error:
            if error.name is not None and not error.name.startswith((self.package, FACES)):
                raise MissingDependencyError(f"{wanted}: {error}") from error
            # The package says more of what it does not have than the import.
            raise missing from error


def _is_module(found: Any) -> bool:
    return hasattr(found, "__path__") or hasattr(found, "__spec__")
