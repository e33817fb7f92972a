"""States and types of groups, and their members."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kafkars.compat.kafka.util import EnumHelper


class GroupState(EnumHelper, str, Enum):
    """The state of a group."""

    UNKNOWN = "Unknown"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"
    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"


class GroupType(EnumHelper, str, Enum):
    """The type of a group."""

    UNKNOWN = "Unknown"
    CLASSIC = "classic"
    CONSUMER = "consumer"
    SHARE = "share"


@dataclass(unsafe_hash=True)
class MemberToRemove:
    """A member by its member id, or by its instance id (static membership)."""

    member_id: str | None = None
    group_instance_id: str | None = None
    reason: str | None = None
