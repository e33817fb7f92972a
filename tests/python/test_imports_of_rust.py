"""What Rust code imports by name is there, and all of it stands in one file."""

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


def test_the_file_is_understood() -> None:
    assert len(NAMES) == IMPORTS.read_text().count(' = "')
    assert ("asyncio", "CancelledError") in NAMES


@pytest.mark.parametrize(("module", "attribute"), NAMES)
def test_what_rust_imports_is_there(module: str, attribute: str) -> None:
    """Some are asked for in rare errors only, where a name that has changed would be the error told."""
    assert hasattr(importlib.import_module(module), attribute)


def test_no_other_file_imports() -> None:
    importing = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.rs")
        if re.search(r"\.import\(|PyModule::import|import_exception!", path.read_text())
    }
    assert importing == {"imports.rs"}
