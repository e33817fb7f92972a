"""Checks that the name of a type has one meaning in all crates and the Python package.

`scripts/names.txt` lists the names that several types share, in sections that say why. Generated messages and tests are
left out, and so are the faces in `kafkars.compat`, whose names are those of other libraries; but within one face a name
is used once, too.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = Path(__file__).with_name("names.txt")
FACES = ROOT / "python" / "kafkars" / "compat"

TYPE = re.compile(r"^(?:pub(?:\([^)]*\))? )?(?:unsafe )?(?:struct|enum|trait|type|union) (\w+)", re.MULTILINE)
UNIT_TESTS = re.compile(r"^#\[cfg\(test\)\]\s*\nmod \w+ \{", re.MULTILINE)
BARE = {
    "Answer", "Call", "Desk", "Entry", "Found", "Heard", "Inner", "Judgement", "Made", "News", "Place", "Seat", "Shared",
    "State", "Ticket", "Told", "Verdict", "Wish",
}  # fmt: skip
"""Names that say nothing without a word before them."""


def main() -> int:
    allowed = set(re.findall(r"^\w+", ALLOWED.read_text(), re.MULTILINE))
    problems = []
    ours = defined(ROOT / "rust", ROOT / "python" / "kafkars")
    for name, places in sorted(ours.items()):
        if len(places) > 1 and name not in allowed:
            problems.append(f"{name}: means something in each of {', '.join(places)}")
        if name in BARE and name not in allowed:
            problems.append(f"{name}: says nothing on its own: {', '.join(places)}")
    shared = {name for name, places in ours.items() if len(places) > 1 or name in BARE}
    for face in sorted(path for path in FACES.iterdir() if path.is_dir()):
        for name, places in sorted(classes(face).items()):
            if len(places) > 1:
                shared.add(name)
                if name not in allowed:
                    problems.append(f"{name}: means something in each of {', '.join(places)}")
    problems += [f"{name}: is used once; take it out of {ALLOWED.name}" for name in sorted(allowed - shared)]
    for problem in problems:
        print(f"names: {problem}", file=sys.stderr)
    return int(bool(problems))


def defined(rust: Path, package: Path) -> dict[str, list[str]]:
    """Where each name is defined, in crates and in the package without its faces."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(rust.glob("*/src/**/*.rs")):
        if "messages" in path.parts or "tests" in path.parts or path.name == "tests.rs":
            continue
        text = UNIT_TESTS.split(path.read_text())[0]
        for name in TYPE.findall(text):
            found[name].append(str(path.relative_to(ROOT)))
    for name, places in classes(package, without=FACES).items():
        found[name] += places
    return found


def classes(package: Path, without: Path | None = None) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        if without is not None and without in path.parents:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(ROOT)))
    return found


if __name__ == "__main__":
    sys.exit(main())
