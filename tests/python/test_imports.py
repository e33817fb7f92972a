"""The package needs nothing but itself: each of its modules is imported where no other package can be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import kafkars

from tests.wheel.smoke import NEED_MORE

PROGRAM = """
import importlib, pkgutil, sys
import kafkars
failed = []
for module in pkgutil.walk_packages(kafkars.__path__, "kafkars."):
    if module.name.endswith("__main__") or module.name in sys.argv[1:]:
        continue
    try:
        importlib.import_module(module.name)
    except ImportError as error:
        failed.append(f"{module.name}: {error}")
print("\\n".join(failed))
"""


def test_every_module_imports_without_any_other_package() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(kafkars.__file__).parents[1])}
    # -S leaves out site-packages, and with it typing_extensions, which only type checkers may need.
    command = [sys.executable, "-S", "-c", PROGRAM, *sorted(NEED_MORE)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == ""
