"""What consumers of asyncio of the confluent face count as read, through calls that are given up and messages that
cannot be deserialized: each message is returned once, in order, and none is committed that was not returned.
"""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from kafkars.aio import Producer
from kafkars.compat.confluent_kafka import OFFSET_INVALID, KafkaException, TopicPartition
from kafkars.compat.confluent_kafka.aio import AIOConsumer, AsyncDeserializingConsumer
from kafkars.compat.confluent_kafka.error import ConsumeError
from kafkars.testing import EmbeddedBroker

from tests.cancellation.conftest import History
from tests.cancellation.ways import SEED, WAYS, Subject

TOPIC = "t2"
PARTITIONS = [0, 1]


class Program:
    """A program that reads two partitions of its own choice, and what it has to see."""

    def __init__(self, consumer: Any, producer: Producer, source: random.Random, *, is_automatic: bool) -> None:
        self.consumer = consumer
        self.producer = producer
        self.source = source
        self.is_automatic = is_automatic
        self.sent = dict.fromkeys(PARTITIONS, 0)
        self.next: dict[int, int] = {}
        self.paused: set[int] = set()
        self.has_read: set[int] = set()
        self.ever: dict[int, set[int]] = defaultdict(set)

    async def call(self, read: Callable[[Any], Awaitable[Any]]) -> Any:
        """Reads; a message that cannot be deserialized is returned by its error."""
        try:
            return await read(self.consumer)
        except ConsumeError as error:
            return error.kafka_message

    def got(self, answer: Any) -> None:
        for message in answer if isinstance(answer, list) else [answer]:
            if message is not None:
                partition, offset = message.partition(), message.offset()
                assert message.error() is None
                assert partition not in self.paused
                assert offset == self.next[partition], (partition, offset, self.next)
                self.next[partition] = offset + 1
                self.has_read.add(partition)
                self.ever[partition].add(offset)

    # --- steps

    def send(self) -> None:
        for _ in range(self.source.choice([0, 1, 2, 5])):
            partition = self.source.choice(PARTITIONS)
            value = "bad" if self.source.random() < 0.1 else "good"
            self.producer.send_nowait(TOPIC, value, partition=partition)
            self.sent[partition] += 1

    async def read(self) -> None:
        number, seconds = self.source.choice([(1, 5), (3, 5), (20, 5), (20, 0.02), (5, 0)])
        is_poll = self.source.random() < 0.3
        read: Callable[[Any], Awaitable[Any]] = lambda consumer: (  # noqa: E731
            consumer.poll(seconds) if is_poll else consumer.consume(number, seconds)
        )
        way = self.source.choice(WAYS)
        for answer in await way(Subject(lambda: self.call(read)), self.source):
            self.got(answer)

    async def read_in_time(self) -> None:
        self.got(await self.call(lambda consumer: consumer.consume(4, 0.02)))

    async def position(self) -> None:
        answers = await self.consumer.position([TopicPartition(TOPIC, each) for each in PARTITIONS])
        for each in answers:
            place = each.partition
            assert each.offset == (self.next[place] if place in self.has_read else OFFSET_INVALID)

    async def commit(self) -> None:
        try:
            await self.consumer.commit(asynchronous=False)
        except KafkaException:
            assert self.is_automatic or not self.has_read or self.ever
        await self.committed()

    async def committed(self) -> None:
        answers = await self.consumer.committed([TopicPartition(TOPIC, each) for each in PARTITIONS], timeout=10)
        for each in answers:
            assert each.offset <= 0 or each.offset - 1 in self.ever[each.partition], each

    async def pause(self) -> None:
        partition = self.source.choice(sorted(self.next))
        if partition in self.paused:
            self.paused.remove(partition)
            await self.consumer.resume([TopicPartition(TOPIC, partition)])
        else:
            self.paused.add(partition)
            await self.consumer.pause([TopicPartition(TOPIC, partition)])

    async def seek(self) -> None:
        partition = self.source.choice(sorted(self.next))
        self.begin(partition)
        await self.consumer.seek(TopicPartition(TOPIC, partition, self.next[partition]))

    async def assign_anew(self) -> None:
        partition = self.source.choice(sorted(self.next))
        await self.consumer.incremental_unassign([TopicPartition(TOPIC, partition)])
        self.begin(partition)
        await self.consumer.incremental_assign([TopicPartition(TOPIC, partition, self.next[partition])])

    def begin(self, partition: int) -> None:
        """Goes on near where it is: what is there was read, or is skipped, which the program then knows."""
        start = self.source.randint(max(self.next[partition] - 5, 0), self.next[partition])
        self.next[partition] = start
        self.has_read.discard(partition)

    # --- a whole run

    async def run(self, steps: int) -> None:
        self.next = dict.fromkeys(PARTITIONS, 0)
        await self.consumer.assign([TopicPartition(TOPIC, each, 0) for each in PARTITIONS])
        others = [self.position, self.commit, self.committed, self.pause, self.seek, self.assign_anew]
        for _ in range(steps):
            self.send()
            await self.read()
            if self.source.random() < 0.3:
                await self.read_in_time()
            if self.source.random() < 0.5:
                await self.source.choice(others)()
        await self.consumer.resume([TopicPartition(TOPIC, each) for each in self.paused])
        self.paused.clear()
        await self.producer.flush()
        while any(self.next[each] < self.sent[each] for each in PARTITIONS):
            self.got(await self.call(lambda consumer: consumer.consume(5, 0.1)))
        await self.position()


async def convert(given: bytes, _: Any) -> str:
    for _turn in range(len(given) % 4 + 1):
        await asyncio.sleep(0)
    if given == b"bad":
        raise LookupError("no such schema")
    return given.decode()


def settings(cluster: EmbeddedBroker, *, is_automatic: bool) -> dict[str, Any]:
    return {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "g",
        "auto.offset.reset": "error",
        "enable.auto.commit": is_automatic,
        "auto.commit.interval.ms": 5,
    }


@pytest.mark.parametrize("is_automatic", [False, True], ids=["by hand", "automatic"])
@pytest.mark.parametrize("kind", ["plain", "deserializing"])
def test_what_is_read_and_committed(
    cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int, kind: str, is_automatic: bool
) -> None:
    source = random.Random(SEED)
    conf = settings(cluster, is_automatic=is_automatic)

    async def main() -> None:
        consumer: Any = (
            AIOConsumer(conf)
            if kind == "plain"
            else await AsyncDeserializingConsumer({**conf, "value.deserializer": convert})
        )
        async with Producer(bootstrap_servers=cluster.bootstrap_servers, linger_ms=0) as producer:
            program = Program(consumer, producer, source, is_automatic=is_automatic)
            await program.run(cancels)
            await consumer.close()
        async with AIOConsumer(conf) as later:
            stored = await later.committed([TopicPartition(TOPIC, each) for each in PARTITIONS], timeout=10)
        for each in stored:
            assert each.offset <= 0 or each.offset - 1 in program.ever[each.partition]
            if is_automatic and each.partition in program.has_read:
                assert each.offset == program.next[each.partition]

    run(main)


@pytest.mark.parametrize("kind", ["plain", "deserializing"])
def test_calls_beside_each_other_lose_nothing_and_double_nothing(
    cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int, kind: str
) -> None:
    source = random.Random(SEED)
    conf = settings(cluster, is_automatic=False)

    async def main() -> None:
        consumer: Any = (
            AIOConsumer(conf)
            if kind == "plain"
            else await AsyncDeserializingConsumer({**conf, "value.deserializer": convert})
        )
        found: list[int] = []
        sent = 0

        async def read(way: Any) -> None:
            async def call() -> Any:
                try:
                    return await consumer.consume(source.choice([1, 3, 20]), source.choice([0.001, 5]))
                except ConsumeError as error:
                    return [error.kafka_message]

            for answer in await way(Subject(call), source):
                found.extend(each.offset() for each in answer)

        async with Producer(bootstrap_servers=cluster.bootstrap_servers, linger_ms=0) as producer:
            await consumer.assign([TopicPartition(TOPIC, 0, 0)])
            for _ in range(cancels):
                for _ in range(source.choice([0, 1, 4, 9])):
                    producer.send_nowait(TOPIC, "bad" if source.random() < 0.1 else "good", partition=0)
                    sent += 1
                await asyncio.gather(*(read(source.choice(WAYS)) for _ in range(3)))
                assert len(set(found)) == len(found)
                # What comes next, or what was returned by a call beside one that was given up.
                (at,) = await consumer.position([TopicPartition(TOPIC, 0)])
                assert at.offset == OFFSET_INVALID or set(range(at.offset)) <= set(found)
            while len(found) < sent:
                await read(lambda subject, _: asyncio.gather(subject.make()))
        await consumer.close()
        assert sorted(found) == list(range(sent))

    run(main)
