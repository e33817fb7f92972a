"""Differences that stay, each with the reason a user would accept. The page of differences is made of these rows.

A row excuses the outcomes that it was written for, and no others: `outcomes_of_LIBRARY.json` has them by row, as
`Difference.in_short` tells them.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.compat.differential.run import Difference


OUT_OF_TIME = ("RequestTimedOutError", "KafkaTimeoutError", "StillWaiting")
"""How an original ends whose time was over before it came to what a row says, as on a busy machine. What the face does
must still be what the row excuses.
"""


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
    found: list[Reason] = module_of(library).REASONS
    return found


def module_of(library: str) -> ModuleType:
    """Where the rows of a library are. Those of another one hold for it, too, where it has `ALSO`."""
    return importlib.import_module(f"tests.compat.differential.reasons_of_{library}")


def row(library: str, case: str) -> Reason | None:
    """The row that a case belongs to; None where there is none."""
    also = getattr(module_of(library), "ALSO", None)
    rows = [*reasons(library), *(reasons(also) if also else ())]
    return next((each for each in rows if any(matches(case, pattern) for pattern in each.cases)), None)


def path(library: str) -> Path:
    """Where the outcomes that rows excuse are."""
    return Path(__file__).parent / f"outcomes_of_{library}.json"


def outcomes(library: str) -> dict[str, list[str]]:
    """The outcomes that a row excuses, by its first pattern."""
    file = path(library)
    found: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found


def reason(library: str, difference: Difference) -> Reason | None:
    """Why a difference stays; None where nothing says so."""
    found = row(library, difference.case)
    if found is None:
        return None
    known = outcomes(library).get(found.cases[0], ())
    original, face = difference.in_short.split(" -> ", 1)
    if original.startswith(OUT_OF_TIME):
        return found if any(each.endswith(f" -> {face}") for each in known) else None
    return found if difference.in_short in known else None


def note(library: str, differences: list[Difference]) -> None:
    """Adds what rows have to excuse to what they do."""
    known = outcomes(library)
    for each in differences:
        found = row(library, each.case)
        if found is not None:
            known[found.cases[0]] = sorted({*known.get(found.cases[0], ()), each.in_short})
    path(library).write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def matches(case: str, pattern: str) -> bool:
    """Whether a pattern means a case; brackets mean themselves."""
    return fnmatchcase(case, pattern.replace("[", "[[]"))
