"""The face of confluent_kafka: the same names, arguments, settings and callbacks, on kafkars.

A program moves by importing from here, or by `kafkars.compat.install("confluent_kafka")` and no change at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkars._kafkars import Message
from kafkars._late import late
from kafkars.compat.confluent_kafka._versions import version

if TYPE_CHECKING:
    from kafkars.compat.confluent_kafka import admin, aio
    from kafkars.compat.confluent_kafka import cimpl as cimpl
    from kafkars.compat.confluent_kafka import error as error
    from kafkars.compat.confluent_kafka import serialization as serialization
    from kafkars.compat.confluent_kafka._model import (
        AcknowledgeType,
        ConsumerGroupState,
        ConsumerGroupTopicPartitions,
        ConsumerGroupType,
        ElectionType,
        IsolationLevel,
        Messages,
        Node,
        TopicCollection,
        TopicPartitionInfo,
    )
    from kafkars.compat.confluent_kafka._model import ThrottleEvent as ThrottleEvent
    from kafkars.compat.confluent_kafka._share import DeserializingShareConsumer, ShareConsumer
    from kafkars.compat.confluent_kafka.cimpl import (
        OFFSET_BEGINNING,
        OFFSET_END,
        OFFSET_INVALID,
        OFFSET_STORED,
        TIMESTAMP_CREATE_TIME,
        TIMESTAMP_LOG_APPEND_TIME,
        TIMESTAMP_NOT_AVAILABLE,
        ConcurrentModificationException,
        Consumer,
        IllegalStateException,
        KafkaError,
        KafkaException,
        Producer,
        TopicPartition,
        Uuid,
        consistent,
        fnv1a,
        libversion,
        murmur2,
    )
    from kafkars.compat.confluent_kafka.deserializing_consumer import DeserializingConsumer
    from kafkars.compat.confluent_kafka.serializing_producer import SerializingProducer

__all__ = [
    "OFFSET_BEGINNING",
    "OFFSET_END",
    "OFFSET_INVALID",
    "OFFSET_STORED",
    "TIMESTAMP_CREATE_TIME",
    "TIMESTAMP_LOG_APPEND_TIME",
    "TIMESTAMP_NOT_AVAILABLE",
    "AcknowledgeType",
    "ConcurrentModificationException",
    "Consumer",
    "ConsumerGroupState",
    "ConsumerGroupTopicPartitions",
    "ConsumerGroupType",
    "DeserializingConsumer",
    "DeserializingShareConsumer",
    "ElectionType",
    "IllegalStateException",
    "IsolationLevel",
    "KafkaError",
    "KafkaException",
    "Message",
    "Messages",
    "Node",
    "Producer",
    "SerializingProducer",
    "ShareConsumer",
    "TopicCollection",
    "TopicPartition",
    "TopicPartitionInfo",
    "Uuid",
    "admin",
    "aio",
    "consistent",
    "fnv1a",
    "libversion",
    "murmur2",
    "version",
]

_NAMES_OF = {
    "_consumer": ("Consumer",),
    "_model": (
        "AcknowledgeType",
        "ConsumerGroupState",
        "ConsumerGroupTopicPartitions",
        "ConsumerGroupType",
        "ElectionType",
        "IsolationLevel",
        "Messages",
        "Node",
        "ThrottleEvent",
        "TopicCollection",
        "TopicPartitionInfo",
        "Uuid",
    ),
    "_partition": ("TopicPartition",),
    "_partitioners": (
        "consistent",
        "fnv1a",
        "murmur2",
    ),
    "_producer": ("Producer",),
    "_share": (
        "DeserializingShareConsumer",
        "ShareConsumer",
    ),
    "_versions": ("libversion",),
    "cimpl": (
        "OFFSET_BEGINNING",
        "OFFSET_END",
        "OFFSET_INVALID",
        "OFFSET_STORED",
        "TIMESTAMP_CREATE_TIME",
        "TIMESTAMP_LOG_APPEND_TIME",
        "TIMESTAMP_NOT_AVAILABLE",
    ),
    "deserializing_consumer": ("DeserializingConsumer",),
    "error": (
        "ConcurrentModificationException",
        "IllegalStateException",
        "KafkaError",
        "KafkaException",
    ),
    "serializing_producer": ("SerializingProducer",),
}
__getattr__, __dir__ = late(
    __name__,
    {name: f"{__name__}.{module}" for module, names in _NAMES_OF.items() for name in names},
    (
        "admin",
        "aio",
        "cimpl",
        "deserializing_consumer",
        "deserializing_share_consumer",
        "error",
        "serialization",
        "serializing_producer",
    ),
    first=f"{__name__}.cimpl",
)

__version__: str = version()
