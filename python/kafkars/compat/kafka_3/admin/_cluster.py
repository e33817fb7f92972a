"""Features of a cluster."""

from __future__ import annotations

from enum import IntEnum

from kafkars.compat.kafka.util import EnumHelper


class UpdateFeatureType(EnumHelper, IntEnum):
    """The kinds of changes of a feature level."""

    UNKNOWN = 0
    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3
