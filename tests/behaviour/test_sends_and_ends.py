"""Random sends of every kind to topics that are known or not, with little room, and then one of the calls that end
them: the order of each partition holds, nothing is lost, and nothing of what was given up is read."""

from __future__ import annotations

import asyncio
import os
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import kafkars
import pytest
from kafkars.aio import Producer
from kafkars.errors import BufferFullError, KafkaError
from kafkars.testing import EmbeddedBroker

from tests.support.awaits import run
from tests.support.waiting import SECONDS, eventually

SEED = int(os.environ.get("KAFKARS_SEED", "1"))
HISTORIES = int(os.environ.get("KAFKARS_HISTORIES", "6"))
CALLS = 24

Place = tuple[str, int]


class History:
    """One producer and what it was given.

    Attributes:
        sent: Values in the order of the calls, by partition.
        answers: What each call gave, and the values that it stands for.
    """

    def __init__(self, broker: EmbeddedBroker, seed: int, *, transactional: bool) -> None:
        self.source = random.Random(seed)
        self.broker = broker
        self.topics = [broker_topic(broker, f"t{seed}-{number}") for number in range(3)]
        self.sent: dict[Place, list[bytes]] = defaultdict(list)
        self.answers: list[tuple[Any, list[bytes]]] = []
        settings: dict[str, Any] = {"transactional_id": f"id-{seed}"} if transactional else {}
        self.chooses = self.source.random() < 0.4
        if self.chooses:
            settings["partitioner"] = lambda key, count: int(key or b"0") % count
        self.producer: Producer[Any, Any] = Producer(
            bootstrap_servers=broker.bootstrap_servers,
            buffer_memory=self.source.choice([8_192, 1 << 20]),
            batch_size=2_048,
            max_request_size=4_096,
            linger_ms=self.source.choice([0, 5]),
            **settings,
        )

    def values(self, place: Place, count: int) -> list[bytes]:
        made = len(self.sent[place])
        pad = b"." * self.source.choice([0, 100, 600])
        name = b"%s-%d" % (place[0].encode(), place[1])
        values = [b"%s %d %s" % (name, made + number, pad) for number in range(count)]
        self.sent[place] += values
        return values

    def call(self) -> None:
        """Sends something, and awaits nothing."""
        topic, partition = place = (self.source.choice(self.topics), self.source.randrange(2))
        # With a partition function the key says where; without one the partition is named.
        chooses = self.chooses and self.source.random() < 0.5
        where: dict[str, Any] = {"key": b"%d" % partition} if chooses else {"partition": partition}
        kind = self.source.choice(["send", "send_nowait", "enqueue", "send_many", "enqueue_many", "batch", "arrow"])
        if kind in {"send", "send_nowait", "enqueue"}:
            (value,) = values = self.values(place, 1)
            try:
                answer = getattr(self.producer, kind)(topic, value, **where)
            except BufferFullError:
                self.sent[place].pop()
                return
        elif kind in {"send_many", "enqueue_many"}:
            values = self.values(place, self.source.randint(1, 4))
            columns = {f"{name}s": [each] * len(values) for name, each in where.items()}
            answer = getattr(self.producer, kind)(topic, values, **columns)
        elif kind == "arrow":
            values = self.values(place, self.source.randint(1, 4))
            pyarrow = pytest.importorskip("pyarrow")
            columns = {"value": pyarrow.array(values, pyarrow.binary()), "partition": [partition] * len(values)}
            call = self.source.choice([self.producer.send_arrow, self.producer.enqueue_arrow])
            answer = call(topic, pyarrow.table(columns), partition="partition")
        else:
            values = self.values(place, self.source.randint(1, 3))
            batch = self.producer.create_batch()
            for value in values:
                assert batch.append(value) is not None
            answer = self.producer.send_batch(batch, topic, partition=partition)
        self.answers.append((answer, values))

    async def send(self) -> None:
        """All calls, with some turns of the loop in between."""
        for topic in self.topics:
            if self.source.random() < 0.5:
                await self.producer.partitions_for(topic)
        for _ in range(CALLS):
            self.call()
            if self.source.random() < 0.2:
                await asyncio.sleep(self.source.choice([0, 0, 0.005]))

    async def outcomes(self) -> list[BaseException | None]:
        """What became of each call."""
        return [await outcome(answer) for answer, _ in self.answers]

    def stored(self) -> dict[Place, list[bytes]]:
        """What is read with `read_committed`, by partition."""
        places = [(topic, partition) for topic in self.topics for partition in range(2)]
        found: dict[Place, list[bytes]] = defaultdict(list)
        settings: dict[str, Any] = {"auto_offset_reset": "earliest", "isolation_level": "read_committed"}
        with kafkars.Consumer(bootstrap_servers=self.broker.bootstrap_servers, **settings) as consumer:
            consumer.assign(places)

            def read() -> bool:
                for record in consumer.poll_batch(timeout=0.05):
                    found[record.topic, record.partition].append(record.value)
                return all(consumer.position(place) >= self.broker.offsets(*place)[1] for place in places)

            eventually(read, "all is read")
        return found


def broker_topic(broker: EmbeddedBroker, name: str) -> str:
    broker.create_topic(name, partitions=2)
    return name


async def outcome(answer: Any) -> BaseException | None:
    """Why a call failed, down to the delivery; None where everything is stored."""
    try:
        while hasattr(answer, "__await__"):
            answer = await answer
    except (KafkaError, asyncio.CancelledError) as failure:
        return failure
    return None


async def flush(history: History) -> None:
    assert await history.producer.flush(SECONDS) == 0
    assert history.stored() == history.sent
    assert await history.outcomes() == [None] * len(history.answers)


async def commit(history: History) -> None:
    await history.producer.commit_transaction(SECONDS)
    assert history.stored() == history.sent
    assert await history.outcomes() == [None] * len(history.answers)


async def abort(history: History) -> None:
    await history.producer.abort_transaction(SECONDS)
    assert len(history.producer) == 0
    async with history.producer.transaction():
        for topic in history.topics:
            await history.producer.send(topic, b"next", partition=0)
    assert history.stored() == {(topic, 0): [b"next"] for topic in history.topics}


async def purge(history: History) -> None:
    history.producer.purge(in_flight=False)
    assert await history.producer.flush(SECONDS) == 0
    judge(history, await history.outcomes())


async def close(history: History) -> None:
    assert await history.producer.close(SECONDS) == 0
    assert history.stored() == history.sent
    assert await history.outcomes() == [None] * len(history.answers)


async def cancel(history: History) -> None:
    for answer, _ in history.answers:
        if history.source.random() < 0.4 and hasattr(answer, "cancel"):
            answer.cancel()
    assert await history.producer.flush(SECONDS) == 0
    judge(history, await history.outcomes())


def judge(history: History, outcomes: list[BaseException | None]) -> None:
    """What succeeded is stored, once and in its order; so is what did not, where it had left already."""
    stored = history.stored()
    for place, values in stored.items():
        rest = iter(history.sent[place])
        assert all(value in rest for value in values), f"{place} holds something twice or in another order"
    everything = {value for values in stored.values() for value in values}
    for (_, values), failure in zip(history.answers, outcomes, strict=True):
        assert failure is not None or everything.issuperset(values)


ENDS: dict[str, Callable[[History], Awaitable[None]]] = {
    "flush": flush,
    "commit": commit,
    "abort": abort,
    "purge": purge,
    "close": close,
    "cancel": cancel,
}


@pytest.fixture
def embedded() -> Iterator[EmbeddedBroker]:
    """A node that takes a moment to tell of topics and to store."""
    with (
        EmbeddedBroker() as broker,
        broker.intercept("Metadata", "delay", seconds=0.02),
        broker.intercept("Produce", "delay", seconds=0.01),
    ):
        yield broker


@pytest.mark.parametrize("seed", range(SEED, SEED + HISTORIES))
@pytest.mark.parametrize("end", ENDS)
def test_nothing_is_lost_or_overtaken(embedded: EmbeddedBroker, end: str, seed: int) -> None:
    async def test() -> None:
        history = History(embedded, seed, transactional=end in {"commit", "abort"})
        if end in {"commit", "abort"}:
            await history.producer.init_transactions(SECONDS)
            await history.producer.begin_transaction()
        try:
            await history.send()
            await ENDS[end](history)
        finally:
            await history.producer.close(1)

    run(test())
