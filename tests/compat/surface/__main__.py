"""Prints how many entries of each table work on the face, by `since` and `tier`; with `--missing`, what does not. Names
of libraries choose."""

from __future__ import annotations

import sys

from tests.compat.surface import verdict
from tests.compat.surface.table import LIBRARIES, rows


def main() -> None:
    chosen = [library for library in LIBRARIES if library in sys.argv] or LIBRARIES
    for library in chosen:
        sys.stdout.write(f"{library}\n")
        for (since, tier), counts in sorted(verdict.counts(library).items(), reverse=True):
            told = ", ".join(f"{number} {name}" for name, number in counts.most_common())
            sys.stdout.write(f"  {since:6} {tier:8} {counts.total():4}: {told}\n")
        if "--missing" in sys.argv:
            missing = [row for row in rows(library) if verdict.of(row) not in verdict.FINE]
            sys.stdout.writelines(f"  {row.since} {row.tier} {row.name} {verdict.of(row)}\n" for row in missing)


main()
