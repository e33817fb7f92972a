"""Checks that each folder of tests/ says in one sentence what belongs there: the docstring of its __init__.py."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    problems = [problem for folder in sorted(folders) if (problem := judge(folder)) is not None]
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


def judge(folder: Path) -> str | None:
    name = folder.relative_to(ROOT)
    init = folder / "__init__.py"
    said = ast.get_docstring(ast.parse(init.read_text())) if init.exists() else None
    if not said:
        return f"{name}/__init__.py must say in one sentence what belongs into this folder"
    first = said.split("\n\n")[0]
    return None if first.endswith(".") else f"{init.relative_to(ROOT)}: the first paragraph is no sentence: {first!r}"


if __name__ == "__main__":
    sys.exit(main())
