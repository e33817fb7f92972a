"""Features of a cluster."""

from __future__ import annotations

from enum import IntEnum

from kafkars.compat.kafka.util import EnumHelper


class UpdateFeatureType(EnumHelper, IntEnum):
    """How the level of a feature may change."""

    UNKNOWN = 0
    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3
