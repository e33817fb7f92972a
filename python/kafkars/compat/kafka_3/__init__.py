"""kafka-python 3's names and behaviour over the kafkars engine, where they differ from those of 2.

`kafkars.compat.install("kafka", version=3)` before the program imports kafka; what is the same in both versions comes
from `kafkars.compat.kafka`, whose modules stand beside those of this package.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

from kafkars.compat.kafka._not_offered import NAMES_NOT_OFFERED, NOT_OFFERED
from kafkars.compat.kafka.structs import (
    ConsumerGroupMetadata,
    OffsetAndMetadata,
    TopicPartition,
    TopicPartitionReplica,
)
from kafkars.compat.kafka_3.consumer import KafkaConsumer
from kafkars.compat.kafka_3.consumer.subscription_state import AsyncConsumerRebalanceListener, ConsumerRebalanceListener
from kafkars.compat.kafka_3.producer import KafkaProducer
from kafkars.compat.kafka_3.protocol.consumer import IsolationLevel, OffsetSpec
from kafkars.compat.kafka_3.serializer import DefaultSerializer, Deserializer, JsonSerializer, Serializer
from kafkars.compat.kafka_3.version import __version__

if TYPE_CHECKING:
    from kafkars.compat.kafka_3.admin import KafkaAdminClient

logging.getLogger("kafka").addHandler(logging.NullHandler())


MODULES_OF_THE_PACKAGE = {
    **dict.fromkeys(("admin", "coordinator", "metrics", "net"), "kafkars.compat.kafka_3"),
    **dict.fromkeys(("codec", "errors", "future", "record", "structs", "util"), "kafkars.compat.kafka"),
}
"""Modules that kafka-python imports with itself, so that `import kafka` is enough to use them, and whose they are."""


def __getattr__(name: str) -> object:
    # Imported late: programs that only send or read do not need administration.
    if name == "KafkaAdminClient":
        return importlib.import_module("kafkars.compat.kafka_3.admin").KafkaAdminClient
    if name in MODULES_OF_THE_PACKAGE:
        return importlib.import_module(f"{MODULES_OF_THE_PACKAGE[name]}.{name}")
    if name in NAMES_NOT_OFFERED:
        raise AttributeError(f"kafka.{name} is not offered by kafkars: {NAMES_NOT_OFFERED[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "NOT_OFFERED",
    "AsyncConsumerRebalanceListener",
    "ConsumerGroupMetadata",
    "ConsumerRebalanceListener",
    "DefaultSerializer",
    "Deserializer",
    "IsolationLevel",
    "JsonSerializer",
    "KafkaAdminClient",
    "KafkaConsumer",
    "KafkaProducer",
    "OffsetAndMetadata",
    "OffsetSpec",
    "Serializer",
    "TopicPartition",
    "TopicPartitionReplica",
    "__version__",
]
