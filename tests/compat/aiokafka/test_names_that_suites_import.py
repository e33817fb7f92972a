"""Names that suites and programs import though no documentation shows them: they have a place, and say at use what
there is."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "migrating" / "aiokafka.md"
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


def test_the_page_names_the_requests_that_can_be_sent() -> None:
    (row,) = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `AIOKafkaClient.send()`")
    ]
    for name in ("admin", "metadata"):
        module = importlib.import_module(f"kafkars.compat.aiokafka.protocol.{name}")
        requests = {each for each in vars(module) if each.endswith("Request")}
        assert requests
        assert requests == {each for each in re.findall(r"`(\w+Request)`", row) if hasattr(module, each)}
