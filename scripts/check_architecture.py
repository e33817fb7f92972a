"""Checks that what ARCHITECTURE.md names is there: files, folders, and functions and types of Rust.

A path may leave out what its section makes plain (`sender/task.rs`): some file's or folder's path must end with it.
`Type::function` must be a function (or field, variant, constant) of that name in a file that has the type. Folders of
Rust modules have a `mod.rs`, and no file of the folder's name beside them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "ARCHITECTURE.md"

CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w./{},-]*(?:/|\.(?:rs|py|md|toml|txt))")
MEMBER = re.compile(r"([A-Z]\w+)::(\w+)")
TYPE = re.compile(r"\b(?:struct|enum|trait|type|class)\s+(\w+)")


def main() -> int:
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    files = [name for name in names if (ROOT / name).exists()]
    folders = {f"{parent}/" for name in files for parent in Path(name).parents if parent != Path()}
    sources = {name: (ROOT / name).read_text() for name in files if name.endswith((".rs", ".py", ".pyi"))}
    problems = []
    for line, text in enumerate(PAGE.read_text().splitlines(), 1):
        for code in CODE.findall(text):
            problems += [f"{PAGE.name}:{line}: {missing}" for missing in judged(code, files, folders, sources)]
    problems += [
        f"{name}: stands beside a folder of its name; modules with files of their own are folders with a mod.rs"
        for name in files
        if name.startswith("rust/") and name.removesuffix(".rs") + "/" in folders
    ]
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


def judged(code: str, files: list[str], folders: set[str], sources: dict[str, str]) -> list[str]:
    """What a piece of code names and is not there."""
    if PATH.fullmatch(code) and not re.search(r"[A-Z]{3}", code.removesuffix(".md")):
        paths = spelled_out(code)
        return [f"there is no {path}" for path in paths if not is_path(path, files, folders)]
    member = MEMBER.fullmatch(code)
    if member is None:
        return []
    kind, name = member.groups()
    homes = [
        text
        for text in sources.values()
        if re.search(rf"\b(?:struct|enum|trait|type|impl|class)\b[^\n]*\b{kind}\b", text)
    ]
    if any(re.search(rf"\b{name}\b", text) for text in homes):
        return []
    return [f"{kind} has no {name}" if homes else f"there is no {kind}"]


def spelled_out(path: str) -> list[str]:
    """`a/{b,c}.rs` as `a/b.rs` and `a/c.rs`."""
    found = re.search(r"\{([^}]*)\}", path)
    if found is None:
        return [path]
    return [
        each for one in found[1].split(",") for each in spelled_out(path[: found.start()] + one + path[found.end() :])
    ]


def is_path(path: str, files: list[str], folders: set[str]) -> bool:
    return any(f"/{name}".endswith(f"/{path}") for name in (folders if path.endswith("/") else files))


if __name__ == "__main__":
    sys.exit(main())
