"""Checks that lines of hand-written text files end at 120 columns. `--write` wraps comments, docstrings and paragraphs
that do not.

A line that is one long word (an address), a row of a table, generated text and a literal of Rust or Python that cannot
be broken may be longer.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 120
LEFT_ALONE = (
    "rust/kafkars-protocol/src/messages/",
    "rust/kafkars-broker/src/releases/table.rs",
    "rust/kafkars-testkit/src/frames/",
    "THIRD-PARTY-NOTICES.txt",
)
"""Written by programs."""

ENTRY = re.compile(r"\*{0,2}[\w.]+(?:, (?:[\w.]+|\.\.\.))*: ")
"""An entry of a section of a docstring: an argument, an exception."""

SLASHES = re.compile(r"^(\s*(?:///|//!|//)\s?)(.*)$")
HASH = re.compile(r"^(\s*#\s)(.*)$")
PARAGRAPH = re.compile(r"^(\s*)(.*)$")
COMMENT = {".rs": SLASHES, ".py": HASH, ".pyi": HASH}
"""By the end of a file's name, what is wrapped in it; lines of code are the formatters' part."""
WHOLE = {
    ".md": PARAGRAPH,
    **dict.fromkeys((".css", ".java"), re.compile(r"^(\s*(?:\*|//)\s)(.*)$")),
    **dict.fromkeys((".toml", ".yml", ".yaml", ".sh", ".txt", ".ini", ".gitignore", ".typed", "Makefile"), HASH),
}
"""The same of files that no formatter looks at: every line of theirs counts."""
QUOTES = '"""'
WHOLE_WORDS = re.compile(r"`[^`]+`|\[[^\]]+\]\([^)]*\)")
OWN_LINE = re.compile(r'^(?:[-*+|#>]|\d+\.|```|\s*$|:::|!!!|<|""")')
"""What begins a paragraph, an item, a table or a block, and so never continues the line before."""


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wrong = [place for name in listed.split("\0") for place in too_long(name, write="--write" in sys.argv)]
    for place in wrong:
        print(
            f"{place}: longer than {COLUMNS} columns; `make format` wraps comments, the rest is for you",
            file=sys.stderr,
        )
    return int(bool(wrong))


def too_long(name: str, *, write: bool) -> list[str]:
    path = ROOT / name
    kind = path.suffix or path.name
    if not (kind in COMMENT or kind in WHOLE) or name.startswith(LEFT_ALONE) or not path.exists():
        return []
    text = path.read_text()
    if write:
        wrapped = wrap(text, COMMENT.get(kind) or WHOLE[kind], docstrings(text, kind))
        if wrapped != text:
            path.write_text(wrapped)
            text = wrapped
    lines = list(enumerate(text.splitlines(), 1))
    if kind in WHOLE:
        return [f"{name}:{number}" for number, line in lines if len(line) > COLUMNS and not unbreakable(line)]
    quoted = {number for each in docstrings(text, kind) for number in each}
    told = [(number, line) for number, line in lines if number in quoted or COMMENT[kind].match(line)]
    return [f"{name}:{number}" for number, line in told if len(line) > COLUMNS and not may_be(line)]


def docstrings(text: str, kind: str) -> list[range]:
    """The lines of each docstring, attributes' and others' alike."""
    nodes = ast.walk(ast.parse(text)) if kind in {".py", ".pyi"} else ()
    return [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]


def unbreakable(line: str) -> bool:
    """True for a row of a table and for one word: an address, also one that is an item of a list."""
    bare = re.sub(r"^(?:[-*+]|\d+\.|#|///?|//!)\s+", "", line.strip())
    return bare.startswith("|") or " " not in bare


def may_be(line: str) -> bool:
    """True for what has no place to break in a comment, and for a literal in front of one."""
    return unbreakable(line) or '"' in line.replace(QUOTES, "")


def wrap(text: str, comment: re.Pattern[str], quoted: list[range]) -> str:
    """Moves the words beyond the last column to the next line of the same comment."""
    lines = text.split("\n")
    first_lines = {lines[each.start - 1] for each in quoted}
    done: list[str] = []
    fenced = False
    in_docstring = False
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        quotes = line.count(QUOTES)
        begins = quotes > 0 and not in_docstring and line in first_lines
        in_text = in_docstring or begins
        parts = (PARAGRAPH if in_text else comment).match(line)
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
        following = (PARAGRAPH if in_text else comment).match(lines[at]) if at < len(lines) else None
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
    """The last space at which a line may end: not between a number and its unit, nor within short code or a link."""
    whole = [found.span() for found in WHOLE_WORDS.finditer(line) if len(found[0]) <= COLUMNS // 2]
    cut = line.rfind(" ", 0, COLUMNS + 1)
    while cut > 0 and (line[:cut].rsplit(" ", 1)[-1].isdigit() or any(start < cut < end for start, end in whole)):
        cut = line.rfind(" ", 0, cut)
    return cut


if __name__ == "__main__":
    sys.exit(main())
