"""Shows where a face differs, in all states: `python -m tests.compat.differential LIBRARY [STATE...]`.

`--servers` has another broker asked than the embedded one. `--note` adds the outcomes that belong to a row of what
stays, but are not yet among those that it excuses: read them before they are committed.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import nullcontext

from kafkars.testing import EmbeddedBroker

from tests.compat.differential.reasons import note, outcomes, reason, row
from tests.compat.differential.run import compared


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    parser.add_argument("states", nargs="*")
    parser.add_argument("--servers")
    parser.add_argument("--note", action="store_true")
    given = parser.parse_intermixed_args()
    with nullcontext() if given.servers else EmbeddedBroker() as broker:
        servers = given.servers or broker.bootstrap_servers
        count, seconds, differences = compared(given.library, servers, frozenset(given.states) or None)
    if given.note:
        note(given.library, differences)
    unknown = [each for each in differences if reason(given.library, each) is None]
    for each in unknown:
        sys.stdout.write(f"{each.case}: {each.in_short}\n  original {json.dumps(each.original)}\n")
        sys.stdout.write(f"  face     {json.dumps(each.face)}\n")
    seen: dict[str, set[str]] = {}
    for each in differences:
        found = row(given.library, each.case)
        if found is not None:
            seen.setdefault(found.cases[0], set()).add(each.in_short)
    for name, known in outcomes(given.library).items():
        for outcome in sorted(set(known) - seen.get(name, set())):
            sys.stdout.write(f"not met: {name}: {outcome}\n")
    sys.stdout.write(
        f"{count} cases, {seconds:.0f} s, {len(differences)} differences, {len(unknown)} without a reason\n"
    )


main()
