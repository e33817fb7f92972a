"""The face of kafka-python 2.x: programs written for it run on kafkars.

`from kafkars.compat.kafka import KafkaConsumer`, or `kafkars.compat.install("kafka")` before the program imports kafka.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

from kafkars.compat.kafka._not_offered import NAMES_NOT_OFFERED, NOT_OFFERED
from kafkars.compat.kafka.consumer import KafkaConsumer
from kafkars.compat.kafka.consumer.subscription_state import ConsumerRebalanceListener
from kafkars.compat.kafka.producer import KafkaProducer
from kafkars.compat.kafka.serializer import Deserializer, Serializer
from kafkars.compat.kafka.structs import OffsetAndMetadata, TopicPartition
from kafkars.compat.kafka.version import __version__

if TYPE_CHECKING:
    from kafkars.compat.kafka.admin import KafkaAdminClient

logging.getLogger("kafka").addHandler(logging.NullHandler())


MODULES_OF_THE_PACKAGE = ("admin", "codec", "metrics", "record", "vendor")
"""Modules that kafka-python imports with itself, so that `import kafka` is enough to use them."""


def __getattr__(name: str) -> object:
    # Imported late: programs that only send or read do not need administration.
    if name == "KafkaAdminClient":
        return importlib.import_module("kafkars.compat.kafka.admin").KafkaAdminClient
    if name in MODULES_OF_THE_PACKAGE:
        return importlib.import_module(f"kafkars.compat.kafka.{name}")
    if name in NAMES_NOT_OFFERED:
        raise AttributeError(f"kafka.{name} is not offered by kafkars: {NAMES_NOT_OFFERED[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "NOT_OFFERED",
    "ConsumerRebalanceListener",
    "Deserializer",
    "KafkaAdminClient",
    "KafkaConsumer",
    "KafkaProducer",
    "OffsetAndMetadata",
    "Serializer",
    "TopicPartition",
    "__version__",
]
