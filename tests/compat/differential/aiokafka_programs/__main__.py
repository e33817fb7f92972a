"""Plays the programs of many seeds: `python -m tests.compat.differential.aiokafka_programs FIRST COUNT [KIND...]`."""

from __future__ import annotations

import sys
import time

from tests.compat.differential.aiokafka_programs.kinds import KINDS
from tests.compat.differential.aiokafka_programs.playing import difference, quiet, reduced


def main() -> None:
    first, count, *kinds = sys.argv[1:]
    quiet()
    began, differ = time.monotonic(), 0
    for seed in range(int(first), int(first) + int(count)):
        for kind in kinds or KINDS:
            make, player = KINDS[kind]
            program = make(seed)
            found = difference(player, program)
            if found is not None:
                differ += 1
                shorter = difference(player, reduced(player, program))
                sys.stdout.write(f"{found}\n\n{shorter or 'reduced it is not different any more'}\n\n")
                sys.stdout.flush()
    played = int(count) * len(kinds or KINDS)
    sys.stdout.write(f"{played} programs, {time.monotonic() - began:.0f} s, {differ} differ\n")
    sys.exit(differ > 0)


main()
