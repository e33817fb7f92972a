"""Administration of a cluster (`aiokafka.admin`)."""

from __future__ import annotations

from kafkars.compat.aiokafka.admin.client import AIOKafkaAdminClient
from kafkars.compat.aiokafka.admin.new_partitions import NewPartitions
from kafkars.compat.aiokafka.admin.new_topic import NewTopic
from kafkars.compat.aiokafka.admin.records_to_delete import RecordsToDelete

__all__ = ["AIOKafkaAdminClient", "NewPartitions", "NewTopic", "RecordsToDelete"]
