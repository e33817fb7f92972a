"""What programs read of the sender of an `AIOKafkaProducer` (`aiokafka.producer.sender`): whether it runs."""

from __future__ import annotations

import asyncio


class Sender:
    """Stands for the task that aiokafka sends from, of which health checks ask `producer._sender.sender_task`."""

    def __init__(self) -> None:
        self._sender_task: asyncio.Future[None] | None = None

    @property
    def sender_task(self) -> asyncio.Future[None] | None:
        """None before `start()`; done once the producer was stopped. Records are sent by the engine, not by it."""
        return self._sender_task

    def start(self) -> None:
        """Says that the producer has started."""
        self._sender_task = asyncio.get_running_loop().create_future()

    def close(self) -> None:
        """Says that the producer was stopped."""
        if self._sender_task is not None and not self._sender_task.done():
            self._sender_task.set_result(None)
