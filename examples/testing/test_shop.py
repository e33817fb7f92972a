"""Tests without and with asyncio, and with several workers: `pytest`, or `pytest -n 4` with pytest-xdist."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from kafkars import Producer
from kafkars.aio import Consumer
from kafkars.testing import EmbeddedBroker
from shop import place_orders, total


def test_the_till_adds_up_what_was_ordered(kafka_bootstrap_servers: str, kafka_topic: str) -> None:
    with Producer(bootstrap_servers=kafka_bootstrap_servers) as producer:
        producer.send_many(kafka_topic, [json.dumps({"amount": amount}) for amount in (5, 7)]).result(timeout=10)
    assert total(kafka_bootstrap_servers, kafka_topic) == 12


async def test_orders_are_written_down_in_order(kafka_broker: EmbeddedBroker, kafka_topic: str) -> None:
    await place_orders(kafka_broker.bootstrap_servers, kafka_topic, 5, 7, 9)
    # A call that does not suspend is fine here: the broker has threads of its own.
    assert [record.value for record in kafka_broker.records(kafka_topic)] == [
        b'{"amount":5}',
        b'{"amount":7}',
        b'{"amount":9}',
    ]


@pytest_asyncio.fixture
async def reader(kafka_bootstrap_servers: str) -> AsyncIterator[Consumer[bytes, bytes]]:
    """A consumer that belongs to the event loop of its test."""
    async with Consumer(bootstrap_servers=kafka_bootstrap_servers, auto_offset_reset="earliest") as consumer:
        yield consumer


async def test_a_reader_sees_them(
    reader: Consumer[bytes, bytes], kafka_bootstrap_servers: str, kafka_topic: str
) -> None:
    reader.assign([(kafka_topic, 0)])
    await place_orders(kafka_bootstrap_servers, kafka_topic, 5)
    record = await reader.poll(timeout=10)
    assert record is not None
    assert record.value == b'{"amount":5}'


@pytest.mark.parametrize("number", range(4))
def test_each_worker_has_a_broker_and_each_test_a_topic(
    number: int, kafka_broker: EmbeddedBroker, kafka_topic: str
) -> None:
    # What a fixture of the session gives is made once in each process: workers of xdist share nothing, and no test
    # finds what another one has written.
    assert kafka_broker.records(kafka_topic) == [], os.environ.get("PYTEST_XDIST_WORKER")
    with Producer(bootstrap_servers=kafka_broker.bootstrap_servers) as producer:
        producer.send(kafka_topic, str(number)).result(timeout=10)
    assert len(kafka_broker.records(kafka_topic)) == 1
