"""Administration (`kafka.admin`)."""

from __future__ import annotations

from kafkars.compat.kafka.admin.acl_resource import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
)
from kafkars.compat.kafka.admin.client import KafkaAdminClient
from kafkars.compat.kafka.admin.config_resource import ConfigResource, ConfigResourceType
from kafkars.compat.kafka.admin.new_partitions import NewPartitions
from kafkars.compat.kafka.admin.new_topic import NewTopic

__all__ = [
    "ACL",
    "ACLFilter",
    "ACLOperation",
    "ACLPermissionType",
    "ACLResourcePatternType",
    "ConfigResource",
    "ConfigResourceType",
    "KafkaAdminClient",
    "NewPartitions",
    "NewTopic",
    "ResourcePattern",
    "ResourcePatternFilter",
    "ResourceType",
]
