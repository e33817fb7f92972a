"""Every Python example in README and docs runs, on the embedded broker."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path

import pytest

from tests.brokers import Broker

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def snippets() -> list[object]:
    found = []
    for page in PAGES:
        text = page.read_text()
        for block in BLOCK.finditer(text):
            line = text.count("\n", 0, block.start()) + 2
            name = f"{page.relative_to(ROOT)}:{line}"
            found.append(pytest.param(page, line, block.group(1), id=name))
    return found


@pytest.mark.parametrize(("page", "line", "code"), snippets())
def test_example_runs(
    page: Path, line: int, code: str, embedded_broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = code.replace("localhost:9092", embedded_broker.bootstrap_servers)
    # Dataclasses look their module up.
    module = types.ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)
    # Empty lines in front, so that a traceback names the line of the page.
    exec(compile("\n" * (line - 1) + here, str(page), "exec"), vars(module))  # noqa: S102
