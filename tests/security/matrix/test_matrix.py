"""One call for each way, fault and flavour: on the embedded broker fault by fault, on real Kafka all at once.

`make security-matrix` makes every call on every release, and prints the table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafkars.errors import CertificateError, TlsError

from tests.brokers import leave_out, why_no_kafka
from tests.security.matrix.cells import Outcome, cells, judge, run_all
from tests.security.matrix.faults import FAULTS, Expected
from tests.security.matrix.site import KdcUnavailableError, Site, open_site
from tests.security.matrix.table import table
from tests.security.matrix.ways import WAYS

CELLS = cells(is_long=False)


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with open_site("embedded", tmp_path_factory.mktemp("matrix")) as site:
        yield site


@pytest.mark.parametrize("fault", [fault.name for fault in FAULTS])
def test_each_fault_is_one_error_to_whoever_meets_it(embedded: Site, fault: str) -> None:
    wanted = [cell for cell in CELLS if cell.fault.name == fault]
    assert_as_they_must_be(list(run_all(embedded, wanted, jobs=4)))


@pytest.mark.kafka
@pytest.mark.timeout(600)
def test_each_fault_is_one_error_on_this_release_of_kafka(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """In one test, because it needs a broker with twenty listeners and a key distribution centre."""
    reason = why_no_kafka()
    try:
        if reason is None:
            with open_site(pytestconfig.getoption("--kafka-version"), tmp_path) as site:
                outcomes = list(run_all(site, CELLS, jobs=6))
    except KdcUnavailableError as unavailable:
        reason = str(unavailable)
    if reason is not None:
        leave_out(reason)
    assert len(outcomes) == len(CELLS)
    assert_as_they_must_be(outcomes)


def assert_as_they_must_be(outcomes: list[Outcome]) -> None:
    assert outcomes
    sys.stdout.write(table(outcomes))
    assert not [f"{outcome.cell}: {outcome.problem}" for outcome in outcomes if outcome.problem]


def test_every_way_meets_every_fault_or_it_is_said_why_not() -> None:
    met = {(cell.way, cell.fault.name) for cell in CELLS}
    empty = {(way, fault.name): fault.expects(way) for fault in FAULTS for way in WAYS}
    for (way, fault), expected in empty.items():
        assert ((way, fault) in met) is isinstance(expected, Expected)


def test_each_kind_of_wrong_outcome_is_seen() -> None:
    expected = Expected(CertificateError, "has expired", within=1.0)
    good = CertificateError("it has expired")
    assert judge(expected, good, str(good), 0.1) == ""
    assert "took 2.0 s" in judge(expected, good, str(good), 2.0)
    assert "has expired" in judge(expected, CertificateError("no"), "no", 0.1)
    assert "was expected" in judge(expected, TlsError("it has expired"), "", 0.1)
    assert "was expected" in judge(expected, None, "", 0.1)
    assert "was expected" in judge(Expected(None), good, str(good), 0.1)
    assert "secret" in judge(expected, good, "Xq7-alice", 0.1)
