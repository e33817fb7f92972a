"""Every Python example in README and docs runs, on the embedded broker."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path

import pytest

from tests.brokers import Broker

ROOT = Path(__file__).resolve().parents[2]
# Every page that a user reads; CHANGELOG.md has no programs.
PAGES = [
    *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^[ >]*(?:`{3,}|~{3,})[ {.]*(\S*)", re.MULTILINE)
# Programs of Spark are "py": tests/spark/test_guide.py runs them.
OTHER_LANGUAGES = {"", "toml", "sql", "sh", "json", "ini", "yaml", "text", "console"}


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_program_is_left_out(page: Path) -> None:
    text = page.read_text()
    languages = FENCE.findall(text)
    assert languages.count("python") == len(BLOCK.findall(text)), "a fence that is indented or never ends is not run"
    # "py", "python3", "pycon" and the like would not be run either.
    of_spark = {"py"} if page.name == "spark.md" else set[str]()
    assert not set(languages) - OTHER_LANGUAGES - {"python"} - of_spark
    assert len(languages) % 2 == 0, "a fence never ends"
