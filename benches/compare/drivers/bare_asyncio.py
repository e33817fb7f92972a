"""The floor for latency on an event loop: the frames of bare_sockets.py through two asyncio protocols.

Shows what the loop itself costs: a client on asyncio cannot be faster than this, whatever it does.
"""

from __future__ import annotations

import asyncio
import platform
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from benches.compare.drivers import bare_sockets
from benches.compare.latency import Pace, received, stamp
from benches.compare.task import Outcome

if TYPE_CHECKING:
    from benches.compare.task import Task, Window


def version() -> str:
    return f"bare asyncio protocols (Python {platform.python_version()})"


def latency_asyncio(task: Task, window: Window) -> Outcome:
    frames = [bare_sockets.produce_frame(task, index) for index in range(task.records)]
    batch_size = len(bare_sockets.batch(stamp(0, task.size)))
    value_at = batch_size - 1 - task.size
    poll = bytearray(bare_sockets.fetch_frame(task))
    arrivals: list[int] = []

    async def run() -> Outcome:
        all_there = asyncio.get_running_loop().create_future()
        pace = Pace(task)

        def fetched(answer: bytes) -> None:
            records = bare_sockets.records_of(answer, task.topic)
            for start in range(0, len(records) - batch_size + 1, batch_size):
                received(records[start + value_at : start + value_at + 8], pace, arrivals)
            if len(arrivals) == task.records:
                all_there.set_result(None)
            else:
                ask()

        def ask() -> None:
            struct.pack_into(">q", poll, len(poll) - 12, len(arrivals))
            receiver.write(bytes(poll))

        sender = await connect(task, bare_sockets.check_produced)
        receiver = await connect(task, fetched)
        ask()
        with window:
            async for index in pace.in_time_asyncio():
                sender.write(frames[index])
            await all_there
            window.end()
        sender.close()
        receiver.close()
        return Outcome(len(arrivals), latencies=arrivals)

    return asyncio.run(run())


async def connect(task: Task, on_answer: Callable[[bytes], None]) -> asyncio.Transport:
    host, _, port = task.bootstrap.split(",")[0].rpartition(":")
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_connection(lambda: Answers(on_answer), host, int(port))
    return cast("asyncio.Transport", transport)


class Answers(asyncio.Protocol):
    """Cuts what arrives into answers. asyncio sets TCP_NODELAY itself."""

    def __init__(self, on_answer: Callable[[bytes], None]) -> None:
        self._on_answer = on_answer
        self._buffer = bytearray()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= 4:
            (length,) = struct.unpack_from(">i", self._buffer)
            if len(self._buffer) < 4 + length:
                return
            answer = bytes(self._buffer[8 : 4 + length])
            del self._buffer[: 4 + length]
            self._on_answer(answer)


JOBS = {"latency-asyncio": latency_asyncio}
