"""What users' type checkers see: accepted.py passes mypy --strict and pyright's strict mode, refused.py fails where it
says.

So do the examples: who starts from one of them starts from a program that his checker takes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

EXAMPLES = ["consume_transform_produce.py", "observability.py", "transactions.py", "service/app.py", "testing/shop.py"]

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


@pytest.mark.timeout(120)
@pytest.mark.parametrize("example", EXAMPLES)
def test_mypy_takes_the_examples(example: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYPYPATH", str(ROOT / "python"))
    assert errors(str(ROOT / "examples" / example), cache) == []


@pytest.mark.timeout(300)
def test_pyright_says_the_same(tmp_path: Path) -> None:
    files = [str(HERE / "accepted.py"), str(HERE / "refused.py"), str(ROOT / "examples" / "testing" / "shop.py")]
    settings = {
        "include": files,
        "extraPaths": [str(ROOT / "python")],
        "pythonVersion": "3.10",
        "typeCheckingMode": "strict",
    }
    config = tmp_path / "pyrightconfig.json"
    config.write_text(json.dumps(settings))
    pyright = Path(sys.executable).with_name("basedpyright")
    command = [str(pyright), "--outputjson", "--project", str(config), "--pythonpath", sys.executable]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    said: list[dict[str, Any]] = json.loads(ran.stdout)["generalDiagnostics"]
    found = {(Path(each["file"]).name, each["range"]["start"]["line"] + 1): each["message"] for each in said}
    lines = (HERE / "refused.py").read_text().splitlines()
    marked = {("refused.py", number) for number, line in enumerate(lines, start=1) if "# E: " in line}
    assert set(found) == marked, found
