"""Records that wait for a partition function are on their way from the call on, whether or not somebody awaits them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kafkars.aio import Producer
from kafkars.errors import BufferFullError, KafkaError, PurgedError
from kafkars.testing import EmbeddedBroker

from tests.support.awaits import run
from tests.support.waiting import SECONDS, Stopwatch


@pytest.fixture
def embedded() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"known": 1, "topic": 2}, auto_create_topics=False) as broker:
        yield broker


def producer(broker: EmbeddedBroker, **settings: Any) -> Producer[Any, Any]:
    return Producer(bootstrap_servers=broker.bootstrap_servers, partitioner=lambda _key, _count: 1, **settings)


async def until(look: Callable[[], object], what: str) -> None:
    """Lets the loop run until `look` says so."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + SECONDS
    while not look():
        assert loop.time() < deadline, f"waited until {what}"
        await asyncio.sleep(0.01)


def test_what_nobody_awaits_leaves(embedded: EmbeddedBroker) -> None:
    async def test() -> None:
        async with producer(embedded) as sends:
            sent = sends.send_nowait("topic", b"0")
            await until(lambda: embedded.offsets("topic", 1)[1] == 1, "it is stored")
            await until(sent.done, "its future is done")
            assert len(sends) == 0
            assert sent.result().partition == 1

    run(test())


def test_what_nobody_awaits_fails_in_time(embedded: EmbeddedBroker) -> None:
    async def test() -> None:
        async with producer(embedded, max_block_ms=300) as sends:
            with Stopwatch() as watch:
                sent = sends.send_nowait("nowhere", b"0")
                await until(sent.done, "it has failed")
            assert watch.seconds < SECONDS / 2
            assert len(sends) == 0
            assert isinstance(sent.exception(), KafkaError)

    run(test())


def test_what_nobody_awaits_is_bounded(embedded: EmbeddedBroker) -> None:
    async def test() -> None:
        async with producer(embedded, buffer_memory=65_536, max_request_size=16_384) as sends:
            with (
                embedded.intercept("Metadata", "delay", seconds=1),
                pytest.raises(BufferFullError, match="wait for their topic"),
            ):
                for _ in range(1_000):
                    sends.send_nowait("topic", bytes(1_000))
            taken = len(sends)
            assert 50 < taken < 70
            assert await sends.flush(SECONDS) == 0
            assert embedded.offsets("topic", 1)[1] == taken

    run(test())


@pytest.mark.parametrize("awaited", [False, True])
def test_what_was_aborted_spoils_no_later_transaction(embedded: EmbeddedBroker, awaited: bool) -> None:
    async def test() -> None:
        async with producer(embedded, max_block_ms=1_000, transactional_id="id") as sends:
            await sends.init_transactions(SECONDS)
            await sends.partitions_for("known", timeout=SECONDS)
            await sends.begin_transaction()
            sent = sends.send("nowhere", b"aborted")
            waiter = asyncio.ensure_future(told(sent)) if awaited else None
            await asyncio.sleep(0)
            await sends.abort_transaction(SECONDS)
            async with sends.transaction():
                await sends.send("known", b"next", partition=0)
                # As long as the look-up would go on.
                with pytest.raises(KafkaError):
                    await sends.partitions_for("nowhere")
                with pytest.raises(KafkaError):
                    await sends.partitions_for("nowhere")
            with pytest.raises(KafkaError, match="abort"):
                await (waiter or sent)

    async def told(sent: Any) -> Any:
        return await sent

    run(test())


def test_what_is_purged_is_told_at_once(embedded: EmbeddedBroker) -> None:
    async def test() -> None:
        async with producer(embedded) as sends:
            with embedded.intercept("Metadata", "drop"):
                waiter = asyncio.gather(*[sends.send("topic", b"0") for _ in range(3)], return_exceptions=True)
                await asyncio.sleep(0)
                with Stopwatch() as watch:
                    assert sends.purge() == 3
                    told = await waiter
                assert watch.seconds < SECONDS / 2
                assert all(isinstance(each, PurgedError) for each in told)

    run(test())


def test_a_function_that_fails_is_told_and_ends_nothing(embedded: EmbeddedBroker) -> None:
    def choose(key: bytes | None, _count: int) -> int:
        if key == b"bad":
            raise ValueError("no partition")
        return 0

    async def test() -> None:
        async with Producer(bootstrap_servers=embedded.bootstrap_servers, partitioner=choose) as sends:
            bad, good = sends.send_nowait("topic", b"0", b"bad"), sends.send_nowait("topic", b"1", b"good")
            await until(lambda: bad.done() and good.done(), "both are done")
            assert good.result().offset == 0
            with pytest.raises(ValueError, match="no partition"):
                bad.result()

    run(test())
