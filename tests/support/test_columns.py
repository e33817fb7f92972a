"""Lines that `scripts/check_columns.py` finds too long, wraps, or leaves as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import check_columns

WORDS = "word " * 30


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("page.md", WORDS, True),
        ("page.md", f"| {WORDS} |", False),
        ("page.md", "- " + "x" * 130, False),
        ("Makefile", f"target: {WORDS}", True),
        ("file.toml", f'words = "{WORDS}"', True),
        ("file.py", f'words = "{WORDS}"', False),
        ("file.py", f"# {WORDS}", True),
        ("file.py", f'"""{WORDS}"""', True),
        ("file.lock", WORDS, False),
    ],
)
def test_a_line_is_too_long_unless_it_has_no_place_to_break(
    name: str, line: str, *, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_columns, "ROOT", tmp_path)
    (tmp_path / name).write_text(line + "\n")
    assert check_columns.too_long(name, write=False) == ([f"{name}:1"] if expected else [])


def test_a_paragraph_is_wrapped_outside_of_code_and_links() -> None:
    text = f"- {'word ' * 22}`a b c d e f` end\n  next\n"
    assert check_columns.wrap(text, check_columns.PARAGRAPH, []) == (
        f"- {'word ' * 22}".rstrip() + "\n  `a b c d e f` end next\n"
    )
