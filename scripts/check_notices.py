"""Checks that THIRD-PARTY-NOTICES.txt has the notices of all crates within the native module; `--write` writes it.

Licences such as MIT and BSD ask for their text beside what is made of the code. Where a crate leaves the choice, the
Apache License is chosen, whose text the wheel has as that of this project.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from check_licenses import is_allowed

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "THIRD-PARTY-NOTICES.txt"
APACHE = {"Apache-2.0", "Apache-2.0 WITH LLVM-exception"}
TEXTS = re.compile("(licen[cs]e|copying|copyright|notice)", re.IGNORECASE)
"""How names of files with licences and notices begin."""

BUNDLED = {
    "aws-lc-sys": ["aws-lc/third_party/fiat/LICENSE"],
    "zstd-sys": ["zstd/LICENSE"],
}
"""Licences of sources in other languages that a crate brings along."""

HEAD = """\
The native module of kafkars is linked with the Rust crates below. Written by scripts/check_notices.py from the crates
that Cargo.lock names, for all platforms: `make notices`.

Used under the Apache License, version 2.0, whose text is in LICENSE:

"""


def main() -> int:
    """Returns 1 if the file is not what it should be."""
    page, missing = notices()
    for name in missing:
        print(f"{name}: no text of its licence is in the crate; name one in {Path(__file__).name}", file=sys.stderr)
    if missing:
        return 1
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        print(f"{PAGE.name} is not that of the crates in Cargo.lock: `make notices` writes it anew", file=sys.stderr)
        return 1
    return 0


def notices() -> tuple[str, list[str]]:
    """Returns the page, and the crates whose licence has to be shown and is nowhere."""
    simple: list[str] = []
    shown: dict[str, list[str]] = {}
    missing = []
    for crate in linked():
        name, expression = crate["name"], crate["license"] or ""
        needs_text = not is_allowed(expression, set(APACHE))
        texts = [text for file in files(crate) if needs_text or is_notice(file) for text in [read(file)]]
        if needs_text and not texts:
            missing.append(name)
        if not needs_text:
            simple.append(f"    {name}")
        for text in texts:
            shown.setdefault(text, []).append(f"{name} ({expression})")
    parts = [HEAD + "\n".join(sorted(set(simple))) + "\n"]
    for text, names in sorted(shown.items(), key=lambda each: each[1]):
        parts.append("=" * 80 + "\n" + "\n".join(sorted(set(names))) + "\n" + "-" * 80 + f"\n{text}\n")
    return "\n".join(parts), missing


def files(crate: dict[str, Any]) -> list[Path]:
    """Returns the files of a crate with licences and notices."""
    folder = Path(crate["manifest_path"]).parent
    found = sorted(each for each in folder.iterdir() if each.is_file() and TEXTS.match(each.name))
    return [*found, *(folder / each for each in BUNDLED.get(crate["name"], []))]


def is_notice(file: Path) -> bool:
    """True if the Apache License asks to hand the file on."""
    return file.name.lower().startswith("notice")


def read(file: Path) -> str:
    """Returns a text without differences that nobody sees."""
    return "\n".join(line.rstrip() for line in file.read_text(encoding="utf-8", errors="replace").splitlines()).strip()


def linked() -> list[dict[str, Any]]:
    """Returns the crates of others that are linked into the native module, on any platform, by name."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    known = json.loads(output)
    packages = {each["id"]: each for each in known["packages"]}
    nodes = {each["id"]: each for each in known["resolve"]["nodes"]}
    waiting = [each["id"] for each in known["packages"] if each["name"] == "kafkars-python"]
    seen: set[str] = set()
    while waiting:
        one = waiting.pop()
        # What runs while others are compiled is not linked, nor what it needs.
        if one in seen or any("proc-macro" in target["kind"] for target in packages[one]["targets"]):
            continue
        seen.add(one)
        needs = nodes[one]["deps"]
        waiting += [each["pkg"] for each in needs if any(kind["kind"] is None for kind in each["dep_kinds"])]
    others = [packages[each] for each in seen if packages[each]["source"] is not None]
    return sorted(others, key=lambda each: (each["name"], each["version"]))


if __name__ == "__main__":
    sys.exit(main())
