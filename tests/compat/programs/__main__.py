"""Shows where a face differs, on the embedded broker: `python -m tests.compat.programs LIBRARY [PROGRAM...]`."""

from __future__ import annotations

import difflib
import json
import sys

from kafkars.testing import EmbeddedBroker

from tests.compat.programs import session


def main() -> None:
    library, *names = sys.argv[1:]
    chosen = tuple(names) or session.PROGRAMS[library]
    with EmbeddedBroker() as broker:
        original, face = (
            session.outcomes(library, side, broker.bootstrap_servers, chosen) for side in ("original", "face")
        )
    for name in chosen:
        same = session.agree(original[name]["told"], face[name]["told"]) and face[name]["end"] == "ended"
        told = [[json.dumps(line) for line in side[name]["told"]] for side in (original, face)]
        sys.stdout.write(f"{name}: {'the same' if same else face[name]['end']}\n")
        if not same:
            lines = difflib.unified_diff(*told, "original", "face", lineterm="")
            sys.stdout.writelines(f"    {line}\n" for line in lines)


main()
