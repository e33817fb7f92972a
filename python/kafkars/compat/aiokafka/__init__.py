"""The face of aiokafka: programs written for aiokafka 0.8 to 0.14 run on kafkars with it.

`from kafkars.compat.aiokafka import AIOKafkaConsumer`, or `kafkars.compat.install("aiokafka")` before the program
imports aiokafka.
"""

from __future__ import annotations

from kafkars.compat.aiokafka.abc import ConsumerRebalanceListener
from kafkars.compat.aiokafka.client import AIOKafkaClient
from kafkars.compat.aiokafka.consumer import AIOKafkaConsumer
from kafkars.compat.aiokafka.errors import ConsumerStoppedError, IllegalOperation
from kafkars.compat.aiokafka.producer import AIOKafkaProducer
from kafkars.compat.aiokafka.structs import ConsumerRecord, OffsetAndMetadata, OffsetAndTimestamp, TopicPartition

__version__ = "0.14.0"
"""The release of aiokafka that this face follows."""

__all__ = [
    "AIOKafkaClient",
    "AIOKafkaConsumer",
    "AIOKafkaProducer",
    "ConsumerRebalanceListener",
    "ConsumerRecord",
    "ConsumerStoppedError",
    "IllegalOperation",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "TopicPartition",
]
