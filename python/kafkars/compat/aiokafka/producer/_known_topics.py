"""Sends that wait for the metadata of their topic."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kafkars.compat.aiokafka.errors import translated

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.producer.producer import AIOKafkaProducer


class KnownTopics:
    """Lets sends go on in the order of their calls once their topic is known; at once where it is, and nobody waits.

    Answers of the engine reach those who wait in any order, so each of them lets the next one go on.
    """

    def __init__(self) -> None:
        self._last: dict[str, asyncio.Future[None]] = {}

    async def wait(self, producer: AIOKafkaProducer, topic: str) -> None:
        """Waits until a topic is known and those have gone on that have waited for it before.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
        """
        before = self._last.get(topic)
        if before is None and producer.client.cluster.partitions_for_topic(topic) is not None:
            return
        own = self._last[topic] = asyncio.get_running_loop().create_future()
        try:
            # A `partitions_for()` that a subclass replaces is for the subclass.
            with translated():
                await producer._started_().partitions_for(topic)
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
        if self._last.get(topic) is own:
            del self._last[topic]
