"""`confluent_kafka.cimpl`: the classes and numbers that the library has in C, and that programs import from there."""

from __future__ import annotations

from kafkars._kafkars import Message
from kafkars.compat.confluent_kafka._consumer import Consumer
from kafkars.compat.confluent_kafka._model import Uuid
from kafkars.compat.confluent_kafka._new_topic import NewPartitions, NewTopic
from kafkars.compat.confluent_kafka._partition import TopicPartition
from kafkars.compat.confluent_kafka._partitioners import consistent, fnv1a, murmur2
from kafkars.compat.confluent_kafka._producer import Producer
from kafkars.compat.confluent_kafka._versions import libversion, version
from kafkars.compat.confluent_kafka.error import (
    ConcurrentModificationException,
    IllegalStateException,
    KafkaError,
    KafkaException,
)

__all__ = [
    "OFFSET_BEGINNING",
    "OFFSET_END",
    "OFFSET_INVALID",
    "OFFSET_STORED",
    "PARTITION_UA",
    "TIMESTAMP_CREATE_TIME",
    "TIMESTAMP_LOG_APPEND_TIME",
    "TIMESTAMP_NOT_AVAILABLE",
    "ConcurrentModificationException",
    "Consumer",
    "IllegalStateException",
    "KafkaError",
    "KafkaException",
    "Message",
    "NewPartitions",
    "NewTopic",
    "Producer",
    "TopicPartition",
    "Uuid",
    "consistent",
    "fnv1a",
    "libversion",
    "murmur2",
    "version",
]

PARTITION_UA = -1
"""The partitioner chooses."""
OFFSET_BEGINNING = -2
"""The oldest record."""
OFFSET_END = -1
"""After the newest record."""
OFFSET_STORED = -1000
"""The group's committed offset."""
OFFSET_INVALID = -1001
"""No offset is known."""
TIMESTAMP_NOT_AVAILABLE = 0
"""A message has no timestamp."""
TIMESTAMP_CREATE_TIME = 1
"""The producer has set the timestamp."""
TIMESTAMP_LOG_APPEND_TIME = 2
"""The broker has set the timestamp."""
