"""Administration: topics, settings, groups, access control. `Admin` is for synchronous code, `kafkars.aio.Admin` its
asyncio twin.
"""

from __future__ import annotations

from kafkars.admin.acls import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPatternType,
    AclPermission,
    AclResourceType,
)
from kafkars.admin.client import Admin
from kafkars.admin.scram import (
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from kafkars.admin.types import (
    BrokerInfo,
    ClusterDescription,
    ConfigChange,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    ConfigSynonym,
    CreatedTopic,
    GroupDescription,
    GroupListing,
    GroupMember,
    ListedOffset,
    LogDirDescription,
    NewTopic,
    OffsetSpec,
    PartitionReassignment,
    ProducerState,
    ReplicaInfo,
    TopicDescription,
    TransactionDescription,
    TransactionListing,
)

__all__ = [
    "AclBinding",
    "AclBindingFilter",
    "AclOperation",
    "AclPatternType",
    "AclPermission",
    "AclResourceType",
    "Admin",
    "BrokerInfo",
    "ClusterDescription",
    "ConfigChange",
    "ConfigEntry",
    "ConfigResource",
    "ConfigSource",
    "ConfigSynonym",
    "CreatedTopic",
    "GroupDescription",
    "GroupListing",
    "GroupMember",
    "ListedOffset",
    "LogDirDescription",
    "NewTopic",
    "OffsetSpec",
    "PartitionReassignment",
    "ProducerState",
    "ReplicaInfo",
    "ScramCredentialInfo",
    "ScramMechanism",
    "TopicDescription",
    "TransactionDescription",
    "TransactionListing",
    "UserScramCredentialDeletion",
    "UserScramCredentialUpsertion",
]
