"""Access control lists (`confluent_kafka.admin`): rules, and filters for them."""

from __future__ import annotations

from enum import Enum
from functools import total_ordering
from typing import Any, ClassVar, TypeVar

from kafkars.admin import AclBinding as EngineBinding
from kafkars.admin import AclBindingFilter as EngineFilter
from kafkars.admin import acls
from kafkars.compat.confluent_kafka._model import Ordered
from kafkars.compat.confluent_kafka.admin._resources import ResourcePatternType, ResourceType

E = TypeVar("E", bound=Enum)


class AclOperation(Ordered):
    """The operation that a rule is about."""

    UNKNOWN = 0
    ANY = 1
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12


class AclPermissionType(Ordered):
    """The effect of a rule: allow or deny."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


@total_ordering
class AclBinding:
    """A rule of an access control list. Types are members of the enumerations, their names in any case, or numbers.

    Args:
        restype: What it is about.
        name: The name of that; of `ResourceType.BROKER`, which is the cluster, "kafka-cluster".
        resource_pattern_type: How the name is meant.
        principal: Whom it is about, such as "User:alice".
        host: The address that requests come from, or "*".
        operation: What may be done, or not.
        permission_type: Whether it may.

    Raises:
        ValueError: A part is None, no member, or for filters only.
        TypeError: A part is of a wrong type.
    """

    _may_be_none: ClassVar[tuple[str, ...]] = ()
    _refused: ClassVar[tuple[Enum, ...]] = (
        ResourceType.ANY,
        ResourcePatternType.ANY,
        ResourcePatternType.MATCH,
        AclOperation.ANY,
        AclPermissionType.ANY,
    )

    def __init__(
        self,
        restype: ResourceType | str | int,
        name: str,
        resource_pattern_type: ResourcePatternType | str | int,
        principal: str,
        host: str,
        operation: AclOperation | str | int,
        permission_type: AclPermissionType | str | int,
    ) -> None:
        texts: dict[str, Any] = {"name": name, "principal": principal, "host": host}
        kinds: dict[str, Any] = {
            "restype": restype,
            "resource_pattern_type": resource_pattern_type,
            "operation": operation,
            "permission_type": permission_type,
        }
        for part, value in {**texts, **kinds}.items():
            if value is None and part not in self._may_be_none:
                raise ValueError(f"Expected {part} to be not None")
        for part, value in texts.items():
            if value is not None and not isinstance(value, str):
                raise TypeError(f"Expected {part} to be a string")
        self.name = name
        self.principal = principal
        self.host = host
        self.restype = member(ResourceType, restype)
        self.resource_pattern_type = member(ResourcePatternType, resource_pattern_type)
        self.operation = member(AclOperation, operation)
        self.permission_type = member(AclPermissionType, permission_type)
        for part in kinds:
            if getattr(self, part) in self._refused:
                raise ValueError(f"Cannot use enum {part}, value {getattr(self, part).name} in this class")
        self.restype_int = int(self.restype.value)
        self.resource_pattern_type_int = int(self.resource_pattern_type.value)
        self.operation_int = int(self.operation.value)
        self.permission_type_int = int(self.permission_type.value)

    def _place(self) -> tuple[Any, ...]:
        return (
            self.restype,
            self.name,
            self.resource_pattern_type,
            self.principal,
            self.host,
            self.operation,
            self.permission_type,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({','.join(map(str, self._place()))})"

    def __eq__(self, other: object) -> bool:
        return self._place() == other._place() if isinstance(other, AclBinding) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._place() < other._place() if isinstance(other, AclBinding) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._place())


class AclBindingFilter(AclBinding):
    """Which rules are meant: None as a text, and ANY, take every value; `ResourcePatternType.MATCH` takes every rule
    that holds for the name.
    """

    _may_be_none = ("name", "principal", "host")
    _refused = (
        ResourceType.UNKNOWN,
        ResourcePatternType.UNKNOWN,
        AclOperation.UNKNOWN,
        AclPermissionType.UNKNOWN,
    )


def member(kind: type[E], given: Any) -> E:
    """Returns a member of an enumeration for itself, its name in upper or lower case, or its number.

    Raises:
        ValueError: There is none of that name or number.
        TypeError: It is something else.
    """
    if isinstance(given, str):
        try:
            return kind[given.upper()]
        except KeyError:
            raise ValueError(f'Unknown value "{given}": should be a {kind.__name__}') from None
    if isinstance(given, int):
        return kind(given)
    if isinstance(given, kind):
        return given
    raise TypeError(f'Unknown value "{given}": should be a {kind.__name__}')


def engine_binding(of: AclBinding) -> EngineBinding:
    """Returns a rule in kafkars' form."""
    return EngineBinding(
        of.principal,
        acls.OPERATION_NAMES[of.operation_int],
        acls.RESOURCE_TYPE_NAMES[of.restype_int],
        of.name,
        acls.PATTERN_TYPE_NAMES[of.resource_pattern_type_int],
        acls.PERMISSION_NAMES[of.permission_type_int],
        of.host,
    )


def engine_filter(of: AclBinding) -> EngineFilter:
    """Returns a filter in kafkars' form."""
    return EngineFilter(
        of.principal,
        acls.OPERATION_NAMES[of.operation_int],
        acls.RESOURCE_TYPE_NAMES[of.restype_int],
        of.name,
        acls.PATTERN_TYPE_NAMES[of.resource_pattern_type_int],
        acls.PERMISSION_NAMES[of.permission_type_int],
        of.host,
    )


def binding(of: EngineBinding) -> AclBinding:
    """Returns a rule of kafkars' in the library's form. UNKNOWN stands for what the library has no name for."""
    return AclBinding(
        known(ResourceType, acls.RESOURCE_TYPES[of.resource_type]),
        of.resource_name,
        known(ResourcePatternType, acls.PATTERN_TYPES[of.pattern_type]),
        of.principal,
        of.host,
        known(AclOperation, acls.OPERATIONS[of.operation]),
        known(AclPermissionType, acls.PERMISSIONS[of.permission]),
    )


def known(kind: type[E], number: int) -> E:
    """Returns a member of an enumeration by number; UNKNOWN, which is 0, if the library has none."""
    return kind(number) if any(each.value == number for each in kind) else kind(0)
