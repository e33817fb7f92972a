"""Runs an application unchanged on a face, or on the original: `runner.py LIBRARY face|original APPLICATION
ARGUMENTS...`.

At the end it fails when anything of the original was imported beside the face.
"""

from __future__ import annotations

import faulthandler
import runpy
import sys
from pathlib import Path

SECONDS = 60


def main() -> None:
    # A hang ends with what every thread is at.
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    library, side, application, *arguments = sys.argv[1:]
    if side == "face":
        import kafkars.compat

        kafkars.compat.install(library)
    sys.argv = [application, *arguments]
    try:
        runpy.run_path(application, run_name="__main__")
    except SystemExit as exit_:
        if exit_.code:
            raise
    finally:
        if side == "face":
            assert_only_the_face(library)


def assert_only_the_face(library: str) -> None:
    faces = (Path(sys.modules["kafkars.compat"].__file__).parent / library).resolve()
    mine = [(name, module) for name, module in sys.modules.items() if name.partition(".")[0] == library]
    assert mine, f"nothing of {library} was imported"
    for name, module in mine:
        file = getattr(module, "__file__", None)
        assert file is None or Path(file).resolve().is_relative_to(faces), f"{name} is the original: {file}"


main()
