"""Resources with settings (`kafka.admin.config_resource`), and enumerations about settings."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from kafkars.compat.kafka.util import EnumHelper

__all__ = [
    "AlterConfigOp",
    "ConfigFilterType",
    "ConfigResource",
    "ConfigResourceType",
    "ConfigSourceType",
    "ConfigType",
]


class ConfigResourceType(EnumHelper, IntEnum):
    """Types of resources with settings. kafka-python 2 has topics and brokers."""

    UNKNOWN = 0
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


class ConfigResource:
    """A topic or broker with settings.

    Args:
        resource_type: A `ConfigResourceType` or its name.
        name: The topic's name, or the broker's number as text.
        configs: New values by setting name; to describe settings, their names, or None for all.

    Raises:
        KeyError: The type is unknown.
    """

    def __init__(
        self, resource_type: ConfigResourceType | str, name: str, configs: Mapping[str, Any] | None = None
    ) -> None:
        if not isinstance(resource_type, ConfigResourceType):
            resource_type = ConfigResourceType[str(resource_type).upper()]
        self.resource_type = resource_type
        self.name = name
        self.configs = configs

    def __str__(self) -> str:
        return f"ConfigResource {self.resource_type}={self.name}"

    def __repr__(self) -> str:
        return f"ConfigResource({self.resource_type}, {self.name}, {self.configs})"


class AlterConfigOp(EnumHelper, IntEnum):
    """The kind of a change of a setting (KIP-339)."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class ConfigType(EnumHelper, IntEnum):
    """The type of a setting's value."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class ConfigSourceType(EnumHelper, IntEnum):
    """The source of a setting's value."""

    UNKNOWN = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_BROKER_LOGGER_CONFIG = 6
    DYNAMIC_CLIENT_METRICS_CONFIG = 7
    DYNAMIC_GROUP_CONFIG = 8

    def is_modified(self) -> bool:
        """True if the value is set on the resource itself."""
        kind = ConfigSourceType
        return self not in {kind.DYNAMIC_DEFAULT_BROKER_CONFIG, kind.STATIC_BROKER_CONFIG, kind.DEFAULT_CONFIG}

    @classmethod
    def dynamic_for_resource_type(cls, resource_type: ConfigResourceType) -> ConfigSourceType:
        """Returns the source of values that are set on resources of a type."""
        if resource_type is ConfigResourceType.UNKNOWN:
            return cls.UNKNOWN
        return cls[f"DYNAMIC_{resource_type.name}_CONFIG"]


class ConfigFilterType(EnumHelper, IntEnum):
    """Which settings are returned."""

    ALL = 0
    DYNAMIC = 1
    MODIFIED = 2
    DEFAULT = 3
    STATIC = 4

    def should_skip(self, config_source: ConfigSourceType) -> bool:
        """True if settings from this source are left out."""
        if self is ConfigFilterType.MODIFIED:
            return not config_source.is_modified()
        if self is ConfigFilterType.DEFAULT:
            return config_source.is_modified()
        return self is ConfigFilterType.STATIC and config_source is not ConfigSourceType.STATIC_BROKER_CONFIG
