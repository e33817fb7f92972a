"""What a failed test shows of the log of a Spark program: stacks are long, and causes stand before the end."""

from __future__ import annotations

END = 4_000
"""How many characters of the end are shown."""

NAMES = ("Caused by:", "Error:", "Exception:", "Exception]", ": java.", ": org.")
"""What lines that name an error have in them."""

FEW = 20
LONGEST = 1_000


def excerpt(log: str) -> str:
    """The end of a log, and before it the first and the last lines that name an error."""
    cut = max(0, len(log) - END)
    found = [line[:LONGEST] for line in log[:cut].splitlines() if any(each in line for each in NAMES)]
    named = list(dict.fromkeys([*found[:FEW], *found[FEW:][-FEW:]]))
    return "\n".join([*named, "[...]", log[cut:]] if cut else [log])
