"""A producer that sends to one partition after the other (`kafka.producer.simple`)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import cycle
from typing import Any

from kafkars.compat.kafka_legacy.common import UnknownTopicOrPartitionError
from kafkars.compat.kafka_legacy.producer.base import Producer
from kafkars.compat.kafka_legacy.util import kafka_bytestring


class SimpleProducer(Producer):
    """Sends each call's messages to the next partition of the topic.

    Args:
        *args: Arguments of `kafka.producer.base.Producer`.
        random_start: True starts with a random partition of each topic; False with the lowest.
        **kwargs: Keyword arguments of `Producer`.
    """

    def __init__(self, *args: Any, random_start: bool = True, **kwargs: Any) -> None:
        self.partition_cycles: dict[bytes, Iterator[int]] = {}
        self.random_start = random_start
        super().__init__(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<SimpleProducer batch={self.async_}>"

    def send_messages(self, topic: str | bytes, *msg: bytes) -> list[Any]:  # type: ignore[override]
        """Sends messages without a key, all to the same partition.

        Args:
            topic: The topic.
            *msg: The messages, each bytes.

        Returns:
            A list of one `ProduceResponse`; empty if asynchronous or without acknowledgements.

        Raises:
            AttributeError: The topic is neither text nor bytes.
            TypeError, AsyncProducerQueueFull, KafkaError: As `Producer.send_messages`.
        """
        try:
            name = kafka_bytestring(topic)
        except TypeError:
            # What the original raised here, and only here.
            raise AttributeError(f"a topic is text or bytes, not {topic!r}") from None
        return super().send_messages(name, self._next_partition(name), *msg)

    def _next_partition(self, topic: bytes) -> int:
        if topic not in self.partition_cycles:
            if not self.client.has_metadata_for_topic(topic):
                self.client.load_metadata_for_topics(topic)
            partitions = self.client.get_partition_ids_for_topic(topic)
            if not partitions:
                raise UnknownTopicOrPartitionError(topic)
            first = random.randrange(len(partitions)) if self.random_start else 0  # noqa: S311  no secret
            self.partition_cycles[topic] = cycle(partitions[first:] + partitions[:first])
        return next(self.partition_cycles[topic])
