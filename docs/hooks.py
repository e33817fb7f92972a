"""Fills reference pages from the source, so that a setting or an error is described once: where it is defined.

`<!-- settings python/kafkars/config/producer.py ProducerConfig -->` becomes a table of that class's fields,
`<!-- errors python/kafkars/errors/local.py -->` a table of the module's classes. Read with `ast`: no build is needed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DIRECTIVE = re.compile(r"<!-- (settings|errors) (\S+)(?: (\S+))? -->")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for each page."""
    return DIRECTIVE.sub(lambda found: "\n".join(table(*found.groups())), markdown)


def table(what: str, path: str, name: str | None) -> Iterator[str]:
    tree = ast.parse((ROOT / path).read_text())
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if what == "errors":
        yield "| error | when |"
        yield "|---|---|"
        for node in classes:
            yield f"| `{node.name}` | {one_line(ast.get_docstring(node) or '')} |"
    else:
        yield "| setting | type | default | meaning |"
        yield "|---|---|---|---|"
        (settings,) = [node for node in classes if node.name == name]
        for field, text in documented_fields(settings):
            default = ast.unparse(field.value) if field.value is not None else "required"
            yield f"| `{ast.unparse(field.target)}` | {code(ast.unparse(field.annotation))} | {code(default)} | {one_line(text)} |"


def documented_fields(node: ast.ClassDef) -> Iterator[tuple[ast.AnnAssign, str]]:
    """Fields that are followed by a string."""
    for field, following in zip(node.body, node.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(following, ast.Expr):
            text = following.value
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield field, text.value


def code(text: str) -> str:
    # A bar within backticks does not end a cell.
    return f"`{text}`"


def one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
