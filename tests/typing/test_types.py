"""What users' type checkers see: accepted.py passes mypy --strict, refused.py fails where and how it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

mypy = pytest.importorskip("mypy.api")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy")


def errors(file: str, cache: Path) -> list[tuple[int, str]]:
    """Line and error code of everything mypy says."""
    options = ["--strict", "--python-version", "3.10", "--cache-dir", str(cache), "--config-file="]
    output, problem, _ = mypy.run([*options, "--no-error-summary", str(HERE / file)])
    assert not problem, problem
    found = re.findall(r":(\d+): error: .*\[([a-z-]+)\]$", output, re.MULTILINE)
    return sorted({(int(line), code) for line, code in found})


@pytest.mark.timeout(120)
def test_what_must_be_accepted(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYPYPATH", str(ROOT / "python"))
    assert errors("accepted.py", cache) == []


@pytest.mark.timeout(120)
def test_what_must_be_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYPYPATH", str(ROOT / "python"))
    lines = (HERE / "refused.py").read_text().splitlines()
    marked = [(number, line.partition("# E: ")[2]) for number, line in enumerate(lines, start=1) if "# E: " in line]
    assert errors("refused.py", cache) == marked
