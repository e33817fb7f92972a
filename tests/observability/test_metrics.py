"""The page of metrics, the types and what clients give name the same things."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import typing
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import kafkars
import pytest
from kafkars import aio
from kafkars.metrics import ConnectionMetrics, ConsumerMetrics, ProducerMetrics, described

from tests.support.clients import Clients, read
from tests.support.waiting import SECONDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "metrics.md"
ROW = re.compile(r"^\| `(\w+)` \| (counter|gauge) \| (\w+) \| (.+) \|$", re.MULTILINE)


def rows_of_page() -> dict[str, dict[str, tuple[str, str, str]]]:
    """What the page says by section, as it is on the site."""
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    sections = hooks.on_page_markdown(PAGE.read_text()).split("\n## ")
    return {
        section.splitlines()[0]: {name: (kind, unit, text) for name, kind, unit, text in ROW.findall(section)}
        for section in sections
    }


@pytest.mark.parametrize(
    ("section", "figures"),
    [
        ("Of a producer", ProducerMetrics),
        ("Of a consumer", ConsumerMetrics),
        ("Of connections", ConnectionMetrics),
    ],
)
def test_the_page_says_what_the_types_say(section: str, figures: type) -> None:
    assert rows_of_page()[section] == {name: tuple(metric) for name, metric in described(figures).items()}


@pytest.mark.parametrize("client", [kafkars.Producer, kafkars.Consumer, aio.Producer, aio.Consumer])
def test_clients_give_what_the_page_says(client: Any) -> None:
    made = client(bootstrap_servers="127.0.0.1:1")
    found = made.metrics()
    asyncio.run(close(made))
    section = "Of a producer" if "records_sent" in found else "Of a consumer"
    page = rows_of_page()
    connections = found.pop("client")
    assert list(found) == list(page[section])
    assert list(connections) == list(page["Of connections"])
    assert all(type(value) is int for value in [*found.values(), *connections.values()])


async def close(client: Any) -> None:
    ended = client.close()
    if isinstance(ended, Awaitable):
        await ended


def test_units_are_few_and_names_agree_with_them() -> None:
    for figures in (ProducerMetrics, ConsumerMetrics, ConnectionMetrics):
        for name, metric in described(figures).items():
            assert metric.unit in {
                "records",
                "batches",
                "bytes",
                "requests",
                "responses",
                "connections",
                "partitions",
                "ms",
            }
            assert name.endswith("_ms") == (metric.unit == "ms")
            assert ("bytes" in name) <= (metric.unit == "bytes")
            assert metric.description.endswith(".")


def test_types_are_public() -> None:
    assert typing.get_type_hints(kafkars.ProducerMetrics)["client"] is kafkars.ConnectionMetrics
    assert kafkars.ConsumerMetrics.__annotations__


def test_counters_never_fall_and_gauges_come_back(clients: Clients, topic: str) -> None:
    producer, consumer = clients.producer(), clients.consumer([(topic, 0)])
    before = [producer.metrics(), consumer.metrics()]
    for _ in range(3):
        for _ in range(5):
            producer.send(topic, b"value", partition=0)
        producer.flush(SECONDS)
        read(consumer, 5)
        now = [producer.metrics(), consumer.metrics()]
        for old, new, figures in zip(before, now, (ProducerMetrics, ConsumerMetrics), strict=True):
            assert_grown(old, new, figures)
            assert_grown(old["client"], new["client"], ConnectionMetrics)
        before = now
    sent, fetched = before
    assert (sent["records_sent"], sent["records_failed"], sent["unacknowledged"], sent["buffer_used"]) == (15, 0, 0, 0)
    assert (fetched["records_consumed"], fetched["assigned"]) == (15, 1)


def assert_grown(old: Any, new: Any, figures: type) -> None:
    for name, metric in described(figures).items():
        assert new[name] >= 0
        if metric.kind == "counter":
            assert new[name] >= old[name], name
