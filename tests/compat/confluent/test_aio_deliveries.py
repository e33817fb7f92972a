"""Messages of the face's AIOProducer whose report does not come the usual way: they hold nothing up. The library's own
class has threads for all of this, and waits for those.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import time
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars.compat.confluent_kafka.aio import AIOProducer
from kafkars.compat.confluent_kafka.aio._deliveries import Delivery
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        yield broker.bootstrap_servers


def producer(servers: str, **more: Any) -> AIOProducer:
    return AIOProducer({"bootstrap.servers": servers, "log_level": 0, **more})


@pytest.mark.parametrize("within", ["__call__", "_settle", "_stored"])
@pytest.mark.parametrize("wait", ["flush", "poll", "room", "close"])
def test_a_report_that_a_signal_cuts_short_holds_nothing_up(
    servers: str, monkeypatch: pytest.MonkeyPatch, wait: str, within: str
) -> None:
    """A service ends by SIGTERM: `sys.exit()` in its handler, and `flush()` in a `finally`."""
    told: list[Any] = []
    whole, is_first = getattr(Delivery, within), iter([True])

    def interrupted(self: Delivery, *arguments: Any) -> Any:
        if next(is_first, False):
            signal.raise_signal(signal.SIGTERM)
        return whole(self, *arguments)

    async def run() -> None:
        most = {"queue.buffering.max.messages": 1} if wait == "room" else {}
        made = producer(servers, **most)
        sent: list[asyncio.Future[Any]] = []
        try:
            sent.append(await made.produce("t", b"value", on_delivery=lambda error, _: told.append(error)))
            await asyncio.sleep(SECONDS)
        finally:
            if wait == "flush":
                assert await asyncio.wait_for(made.flush(5), SECONDS) == 0
            elif wait == "poll":
                assert await asyncio.wait_for(made.poll(-1), SECONDS) == 0
            elif wait == "room":
                await asyncio.wait_for(made.produce("t", b"value"), SECONDS)
            else:
                await asyncio.wait_for(made.close(), SECONDS)
            assert sent[0].done()
            await made.close()

    monkeypatch.setattr(Delivery, within, interrupted)
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
    try:
        with pytest.raises(SystemExit):
            asyncio.run(run())
    finally:
        signal.signal(signal.SIGTERM, before)
    assert told == [None]


def test_a_future_that_was_cancelled_takes_no_room_once_a_signal_has_cut_its_report_short(
    servers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is done, and its message still counts until it is told of."""
    whole, is_first = Delivery.__call__, iter([True])

    def lost(self: Delivery, sent: Any) -> None:
        if not next(is_first, False):
            whole(self, sent)

    async def run() -> None:
        made = producer(servers, **{"queue.buffering.max.messages": 1})
        (await made.produce("t", b"value")).cancel()
        future = await asyncio.wait_for(made.produce("t", b"value"), SECONDS)
        assert (await future).error() is None
        assert await made.flush() == 0
        assert len(made) == 0
        await made.close()

    monkeypatch.setattr(Delivery, "__call__", lost)
    asyncio.run(run())


def test_a_poll_beside_many_messages_does_not_hold_up_the_loop() -> None:
    """As many as there may be, while no broker is there: it waits for one of them, and looks at few."""
    gaps: list[float] = []

    async def run() -> None:
        made = producer("127.0.0.1:9")
        for _ in range(30_000):
            await made.produce("t", b"")
        polling = asyncio.create_task(made.poll(-1))
        await asyncio.sleep(0)
        for _ in range(100):
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            gaps.append(time.perf_counter() - before)
        polling.cancel()
        await made.purge()
        await made.close()

    asyncio.run(asyncio.wait_for(run(), 2 * SECONDS))
    # Half of a second is for some ten looks, each of which took 0.1 s when they were at all of the messages.
    assert sorted(gaps)[-10] < 0.05, gaps


def test_what_a_stopped_loop_has_not_told_takes_no_room(servers: str) -> None:
    """It was stored; the loop may go on, or never."""
    made: list[AIOProducer] = []

    async def begin() -> list[asyncio.Future[Any]]:
        made.append(producer(servers, **{"queue.buffering.max.messages": 2}))
        return [await made[0].produce("t", b"value") for _ in range(2)]

    async def go_on() -> None:
        assert await made[0].flush() == 0
        future = await asyncio.wait_for(made[0].produce("t", b"value"), SECONDS)
        assert (await future).error() is None

    stopped = asyncio.new_event_loop()
    sent = stopped.run_until_complete(begin())
    asyncio.run(go_on())
    # It goes on, and hears of them.
    assert [each.error() for each in stopped.run_until_complete(asyncio.wait_for(gathered(sent), SECONDS))] == [
        None
    ] * 2
    stopped.run_until_complete(made[0].close())
    stopped.close()


async def gathered(futures: list[asyncio.Future[Any]]) -> list[Any]:
    return await asyncio.gather(*futures)


def test_loops_whose_calls_have_waited_for_room_are_not_kept() -> None:
    made: list[AIOProducer] = []
    loops: list[weakref.ref[Any]] = []

    async def run() -> None:
        if not made:
            made.append(producer("127.0.0.1:9", **{"queue.buffering.max.messages": 1}))
        loops.append(weakref.ref(asyncio.get_running_loop()))
        await made[0].produce("t", b"value")
        # Two, so that one waits for the other.
        waiting = [asyncio.create_task(made[0].produce("t", b"value")) for _ in range(2)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        for each in waiting:
            each.cancel()
        await asyncio.wait(waiting)
        await made[0].purge()

    for _ in range(4):
        asyncio.run(run())
    gc.collect()
    # That in which the producer was made hears its callbacks, and the last one is still in the frame of the test.
    assert [loop() for loop in loops[1:-1]] == [None] * 2
