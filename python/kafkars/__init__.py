"""A Kafka client for Python with a Rust core.

`Producer` and `Consumer` are for synchronous code, `kafkars.aio` has their asyncio twins, `kafkars.errors` what they
raise, `kafkars.config` what can be set, and `kafkars.testing` a broker that runs inside the test process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkars._kafkars import (
    ArrowBatch,
    BatchBuilder,
    Deliveries,
    DeliveryFuture,
    Record,
    RecordBatch,
    RecordMetadata,
    __version__,
)
from kafkars._late import late
from kafkars.errors.base import KafkaError

if TYPE_CHECKING:
    from kafkars import admin as admin
    from kafkars import aio as aio
    from kafkars import compat as compat
    from kafkars import config as config
    from kafkars import errors
    from kafkars import serde as serde
    from kafkars import testing as testing
    from kafkars.admin import Admin
    from kafkars.assignor import Assignor, GroupMember
    from kafkars.config import AdminConfig, ClientConfig, ConsumerConfig, ProducerConfig
    from kafkars.consumer import Consumer
    from kafkars.metrics import AdminMetrics, ConnectionMetrics, ConsumerMetrics, ProducerMetrics
    from kafkars.parallel import ParallelConsumer, ParallelStatus
    from kafkars.producer import Producer
    from kafkars.transaction import Transaction
    from kafkars.types import (
        AppendedRecord,
        ConsumerGroupMetadata,
        ConsumerHealth,
        Deserializer,
        FlushResult,
        Interceptor,
        MemoryUsage,
        OffsetAndMetadata,
        OffsetAndTimestamp,
        PartitionInfo,
        PartitionTrouble,
        ProducerRecord,
        Serializer,
        TimestampType,
        TopicPartition,
        Watermarks,
    )

__all__ = [
    "Admin",
    "AdminConfig",
    "AdminMetrics",
    "AppendedRecord",
    "ArrowBatch",
    "Assignor",
    "BatchBuilder",
    "ClientConfig",
    "ConnectionMetrics",
    "Consumer",
    "ConsumerConfig",
    "ConsumerGroupMetadata",
    "ConsumerHealth",
    "ConsumerMetrics",
    "Deliveries",
    "DeliveryFuture",
    "Deserializer",
    "FlushResult",
    "GroupMember",
    "Interceptor",
    "KafkaError",
    "MemoryUsage",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "ParallelConsumer",
    "ParallelStatus",
    "PartitionInfo",
    "PartitionTrouble",
    "Producer",
    "ProducerConfig",
    "ProducerMetrics",
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

_NAMES_OF = {
    "kafkars.admin": ("Admin",),
    "kafkars.assignor": ("Assignor", "GroupMember"),
    "kafkars.config": ("AdminConfig", "ClientConfig", "ConsumerConfig", "ProducerConfig"),
    "kafkars.consumer": ("Consumer",),
    "kafkars.metrics": ("AdminMetrics", "ConnectionMetrics", "ConsumerMetrics", "ProducerMetrics"),
    "kafkars.parallel": ("ParallelConsumer", "ParallelStatus"),
    "kafkars.producer": ("Producer",),
    "kafkars.transaction": ("Transaction",),
    "kafkars.types": (
        "AppendedRecord",
        "ConsumerGroupMetadata",
        "ConsumerHealth",
        "Deserializer",
        "FlushResult",
        "Interceptor",
        "MemoryUsage",
        "OffsetAndMetadata",
        "OffsetAndTimestamp",
        "PartitionInfo",
        "PartitionTrouble",
        "ProducerRecord",
        "Serializer",
        "TimestampType",
        "TopicPartition",
        "Watermarks",
    ),
}
__getattr__, __dir__ = late(
    __name__,
    {name: module for module, names in _NAMES_OF.items() for name in names},
    (
        "admin",
        "aio",
        "assignor",
        "compat",
        "config",
        "consumer",
        "errors",
        "metrics",
        "parallel",
        "producer",
        "serde",
        "testing",
        "transaction",
        "types",
    ),
)
