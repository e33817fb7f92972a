"""Names that suites and programs import though no documentation shows them: they have a place, and say at use what
there is."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

LIBRARIES = ["aiokafka", "kafkars.compat.aiokafka"]
NAMES = [("consumer.fetcher", "FetchRequest"), ("consumer.fetcher", "PartitionRecords"), ("record", "MemoryRecords")]


def named(library: str, module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"{library}.{module}"), name)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(("module", "name"), NAMES, ids=lambda part: part)
def test_it_can_be_imported_and_named(library: str, module: str, name: str) -> None:
    assert not isinstance(object(), named(library, module, name))


@pytest.mark.parametrize(("module", "name"), NAMES, ids=lambda part: part)
def test_it_says_that_it_cannot_be_made(module: str, name: str) -> None:
    with pytest.raises(NotImplementedError, match=name):
        named("kafkars.compat.aiokafka", module, name)(b"")
