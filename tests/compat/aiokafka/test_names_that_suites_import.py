"""Names that suites and programs import though no documentation shows them: they have a place, and say at use what
there is."""

from __future__ import annotations

import asyncio
import importlib
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "migrating" / "aiokafka.md"
LIBRARIES = ["aiokafka", "kafkars.compat.aiokafka"]
NAMES = [
    ("conn", "AIOKafkaConnection"),
    ("consumer.fetcher", "FetchError"),
    ("consumer.fetcher", "FetchRequest"),
    ("consumer.fetcher", "FetchResult"),
    ("consumer.fetcher", "PartitionRecords"),
    ("producer.message_accumulator", "MessageAccumulator"),
    ("producer.message_accumulator", "MessageBatch"),
    ("record", "MemoryRecords"),
]
VALUES = [
    ("conn", "CloseReason"),
    ("consumer.fetcher", "OffsetResetStrategy"),
    ("producer.transaction_manager", "SubscriptionType"),
]
ADDRESSES = ["a", "a:1", " a:1 ", "1.2.3.4", "1.2.3.4:5", "[::1]", "[::1]:2", "::1", "fe80::1", "a:b", "[::1]:b"]


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


def shown(values: Any) -> dict[str, Any]:
    return {name: getattr(value, "value", value) for name, value in vars(values).items() if name.isupper()}


@pytest.mark.parametrize(("module", "name"), VALUES, ids=lambda part: part)
def test_values_are_the_same(module: str, name: str) -> None:
    original, face = (shown(named(library, module, name)) for library in LIBRARIES)
    assert face == original


def test_isolation_levels_and_records_are_where_they_were() -> None:
    for library in LIBRARIES:
        fetcher = importlib.import_module(f"{library}.consumer.fetcher")
        assert (fetcher.READ_UNCOMMITTED, fetcher.READ_COMMITTED) == (0, 1)
        assert fetcher.ConsumerRecord is importlib.import_module(f"{library}.structs").ConsumerRecord
        strategy = fetcher.OffsetResetStrategy
        assert [strategy.from_str(name) for name in ("LATEST", "earliest", "none", "?")] == [-1, -2, 0, 0]
        assert [strategy.to_str(value) for value in (-1, -2, 0, 5)] == ["latest", "earliest", "none", "timestamp(5)"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_are_taken_apart_alike(address: str) -> None:
    def parts(library: str) -> Any:
        try:
            return named(library, "conn", "get_ip_port_afi")(address)
        except ValueError:
            return ValueError

    assert parts("kafkars.compat.aiokafka") == parts("aiokafka")


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_wait_has_an_end(library: str) -> None:
    wait_for = named(library, "util", "wait_for")

    async def main() -> None:
        assert await wait_for(asyncio.sleep(0, "done"), 5) == "done"
        with pytest.raises(asyncio.TimeoutError):
            await wait_for(asyncio.get_running_loop().create_future(), 0.01)

    asyncio.run(main())
