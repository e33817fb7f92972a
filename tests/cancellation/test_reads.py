"""Reads that are given up: every record is handed to somebody once, in order."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from kafkars.aio import Consumer, Producer
from kafkars.compat import aiokafka
from kafkars.testing import EmbeddedBroker

from tests.cancellation.conftest import History
from tests.cancellation.ways import SEED, WAYS, Subject

PARTITION = aiokafka.TopicPartition("t", 0)

# Each with nothing that ends it but a record, so that giving up is all that can happen otherwise.
NATIVE: dict[str, Callable[[Any], Any]] = {
    "poll": lambda consumer: consumer.poll(None),
    "poll for a time": lambda consumer: consumer.poll(10),
    "poll_batch": lambda consumer: consumer.poll_batch(3, timeout=None),
    "poll_batch for a time": lambda consumer: consumer.poll_batch(timeout=10),
    "iteration": anext,
}
FACE: dict[str, Callable[[Any], Any]] = {
    "getone": lambda consumer: consumer.getone(),
    "getone of a partition": lambda consumer: consumer.getone(PARTITION),
    "getmany": lambda consumer: consumer.getmany(timeout_ms=10_000, max_records=3),
    "getmany of a partition": lambda consumer: consumer.getmany(PARTITION, timeout_ms=10_000),
    "iteration": anext,
}


def numbers(answer: Any) -> list[int]:
    """The records of an answer, by their values."""
    if answer is None:
        return []
    if isinstance(answer, dict):
        return [int(record.value) for records in answer.values() for record in records]
    records = [answer] if hasattr(answer, "offset") else list(answer)
    return [int(record.value) for record in records]


async def history(consumer: Any, producer: Producer[Any, Any], calls: dict[str, Any], count: int) -> Counter[str]:
    """Gives up `count` reads at random while records arrive, and reads the rest."""
    source = random.Random(SEED)
    sent = 0
    found: list[int] = []
    given_up: Counter[str] = Counter()

    async def arrive() -> None:
        nonlocal sent
        sent += 1
        await producer.send("t", str(sent - 1))

    for _ in range(count):
        for _ in range(source.choice([0, 0, 1, 3])):
            if source.random() < 0.5:
                await arrive()
            else:
                producer.send_nowait("t", str(sent))
                sent += 1
        name, way = source.choice(list(calls)), source.choice(WAYS)
        subject = Subject(lambda name=name: calls[name](consumer), arrive, lambda: calls["iteration"](consumer))
        got = [number for answer in await way(subject, source) for number in numbers(answer)]
        if not got:
            given_up[f"{name} {way.__name__}"] += 1
        found += got
        assert found == list(range(len(found))), f"after {way.__name__} of {name}: {got}"
    while len(found) < sent:
        found.append(int((await anext(consumer)).value))
    assert found == list(range(sent))
    return given_up


def test_reads_of_the_native_client(cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int) -> None:
    async def main() -> None:
        settings: dict[str, Any] = {"bootstrap_servers": cluster.bootstrap_servers}
        async with (
            Producer(**settings, linger_ms=0) as producer,
            Consumer(**settings, auto_offset_reset="earliest") as consumer,
        ):
            consumer.assign([("t", 0)])
            given_up = await history(consumer, producer, NATIVE, cancels)
            assert given_up.total() > cancels / 3

    run(main)


def test_reads_of_the_aiokafka_face(cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int) -> None:
    async def main() -> None:
        async with (
            Producer(bootstrap_servers=cluster.bootstrap_servers, linger_ms=0) as producer,
            aiokafka.AIOKafkaConsumer(
                bootstrap_servers=cluster.bootstrap_servers, auto_offset_reset="earliest"
            ) as consumer,
        ):
            consumer.assign([PARTITION])
            given_up = await history(consumer, producer, FACE, cancels)
            assert given_up.total() > cancels / 3

    run(main)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NATIVE)
def test_each_read_in_each_way_with_records_in_the_buffer(
    cluster: EmbeddedBroker, run: Callable[[History], None], name: str, way: Any
) -> None:
    async def main() -> None:
        settings: dict[str, Any] = {"bootstrap_servers": cluster.bootstrap_servers}
        async with (
            Producer(**settings, linger_ms=0) as producer,
            Consumer(**settings, auto_offset_reset="earliest") as consumer,
        ):
            consumer.assign([("t", 0)])
            for number in range(40):
                producer.send_nowait("t", str(number))
            await producer.flush()
            found = numbers(await consumer.poll(10))
            subject = Subject(lambda: NATIVE[name](consumer))
            for seed in range(5):
                got = await way(subject, random.Random(seed))
                found += [number for answer in got for number in numbers(answer)]
            while len(found) < 40:
                found += numbers(await consumer.poll(10))
            assert found == list(range(40))

    run(main)
