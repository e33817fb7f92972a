"""Sends that wait for the metadata of their topic."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from kafkars import _kafkars
from kafkars.compat.aiokafka.errors import KafkaError, translated

if TYPE_CHECKING:
    from kafkars import aio
    from kafkars.compat.aiokafka.producer.producer import AIOKafkaProducer


class KnownTopics:
    """Lets sends go on in the order of their calls once their topic is known."""

    def __init__(self) -> None:
        self.awaited: dict[str, asyncio.Future[None]] = {}
        """By topic, what asks for it: all who wait go on when that has ended, and who comes then does not wait."""

    async def wait(self, producer: AIOKafkaProducer, topic: str) -> None:
        """Waits until a topic is known, for at most `request_timeout_ms`.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
        """
        # A `partitions_for()` that a subclass replaces is for the subclass.
        engine = producer._started_()
        loop = asyncio.get_running_loop()
        end = loop.time() + producer._request_timeout_ms / 1000
        while True:
            others = self.awaited.get(topic)
            if others is None or others.done():
                others = None
                if _kafkars.AiokafkaSender._knows(producer, topic):
                    return
            try:
                with translated():
                    # Who gives up does so for himself.
                    await asyncio.shield(others or self._ask(engine, topic, end - loop.time()))
            except KafkaError:
                # Whoever has begun to wait before may have had less time left.
                if others is None or loop.time() >= end:
                    raise
            else:
                return

    def _ask(self, engine: aio.Producer[Any, Any], topic: str, seconds: float) -> asyncio.Future[None]:
        # Begins now. It may be done while the loop is busy, when nobody who waits has gone on yet: a task is not.
        call = engine.partitions_for(topic, timeout=seconds)

        async def ask() -> None:
            await call

        def end(asked: asyncio.Future[None]) -> None:
            if self.awaited.get(topic) is asked:
                del self.awaited[topic]
            if not asked.cancelled():
                # Perhaps nobody waits any more who would look.
                asked.exception()

        asked: asyncio.Future[None] = asyncio.ensure_future(ask())
        self.awaited[topic] = asked
        asked.add_done_callback(end)
        return asked
