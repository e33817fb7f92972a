"""Reads of `AIOConsumer` that are given up: every message is handed out once, in order."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from kafkars.aio import Producer
from kafkars.compat.confluent_kafka import TopicPartition
from kafkars.compat.confluent_kafka.aio import AIOConsumer
from kafkars.testing import EmbeddedBroker

from tests.cancellation.conftest import History
from tests.cancellation.ways import SEED, WAYS, Subject

CALLS: dict[str, Callable[[AIOConsumer], Any]] = {
    "poll": lambda consumer: consumer.poll(5),
    "consume": lambda consumer: consumer.consume(3, 5),
    "consume more": lambda consumer: consumer.consume(20, 0.01),
}


def numbers(answer: Any) -> list[int]:
    messages = answer if isinstance(answer, list) else [answer]
    return [int(message.value()) for message in messages if message is not None]


def test_reads_of_the_confluent_face(cluster: EmbeddedBroker, run: Callable[[History], None], cancels: int) -> None:
    source = random.Random(SEED)

    async def main() -> None:
        consumer = AIOConsumer(
            {
                "bootstrap.servers": cluster.bootstrap_servers,
                "group.id": "g",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )
        found: list[int] = []
        sent = 0
        async with Producer(bootstrap_servers=cluster.bootstrap_servers, linger_ms=0) as producer:
            await consumer.assign([TopicPartition("t", 0)])
            for _ in range(cancels):
                for _ in range(source.choice([0, 1, 2, 4])):
                    producer.send_nowait("t", str(sent))
                    sent += 1
                call, way = source.choice(list(CALLS.values())), source.choice(WAYS)
                for answer in await way(Subject(lambda call=call: call(consumer)), source):
                    found += numbers(answer)
                assert found == list(range(len(found))), way.__name__
            while len(found) < sent:
                found += numbers(await consumer.consume(100, 1))
        await consumer.close()
        assert found == list(range(sent))

    run(main)
