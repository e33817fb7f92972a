"""The tables of public names, executed on the libraries that they tell of, so that they are right."""

from __future__ import annotations

import pytest

from tests.compat.surface import checks
from tests.compat.surface.library import Library, MissingDependencyError
from tests.compat.surface.table import OWNERS, WITHOUT_ORIGINAL, not_offered, owned, rows


@pytest.mark.parametrize(("name", "owner"), [each for each in OWNERS if each[0] not in WITHOUT_ORIGINAL])
def test_the_table_is_true_of_the_original(name: str, owner: str) -> None:
    library = Library(name, is_face=False)
    wrong = []
    for row in owned(name, owner):
        # What only older releases have cannot be looked at.
        if "removed" in row.remarks or row.tier == "internal":
            continue
        try:
            problem = checks.problem(row, library)
        except MissingDependencyError:
            continue
        wrong += [f"{row.name} {problem}"] if problem else []
    assert not wrong, "\n".join(wrong)


def test_only_what_few_programs_use_is_left_out() -> None:
    promised = [
        row.name for entry in not_offered() for row in rows(entry.library) if entry.covers(row) and row.promised
    ]
    assert not promised
