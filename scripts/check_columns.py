"""Lines end at 120 columns, in Rust, Python and Markdown. `--write` wraps comments, docstrings and paragraphs that do
not.

A line that is one long word (an address), a row of a table, generated text and a literal that cannot be broken may be
longer.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 120
LEFT_ALONE = (
    "rust/kafkars-protocol/src/messages/",
    "rust/kafkars-broker/src/releases/table.rs",
    "docs/reference/",
    "docs/migrating/",
    "CHANGELOG.md",
)
"""Written by programs, tables, and the list of changes with one entry a line."""
DOCSTRINGS = "python/kafkars/"
"""Where a line that begins with three quotes begins a docstring; in tests it may be a program."""

ENTRY = re.compile(r"\*{0,2}[\w.]+(?:, (?:[\w.]+|\.\.\.))*: ")
"""An entry of a section of a docstring: an argument, an exception."""

COMMENT = {
    ".rs": re.compile(r"^(\s*(?:///|//!|//)\s?)(.*)$"),
    ".py": re.compile(r"^(\s*#\s)(.*)$"),
    ".pyi": re.compile(r"^(\s*#\s)(.*)$"),
    ".md": re.compile(r"^(\s*)(.*)$"),
}
QUOTES = '"""'
OWN_LINE = re.compile(r'^(?:[-*+|#>]|\d+\.|```|\s*$|:::|!!!|<|""")')
"""What begins a paragraph, an item, a table or a block, and so never continues the line before."""


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if Path(name).suffix in COMMENT and not name.startswith(LEFT_ALONE)]
    wrong = [place for name in names for place in too_long(name, write="--write" in sys.argv)]
    for place in wrong:
        print(
            f"{place}: longer than {COLUMNS} columns; `make format` wraps comments, the rest is for you",
            file=sys.stderr,
        )
    return int(bool(wrong))


def too_long(name: str, *, write: bool) -> list[str]:
    path = ROOT / name
    if not path.exists():
        return []
    text = path.read_text()
    if write:
        wrapped = wrap(text, COMMENT[path.suffix], docstrings=name.startswith(DOCSTRINGS))
        if wrapped != text:
            path.write_text(wrapped)
            text = wrapped
    # Lines of code are the formatters' part.
    told = [(number, line) for number, line in enumerate(text.splitlines(), 1) if COMMENT[path.suffix].match(line)]
    return [f"{name}:{number}" for number, line in told if len(line) > COLUMNS and not may_be(line)]


def may_be(line: str) -> bool:
    """True for what has no place to break: a row of a table, a literal, an address."""
    bare = line.strip().removeprefix("///").removeprefix("//").strip()
    return bare.startswith("|") or '"' in bare or "http" in bare or " " not in bare


def wrap(text: str, comment: re.Pattern[str], *, docstrings: bool) -> str:
    """Moves the words beyond the last column to the next line of the same comment."""
    lines = text.split("\n")
    done: list[str] = []
    fenced = False
    in_docstring = False
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        quotes = line.count(QUOTES)
        begins = (docstrings or not done) and quotes > 0 and not in_docstring and line.lstrip().startswith(QUOTES)
        in_text = in_docstring or begins
        parts = (COMMENT[".md"] if in_text else comment).match(line)
        if quotes % 2 == 1:
            in_docstring = begins
        body = parts[2] if parts else ""
        fenced ^= body.lstrip().startswith("```")
        if parts is None or fenced or len(line) <= COLUMNS or body.lstrip().startswith("|"):
            done.append(line)
            continue
        cut = last_break(line)
        if cut <= len(parts[1]) + len(body) - len(body.lstrip()):
            done.append(line)
            continue
        done.append(line[:cut].rstrip())
        rest = line[cut + 1 :].lstrip()
        deeper = parts[1] + " " * hanging(body, in_docstring=in_text)
        following = (COMMENT[".md"] if in_text else comment).match(lines[at]) if at < len(lines) else None
        if following and goes_on(following, deeper) and QUOTES not in rest:
            lines[at] = f"{deeper}{rest} {following[2].lstrip()}"
        else:
            lines.insert(at, f"{deeper}{rest}")
    return "\n".join(done)


def hanging(body: str, *, in_docstring: bool) -> int:
    """How far the second line of a paragraph or an item is indented, from where its first line's text may begin."""
    item = re.match(r"\s*(?:[-*+]|\d+\.)\s+", body)
    if item:
        return len(item[0])
    own = len(body) - len(body.lstrip())
    return own + 4 if in_docstring and ENTRY.match(body.lstrip()) else own


def goes_on(following: re.Match[str], deeper: str) -> bool:
    """True if a line is the next one of the same paragraph, which has this in front of its text."""
    body = following[2].lstrip()
    in_front = following[0][: len(following[0]) - len(body)]
    return in_front.rstrip() == deeper.rstrip() and len(in_front) == len(deeper) and not OWN_LINE.match(body or " ")


def last_break(line: str) -> int:
    """The last space at which a line may end: not between a number and its unit."""
    cut = line.rfind(" ", 0, COLUMNS + 1)
    while cut > 0 and line[:cut].rsplit(" ", 1)[-1].isdigit():
        cut = line.rfind(" ", 0, cut)
    return cut


if __name__ == "__main__":
    sys.exit(main())
