"""A callback of a commit, or a listener, that closes its consumer: the callbacks of the other commits are called all
the same, once, and with the outcome of those that have ended.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from kafkars import Consumer, aio
from kafkars.errors import ClientStateError, ClosedError, GroupAuthorizationFailedError, KafkaTimeoutError
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


def test_all_may_close() -> None:
    count = 3000
    heard: list[tuple[int, type[BaseException]]] = []
    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer: Consumer[bytes, bytes] = Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="g")
        consumer.assign([("t", 0)])
        broker.intercept("OffsetCommit", "GROUP_AUTHORIZATION_FAILED")

        def made(number: int) -> Any:
            def close(_: Any, problem: BaseException | None) -> None:
                heard.append((number, type(problem)))
                if number == 0:
                    # Comes after them.
                    with pytest.raises(GroupAuthorizationFailedError):
                        consumer.commit({("t", 0): count})
                consumer.close()

            return close

        for number in range(count):
            consumer.commit_async({("t", 0): number}, made(number))
        with pytest.raises(ClosedError):
            consumer.poll(timeout=SECONDS)
        consumer.close()
    assert [number for number, _ in heard] == list(range(count))
    assert {kind for _, kind in heard} == {GroupAuthorizationFailedError}


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
@pytest.mark.parametrize("is_refused", [False, True])
def test_a_listener_that_closes_tells_what_has_ended(protocol: Any, is_refused: bool) -> None:
    heard: list[type[BaseException]] = []
    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer: Consumer[bytes, bytes] = Consumer(
            bootstrap_servers=broker.bootstrap_servers, group_id="g", group_protocol=protocol
        )
        if is_refused:
            broker.intercept("OffsetCommit", "GROUP_AUTHORIZATION_FAILED")

        def close(_: Any) -> None:
            for number in range(3):
                consumer.commit_async({("t", 0): number}, lambda _, problem: heard.append(type(problem)))
            # Comes after them.
            if is_refused:
                with pytest.raises(GroupAuthorizationFailedError):
                    consumer.commit({("t", 0): 9})
            else:
                consumer.commit({("t", 0): 9})
            consumer.close()

        consumer.subscribe(["t"], on_partitions_assigned=close)
        with pytest.raises(ClosedError):
            consumer.poll(timeout=SECONDS)
    assert heard == [GroupAuthorizationFailedError if is_refused else type(None)] * 3


def test_a_coroutine_that_closes_tells_what_has_ended() -> None:
    heard: list[type[BaseException]] = []

    async def run(servers: str) -> None:
        consumer: aio.Consumer[bytes, bytes] = aio.Consumer(bootstrap_servers=servers, group_id="g")

        async def close(_: Any) -> None:
            for number in range(3):
                consumer.commit_async({("t", 0): number}, lambda _, problem: heard.append(type(problem)))
            await consumer.commit({("t", 0): 9})
            with pytest.raises(ClientStateError):
                await consumer.close()

        consumer.subscribe(["t"], on_partitions_assigned=close)
        with pytest.raises(ClosedError):
            await consumer.poll(timeout=SECONDS)

    with EmbeddedBroker(topics={"t": 1}) as broker:
        asyncio.run(asyncio.wait_for(run(broker.bootstrap_servers), SECONDS))
    assert heard == [type(None)] * 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_close_in_a_forked_child_calls_nothing(tmp_path: Path) -> None:
    told = tmp_path / "told"
    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer: Consumer[bytes, bytes] = Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="g")
        consumer.assign([("t", 0)])

        def tell(number: int) -> None:
            with told.open("a") as file:
                file.write(f"{number}\n")

        def fork(*_: Any) -> None:
            tell(0)
            child = os.fork()
            if child == 0:
                consumer.close()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0

        consumer.commit_async({("t", 0): 0}, fork)
        for number in (1, 2, 3):
            consumer.commit_async({("t", 0): number}, lambda *_, number=number: tell(number))
        consumer.close()
    assert told.read_text().split() == ["0", "1", "2", "3"]
