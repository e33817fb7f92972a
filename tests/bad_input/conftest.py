"""Whatever goes wrong in a test of this folder, it leaves nothing behind.

Two kinds of bad input need processes of their own and live in tests/process: use after fork (test_fork.py) and Ctrl+C
in every blocking call (test_signals.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kafkars import Producer

from tests.kafka import wire
from tests.support.leftovers import assert_no_more_than, belongings


@pytest.fixture
def nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Checks, after everything else of the test has ended, that no thread and no socket is left."""
    if "broker" in request.fixturenames:
        # Lives as long as the test run; once it answers, its threads are all there.
        broker = request.getfixturevalue("broker")
        wire.metadata(broker.bootstrap_servers.split(",")[0])
    with Producer(bootstrap_servers="localhost:9092"):
        # So that what a process makes once (the runtime) is not taken for something left behind.
        pass
    before = belongings()
    yield
    assert_no_more_than(before)
