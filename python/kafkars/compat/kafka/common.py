"""Names where documents of kafka-python have them (`kafka.common`); their modules are `kafka.errors` and
`kafka.structs`.
"""

from __future__ import annotations

from kafkars.compat.kafka.errors import *  # noqa: F403  every class there is
from kafkars.compat.kafka.errors import KafkaError
from kafkars.compat.kafka.structs import OffsetAndMetadata, OffsetAndTimestamp, TopicPartition

__all__ = ["KafkaError", "OffsetAndMetadata", "OffsetAndTimestamp", "TopicPartition"]
