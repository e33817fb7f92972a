"""The package needs nothing but itself: each of its modules is imported where no other package can be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import kafkars

# The fixtures are a plugin of pytest; `_typing` is for type checkers, and nothing imports it at run time.
NEEDS_MORE = {"kafkars.testing.pytest_plugin", "kafkars._typing"}
NEEDS_SPARK = {
    f"kafkars.spark.{name}" for name in ("columns", "ddl", "decoding", "reading", "schema", "sink", "source", "stream")
}
NEEDS_EXTRAS = {"kafkars.prometheus", "kafkars.opentelemetry"}
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
    command = [sys.executable, "-S", "-c", PROGRAM, *sorted(NEEDS_MORE | NEEDS_SPARK | NEEDS_EXTRAS)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == ""
