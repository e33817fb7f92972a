"""Runs programs of one library, on the original or on the face: `runner LIBRARY original|face SERVERS PROGRAM...`.

Writes a line of JSON for everything that a program tells, and one at its end.
"""

from __future__ import annotations

import asyncio
import faulthandler
import importlib
import inspect
import pkgutil
import sys
import traceback
from collections.abc import Callable
from typing import Any

from tests.compat.programs.case import Case

SECONDS = 40.0


def programs(library: str) -> dict[str, Callable[[Case], Any]]:
    """The programs of a library, by name."""
    package = importlib.import_module(f"tests.compat.programs.of_{library}")
    found = {}
    for module in pkgutil.iter_modules(package.__path__):
        listed = importlib.import_module(f"{package.__name__}.{module.name}").PROGRAMS
        found |= {program.__name__: program for program in listed}
    return found


def main() -> None:
    library, side, servers, *names = sys.argv[1:]
    if side == "face":
        import kafkars.compat

        kafkars.compat.install(library)
    known = programs(library)
    for name in names:
        case = Case(name, servers, side)
        case.write("began", True)
        faulthandler.dump_traceback_later(SECONDS + 5, exit=True)
        try:
            result = known[name](case)
            if inspect.isawaitable(result):
                asyncio.run(asyncio.wait_for(result, SECONDS))
        except BaseException:  # noqa: BLE001 - told, and the next program runs
            case.write("failed", traceback.format_exc())
        faulthandler.cancel_dump_traceback_later()
        case.write("ended", True)
    if side == "face":
        strangers = [name for name in sys.modules if name.partition(".")[0] == library]
        faces = f"kafkars.compat.{library}"
        assert all(sys.modules[name].__name__.startswith(faces) for name in strangers), strangers


if __name__ == "__main__":
    main()
