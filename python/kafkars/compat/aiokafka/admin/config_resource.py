"""Topics and brokers as resources with settings (`aiokafka.admin.config_resource`)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

__all__ = ["ConfigResource", "ConfigResourceType"]


class ConfigResourceType(IntEnum):
    """Types of resources with settings, with Kafka's numbers."""

    BROKER = 4
    TOPIC = 2


class ConfigResource:
    """A topic or a broker, and settings of it.

    Args:
        resource_type: What it is, or the name of that in either case.
        name: The topic's name, or the broker's id, as a number or as text.
        configs: The settings to change with their values; to describe only some settings, their names as keys.

    Raises:
        KeyError: There is no such kind.
    """

    def __init__(
        self,
        resource_type: ConfigResourceType | str,
        name: str | int,
        configs: Mapping[str, str | None] | None = None,
    ) -> None:
        if not isinstance(resource_type, ConfigResourceType):
            resource_type = ConfigResourceType[str(resource_type).upper()]
        self.resource_type = resource_type
        self.name = name
        self.configs = configs
