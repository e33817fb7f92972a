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
from kafkars.compat.kafka.admin.config_resource import (
    AlterConfigOp,
    ConfigFilterType,
    ConfigResource,
    ConfigResourceType,
    ConfigSourceType,
    ConfigType,
)
from kafkars.compat.kafka.admin.new_partitions import NewPartitions
from kafkars.compat.kafka.admin.new_topic import NewTopic
from kafkars.compat.kafka_3.admin._cluster import UpdateFeatureType
from kafkars.compat.kafka_3.admin._groups import GroupState, GroupType, MemberToRemove
from kafkars.compat.kafka_3.admin._transactions import (
    AbortTransactionSpec,
    PartitionProducerState,
    ProducerState,
    TransactionDescription,
    TransactionListing,
    TransactionState,
)
from kafkars.compat.kafka_3.admin._users import (
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from kafkars.compat.kafka_3.admin.client import KafkaAdminClient
from kafkars.compat.kafka_3.protocol.consumer import OffsetSpec, OffsetTimestamp

__all__ = [
    "ACL",
    "ACLFilter",
    "ACLOperation",
    "ACLPermissionType",
    "ACLResourcePatternType",
    "AbortTransactionSpec",
    "AlterConfigOp",
    "ConfigFilterType",
    "ConfigResource",
    "ConfigResourceType",
    "ConfigSourceType",
    "ConfigType",
    "GroupState",
    "GroupType",
    "KafkaAdminClient",
    "MemberToRemove",
    "NewPartitions",
    "NewTopic",
    "OffsetSpec",
    "OffsetTimestamp",
    "PartitionProducerState",
    "ProducerState",
    "ResourcePattern",
    "ResourcePatternFilter",
    "ResourceType",
    "ScramMechanism",
    "TransactionDescription",
    "TransactionListing",
    "TransactionState",
    "UpdateFeatureType",
    "UserScramCredentialDeletion",
    "UserScramCredentialUpsertion",
]
