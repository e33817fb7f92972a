"""Administration: topics, settings, groups. `Admin` is for synchronous code, `kafkars.aio.Admin` its asyncio twin."""

from __future__ import annotations

from kafkars.admin.client import Admin
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
    NewTopic,
    OffsetSpec,
    TopicDescription,
)

__all__ = [
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
    "NewTopic",
    "OffsetSpec",
    "TopicDescription",
]
