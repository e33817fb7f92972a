"""What `scripts/check_licenses.py` makes of licences, on expressions as crates have them."""

from __future__ import annotations

import pytest

from scripts import check_licenses

ALLOWED = {"MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "ISC"}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", True),
        ("GPL-3.0", False),
        ("GPL-3.0 OR MIT", True),
        ("GPL-3.0/MIT", True),
        ("GPL-3.0 / LGPL-3.0", False),
        ("MIT AND GPL-3.0", False),
        ("GPL-3.0 AND MIT OR ISC", True),
        ("ISC OR GPL-3.0 AND MIT", True),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", False),
        ("(MIT OR GPL-3.0) AND (ISC)", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("MIT WITH LLVM-exception", False),
    ],
)
def test_an_expression_is_allowed_if_a_choice_of_it_is(expression: str, *, expected: bool) -> None:
    assert check_licenses.is_allowed(expression, ALLOWED) is expected


@pytest.mark.parametrize("text", ["MIT MIT", "MIT )"])
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no SPDX"):
        check_licenses.is_allowed(text, ALLOWED)


def test_an_exception_is_for_one_crate_only() -> None:
    general, single = check_licenses.rules(
        '[licenses]\nallow = [\n    "MIT",\n]\nexceptions = [\n    { crate = "a", allow = ["CC0-1.0"] },\n]\n[bans]\nallow = ["x"]\n'
    )
    assert (general, single) == ({"MIT"}, {"a": {"CC0-1.0"}})
