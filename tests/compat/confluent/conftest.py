"""The library and its face: each test of this directory runs on both, and what they do must be the same."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest


@pytest.fixture(params=["confluent_kafka", "kafkars.compat.confluent_kafka"], ids=["original", "face"])
def ck(request: pytest.FixtureRequest) -> ModuleType:
    """`confluent_kafka`, of either."""
    return importlib.import_module(request.param)
