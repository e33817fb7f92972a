"""A packed environment: a Python with this package and pyarrow, as an archive that Spark unpacks beside each executor.

`venv-pack` and `conda-pack` make such an archive of the environment in which they run. This makes a small one, with
nothing that the executors do not need.
"""

from __future__ import annotations

import importlib.util
import shutil
import tarfile
import venv
from pathlib import Path

NAME = "environment"
"""The folder that Spark makes of the archive, and the one that it is made of."""
PYTHON = f"{NAME}/bin/python"
PACKAGES = ("kafkars", "pyarrow")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "include", "tests", "*.pyi")


def pack(folder: Path) -> Path:
    """Makes the environment in a folder, and the archive beside it.

    The programs of the executors' machines, as the Python that the environment is based on, must be where they are
    here; an archive of conda-pack brings its own.
    """
    place = folder / NAME
    venv.create(place, symlinks=True)
    packages = next(place.glob("lib/python*/site-packages"))
    for name in PACKAGES:
        found = importlib.util.find_spec(name)
        if found is None or found.origin is None:
            raise ImportError(f"{name} is not installed here")
        shutil.copytree(Path(found.origin).parent, packages / name, ignore=LEFT_OUT)
    archive = folder / f"{NAME}.tar.gz"
    with tarfile.open(archive, "w:gz", compresslevel=1) as packed:
        packed.add(place, ".")
    return archive
