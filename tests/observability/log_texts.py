"""What the sources write to the log: logger, level and text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
MACRO = re.compile(r"tracing::(error|warn|info|debug|trace)!\(")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
LEVELS = {"warn": "WARNING", "error": "ERROR", "info": "INFO", "debug": "DEBUG", "trace": "TRACE"}


NAMED = re.compile(r"(%|\b)client\b(,| = )")


class LogText(NamedTuple):
    logger: str
    level: str
    text: str


def of_rust() -> Iterator[LogText]:
    return (text for text, _ in of_crates("core", "client", "python", "broker"))


def without_client() -> Iterator[str]:
    """The lines of the engine that have no field for the client's name."""
    return (text.text for text, has_client in of_crates("core", "client", "python") if not has_client)


def of_crates(*crates: str) -> Iterator[tuple[LogText, bool]]:
    """The lines of crates, and whether they name their client."""
    for crate in crates:
        for path in sorted((ROOT / "rust" / f"kafkars-{crate}" / "src").rglob("*.rs")):
            source = path.read_text()
            for found in MACRO.finditer(source):
                inside = arguments(source, found.end())
                *targets, text = TEXT.findall(inside)
                logger = targets[0].replace("::", ".") if "target:" in inside else f"kafkars.{crate}"
                line = LogText(logger, LEVELS[found.group(1)], text.replace('\\"', '"'))
                yield line, NAMED.search(inside) is not None


def arguments(source: str, start: int) -> str:
    """What stands between the parentheses of a macro."""
    depth, at = 1, start
    while depth:
        if source[at] == '"':
            at = TEXT.match(source, at).end()  # type: ignore[union-attr]
            continue
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        at += 1
    return source[start : at - 1]


def of_python() -> Iterator[LogText]:
    package = ROOT / "python" / "kafkars"
    for path in sorted(package.rglob("*.py")):
        tree = ast.parse(path.read_text())
        names = [
            name for name in re.findall(r'getLogger\("([\w.]+)"\)', path.read_text()) if name.startswith("kafkars")
        ]
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args and names):
                continue
            level, text = node.func.attr.upper().replace("EXCEPTION", "ERROR"), node.args[0]
            owner = ast.unparse(node.func.value)
            is_logger = owner.lower() in {"logger", "log"} or "getLogger" in owner
            if is_logger and level in LEVELS.values() and isinstance(text, ast.Constant):
                yield LogText(names[0], level, re.sub(r"%[sdrg]", "…", str(text.value)))
