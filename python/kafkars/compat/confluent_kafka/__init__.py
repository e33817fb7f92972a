"""`confluent_kafka` on kafkars: the same names, arguments, settings and callbacks.

A program moves by importing from here, or by `kafkars.compat.install("confluent_kafka")` and no change at all.
"""

from __future__ import annotations

from kafkars.compat.confluent_kafka._partitioners import consistent, fnv1a, murmur2
from kafkars.compat.confluent_kafka.cimpl import (
    OFFSET_BEGINNING,
    OFFSET_END,
    OFFSET_INVALID,
    OFFSET_STORED,
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    TIMESTAMP_NOT_AVAILABLE,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
    libversion,
    version,
)

__all__ = [
    "OFFSET_BEGINNING",
    "OFFSET_END",
    "OFFSET_INVALID",
    "OFFSET_STORED",
    "TIMESTAMP_CREATE_TIME",
    "TIMESTAMP_LOG_APPEND_TIME",
    "TIMESTAMP_NOT_AVAILABLE",
    "KafkaError",
    "KafkaException",
    "Message",
    "TopicPartition",
    "consistent",
    "fnv1a",
    "libversion",
    "murmur2",
    "version",
]

__version__: str = version()
