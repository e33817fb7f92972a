"""Fixtures of tests of metrics, traces and log lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.brokers import Broker
from tests.support.clients import Clients


@pytest.fixture
def clients(broker: Broker, client_api: Any) -> Iterator[Clients]:
    """Makes clients of the flavour and for the broker of this run, and closes them."""
    made = Clients(broker, client_api)
    yield made
    made.close()


@pytest.fixture
def collected() -> Iterator[Any]:
    """Where spans and measurements of the test go."""
    from tests.observability.spans import Collected  # the SDK is slow to import

    made = Collected()
    yield made
    made.close()
