"""Differences that stay, each with the reason a user would accept. The page of differences is made of these rows."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.compat.differential.run import Difference


@dataclass(frozen=True)
class Reason:
    """Why something differs.

    Args:
        cases: Patterns of the names of cases, as `fnmatch` has them.
        original: What the original does, in words.
        face: What the face does.
        why: Why it stays.
    """

    cases: tuple[str, ...]
    original: str
    face: str
    why: str


def reasons(library: str) -> list[Reason]:
    """All that stays of a library."""
    found: list[Reason] = importlib.import_module(f"tests.compat.differential.reasons_of_{library}").REASONS
    return found


def reason(library: str, difference: Difference) -> Reason | None:
    """Why a difference stays; None where nothing says so."""
    for each in reasons(library):
        if any(matches(difference.case, pattern) for pattern in each.cases):
            return each
    return None


def matches(case: str, pattern: str) -> bool:
    """Whether a pattern means a case; brackets mean themselves."""
    return fnmatchcase(case, pattern.replace("[", "[[]"))
