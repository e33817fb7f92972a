"""A Kafka client for Python with a Rust core.

`Producer` and `Consumer` are for synchronous code, `kafkars.aio` has their asyncio twins, `kafkars.errors` what they
raise, `kafkars.config` what can be set, and `kafkars.testing` a broker that runs inside the test process.
"""

from __future__ import annotations

from kafkars import errors
from kafkars._kafkars import (
    BatchBuilder,
    Deliveries,
    DeliveryFuture,
    Record,
    RecordBatch,
    RecordMetadata,
    __version__,
)
from kafkars.admin import Admin
from kafkars.assignor import Assignor, GroupMember
from kafkars.config import AdminConfig, ClientConfig, ConsumerConfig, ProducerConfig
from kafkars.consumer import Consumer
from kafkars.errors import KafkaError
from kafkars.parallel import ParallelConsumer, ParallelStatus
from kafkars.producer import Producer
from kafkars.transaction import Transaction
from kafkars.types import (
    AppendedRecord,
    ConsumerGroupMetadata,
    ConsumerHealth,
    Interceptor,
    MemoryUsage,
    OffsetAndMetadata,
    OffsetAndTimestamp,
    PartitionInfo,
    ProducerRecord,
    Serializer,
    TimestampType,
    TopicPartition,
    Watermarks,
)

__all__ = [
    "Admin",
    "AdminConfig",
    "AppendedRecord",
    "Assignor",
    "BatchBuilder",
    "ClientConfig",
    "Consumer",
    "ConsumerConfig",
    "ConsumerGroupMetadata",
    "ConsumerHealth",
    "Deliveries",
    "DeliveryFuture",
    "GroupMember",
    "Interceptor",
    "KafkaError",
    "MemoryUsage",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "ParallelConsumer",
    "ParallelStatus",
    "PartitionInfo",
    "Producer",
    "ProducerConfig",
    "ProducerRecord",
    "Record",
    "RecordBatch",
    "RecordMetadata",
    "Serializer",
    "TimestampType",
    "TopicPartition",
    "Transaction",
    "Watermarks",
    "__version__",
    "errors",
]
