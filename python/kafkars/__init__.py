"""A Kafka client for Python with a Rust core.

`Producer` and `Consumer` are for synchronous code, `kafkars.aio` has their asyncio twins, `kafkars.errors` what they
raise, `kafkars.config` what can be set, and `kafkars.testing` a broker that runs inside the test process.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from kafkars import errors
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
from kafkars.assignor import Assignor, GroupMember
from kafkars.config import AdminConfig, ClientConfig, ConsumerConfig, ProducerConfig
from kafkars.consumer import Consumer
from kafkars.errors import KafkaError
from kafkars.producer import Producer
from kafkars.transaction import Transaction
from kafkars.types import (
    AppendedRecord,
    ConsumerGroupMetadata,
    ConsumerHealth,
    Deserializer,
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

if TYPE_CHECKING:
    from kafkars.admin import Admin
    from kafkars.metrics import ConnectionMetrics, ConsumerMetrics, ProducerMetrics
    from kafkars.parallel import ParallelConsumer, ParallelStatus

__all__ = [
    "Admin",
    "AdminConfig",
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

# Imported when they are first asked for: most programs need none of them, and all would pay for them at each start.
_LATE = {
    "Admin": "kafkars.admin",
    "ConnectionMetrics": "kafkars.metrics",
    "ConsumerMetrics": "kafkars.metrics",
    "ParallelConsumer": "kafkars.parallel",
    "ParallelStatus": "kafkars.parallel",
    "ProducerMetrics": "kafkars.metrics",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(_LATE[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_LATE))
