"""Sends that wait for the metadata of their topic."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kafkars import _kafkars
from kafkars.compat.aiokafka.errors import translated

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.producer.producer import AIOKafkaProducer


class KnownTopics:
    """Lets sends go on in the order of their calls once their topic is known; at once where it is, and nobody waits.

    Answers of the engine reach those who wait in any order, so each of them lets the next one go on.
    """

    def __init__(self) -> None:
        self.awaited: dict[str, asyncio.Future[None]] = {}
        """By topic, what the last one waits for that has come."""

    async def wait(self, producer: AIOKafkaProducer, topic: str) -> None:
        """Waits until a topic is known and those have gone on that have waited for it before.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
        """
        before = self.awaited.get(topic)
        # A `partitions_for()` that a subclass replaces is for the subclass.
        engine = producer._started_()
        if before is None and _kafkars.AiokafkaSender._knows(producer, topic):
            return
        own = self.awaited[topic] = asyncio.get_running_loop().create_future()
        try:
            with translated():
                await engine.partitions_for(topic)
            if before is not None and not before.done():
                await asyncio.wait([before])
        finally:
            if before is None or before.done():
                self._go_on(topic, own)
            else:
                # Who gives up does not let the next one pass those before.
                before.add_done_callback(lambda _: self._go_on(topic, own))

    def _go_on(self, topic: str, own: asyncio.Future[None]) -> None:
        own.set_result(None)
        if self.awaited.get(topic) is own:
            del self.awaited[topic]
