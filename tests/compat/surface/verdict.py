"""What becomes of each row on the faces of kafkars.compat."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from tests.compat.surface import checks
from tests.compat.surface.library import Library
from tests.compat.surface.table import not_offered, rows

if TYPE_CHECKING:
    from tests.compat.surface.table import Row

# Nobody promises rows of tier internal, and what kafka-python 2.3 has no longer: they work, or nobody asks.
FINE = ("works", "not offered", "not promised")
WORKS, LEFT_OUT, NOT_PROMISED = FINE


@cache
def of(row: Row) -> str:
    """Whether the row works, is left out as announced, or what is wrong with it."""
    # What kafka-python 3 has no longer is asked of the face of 2.
    older = row.library == "kafka_python" and "removed" in row.remarks
    library = Library("kafka_python_2" if older else row.library, is_face=True)
    entry = next((entry for entry in not_offered() if entry.covers(row)), None)
    refusal = None if entry is None else checks.refusal(row, library)
    if entry is not None and refusal is not None:
        return LEFT_OUT if entry.names in refusal else f"is left out without naming {entry.names!r}: {refusal}"
    try:
        problem = checks.problem(row, library)
    except Exception as error:  # noqa: BLE001 - a face that is broken in one place is still looked at in the others
        problem = f"cannot be looked at: {error!r}"
    is_promised = row.tier != "internal" and row.since != "2.0.2"
    return NOT_PROMISED if problem and not is_promised else problem or WORKS


def counts(library: str) -> dict[tuple[str, str], Counter[str]]:
    """How many rows there are of each verdict, by `since` and `tier`."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for row in rows(library):
        verdict = of(row)
        found.setdefault((row.since, row.tier), Counter())[verdict if verdict in FINE else "missing"] += 1
    return found
