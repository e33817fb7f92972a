"""The page of differences that stay: `python -m tests.compat.differential.page LIBRARY` writes it."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from tests.compat.differential.reasons import module_of, reasons

DOCS = Path(__file__).parents[3] / "docs" / "migrating"
COLUMNS = 120
SECTIONS = {
    "asyncio": ("asyncio", "The same of the clients whose calls are awaited; the rows above hold for them, too."),
    "refusals": (
        "Requests of transactions that are refused",
        (
            "Each request of a transaction is refused for good with each code. What the call says (its code, `retriable()`, "
            "`fatal()`, `txn_requires_abort()`), what an abort says then and what is reported is the same, except for these "
            "rows."
        ),
    ),
    "settings": (
        "Settings",
        (
            "Every setting is given values at, below and above each of its limits, each of its words, and what is none of its "
            "type, with all other settings at their defaults. What is taken and what is refused, by which error, is the same, "
            "except for these rows."
        ),
    ),
    "programs": (
        "Programs",
        (
            "Random programs of several clients, through faults of the broker, are run on both. What they see (records, "
            "errors, callbacks, positions, what is stored and committed) is the same, except for these rows."
        ),
    ),
}
"""What follows the calls: titles, and how rows were found where these do not say so as `ABOUT`."""


def path(library: str) -> Path:
    """Where the page is."""
    return DOCS / f"{library.replace('_', '-')}-differences.md"


def text(library: str) -> str:
    """The page."""
    lines = [
        f"# Where the face of {library} differs",
        "",
        *paragraph(
            f"Every call of {library} is made on the library and on the face: with nothing, with what is right, and with "
            "one thing wrong at a time, on clients that are fresh, at work, in a transaction, fenced, closed, left with an "
            "exception, or were never initialised. What a program can see (values, classes and codes of errors, how long "
            "it takes to fail) is the same, except for these rows. This page is generated from "
            f"`tests/compat/differential/reasons_of_{library}.py`."
        ),
        "",
        *table(library),
    ]
    for suffix, (title, about) in SECTIONS.items():
        part = f"{library}_{suffix}"
        if (Path(__file__).parent / f"reasons_of_{part}.py").exists():
            found = getattr(module_of(part), "ABOUT", about)
            lines += ["", f"## {title}", "", *paragraph(found), "", *table(part)]
    return "\n".join(lines) + "\n"


def paragraph(text: str) -> list[str]:
    """The lines of a paragraph."""
    return textwrap.wrap(text, COLUMNS, break_long_words=False, break_on_hyphens=False)


def table(library: str) -> list[str]:
    """The rows."""
    lines = ["| calls | the library | the face | why it stays |", "|---|---|---|---|"]
    for each in reasons(library):
        cases = ", ".join(f"`{case}`" for case in dict.fromkeys(map(shown, each.cases)))
        lines.append(f"| {cases} | {each.original} | {each.face} | {each.why} |")
    return lines


def shown(pattern: str) -> str:
    """A pattern as people read it."""
    return pattern.lstrip("*")


if __name__ == "__main__":
    path(sys.argv[1]).write_text(text(sys.argv[1]), encoding="utf-8")
