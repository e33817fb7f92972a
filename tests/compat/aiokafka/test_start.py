"""`start()` again, after there was no broker: a service may be up before Kafka is."""

from __future__ import annotations

import asyncio
import socket
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run

KINDS = ("producer", "transactions", "consumer", "member")
IMPATIENT_S = 0.5


def client(library: Library, kind: str, topic: str, address: str) -> Any:
    """A client whose only address is that one."""
    match kind:
        case "producer":
            return library.producer(bootstrap_servers=address)
        case "transactions":
            return library.producer(bootstrap_servers=address, transactional_id=library.group())
        case "consumer":
            return library.consumer(topic, bootstrap_servers=address)
        case _:
            return library.consumer(topic, bootstrap_servers=address, group_id=library.group())


async def works(kind: str, started: Any, topic: str) -> None:
    """Sends or reads with it."""
    match kind:
        case "producer":
            await started.send_and_wait(topic, b"more")
        case "transactions":
            async with started.transaction():
                await started.send_and_wait(topic, b"more")
        case _:
            assert (await started.getone()).value == b"v0"


async def forward(listening: socket.socket, address: str) -> asyncio.Server:
    """Passes bytes on to a broker."""
    host, port = address.split(":")

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_reader, to_writer = await asyncio.open_connection(host, int(port))
        await asyncio.gather(copy(reader, to_writer), copy(to_reader, writer), return_exceptions=True)

    return await asyncio.start_server(accept, sock=listening)


@pytest.mark.parametrize("how", ["refused", "unanswered"])
@pytest.mark.parametrize("kind", KINDS)
def test_start_again_once_there_is_a_broker(embedded: Library, run: Run, kind: str, how: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        await embedded.fill(topic, 1)
        # Reserved before and listened to later: nobody else takes the port in between.
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        if how == "unanswered":
            listening.listen()
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        async with AsyncExitStack() as stack:
            started = client(embedded, kind, topic, address)
            stack.push_async_callback(started.stop)
            for _ in range(2):
                with pytest.raises(embedded.errors.KafkaConnectionError if how == "refused" else TimeoutError):
                    await asyncio.wait_for(started.start(), IMPATIENT_S if how == "unanswered" else None)
            server = await forward(listening, embedded.broker.bootstrap_servers)
            stack.callback(server.close)
            await started.start()
            await works(kind, started, topic)

    run(test)
