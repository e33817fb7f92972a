"""Checks that the stub has the docstrings of the native module's public methods; `--write` puts them into the stub.

Editors read the stub, `help()` reads the module. The module's text is written in Rust, once.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STUB = Path(__file__).resolve().parent.parent / "python" / "kafkars" / "_kafkars.pyi"

INTERNAL = {"Admin", "AdminRequest", "MadeCertificate"}
"""Classes that Python wraps; what they say is said there."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.Module) -> Iterator[tuple[str | None, Function]]:
    """Public functions and methods of the stub, with the name of their class; of overloads the first."""
    for node in tree.body:
        found = node.body if isinstance(node, ast.ClassDef) else [node]
        owner = node.name if isinstance(node, ast.ClassDef) else None
        if owner in INTERNAL:
            continue
        seen = set()
        for each in found:
            if isinstance(each, Function) and not each.name.startswith("_") and each.name not in seen:
                seen.add(each.name)
                yield owner, each


def of_the_module(module: Any, owner: str | None, name: str) -> str | None:
    """What the native module says of a method, or None where it has no such one."""
    place = module if owner is None else getattr(module, owner, None)
    found = inspect.getattr_static(place, name, None) if place is not None else None
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    return inspect.cleandoc(found.__doc__ or "") if found is not None else None


def spliced(lines: list[str], node: Function, text: str) -> None:
    """Puts a docstring into a function of the stub."""
    last = node.body[-1]
    start, end = node.body[0].lineno - 1, (last.end_lineno or last.lineno) - 1
    indent = " " * (node.col_offset + 4)
    shown = text.replace("\\", "\\\\")
    quoted = [f'"""{shown}"""'] if "\n" not in shown else [*f'"""{shown}'.split("\n"), '"""']
    docstring = [(indent + line).rstrip() for line in quoted]
    head = lines[start][: node.body[0].col_offset].rstrip() if start <= end and is_on_the_line(lines, node) else None
    lines[start : end + 1] = docstring if head is None else [head, *docstring]


def is_on_the_line(lines: list[str], node: Function) -> bool:
    """True if the body begins on the line of the signature's end."""
    first = node.body[0]
    return bool(lines[first.lineno - 1][: first.col_offset].strip())


def main() -> int:
    """Compares, or writes."""
    from kafkars import _kafkars  # noqa: PLC0415  needs the built module

    text = STUB.read_text()
    lines = text.split("\n")
    wrong = []
    for owner, node in reversed(list(functions(ast.parse(text)))):
        name = node.name if owner is None else f"{owner}.{node.name}"
        said = of_the_module(_kafkars, owner, node.name)
        if said is None:
            continue
        if not said:
            wrong.append(f"{name}: the module says nothing of it; document it in Rust")
        # Lines may be wrapped elsewhere: that is another check's matter.
        elif said.split() != (ast.get_docstring(node, clean=False) or "").split():
            wrong.append(f"{name}: the stub says something else; run `make generate-stub-docs`")
            spliced(lines, node, said)
    if "--write" in sys.argv[1:]:
        STUB.write_text("\n".join(lines))
        wrong = [each for each in wrong if "in Rust" in each]
    for each in reversed(wrong):
        print(f"{STUB.name}: {each}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
