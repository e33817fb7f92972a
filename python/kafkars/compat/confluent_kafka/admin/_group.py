"""What describes groups, by the path of the library."""

from __future__ import annotations

from kafkars.compat.confluent_kafka.admin._results import (
    ConsumerGroupDescription,
    ConsumerGroupListing,
    ListConsumerGroupsResult,
    MemberAssignment,
    MemberDescription,
)

__all__ = [
    "ConsumerGroupDescription",
    "ConsumerGroupListing",
    "ListConsumerGroupsResult",
    "MemberAssignment",
    "MemberDescription",
]
