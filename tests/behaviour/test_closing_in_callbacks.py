"""A callback of a commit that closes its consumer: the callbacks of the other commits are called all the same, once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from kafkars import Consumer, aio
from kafkars.errors import ClosedError, KafkaTimeoutError
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_the_others_hear(protocol: Any) -> None:
    heard: list[tuple[int, BaseException | None]] = []
    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer: Consumer[bytes, bytes] = Consumer(
            bootstrap_servers=broker.bootstrap_servers, group_id="g", group_protocol=protocol
        )
        consumer.assign([("t", 0)])

        def close(_: Any, problem: BaseException | None) -> None:
            heard.append((0, problem))
            consumer.close()

        consumer.commit_async({("t", 0): 1}, close)
        for number in (1, 2, 3):
            consumer.commit_async(
                {("t", 0): 1 + number}, lambda _, problem, number=number: heard.append((number, problem))
            )
        with pytest.raises(ClosedError):
            consumer.poll(timeout=SECONDS)
        consumer.close()
        assert [number for number, _ in heard] == [0, 1, 2, 3]
        assert all(problem is None or isinstance(problem, KafkaTimeoutError) for _, problem in heard)


def test_the_others_hear_on_a_loop() -> None:
    heard: list[int] = []

    async def run(servers: str) -> None:
        consumer: aio.Consumer[bytes, bytes] = aio.Consumer(bootstrap_servers=servers, group_id="g")
        consumer.assign([("t", 0)])
        closings: list[Any] = []

        def close(*_: Any) -> None:
            heard.append(0)
            closings.append(consumer.close())

        consumer.commit_async({("t", 0): 1}, close)
        for number in (1, 2, 3):
            consumer.commit_async({("t", 0): 1 + number}, lambda *_, number=number: heard.append(number))
        with pytest.raises(ClosedError):
            await consumer.poll(timeout=SECONDS)
        await closings[0]

    with EmbeddedBroker(topics={"t": 1}) as broker:
        asyncio.run(asyncio.wait_for(run(broker.bootstrap_servers), SECONDS))
    assert heard == [0, 1, 2, 3]
