"""The matrix as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from tests.security.matrix.cells import Outcome
from tests.security.matrix.faults import FAULTS
from tests.security.matrix.ways import WAYS


def table(outcomes: Iterable[Outcome]) -> str:
    """A section for each fault, a row for each way, a column for each broker: the error, and the longest time to it."""
    found = list(outcomes)
    sites = list(dict.fromkeys(outcome.site for outcome in found))
    lines: list[str] = []
    for fault in FAULTS:
        rows = [row for way in WAYS if (row := row_of(found, sites, fault.name, str(way)))]
        reasons: dict[str, list[str]] = {}
        for way in WAYS:
            if isinstance(reason := fault.expects(way), str):
                reasons.setdefault(reason, []).append(str(way))
        if not rows:
            continue
        lines += [f"## {fault.name[0].upper() + fault.name[1:]}", "", f"| way | outcome | {' | '.join(sites)} |"]
        lines += ["|---|---|" + "---|" * len(sites), *rows, ""]
        lines += [f"Not there ({reason}): {'; '.join(names)}." for reason, names in reasons.items()]
        lines += [""] if reasons else []
    searched = sum(outcome.searched for outcome in found)
    problems = sum(1 for outcome in found if outcome.problem)
    lines.append(
        f"{len(found)} calls, {problems} not as they must be; {searched} bytes of errors searched for secrets."
    )
    return "\n".join(lines) + "\n"


def row_of(outcomes: list[Outcome], sites: list[str], fault: str, way: str) -> str:
    mine = [each for each in outcomes if each.cell.fault.name == fault and str(each.cell.way) == way]
    if not mine:
        return ""
    errors = sorted({each.error or "works" for each in mine})
    columns = []
    for site in sites:
        there = [each for each in mine if each.site == site]
        if not there:
            columns.append("-")
            continue
        bad = sum(1 for each in there if each.problem)
        longest = max(each.seconds for each in there)
        columns.append(f"{longest:.2f} s" + (f", **{bad} of {len(there)} wrong**" if bad else ""))
    return (
        f"| {way} | {', '.join(f'`{each}`' if each != 'works' else each for each in errors)} | {' | '.join(columns)} |"
    )
