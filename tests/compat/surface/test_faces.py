"""The tables of public names, executed on the faces of kafkars.compat.

`python -m tests.compat.surface` prints how many entries work, by `since` and `tier`.
"""

from __future__ import annotations

import pytest

from tests.compat.surface import verdict
from tests.compat.surface.table import FACES, OWNERS, owned, rows


@pytest.mark.parametrize(("name", "owner"), [(name, owner) for name, owner in OWNERS if name in FACES])
def test_the_face_offers_it_or_names_the_alternative(name: str, owner: str) -> None:
    wrong = [f"{row.name} {told}" for row in owned(name, owner) if (told := verdict.of(row)) not in verdict.FINE]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", FACES)
def test_everything_promised_works(name: str) -> None:
    assert {verdict.of(row) for row in rows(name) if row.promised} == {verdict.WORKS}
