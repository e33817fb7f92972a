"""A producer that chooses partitions by keys (`kafka.producer.keyed`)."""

from __future__ import annotations

import warnings
from typing import Any

from kafkars.compat.kafka_legacy.common import UnknownTopicOrPartitionError
from kafkars.compat.kafka_legacy.partitioner import HashedPartitioner
from kafkars.compat.kafka_legacy.partitioner.base import Partitioner
from kafkars.compat.kafka_legacy.producer.base import Producer
from kafkars.compat.kafka_legacy.util import kafka_bytestring


class KeyedProducer(Producer):
    """Sends messages to the partition that a partitioner chooses by their key.

    Args:
        *args: Arguments of `kafka.producer.base.Producer`.
        partitioner: A class, instantiated with the partitions of each topic.
        **kwargs: Keyword arguments of `Producer`.
    """

    def __init__(self, *args: Any, partitioner: type[Partitioner] = HashedPartitioner, **kwargs: Any) -> None:
        self.partitioner_class = partitioner
        self.partitioners: dict[bytes, Partitioner] = {}
        super().__init__(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<KeyedProducer batch={self.async_}>"

    def send_messages(self, topic: str | bytes, key: bytes | None, *msg: bytes | None) -> list[Any]:  # type: ignore[override]
        """Sends messages with a key, all to the same partition.

        Args:
            topic: The topic.
            key: The key: bytes, or None.
            *msg: The messages, each bytes; None is a tombstone, if there is a key.

        Returns:
            A list of one `ProduceResponse`; empty if asynchronous or without acknowledgements.

        Raises:
            TypeError, AsyncProducerQueueFull, KafkaError: As `Producer.send_messages`.
        """
        name = kafka_bytestring(topic)
        return self._send_messages(name, self._next_partition(name, key), *msg, key=key)

    def send(self, topic: str | bytes, key: bytes | None, msg: bytes | None) -> list[Any]:
        """Deprecated: sends one message; use `send_messages()`."""
        warnings.warn("KeyedProducer.send is deprecated in favor of send_messages", DeprecationWarning, stacklevel=2)
        return self.send_messages(topic, key, msg)

    def _next_partition(self, topic: bytes, key: bytes | None) -> int:
        if topic not in self.partitioners:
            if not self.client.has_metadata_for_topic(topic):
                self.client.load_metadata_for_topics(topic)
            partitions = self.client.get_partition_ids_for_topic(topic)
            if not partitions:
                raise UnknownTopicOrPartitionError(topic)
            self.partitioners[topic] = self.partitioner_class(partitions)
        return self.partitioners[topic].partition(key)
