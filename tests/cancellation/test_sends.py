"""Sends that are given up: each record is stored once or not at all, and what was acknowledged is stored."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from kafkars.aio import Consumer, Producer
from kafkars.compat import aiokafka
from kafkars.errors import TransactionStateError
from kafkars.testing import EmbeddedBroker

from tests.cancellation.conftest import History
from tests.cancellation.ways import SEED, WAYS, Subject

Make = Callable[[Any, list[bytes]], Any]


def filled(producer: Any, values: list[bytes]) -> Any:
    batch = producer.create_batch()
    for value in values:
        batch.append(value)
    return producer.send_batch(batch, "t", partition=0)


def filled_for_aiokafka(producer: Any, values: list[bytes]) -> Any:
    batch = producer.create_batch()
    for value in values:
        batch.append(timestamp=None, key=None, value=value)
    return producer.send_batch(batch, "t", partition=0)


# What a call takes, and how many records.
NATIVE: dict[str, tuple[int, Make]] = {
    "send": (1, lambda producer, values: producer.send("t", values[0])),
    "send_nowait": (1, lambda producer, values: producer.send_nowait("t", values[0])),
    "enqueue": (1, lambda producer, values: producer.enqueue("t", values[0])),
    "send_many": (3, lambda producer, values: producer.send_many("t", values)),
    "enqueue_many": (3, lambda producer, values: producer.enqueue_many("t", values)),
    "send_batch": (3, filled),
}
FACE: dict[str, tuple[int, Make]] = {
    "send": (1, lambda producer, values: producer.send("t", values[0])),
    "send_and_wait": (1, lambda producer, values: producer.send_and_wait("t", values[0])),
    "send_batch": (3, filled_for_aiokafka),
}


async def offsets(answer: Any) -> list[int]:
    """Where the records of an answer are; of a future of a delivery, what that gives."""
    if hasattr(answer, "offset"):
        return [answer.offset]
    if isinstance(answer, list):
        return [each.offset for each in answer]
    found = await (answer.wait() if hasattr(answer, "wait") else answer)
    return await offsets(found) if found is not None and not isinstance(found, dict) else []


async def history(producer: Any, calls: dict[str, tuple[int, Make]], count: int) -> tuple[dict[bytes, int], int]:
    """Gives up `count` sends at random. Returns offsets of the first record of each that was acknowledged, and how many
    records were made."""
    source = random.Random(SEED)
    made = 0
    acknowledged: dict[bytes, int] = {}
    for _ in range(count):
        name, way = source.choice(list(calls)), source.choice(WAYS)
        number, make = calls[name]
        values = [str(made + each).encode() for each in range(number)]
        made += number
        got = await way(Subject(lambda make=make, values=values: make(producer, values)), source)
        for answer in got:
            for offset in (await offsets(answer))[:1]:
                acknowledged[values[0]] = offset
    return acknowledged, made


async def check(cluster: EmbeddedBroker, acknowledged: dict[bytes, int], made: int) -> None:
    end = cluster.offsets("t", 0)[1]
    stored: dict[bytes | None, int] = {}
    async with Consumer(bootstrap_servers=cluster.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([("t", 0)])
        while len(stored) < end:
            for record in await consumer.poll_batch(timeout=10):
                assert record.value not in stored, "stored twice"
                stored[record.value] = record.offset
    assert len(stored) <= made
    assert {value: stored.get(value) for value in acknowledged} == acknowledged


@pytest.mark.parametrize("linger_ms", [0, 3])
def test_sends_of_the_native_client(
    cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int, linger_ms: int
) -> None:
    async def main() -> None:
        async with Producer(bootstrap_servers=cluster.bootstrap_servers, linger_ms=linger_ms) as producer:
            acknowledged, made = await history(producer, NATIVE, cancels)
            assert await producer.flush(10) == 0
            assert producer.metrics()["unacknowledged"] == 0
        await check(cluster, acknowledged, made)

    run(main)


# One of the ways drops what it has not awaited: then nothing is sent, and Python says so.
@pytest.mark.filterwarnings("ignore:coroutine 'AIOKafkaProducer.* was never awaited:RuntimeWarning")
def test_sends_of_the_aiokafka_face(cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int) -> None:
    async def main() -> None:
        async with aiokafka.AIOKafkaProducer(bootstrap_servers=cluster.bootstrap_servers) as producer:
            acknowledged, made = await history(producer, FACE, cancels)
            await producer.flush()
        await check(cluster, acknowledged, made)

    run(main)


def test_sends_before_their_topic_is_known(cluster: EmbeddedBroker, run: Callable[[History], None]) -> None:
    async def main() -> None:
        for seed, way in enumerate(WAYS):
            cluster.intercept("Metadata", "delay", seconds=0.01, times=2)
            async with Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
                values = [f"{way.__name__} {each}".encode() for each in range(3)]
                subject = Subject(lambda producer=producer, values=values: producer.send("t", values[0]))
                await way(subject, random.Random(seed))
                assert await producer.flush(10) == 0
                assert producer.metrics()["unacknowledged"] == 0
        await check(cluster, {}, 3 * len(WAYS))

    run(main)


def test_a_transaction_is_committed_as_a_whole_or_not(
    cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int
) -> None:
    source = random.Random(SEED)
    rounds = max(len(WAYS), cancels // 10)

    async def main() -> None:
        settings: dict[str, Any] = {"bootstrap_servers": cluster.bootstrap_servers}
        ended: dict[int, str] = {}
        async with Producer(**settings, transactional_id="mine") as producer:
            await producer.init_transactions()
            for number in range(rounds):
                way = source.choice(WAYS)
                await way(Subject(producer.begin_transaction), source)
                if not producer.in_transaction:
                    await producer.begin_transaction()
                for _ in range(3):
                    producer.send_nowait("t", str(number))
                step = source.choice(["commit", "abort"])
                end = producer.commit_transaction if step == "commit" else producer.abort_transaction
                await way(Subject(end), source)
                # A step that has begun is carried out: the same call again waits for its end, unless that has come.
                with suppress(TransactionStateError):
                    await end()
                assert not producer.in_transaction
                ended[number] = step
        found: Counter[int] = Counter()
        async with Consumer(**settings, auto_offset_reset="earliest", isolation_level="read_committed") as consumer:
            consumer.assign([("t", 0)])
            wanted = {number: 3 for number, step in ended.items() if step == "commit"}
            while found.total() < 3 * len(wanted):
                found.update(int(record.value or b"") for record in await consumer.poll_batch(timeout=10))
            assert found == wanted

    run(main)
