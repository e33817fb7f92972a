"""Makes kafka-python 0.9.5 itself readable for Python of today, to be run beside the face on brokers that still know
its requests: up to Kafka 3.
"""

from __future__ import annotations

import re
from pathlib import Path

# `async` is a keyword now; a generator that raises StopIteration has failed.
CHANGES = (
    (r"\bself\.async\b", "self.async_"),
    (r"\bif async:", "if async_:"),
    (r"= async$", "= async_"),
    (r"\basync=(?=\w)", "async_="),
    (r"\braise StopIteration\(\)", "return"),
)
# What both need, and what is no part of either.
NEEDS = ("six.py", "mock")


def changed(text: str) -> str:
    """A module of the original."""
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def make(folder: Path, into: Path) -> None:
    """Copies the package.

    Args:
        folder: The unpacked sources, with `six` and `mock` (`make test-kafka-legacy` makes it).
        into: Where `kafka` is to be; a folder for `PYTHONPATH`.
    """
    into.mkdir(parents=True, exist_ok=True)
    for file in (folder / "kafka").rglob("*.py"):
        copy = into / file.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(changed(file.read_text(encoding="utf-8")), encoding="utf-8")
    need(folder, into)


def need(folder: Path, into: Path) -> None:
    """Of the folder only what the tests need besides the library."""
    into.mkdir(parents=True, exist_ok=True)
    for each in NEEDS:
        (into / each).symlink_to(folder / each)
