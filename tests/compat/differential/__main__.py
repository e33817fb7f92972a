"""Shows where a face differs, on the embedded broker: `python -m tests.compat.differential LIBRARY [STATE...]`."""

from __future__ import annotations

import json
import sys

from kafkars.testing import EmbeddedBroker

from tests.compat.differential.reasons import reason
from tests.compat.differential.run import compared


def main() -> None:
    library, *states = sys.argv[1:]
    with EmbeddedBroker() as broker:
        count, seconds, differences = compared(library, broker.bootstrap_servers, frozenset(states) or None)
    for each in differences:
        known = reason(library, each)
        if known is None:
            sys.stdout.write(f"{each.case}: {each.what}\n  original {json.dumps(each.original)}\n")
            sys.stdout.write(f"  face     {json.dumps(each.face)}\n")
    unknown = sum(reason(library, each) is None for each in differences)
    sys.stdout.write(f"{count} cases, {seconds:.0f} s, {len(differences)} differences, {unknown} without a reason\n")


main()
