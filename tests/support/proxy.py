"""A TCP proxy that is a bad network: it cuts connections, delays bytes and lets few of them through."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

CHUNK = 64 << 10
SECONDS_TO_END = 10.0
BACKLOG = 512
# SO_LINGER with a time of zero: closing sends a reset, and what is still in the buffers is lost.
RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Weather:
    """What happens to bytes and connections on their way."""

    cut_after: tuple[float, float] | None = None
    """Every connection ends after a random time between these seconds, with a reset or an orderly end."""
    delay: float = 0.0
    """Seconds that every byte is late, in each direction."""
    bytes_per_second: float | None = None
    """Of each connection and direction."""


CALM = Weather()
CUTS = Weather(cut_after=(0.5, 1.5))


class Proxy:
    """Listens on one port for each server behind it, on a thread of its own, as a context manager. Before it is
    entered its ports are taken, and connections are refused.

    Its ports are known before the servers are, so that brokers can advertise them:

    with Proxy(3, seed=7) as proxy, KafkaCluster(KafkaOptions(nodes=3, proxy_ports=proxy.ports)) as kafka:
        proxy.forward([node.address.proxied_port for node in kafka.nodes])
        proxy.weather = CUTS
    """

    def __init__(self, servers: int, seed: int = 0) -> None:
        self.weather = CALM
        self.connections = 0
        self.cuts = 0
        self._chance = random.Random(seed)
        self._targets: list[int] = []
        self._listeners = [socket.socket() for _ in range(servers)]
        for listener in self._listeners:
            listener.bind(("127.0.0.1", 0))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._ended = asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()

    @property
    def ports(self) -> tuple[int, ...]:
        """Where clients connect."""
        return tuple(listener.getsockname()[1] for listener in self._listeners)

    @property
    def bootstrap_servers(self) -> str:
        """Every port's address, separated by commas."""
        return ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def forward(self, targets: Sequence[int]) -> None:
        """Sets the ports of the servers, in the order of `ports`. Until then connections are ended at once."""
        self._targets = list(targets)

    def cut_all(self) -> None:
        """Ends every connection that is open now."""

        def cut() -> None:
            for task in self._open:
                task.cancel()

        self._loop.call_soon_threadsafe(cut)

    def __enter__(self) -> Proxy:
        # Here and not on the thread: whoever connects from now on finds it.
        for listener in self._listeners:
            listener.listen(BACKLOG)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(SECONDS_TO_END)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        servers = [
            await asyncio.start_server(self._accepter(index), sock=listener, backlog=BACKLOG)
            for index, listener in enumerate(self._listeners)
        ]
        await self._ended.wait()
        for server in servers:
            server.close()
        left = list(self._open)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _accepter(self, index: int) -> object:
        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = self._loop.create_task(self._relay(index, reader, writer))
            self._open.add(task)
            task.add_done_callback(self._open.discard)

        return accept

    async def _relay(self, index: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        ends = [writer]
        pumps: list[asyncio.Task[None]] = []
        # Cancelled by `cut_all` and at the end: the connection ends, and that is all.
        with suppress(asyncio.CancelledError, OSError):
            try:
                if index >= len(self._targets):
                    return
                from_server, to_server = await asyncio.open_connection("127.0.0.1", self._targets[index])
                ends.append(to_server)
                pumps = [
                    self._loop.create_task(self._pump(reader, to_server)),
                    self._loop.create_task(self._pump(from_server, writer)),
                ]
                limits = self.weather.cut_after
                seconds = None if limits is None else self._chance.uniform(*limits)
                done, _ = await asyncio.wait(pumps, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    self.cuts += 1
                    if self._chance.random() < 0.5:
                        for end in ends:
                            end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            finally:
                for pump in pumps:
                    pump.cancel()
                for end in ends:
                    end.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carries one direction until it ends."""
        late: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(maxsize=1_024)
        arriving = self._loop.create_task(self._arrive(reader, late))
        try:
            while True:
                due, data = await late.get()
                wait = due - self._loop.time()
                if wait > 0:
                    await asyncio.sleep(wait)
                if not data:
                    return
                writer.write(data)
                await writer.drain()
        except OSError:
            return
        finally:
            arriving.cancel()

    async def _arrive(self, reader: asyncio.StreamReader, late: asyncio.Queue[tuple[float, bytes]]) -> None:
        """Notes when each piece is due; a narrow line makes the next one later."""
        free_at = 0.0
        data = b"before the first"
        while data:
            try:
                data = await reader.read(CHUNK)
            except OSError:
                data = b""
            weather = self.weather
            due = self._loop.time() + weather.delay
            if weather.bytes_per_second is not None:
                free_at = max(due, free_at) + len(data) / weather.bytes_per_second
                due = free_at
            await late.put((due, data))
