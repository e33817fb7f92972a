"""Runs tests in two rounds: those that mostly wait side by side in several processes, then those that measure, alone.

`run_tests.py --workers 8 -m "not kafka" -k name`: everything but `--workers` is for pytest. With `--workers 0` there is
one round in one process, as a debugger or the look at a single test wants it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

NO_TESTS = 5
"""pytest's exit status where nothing was selected: one of the two rounds may well be empty."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--workers", type=int, default=0, help="processes beside each other; 0 is one round in one process"
    )
    parser.add_argument("--round", choices=["both", "together", "alone"], default="both", help="which of the two")
    parser.add_argument("-m", dest="markers", required=True, help="which tests, as pytest's own option")
    chosen, others = parser.parse_known_args()
    if chosen.workers == 0:
        return pytest("-m", chosen.markers, *others)

    # Whoever has nothing left takes from the others. (loadgroup and loadfile do not outlive a process that a hung test
    # ends.)
    together = ["-n", str(chosen.workers), "--dist", "worksteal", "--share-kafka"]
    codes = []
    if chosen.round != "alone":
        codes.append(timed("side by side", "-m", f"({chosen.markers}) and not alone", *together, *others))
    if chosen.round != "together":
        codes.append(timed("alone", "-m", f"({chosen.markers}) and alone", *others))
    failed = [code for code in codes if code not in {0, NO_TESTS}]
    return failed[0] if failed else min(codes)


def timed(name: str, *arguments: str) -> int:
    started = time.monotonic()
    code = pytest(*arguments)
    print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)
    return code


def pytest(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
