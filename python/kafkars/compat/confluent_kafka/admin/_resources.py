"""Resources that have settings, and settings."""

from __future__ import annotations

from enum import Enum
from functools import total_ordering
from typing import Any, ClassVar

from kafkars.compat.confluent_kafka._model import Ordered


class ResourceType(Ordered):
    """Types of resources with settings or access control rules."""

    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    BROKER = 4
    TRANSACTIONAL_ID = 5


class ResourcePatternType(Ordered):
    """How the name of a resource is matched in access control rules."""

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class ConfigSource(Enum):
    """The source of a setting's value."""

    UNKNOWN_CONFIG = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    GROUP_CONFIG = 8


class AlterConfigOpType(Enum):
    """The kind of a change: a setting gets a value, is reset to its default, or changed as a list."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class ConfigEntry:
    """A setting.

    Args:
        name: Its name.
        value: Its value; None where the broker does not tell it.
        source: Where it comes from.
        is_read_only: Whether it can be changed in the broker's file only.
        is_default: Whether nobody has set it.
        is_sensitive: Whether it is a secret.
        is_synonym: Whether it is another place of a setting.
        synonyms: Its other places, by name.
        incremental_operation: What `incremental_alter_configs()` does with it.
    """

    def __init__(
        self,
        name: str,
        value: str | None,
        source: ConfigSource = ConfigSource.UNKNOWN_CONFIG,
        is_read_only: bool = False,
        is_default: bool = False,
        is_sensitive: bool = False,
        is_synonym: bool = False,
        synonyms: dict[str, ConfigEntry] | None = None,
        incremental_operation: AlterConfigOpType | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.source = source
        self.is_read_only = bool(is_read_only)
        self.is_default = bool(is_default)
        self.is_sensitive = bool(is_sensitive)
        self.is_synonym = bool(is_synonym)
        self.synonyms = {} if synonyms is None else synonyms
        self.incremental_operation = incremental_operation

    def __repr__(self) -> str:
        return f"ConfigEntry({self})"

    def __str__(self) -> str:
        return f'{self.name}="{self.value}"'


@total_ordering
class ConfigResource:
    """A topic, broker or group with settings.

    Args:
        restype: What it is: a `ResourceType`, its name or its number.
        name: Its name; of brokers the id as text.
        set_config: Settings for `alter_configs()`.
        described_configs: What `describe_configs()` has told.
        error: Why it could not.
        incremental_configs: Changes for `incremental_alter_configs()`.

    Raises:
        ValueError: The type is not known, or there is no name.
    """

    Type: ClassVar[type[ResourceType]] = ResourceType

    def __init__(
        self,
        restype: ResourceType | str | int,
        name: str,
        set_config: dict[str, str] | None = None,
        described_configs: dict[str, ConfigEntry] | None = None,
        error: Any | None = None,
        incremental_configs: list[ConfigEntry] | None = None,
    ) -> None:
        if name is None:
            raise ValueError("a resource needs a name")
        self.restype = resource_type(restype)
        self.restype_int = int(self.restype.value)
        self.name = name
        self.set_config_dict: dict[str, str] = {} if set_config is None else set_config.copy()
        self.incremental_configs = list(incremental_configs or [])
        self.configs = described_configs
        self.error = error

    def set_config(self, name: str, value: str, overwrite: bool = True) -> None:
        """Gives a setting a value for `alter_configs()`; one that has one keeps it with `overwrite=False`."""
        if overwrite or name not in self.set_config_dict:
            self.set_config_dict[name] = value

    def add_incremental_config(self, config_entry: ConfigEntry) -> None:
        """Adds a change for `incremental_alter_configs()`."""
        self.incremental_configs.append(config_entry)

    def __repr__(self) -> str:
        problem = f", {self.error}" if self.error is not None else ""
        return f"ConfigResource({self.restype},{self.name}{problem})"

    def __len__(self) -> int:
        return len(self.set_config_dict)

    def __hash__(self) -> int:
        return hash((self.restype, self.name))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfigResource):
            return NotImplemented
        return (self.restype, self.name) == (other.restype, other.name)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, ConfigResource):
            return NotImplemented
        return (self.restype_int, self.name) < (other.restype_int, other.name)


def resource_type(given: ResourceType | str | int) -> ResourceType:
    """A type by its name, in any case, or by its number."""
    if isinstance(given, str):
        try:
            return ResourceType[given.upper()]
        except KeyError:
            known = ", ".join(each.name.lower() for each in ResourceType)
            raise ValueError(f"{given!r} is no type of resource; there are {known}") from None
    return ResourceType(given)
