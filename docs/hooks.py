"""Fills reference pages from the source, so that a setting or an error is described once: where it is defined.

`<!-- settings python/kafkars/config/producer.py ProducerConfig -->` becomes a table of that class's fields,
`<!-- errors python/kafkars/errors/local.py -->` a table of the module's classes, `<!-- properties ….py -->` one of the
rows `Property(…)` of a module, `<!-- metrics ….py ProducerMetrics -->` one of a class's figures. Read with `ast`: no
build is needed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DIRECTIVE = re.compile(r"<!-- (settings|errors|properties|metrics) (\S+)(?: (\S+))? -->")


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
    elif what == "properties":
        yield "| property | for | range | default | treatment | |"
        yield "|---|---|---|---|---|---|"
        for row in properties(tree):
            yield "| " + " | ".join(row) + " |"
    elif what == "metrics":
        yield "| name | kind | unit | what it counts |"
        yield "|---|---|---|---|"
        (figures,) = [node for node in classes if node.name == name]
        for figure, (kind, unit, description) in metrics(figures):
            yield f"| `{figure}` | {kind} | {unit} | {description} |"
    else:
        yield "| setting | type | default | range | meaning |"
        yield "|---|---|---|---|---|"
        (settings,) = [node for node in classes if node.name == name]
        allowed = ranges(settings)
        for field, text in documented_fields(settings):
            default = ast.unparse(field.value) if field.value is not None else "required"
            setting = ast.unparse(field.target)
            link = f"{settings.name.removesuffix('Config').lower()}-{setting}"
            yield f"| [`{setting}`](#{link}){{ #{link} .setting }} | {code(ast.unparse(field.annotation))} | {code(default)} | {allowed.get(setting, '')} | {one_line(text)} |"


def properties(tree: ast.Module) -> Iterator[list[str]]:
    """Rows of librdkafka's properties."""
    texts = {
        target.id: ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Property":
            name, applies_to, _, default, treatment, note = (
                # The module's own texts, and kinds and treatments by their names.
                texts.get(each.id, each.id.lower().replace("_", " "))
                if isinstance(each, ast.Name)
                else ast.literal_eval(each)
                for each in node.args
            )
            others = {each.arg: ast.literal_eval(each.value) for each in node.keywords}
            limits = (
                "{} to {}".format(*others["limits"]) if "limits" in others else ", ".join(others.get("options", ()))
            )
            scope = " (topic)" if "scope" in others else ""
            shown = f"`{one_line(default)}`" if default else ""
            yield [f"`{name}`{scope}", one_line(applies_to), limits, shown, treatment, one_line(note)]


def metrics(node: ast.ClassDef) -> Iterator[tuple[str, list[str]]]:
    """Names and what `Metric(…)` says of them."""
    for field in node.body:
        if isinstance(field, ast.AnnAssign):
            for call in ast.walk(field.annotation):
                if isinstance(call, ast.Call):
                    yield ast.unparse(field.target), [ast.literal_eval(each) for each in call.args]


def documented_fields(node: ast.ClassDef) -> Iterator[tuple[ast.AnnAssign, str]]:
    """Fields that are followed by a string."""
    for field, following in zip(node.body, node.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(following, ast.Expr):
            text = following.value
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield field, text.value


def ranges(tree: ast.AST) -> dict[str, str]:
    """What numbers and words settings take, by their names: what `CHECKS` there says of them."""
    for each in ast.walk(tree):
        if (
            isinstance(each, ast.AnnAssign)
            and ast.unparse(each.target) == "CHECKS"
            and isinstance(each.value, ast.Dict)
        ):
            checks = zip(each.value.keys, each.value.values, strict=True)
            return {ast.literal_eval(name): in_words(check) for name, check in checks if name is not None}
    return {}


def in_words(check: ast.expr) -> str:
    """What a check of a setting lets through; nothing where words would say no more than the type."""
    if ast.unparse(check) == "checks.flag":
        return "True or False"
    if not isinstance(check, ast.Call):
        return ""
    name = ast.unparse(check.func)
    if name == "checks.optional":
        inner = in_words(check.args[0])
        return f"{inner}, or None" if inner else ""
    if name == "checks.choice":
        return ", ".join(f'`"{ast.literal_eval(word)}"`' for word in check.args)
    given = [number(each) for each in check.args]
    named = {each.arg: number(each.value) for each in check.keywords if each.arg}
    if name == "checks.milliseconds":
        return numbers(*given, unit="ms", **named)
    return numbers(*given, **named) if name == "checks.whole" else ""


def number(node: ast.expr) -> Any:
    """A literal, or the name of one."""
    return 2**31 - 1 if ast.unparse(node) == "checks.INT32" else ast.literal_eval(node)


def numbers(least: float = 0, most: float | None = None, unit: str = "", *, above: bool = False) -> str:
    """A range as the reference shows it."""
    start = f"above {least:,}" if above else f"{least:,}"
    end = f" to {most:,}" if most is not None else "" if above else " or more"
    return f"{start}{end} {unit}".rstrip()


def code(text: str) -> str:
    # A bar within backticks does not end a cell.
    return f"`{text}`"


def one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
