"""Checks the dependency directions of CONTRIBUTING.md ("Layers") with cargo metadata and Python's own parser.

Three things nobody sees in a diff until it is too late: a crate that starts to use a layer above it, a crate
that pulls in Python or OpenSSL through a third one, and a Python module that imports upwards.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# What each crate may use of ours. Test helpers (dev-dependencies) may use more; the product may not.
CRATES_ALLOWED = {
    "kafkars-protocol": set(),
    "kafkars-records": {"kafkars-protocol"},
    "kafkars-core": {"kafkars-protocol", "kafkars-records"},
    # Bytes of certificates and keys; the one thing that client and broker both use beside wire and batches.
    "kafkars-certificates": set(),
    "kafkars-client": {"kafkars-protocol", "kafkars-records", "kafkars-core", "kafkars-certificates"},
    "kafkars-arrow": {"kafkars-records"},
    # The broker never uses core or client: a mistake in one would be hidden by the same mistake in the other.
    "kafkars-broker": {"kafkars-protocol", "kafkars-records", "kafkars-certificates"},
    "kafkars-testkit": {"kafkars-protocol", "kafkars-records"},
    "kafkars-python": {
        "kafkars-protocol",
        "kafkars-records",
        "kafkars-core",
        "kafkars-client",
        "kafkars-arrow",
        "kafkars-broker",
        "kafkars-certificates",
    },
}
# Crates that must not be reachable in a release build. "*" is every crate of ours.
CRATES_BANNED = {
    "*": {"openssl-sys", "native-tls"},
    # Decisions and formats do no I/O.
    "kafkars-protocol": {"tokio", "mio", "socket2"},
    "kafkars-records": {"tokio", "mio", "socket2"},
    "kafkars-core": {"tokio", "mio", "socket2"},
    "kafkars-arrow": {"tokio", "mio", "socket2"},
    "kafkars-certificates": {"tokio", "mio", "socket2"},
}
PYTHON_CRATES = {"pyo3", "pyo3-ffi", "pyo3-arrow"}

# Packages on the left may import, of ours, only what stands on the right. Faces may use anything except each other.
FOUNDATION = {"assignor", "errors", "types", "config", "_discreet", "_frozen", "_late"}
PYTHON_ALLOWED = {
    "errors": set(),
    # Dataclasses without `dataclasses`, and names that are imported when they are asked for.
    "_discreet": set(),
    "_frozen": {"_discreet"},
    "_late": set(),
    "assignor": FOUNDATION,
    "types": FOUNDATION,
    "config": FOUNDATION,
    "metrics": FOUNDATION,
    # Takes log lines out of the extension module.
    "_logging": FOUNDATION | {"_kafkars"},
}
FACES = {"compat", "spark", "testing"}
# The face of a version that has only what differs from that of another one.
STANDS_ON = {"kafka_3": "kafka"}
# The modules under the faces: none of them may import a face.
BELOW_FACES = {"consumer", "producer", "parallel", "admin", "arrow", "aio"} | set(PYTHON_ALLOWED)


def main() -> int:
    try:
        crate_problems = check_crates()
    except subprocess.CalledProcessError as error:
        print(f"cargo metadata failed with status {error.returncode}", file=sys.stderr)
        return 1
    problems = [*crate_problems, *check_modules(ROOT / "python" / "kafkars")]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("layers: dependency directions hold")
    return int(bool(problems))


def check_crates() -> list[str]:
    graph = Graph(cargo_metadata())
    problems = []
    for crate in graph.ours:
        if crate not in CRATES_ALLOWED:
            problems.append(f"{crate}: not known to scripts/check_layers.py; say there what it may use")
            continue
        extra = graph.direct(crate) & graph.ours - CRATES_ALLOWED[crate]
        problems += [f"{crate} uses {name}: not an allowed direction" for name in sorted(extra)]
        banned = CRATES_BANNED["*"] | CRATES_BANNED.get(crate, set())
        if crate != "kafkars-python":
            banned |= PYTHON_CRATES
        reached = graph.reachable(crate) & banned
        problems += [f"{crate} reaches {name}: see `cargo tree -p {crate} -i {name}`" for name in sorted(reached)]
    return problems


def cargo_metadata() -> dict[str, Any]:
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    metadata: dict[str, Any] = json.loads(output)
    return metadata


class Graph:
    """Normal and build dependencies by crate name; development ones are left out."""

    def __init__(self, metadata: dict[str, Any]) -> None:
        names = {package["id"]: package["name"] for package in metadata["packages"]}
        self.ours = {names[member] for member in metadata["workspace_members"]}
        self.edges: dict[str, set[str]] = {}
        for node in metadata["resolve"]["nodes"]:
            used = {
                names[dependency["pkg"]]
                for dependency in node["deps"]
                if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"])
            }
            self.edges.setdefault(names[node["id"]], set()).update(used)

    def direct(self, crate: str) -> set[str]:
        """What a crate names in its own manifest."""
        return self.edges[crate]

    def reachable(self, crate: str) -> set[str]:
        """What a crate brings along, through any number of others."""
        seen: set[str] = set()
        waiting = [crate]
        while waiting:
            for name in self.edges[waiting.pop()] - seen:
                seen.add(name)
                waiting.append(name)
        return seen


def check_modules(package: Path) -> list[str]:
    problems = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        for imported in sorted(imports_of_ours(path, parts)):
            problem = judge(parts, imported)
            if problem is not None:
                problems.append(f"{path.relative_to(ROOT)}: {problem}")
    return problems


def imports_of_ours(path: Path, parts: tuple[str, ...]) -> set[tuple[str, ...]]:
    """The modules below `kafkars` that a file imports at run time, as paths: ("compat", "kafka")."""
    found: set[tuple[str, ...]] = set()
    tree = ast.parse(path.read_text(), filename=str(path))
    for node in walk_run_time(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "kafkars":
                    found.add(tuple(alias.name.split(".")[1:]))
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, parts)
            if base is not None:
                found.update((*base, alias.name) for alias in node.names)
    return found


def walk_run_time(tree: ast.AST) -> list[ast.AST]:
    """Every node except the bodies of `if TYPE_CHECKING:`: a type may point anywhere."""
    nodes = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        for child in ast.iter_child_nodes(node):
            guarded = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
            waiting.extend(child.orelse if isinstance(child, ast.If) and guarded else [child])
    return nodes


def absolute(node: ast.ImportFrom, parts: tuple[str, ...]) -> tuple[str, ...] | None:
    names = tuple(node.module.split(".")) if node.module else ()
    if node.level == 0:
        return names[1:] if names[:1] == ("kafkars",) else None
    # `from .x` in a module and in a package's __init__ both start at the folder that holds the file.
    return (*parts[: len(parts) - node.level], *names)


def judge(parts: tuple[str, ...], imported: tuple[str, ...]) -> str | None:
    if not imported:
        return None
    here, there = parts[0], imported[0]
    if here in PYTHON_ALLOWED and there not in PYTHON_ALLOWED[here] | {here, "__future__"}:
        return f"{here} may not import {there}" if is_module(there) else None
    if here in BELOW_FACES and there in FACES:
        return f"{here} may not import the face {there}"
    if here in FACES and there in FACES and here != there:
        return f"the faces {here} and {there} may not import each other"
    if here == there == "compat" and len(parts) > 2 and len(imported) > 1:  # noqa: PLR2004
        face, other = parts[1], imported[1]
        if other not in (face, STANDS_ON.get(face)) and not other.startswith("_"):
            return f"compat.{face} may not import compat.{other}"
    return None


def is_module(name: str) -> bool:
    folder = ROOT / "python" / "kafkars"
    return name == "_kafkars" or (folder / f"{name}.py").exists() or (folder / name).is_dir()


if __name__ == "__main__":
    sys.exit(main())
