"""Metrics go to a backend that tests look at."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def metrics() -> Any:
    """Nothing of the test before is in it."""
    backend = importlib.import_module("tests.metrics").TestingMetricsBackend
    backend.calls.clear()
    importlib.import_module("arroyo.utils.metrics").configure_metrics(backend, force=True)
    return backend
