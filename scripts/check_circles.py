"""Checks for import cycles between modules, in Python and in each crate: they cannot be understood one by one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from check_layers import imports_of_ours

ROOT = Path(__file__).resolve().parent.parent
Graph = dict[str, set[str]]

# `use crate::a::{b, c::D}`, `use super::x` and `crate::a::b()`, and what a module uses of those in it by their bare
# names; test modules at the end of a file are not looked at.
USE = re.compile(r"^\s*(?:pub(?:\([^)]*\))? )?use ([^;]+);", re.MULTILINE)
INLINE = re.compile(r"(?<![\w:])\w+(?:::\w+)+")
MODULE = re.compile(r"^\s*(?:pub(?:\([^)]*\))? )?mod (\w+);", re.MULTILINE)
ROOTS = {"crate", "super", "self"}
COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
# `pub(in crate::a)` says who may look, and uses nothing.
VISIBILITY = re.compile(r"\bpub\(in [^)]*\)")
TESTS = re.compile(r"^#\[cfg\(test\)\]\s*\nmod \w+ \{", re.MULTILINE)


def main() -> int:
    graphs = {"python": python_modules(ROOT / "python" / "kafkars")}
    for crate in sorted((ROOT / "rust").glob("kafkars-*")):
        graphs[crate.name] = rust_modules(crate / "src")
    circles = [(name, circle) for name, graph in graphs.items() for circle in components(graph) if len(circle) > 1]
    for name, circle in circles:
        print(f"{name}: {', '.join(sorted(circle))} are in a circle", file=sys.stderr)
    return int(bool(circles))


def python_modules(package: Path) -> Graph:
    """Who imports whom at run time, by dotted names below `kafkars`."""
    paths = {parts(path, package): path for path in package.rglob("*.py")}
    graph: Graph = {}
    for own, path in paths.items():
        inside = path.relative_to(package).with_suffix("").parts
        used = {longest(target, paths) for target in imports_of_ours(path, inside)}
        graph[".".join(own)] = {".".join(each) for each in used if each and each != own}
    return graph


def parts(path: Path, package: Path) -> tuple[str, ...]:
    names = path.relative_to(package).with_suffix("").parts
    return names[:-1] if names[-1] == "__init__" else names


def rust_modules(source: Path) -> Graph:
    """Who uses whom, by the paths of modules in the crate."""
    paths = {rust_parts(path, source): path for path in source.rglob("*.rs")}
    graph: Graph = {}
    for own, path in paths.items():
        text = VISIBILITY.sub("pub", COMMENT.sub("", TESTS.split(path.read_text())[0]))
        inside = set(MODULE.findall(text))
        named = [name for name in [*USE.findall(text), *INLINE.findall(text)] if first(name) in ROOTS | inside]
        used = {longest(target, paths) for statement in named for target in resolved(statement, own)}
        graph["::".join(own)] = {"::".join(each) for each in used if each and each != own}
    return graph


def first(path: str) -> str:
    return path.partition("::")[0]


def rust_parts(path: Path, source: Path) -> tuple[str, ...]:
    names = path.relative_to(source).with_suffix("").parts
    return names[:-1] if names[-1] in {"mod", "lib"} else names


def resolved(statement: str, own: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The paths that a use statement names, from the root of the crate."""
    found = []
    for flat in flattened(re.sub(r"\s+", "", re.sub(r"\bas \w+", "", statement))):
        names = flat.split("::")
        base: tuple[str, ...] = () if names[0] == "crate" else own
        while names and names[0] in {"crate", "self", "super"}:
            base = base[:-1] if names.pop(0) == "super" else base
        found.append((*base, *names))
    return found


def flattened(statement: str) -> list[str]:
    """`a::{b,c::{d,e}}` as `a::b`, `a::c::d`, `a::c::e`."""
    start = statement.find("{")
    if start < 0:
        return [statement]
    depth, piece, pieces = 0, "", []
    for letter in statement[start + 1 : -1]:
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            pieces.append(piece)
            piece = ""
        else:
            piece += letter
    return [flat for each in [*pieces, piece] if each for flat in flattened(statement[:start] + each)]


def longest(target: tuple[str, ...], known: dict[tuple[str, ...], Path]) -> tuple[str, ...]:
    """The module that holds what a path names."""
    while target and target not in known:
        target = target[:-1]
    return target


def components(graph: Graph) -> list[list[str]]:
    """Groups of modules that reach each other: Tarjan's algorithm."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in order:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            cut = stack.index(node)
            found.append(stack[cut:])
            del stack[cut:]

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return found


if __name__ == "__main__":
    sys.exit(main())
