"""A plugin of pytest for the processes of pytest-xdist: the stacks of a test that hangs are seen although its process
ends.

In such a process standard output leads nowhere, and that is where pytest-timeout writes before it ends the process.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
import pytest_timeout


def pytest_configure(config: pytest.Config) -> None:
    """Lets pytest-timeout write to standard error, which is that of the whole run; nothing is captured yet."""
    if not hasattr(config, "workerinput"):
        return
    stderr = os.fdopen(os.dup(2), "w", encoding="utf-8")
    write_and_end = pytest_timeout.timeout_timer

    def write_to_stderr_and_end(item: pytest.Item, settings: Any) -> None:
        item.config.get_terminal_writer()._file = stderr
        stderr.write(f"\ntime-out of {item.nodeid}\n")
        write_and_end(item, settings)

    pytest_timeout.timeout_timer = write_to_stderr_and_end
