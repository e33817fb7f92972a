"""The matrix as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from tests.security.matrix.cells import Outcome
from tests.security.matrix.faults import FAULTS
from tests.security.matrix.ways import WAYS

INTRODUCTION = """# Security matrix

What becomes of a call, by way to be let in, by fault and by broker: the error's type, and the longest time from the
call to it, of synchronous and asyncio clients. Real brokers are those of Apache Kafka with an authorizer, a token
endpoint whose signatures they check (Kafka 2.8 knows unsigned tokens only) and a key distribution centre of MIT
Kerberos; OIDC is OAUTHBEARER with the built-in client credentials grant, "certificate" is TLS with a client
certificate. Where a peer says nothing, `socket_connection_setup_timeout_ms` is 1000. The times were measured with six
calls at once on a machine that did other work, too. `make security-matrix` makes each call and writes this page.

"""


def page(outcomes: Iterable[Outcome]) -> str:
    """The page of the documentation."""
    return INTRODUCTION + table(outcomes)


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
        title = "No fault" if fault.name == "none" else fault.name[0].upper() + fault.name[1:]
        lines += [f"## {title}", "", f"| way | outcome | {' | '.join(sites)} |"]
        lines += ["|---|---|" + "---|" * len(sites), *rows, ""]
        for reason, names in reasons.items():
            lines += textwrap.wrap(f"Not there ({reason}): {'; '.join(names)}.", 120, break_on_hyphens=False)
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
