"""A name of a module that one thread sets while another one uses it for the first time: what was set stays."""

from __future__ import annotations

import subprocess
import sys

import pytest

SECONDS = 30.0

PROGRAM = """
import importlib, importlib.abc, sys, threading

package, name, module = sys.argv[1:]
patched_module = importlib.import_module(package)
worker_imports, is_patched = threading.Event(), threading.Event()

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, asked, path, target=None):
        if asked == module:
            worker_imports.set()
            assert is_patched.wait(10)
        return None

def use():
    seen.append(getattr(patched_module, name))

seen = []
mine = object()
sys.meta_path.insert(0, Slow())
worker = threading.Thread(target=use)
worker.start()
assert worker_imports.wait(10)
setattr(patched_module, name, mine)
is_patched.set()
worker.join()
print(getattr(patched_module, name) is mine, seen[0] is mine)
"""


@pytest.mark.parametrize(
    ("package", "name", "module"),
    [
        ("kafkars", "Consumer", "kafkars.consumer"),
        ("kafkars.aio", "Producer", "kafkars.aio.producer"),
        ("kafkars.compat.confluent_kafka", "Producer", "kafkars.compat.confluent_kafka._producer"),
    ],
)
def test_what_another_thread_sets_meanwhile_stays(package: str, name: str, module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, package, name, module],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True True\n", "")
