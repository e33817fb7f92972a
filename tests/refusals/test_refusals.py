"""Some of the refusals, by a seed: `make refusals` runs all."""

from __future__ import annotations

import os

import pytest

from tests.refusals.cases import run_all, sample
from tests.refusals.workloads import WORKLOADS

SEED = int(os.environ.get("KAFKARS_SEED", "0"))
CASES = 14
AT_ONCE = 14
SECONDS = 1.5


@pytest.mark.timeout(180)
@pytest.mark.parametrize("workload", WORKLOADS)
def test_refused_requests_are_made_again_and_nothing_is_lost(workload: str) -> None:
    cases = sample(workload, CASES, SEED)
    outcomes = list(run_all(cases, SECONDS, AT_ONCE))
    problems = [f"{outcome.case}: {'; '.join(outcome.problems)}" for outcome in outcomes if outcome.problems]
    assert not problems, "\n" + "\n".join(problems)
    assert sum(outcome.hits for outcome in outcomes) >= len(cases) / 2, "most of the faults must be met"
