"""Checks the licences of all crates in Cargo.lock against those that deny.toml allows, with cargo metadata alone.

cargo-deny does this too, where it is installed; `make lint` is to notice a licence also where it is not.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WORDS = re.compile(r"[()/]|[^\s()/]+")


def main() -> int:
    """Says which crates have a licence that is not allowed; their number is the exit code."""
    allowed, exceptions = rules((ROOT / "deny.toml").read_text(encoding="utf-8"))
    wrong = []
    packages = crates()
    for package in packages:
        name, text = package["name"], package["license"]
        if text is None or not is_allowed(text, allowed | exceptions.get(name, set())):
            wrong.append(
                f"{name} {package['version']}: the licence {text or 'is not told'} is not among those of deny.toml"
            )
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        print(f"licences: those of {len(packages)} crates are allowed")
    return min(len(wrong), 99)


def crates() -> list[dict[str, Any]]:
    """All that Cargo.lock names, of whatever platform."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    packages: list[dict[str, Any]] = json.loads(output)["packages"]
    return packages


def rules(deny: str) -> tuple[set[str], dict[str, set[str]]]:
    """The licences that deny.toml allows, and those that it allows to single crates besides. Python 3.10 reads no
    TOML.
    """
    section = deny.partition("[licenses]")[2].partition("\n[")[0]
    general, _, single = section.partition("exceptions")
    found = re.search(r"^allow = \[(.*?)\]", general, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError("deny.toml: [licenses] has no allow = [...]")
    exceptions = {
        crate: set(re.findall(r'"([^"]+)"', allowed))
        for crate, allowed in re.findall(r'crate = "([^"]+)", allow = \[(.*?)\]', single)
    }
    return set(re.findall(r'"([^"]+)"', found[1])), exceptions


def is_allowed(expression: str, allowed: set[str]) -> bool:
    """True if a choice that an SPDX expression leaves is allowed; some crates write a slash for OR."""
    words = WORDS.findall(expression)
    result = either(words, allowed)
    if words:
        raise ValueError(f"{expression!r} is no SPDX expression")
    return result


def either(words: list[str], allowed: set[str]) -> bool:
    """OR binds least."""
    result = both(words, allowed)
    while words and words[0] in {"OR", "/"}:
        words.pop(0)
        other = both(words, allowed)
        result = result or other
    return result


def both(words: list[str], allowed: set[str]) -> bool:
    """AND binds more."""
    result = one(words, allowed)
    while words and words[0] == "AND":
        words.pop(0)
        other = one(words, allowed)
        result = result and other
    return result


def one(words: list[str], allowed: set[str]) -> bool:
    """A licence, with its exception, or what stands in parentheses."""
    word = words.pop(0)
    if word == "(":
        result = either(words, allowed)
        words.pop(0)
        return result
    if words and words[0] == "WITH":
        words.pop(0)
        word = f"{word} WITH {words.pop(0)}"
    return word in allowed


if __name__ == "__main__":
    sys.exit(main())
