"""A fork while another thread imports a part of the package: the child is not locked out of that module."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
SECONDS = 30.0

PROGRAM = """
import importlib.abc, os, signal, sys, threading
import kafkars, kafkars.aio

package, name, module = sys.argv[1:]
worker_imports, never = threading.Event(), threading.Event()

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, asked, path, target=None):
        if asked == module and threading.current_thread() is not threading.main_thread():
            worker_imports.set()
            never.wait(0.1)  # the fork comes meanwhile
        return None

def touch():
    getattr(sys.modules[package], name)

sys.meta_path.insert(0, Slow())
worker = threading.Thread(target=touch)
worker.start()
assert worker_imports.wait(10)
child = os.fork()
if child == 0:
    signal.alarm(5)
    touch()
    os._exit(0)
_, status = os.waitpid(child, 0)
worker.join()
# And once more, with nothing under way.
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
touch()
print("hung" if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
"""


@pytest.mark.parametrize(
    ("package", "name", "module"),
    [
        ("kafkars", "Consumer", "kafkars.consumer"),
        ("kafkars", "Admin", "kafkars.admin.client"),
        ("kafkars", "Transaction", "kafkars.transaction"),
        ("kafkars.aio", "Producer", "kafkars.aio.producer"),
    ],
)
def test_the_child_imports_what_another_thread_was_importing(package: str, name: str, module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PROGRAM, package, name, module],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


def test_a_fork_in_the_middle_of_an_import_of_ones_own_goes_on() -> None:
    """A module that forks while it is imported, by the thread that imports it: nothing to wait for."""
    program = """
import importlib.abc, os, sys
import kafkars

class Forks(importlib.abc.MetaPathFinder):
    def find_spec(self, asked, path, target=None):
        if asked == "kafkars.consumer":
            child = os.fork()
            if child == 0:
                os._exit(3)
            print(os.WEXITSTATUS(os.waitpid(child, 0)[1]))
        return None

sys.meta_path.insert(0, Forks())
print(kafkars.Consumer.__name__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\nConsumer\n", "")
