"""Runs cases and says what became of each: `python -m tests.refusals [--seconds 3] [--jobs 16] [--sample 100] [CASE
...]`."""

from __future__ import annotations

import argparse
import random
import sys

from tests.refusals import known
from tests.refusals.cases import Case, Outcome, all_cases, run_all


def main() -> int:
    """Runs what is asked for; the number of cases with problems is the exit code, at most 99."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "cases", nargs="*", help="such as producer/sync/Produce/NOT_LEADER_OR_FOLLOWER/lasting/steady, or a part"
    )
    parser.add_argument("--seconds", type=float, default=4.0, help="how long a lasting fault lasts")
    parser.add_argument("--jobs", type=int, default=16, help="cases at once")
    parser.add_argument("--sample", type=int, help="so many cases, by --seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rates", action="store_true", help="also list requests per second of every lasting case")
    options = parser.parse_args()
    cases = all_cases()
    if options.cases:
        cases = [case for case in cases if any(part in str(case) for part in options.cases)]
        cases = cases or [Case.parse(text) for text in options.cases]
    if options.sample is not None:
        random.Random(options.seed).shuffle(cases)
        cases = cases[: options.sample]
    failed = 0
    outcomes = []
    for number, outcome in enumerate(run_all(cases, options.seconds, options.jobs), 1):
        outcomes.append(outcome)
        if outcome.problems:
            failed += 1
            reason = known.reason(outcome.case)
            print(f"{number}/{len(cases)} {outcome.case}: {'; '.join(outcome.problems)}", flush=True)
            if reason:
                print(f"    known: {reason}", flush=True)
            if outcome.errors:
                print(f"    last error: {outcome.errors[-1][:300]}", flush=True)
    summarise(outcomes, rates=options.rates)
    return min(failed, 99)


def summarise(outcomes: list[Outcome], *, rates: bool) -> None:
    """What all cases together say."""
    if rates:
        for outcome in sorted(outcomes, key=lambda outcome: -outcome.a_second):
            if outcome.a_second:
                print(f"{outcome.a_second:8.1f}/s {outcome.case} lives={outcome.lives}")
    missed = sum(1 for outcome in outcomes if not outcome.hits)
    met = {(outcome.case.workload, outcome.case.api) for outcome in outcomes if outcome.hits}
    if unmet := sorted({(outcome.case.workload, outcome.case.api) for outcome in outcomes} - met):
        print(f"never sent: {', '.join('/'.join(pair) for pair in unmet)}")
    total = sum(outcome.seconds for outcome in outcomes)
    failed = sum(1 for outcome in outcomes if outcome.problems)
    print(f"{len(outcomes)} cases, {failed} with problems, {missed} never hit, {total:.0f} s of work")


if __name__ == "__main__":
    sys.exit(main())
