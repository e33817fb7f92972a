"""The face of kafka-python 0.9: programs written for kafka-python 0.9.5 run on kafkars with it, and with current
brokers.

`from kafkars.compat.kafka_legacy import SimpleProducer`, or `kafkars.compat.install("kafka", version="0.9.5")` before
the program imports kafka.
"""

from __future__ import annotations

import logging

from kafkars.compat.kafka_legacy._not_offered import NOT_OFFERED
from kafkars.compat.kafka_legacy.client import KafkaClient
from kafkars.compat.kafka_legacy.conn import KafkaConnection
from kafkars.compat.kafka_legacy.consumer import KafkaConsumer, MultiProcessConsumer, SimpleConsumer
from kafkars.compat.kafka_legacy.partitioner import (
    HashedPartitioner,
    LegacyPartitioner,
    Murmur2Partitioner,
    RoundRobinPartitioner,
)
from kafkars.compat.kafka_legacy.producer import KeyedProducer, SimpleProducer
from kafkars.compat.kafka_legacy.protocol import create_gzip_message, create_message, create_snappy_message
from kafkars.compat.kafka_legacy.version import __version__

__title__ = "kafka"

logging.getLogger("kafka").addHandler(logging.NullHandler())

__all__ = [
    "NOT_OFFERED",
    "HashedPartitioner",
    "KafkaClient",
    "KafkaConnection",
    "KafkaConsumer",
    "KeyedProducer",
    "LegacyPartitioner",
    "MultiProcessConsumer",
    "Murmur2Partitioner",
    "RoundRobinPartitioner",
    "SimpleConsumer",
    "SimpleProducer",
    "__version__",
    "create_gzip_message",
    "create_message",
    "create_snappy_message",
]
