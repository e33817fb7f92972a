"""Runs cases on one side: `worker LIBRARY original|face SERVERS PREFIX STATES FIRST`; a line of JSON for each.

An object is used for the next case too where the call has failed, or leaves it as it was, unless its kind says that
this spoils it; every other case has a new one.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import warnings
from contextlib import suppress
from functools import partial
from typing import Any

from tests.compat.differential.cases import Case, cases
from tests.compat.differential.library import Library, World
from tests.compat.differential.outcome import of_exception, of_value


def library_of(name: str) -> Library:
    """The tables of a library."""
    found: Library = importlib.import_module(f"tests.compat.differential.of_{name}").LIBRARY
    return found


def resolve(world: World, path: str) -> Any:
    """Something of the library by its path."""
    module, _, name = path.rpartition(".")
    owner = importlib.import_module(f"{world.module.__name__}.{module}") if module else world.module
    return getattr(owner, name)


def method(name: str, owner: Any, *arguments: Any, **keywords: Any) -> Any:
    """Calls a method, which may not be there: that is told too."""
    return getattr(owner, name)(*arguments, **keywords)


class Runner:
    """Keeps the object of the cases before."""

    def __init__(self, library: Library, world: World) -> None:
        self._library = library
        self._world = world
        self._object: Any = None
        self._of: tuple[str, str] | None = None

    def run(self, case: Case) -> dict[str, Any]:
        """What came of a case, and how long it took."""
        of = (case.kind.name, case.state) if case.kind else None
        if self._object is not None and of != self._of:
            self.dispose()
        try:
            target = self._target(case)
        except Exception as problem:  # noqa: BLE001 - told
            return {"outcome": {"state": of_exception(self._library, problem)}, "seconds": 0.0}
        arguments, keywords = self._library.run(partial(case.arguments, self._world))
        began = time.monotonic()
        failed = True
        try:
            value = self._library.run(partial(target, *arguments, **keywords))
            seconds = time.monotonic() - began
            outcome = {"value": of_value(self._library, value)}
            failed = False
        except BaseException as problem:  # noqa: BLE001 - told
            seconds = time.monotonic() - began
            outcome = of_exception(self._library, problem)
        lasting = case.kind is None or case.kind.lasting
        if not lasting or not (failed or case.call.keeps):
            self.dispose()
        return {"outcome": outcome, "seconds": round(seconds, 3)}

    def _target(self, case: Case) -> Any:
        if case.kind is None:
            return resolve(self._world, case.call.name)
        if self._object is None:
            self._object = self._library.run(partial(case.kind.states[case.state], self._world))
            self._of = (case.kind.name, case.state)
            self._dispose = case.kind.dispose
        invoke = case.call.invoke or partial(method, case.call.name)
        return partial(invoke, self._object)

    def dispose(self) -> None:
        """Ends the object."""
        owner, self._object = self._object, None
        if owner is not None:
            with suppress(Exception):
                self._library.run(partial(self._dispose, owner))


def main() -> None:
    name, side, servers, prefix, states, first = sys.argv[1:]
    # Callbacks and libraries may print.
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout = sys.stderr
    library = library_of(name)
    warnings.simplefilter("ignore")
    if side == "original" and library.folder is not None:
        sys.path.insert(0, library.folder)
    world = World(importlib.import_module(library.name if side == "original" else library.face), servers, prefix)
    # Names differ between processes that follow each other, where one died.
    world.count = 10_000 * int(first)
    listed = cases(library, frozenset(states.split(",")) if states else None)
    runner = Runner(library, world)
    for number, case in enumerate(listed):
        if number < int(first):
            continue
        print(json.dumps({"began": number}), file=told, flush=True)
        found = runner.run(case)
        text = json.dumps({"number": number, "case": case.name, **found}).replace(prefix, "")
        print(text, file=told, flush=True)
    runner.dispose()


if __name__ == "__main__":
    main()
