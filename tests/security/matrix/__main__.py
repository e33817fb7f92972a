"""Runs the matrix and prints it: `python -m tests.security.matrix [--sites embedded 4.3.1] [--short] [PART ...]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.kafka import jars
from tests.security.matrix.cells import Outcome, cells, run_all
from tests.security.matrix.site import open_site
from tests.security.matrix.table import page, table

SITES = ("embedded", "2.8.2", "3.9.1", "4.3.1")


def main() -> int:
    """The number of cells with problems is the exit code, at most 99."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help="only cells in whose names one of these is")
    parser.add_argument("--sites", nargs="+", default=SITES, help="`embedded`, or releases of Kafka")
    parser.add_argument("--short", action="store_true", help="one call for each way, fault and flavour")
    parser.add_argument("--jobs", type=int, default=6, help="cells at once")
    parser.add_argument("--write", type=Path, help="a file for the table")
    options = parser.parse_args()
    wanted = cells(is_long=not options.short)
    if options.parts:
        wanted = [cell for cell in wanted if any(part in str(cell) for part in options.parts)]
    outcomes: list[Outcome] = []
    for name in options.sites:
        if name != "embedded":
            jars.fetch(name)
        with tempfile.TemporaryDirectory(prefix="kafkars-matrix-") as folder, open_site(name, Path(folder)) as site:
            since = time.monotonic()
            found = []
            for outcome in run_all(site, wanted, options.jobs):
                found.append(outcome)
                if outcome.problem:
                    print(f"{site.name}: {outcome.cell}: {outcome.problem}", flush=True)
            failed = sum(1 for outcome in found if outcome.problem)
            print(
                f"{site.name}: {len(found)} cells, {failed} with problems, {time.monotonic() - since:.0f} s", flush=True
            )
            outcomes += found
    if options.write:
        options.write.write_text(page(outcomes))
    else:
        print(table(outcomes))
    return min(sum(1 for outcome in outcomes if outcome.problem), 99)


if __name__ == "__main__":
    sys.exit(main())
