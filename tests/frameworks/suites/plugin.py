"""What pytest loads beside a framework's tests: the face where it is wanted, and what came of each test.

It runs where neither this repository's tests nor its tools are, so it uses nothing of them.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

LIBRARY = os.environ["SUITE_LIBRARY"]
IS_FACE = os.environ["SUITE_SIDE"] == "face"

if IS_FACE:
    from kafkars.compat import install

    install(LIBRARY)

OUTCOMES: dict[str, str] = {}
TEXTS: dict[str, str] = {}


def pytest_configure(config: Any) -> None:
    """Frameworks mark tests for tools of theirs, which are not here."""
    for marker in ("env", "flaky"):
        config.addinivalue_line("markers", f"{marker}(*arguments): of the framework")


def pytest_runtest_logreport(report: Any) -> None:
    """A test has passed if its set-up, call and end have."""
    before = OUTCOMES.get(report.nodeid, "passed")
    if report.failed:
        TEXTS[report.nodeid] = report.longreprtext
    if (before == "passed" and report.when != "teardown") or report.failed:
        OUTCOMES[report.nodeid] = report.outcome


def pytest_collectreport(report: Any) -> None:
    """A file that cannot be imported fails as one test."""
    if report.failed:
        OUTCOMES[report.nodeid] = "failed"
        TEXTS[report.nodeid] = report.longreprtext


def pytest_sessionfinish() -> None:
    """Leaves what came of it; of the original nothing may have been imported beside the face."""
    if IS_FACE:
        faces = Path(sys.modules["kafkars.compat"].__file__ or "").parent.resolve()
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if name.partition(".")[0] == LIBRARY and file and not Path(file).resolve().is_relative_to(faces):
                OUTCOMES[f"{name} is the original"] = "failed"
    told = {"outcomes": OUTCOMES, "texts": TEXTS}
    Path(os.environ["SUITE_TOLD"]).write_text(json.dumps(told), encoding="utf-8")
