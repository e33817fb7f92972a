"""`SimpleConsumer` and `KafkaConsumer` through random histories, beside a model that has the log in a list.

Each step is a call of a program: sending, reading, seeking, committing, stopping and beginning anew, records deleted.
What the consumer gives out and where it then stands must be what the model says. `KAFKARS_SEED=n` runs one history and
prints it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import pytest
from kafkars import Admin
from kafkars.compat.kafka_legacy import KafkaClient, KafkaConsumer, SimpleConsumer, SimpleProducer
from kafkars.compat.kafka_legacy.common import ConsumerTimeout
from kafkars.compat.kafka_legacy.producer.base import Producer

from tests.brokers import Broker
from tests.support.waiting import SECONDS

HISTORIES = 30
STEPS = 25
PARTITIONS = 3
SEED = os.environ.get("KAFKARS_SEED")


class Model:
    """What is in the log, what is committed, and where the consumer stands."""

    def __init__(self) -> None:
        self.logs: list[list[bytes]] = [[] for _ in range(PARTITIONS)]
        self.starts = [0] * PARTITIONS
        self.committed = [0] * PARTITIONS
        self.at = [0] * PARTITIONS

    def reset(self) -> None:
        """What is outside the log goes to its beginning."""
        for each in range(PARTITIONS):
            if not self.starts[each] <= self.at[each] <= len(self.logs[each]):
                self.at[each] = self.starts[each]

    def left(self) -> int:
        return sum(len(log) - at for log, at in zip(self.logs, self.at, strict=True))


class History:
    """One history: a consumer, a model, and a source of chance."""

    def __init__(self, seed: int, broker: Broker, client: KafkaClient, group: str) -> None:
        self.chance = random.Random(seed)
        self.topic = broker.new_topic(partitions=PARTITIONS)
        self.admin = Admin(bootstrap_servers=broker.bootstrap_servers)
        self.client, self.group, self.broker = client, group, broker
        self.model = Model()
        self.steps: list[str] = []
        self.producer = Producer(client)
        self.count = 0

    def said(self, text: str) -> None:
        self.steps.append(text)
        if SEED is not None:
            print(text)  # noqa: T201  for whoever looks at one history

    def send(self) -> None:
        partition = self.chance.randrange(PARTITIONS)
        values = [
            b"%d" % (self.count + number) * self.chance.choice((1, 1, 50))
            for number in range(self.chance.randint(1, 40))
        ]
        self.count += len(values)
        self.said(f"send {len(values)} to {partition}")
        (response,) = self.producer.send_messages(self.topic, partition, *values)
        assert response.offset == len(self.model.logs[partition])
        self.model.logs[partition] += values

    def delete(self) -> None:
        partition = self.chance.randrange(PARTITIONS)
        start, end = self.model.starts[partition], len(self.model.logs[partition])
        before = self.chance.randint(start, end)
        self.said(f"delete {partition} before {before}")
        self.admin.delete_records({(self.topic, partition): before})
        self.model.starts[partition] = before
        # What was read ahead would still be given out.
        self.client.close()

    def check(self, partition: int, offset: int, value: bytes | None) -> None:
        """A message that was given out is the next one of its partition."""
        at = self.model.at[partition]
        assert (offset, value) == (at, self.model.logs[partition][at])
        self.model.at[partition] += 1


class SimpleHistory(History):
    """The steps of a `SimpleConsumer`."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.begin()

    def begin(self) -> None:
        self.said("begin")
        buffer = self.chance.choice((100, 4096, 32768))
        self.consumer = SimpleConsumer(
            self.client, self.group, self.topic, auto_commit=False, buffer_size=buffer, auto_offset_reset="smallest"
        )
        self.consumer.provide_partition_info()
        self.model.at = list(self.model.committed)
        assert self.consumer.offsets == dict(enumerate(self.model.at))

    def read(self) -> None:
        count = self.chance.randint(1, 60)
        self.said(f"read {count}")
        self.model.reset()
        expected = min(count, self.model.left())
        block: Any = expected if self.chance.random() < 0.7 else False
        found = self.consumer.get_messages(count=count, block=block, timeout=SECONDS)
        # Where the consumer stood outside the log, it has found that out by reading.
        for partition, message in found:
            self.check(partition, message.offset, message.message.value)
        assert len(found) == expected or (block is False and len(found) <= expected)
        if len(found) == expected and found:
            assert (
                self.consumer.offsets.items() >= {partition: self.model.at[partition] for partition, _ in found}.items()
            )

    def seek(self) -> None:
        self.model.reset()
        partition = self.chance.randrange(PARTITIONS)
        log, start = self.model.logs[partition], self.model.starts[partition]
        offset = self.chance.randint(start, len(log))
        how = self.chance.choice(("there", "from the beginning", "from the end"))
        self.said(f"seek {how} in {partition} to {offset}")
        if how == "there":
            self.consumer.seek(offset, None, partition)
        elif how == "from the beginning":
            self.consumer.seek(offset - start, 0, partition)
        else:
            self.consumer.seek(offset - len(log), 2, partition)
        self.model.at[partition] = offset
        # Seeking in one forgets what was read ahead of all; where they stand is what was given out.
        for each in range(PARTITIONS):
            if self.model.starts[each] <= self.consumer.offsets[each]:
                assert self.consumer.offsets[each] == self.model.at[each]

    def commit(self) -> None:
        self.said("commit")
        if self.consumer.commit():
            self.model.committed = [self.consumer.offsets[each] for each in range(PARTITIONS)]

    def anew(self) -> None:
        self.consumer.stop()
        self.begin()

    def run(self) -> None:
        for _ in range(STEPS):
            steps = (
                self.send,
                self.send,
                self.read,
                self.read,
                self.read,
                self.seek,
                self.commit,
                self.anew,
                self.delete,
            )
            self.chance.choice(steps)()
        self.consumer.stop()


class KafkaHistory(History):
    """The steps of a `KafkaConsumer`."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.done: list[Any] = []
        self.stored: list[int | None] = [None] * PARTITIONS
        self.begin()

    def begin(self) -> None:
        self.said("begin")
        self.done = []
        self.consumer = KafkaConsumer(
            self.topic,
            bootstrap_servers=self.broker.bootstrap_servers,
            group_id=self.group,
            auto_offset_reset="smallest",
            consumer_timeout_ms=0,
            fetch_wait_max_ms=1,
            fetch_message_max_bytes=self.chance.choice((200, 4096, 1 << 20)),
        )
        self.model.at = [
            start if stored is None else stored for stored, start in zip(self.stored, self.model.starts, strict=True)
        ]
        assert list(self.consumer.offsets("fetch").values()) == self.model.at

    def read(self) -> None:
        count = self.chance.randint(1, 60)
        self.said(f"read {count}")
        self.model.reset()
        for _ in range(min(count, self.model.left())):
            while True:
                try:
                    message = self.consumer.next()
                    break
                except ConsumerTimeout:
                    continue
            self.check(message.partition, message.offset, message.value)
            self.done.append(message)

    def task_done(self) -> None:
        for message in self.done[: self.chance.randint(0, len(self.done))]:
            assert self.consumer.task_done(message)
        self.said("done")

    def commit(self) -> None:
        self.said("commit")
        done = [self.consumer.offsets("task_done")[self.topic.encode(), each] for each in range(PARTITIONS)]
        new = [stored if offset is None else offset + 1 for offset, stored in zip(done, self.stored, strict=True)]
        assert self.consumer.commit() is (new != self.stored)
        self.stored = new

    def anew(self) -> None:
        self.consumer.close()
        self.begin()

    def run(self) -> None:
        for _ in range(STEPS):
            steps = (self.send, self.send, self.read, self.read, self.task_done, self.commit, self.anew)
            self.chance.choice(steps)()
        self.consumer.close()


@pytest.mark.parametrize("kind", [SimpleHistory, KafkaHistory])
def test_it_goes_as_the_model_says(
    embedded_broker: Broker, embedded: KafkaClient, group: Callable[[], str], kind: type[SimpleHistory | KafkaHistory]
) -> None:
    for seed in range(HISTORIES) if SEED is None else [int(SEED)]:
        history = kind(seed, embedded_broker, embedded, group())
        try:
            history.run()
        except AssertionError as error:
            raise AssertionError(f"KAFKARS_SEED={seed}: {error}\n" + "\n".join(history.steps[-12:])) from error
        finally:
            history.admin.close()


def test_producers_and_consumers_agree(
    embedded_broker: Broker, embedded: KafkaClient, group: Callable[[], str]
) -> None:
    """Everything that is sent, by any producer and codec, is read once."""
    topic = embedded_broker.new_topic(partitions=PARTITIONS)
    chance = random.Random(4)
    sent: list[bytes] = []
    for turn in range(40):
        codec, asynchronously = chance.choice((None, 1, 2)), chance.random() < 0.3
        producer = SimpleProducer(embedded, codec=codec, async_=asynchronously, batch_send_every_n=chance.randint(1, 9))
        for number in range(chance.randint(1, 5)):
            values = [b"%d-%d-%d" % (turn, number, each) for each in range(chance.randint(1, 20))]
            producer.send_messages(topic, *values)
            sent += values
        if asynchronously:
            producer.stop()
    consumer = SimpleConsumer(embedded, group(), topic, auto_commit=False)
    found = consumer.get_messages(count=len(sent), timeout=SECONDS)
    assert sorted(each.message.value for each in found) == sorted(sent)
    assert consumer.pending() == 0
    consumer.stop()
