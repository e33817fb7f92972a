"""What Rust code imports or calls by name is there, and all of it stands in one file."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "rust" / "kafkars-python" / "src"
IMPORTS = SOURCES / "imports.rs"
GROUP = re.compile(r'"([\w.]+)":((?:\s*\w+ = "\w+",?)+);')
NAMES = [
    (module, attribute)
    for module, names in GROUP.findall(IMPORTS.read_text())
    for attribute in re.findall(r'= "(\w+)"', names)
]
HOOKS_OF = re.compile(r'"([\w.]+)\.(\w+)":((?:\s*\w+ => "\w+",?)+);')
HOOKS = [
    (module, kind, method)
    for module, kind, names in HOOKS_OF.findall(IMPORTS.read_text())
    for method in re.findall(r'=> "(\w+)"', names)
]


def test_the_file_is_understood() -> None:
    assert len(NAMES) == IMPORTS.read_text().count(' = "')
    assert len(HOOKS) == IMPORTS.read_text().count(' => "')
    assert ("asyncio", "CancelledError") in NAMES


@pytest.mark.parametrize(("module", "attribute"), NAMES)
def test_what_rust_imports_is_there(module: str, attribute: str) -> None:
    """Some are asked for in rare errors only, where a name that has changed would be the error told."""
    assert hasattr(importlib.import_module(module), attribute)


@pytest.mark.parametrize(("module", "kind", "method"), HOOKS)
def test_what_rust_calls_is_there(module: str, kind: str, method: str) -> None:
    assert callable(getattr(getattr(importlib.import_module(module), kind), method))


def test_no_face_names_a_hook_elsewhere() -> None:
    naming = {
        str(path.relative_to(SOURCES))
        for path in (SOURCES / "compat").rglob("*.rs")
        if re.search(r'call_method\w*\(\s*(?:intern!\(\w+, )?"_', path.read_text())
    }
    assert naming == set()


def test_no_other_file_imports() -> None:
    importing = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.rs")
        if re.search(r"\.import\(|PyModule::import|import_exception!", path.read_text())
    }
    assert importing == {"imports.rs"}
