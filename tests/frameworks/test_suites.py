"""What passes on the original of the tests of frameworks themselves passes on the face: those that take seconds. All of
them: `make framework-suites`."""

from __future__ import annotations

import pytest
from kafkars.testing import EmbeddedBroker

from tests.brokers import leave_out
from tests.frameworks.suites.reasons import reason
from tests.frameworks.suites.running import READY, Told, run
from tests.frameworks.suites.suite import Suite
from tests.frameworks.suites.table import SUITES

pytestmark = pytest.mark.frameworks


@pytest.fixture(scope="module", autouse=True)
def environment() -> None:
    if not READY.exists():
        reason = "what the suites need is not installed: make test-frameworks"
        leave_out(reason)


def told(suite: Suite, side: str) -> Told:
    # One each: tests leave topics behind.
    with EmbeddedBroker() as broker:
        return run(suite, side, broker.bootstrap_servers, suite.short)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("suite", [each for each in SUITES if each.short], ids=lambda suite: suite.name)
def test_a_frameworks_own_tests_pass_on_the_face(suite: Suite) -> None:
    original, face = told(suite, "original"), told(suite, "face")
    assert original.passed, original.texts
    lost = [name for name in original.passed - face.passed if reason(suite, name) is None]
    assert not lost, "\n".join(face.texts.get(name, name) for name in lost)
