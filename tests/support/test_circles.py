"""scripts/check_circles.py finds modules that need each other, in Rust and in Python."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def check_circles(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import check_circles  # a script

    yield check_circles
    del sys.modules["check_circles"], sys.modules["check_layers"]


def test_modules_of_a_crate_that_use_each_other(check_circles: object, tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "lib.rs").write_text("mod log;\npub use log::Log;\n")
    (tmp_path / "log" / "mod.rs").write_text("use crate::{state::State, topic};\n")
    (tmp_path / "state.rs").write_text("fn new() -> crate::log::Log { todo!() }\n")
    (tmp_path / "topic.rs").write_text("// crate::log is told of, not used\n")
    found = check_circles.components(check_circles.rust_modules(tmp_path))  # type: ignore[attr-defined]
    assert [sorted(circle) for circle in found if len(circle) > 1] == [["log", "state"]]


def test_a_module_that_uses_those_in_it_by_their_bare_names(check_circles: object, tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "mod.rs").write_text(
        "mod file;\nmod index;\npub use file::File;\nfn open() { index::read() }\n"
    )
    (tmp_path / "log" / "file.rs").write_text("use super::Log;\n")
    (tmp_path / "log" / "index.rs").write_text("pub(in crate::log) fn read() {}\n")
    found = check_circles.components(check_circles.rust_modules(tmp_path))  # type: ignore[attr-defined]
    assert [sorted(circle) for circle in found if len(circle) > 1] == [["log", "log::file"]]


def test_modules_of_the_package_that_import_each_other(check_circles: object, tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "first.py").write_text("from kafkars.second import Name\n")
    (tmp_path / "second.py").write_text("def later():\n    from kafkars import first\n")
    (tmp_path / "third.py").write_text("from kafkars.first import Other\n")
    found = check_circles.components(check_circles.python_modules(tmp_path))  # type: ignore[attr-defined]
    assert [sorted(circle) for circle in found if len(circle) > 1] == [["first", "second"]]
