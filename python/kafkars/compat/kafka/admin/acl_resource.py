"""Classes for access control rules (`kafka.admin.acl_resource`)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from kafkars.compat.kafka.errors import IllegalArgumentError
from kafkars.compat.kafka.util import EnumHelper

__all__ = [
    "ACL",
    "ACLFilter",
    "ACLOperation",
    "ACLPermissionType",
    "ACLResourcePatternType",
    "ResourcePattern",
    "ResourcePatternFilter",
    "ResourceType",
    "valid_acl_operations",
]


class ResourceType(EnumHelper, IntEnum):
    """Kind of resource that a rule is about; ANY is for filters."""

    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class ACLOperation(EnumHelper, IntEnum):
    """The operation that a rule allows or denies; ANY is for filters."""

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
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14
    TWO_PHASE_COMMIT = 15


class ACLPermissionType(EnumHelper, IntEnum):
    """The effect of a rule: it allows or denies; ANY is for filters."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


class ACLResourcePatternType(EnumHelper, IntEnum):
    """How the name of a resource is matched (KIP-290); ANY and MATCH are for filters."""

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class ResourcePatternFilter:
    """A filter for resources.

    Raises:
        IllegalArgumentError: An argument is not of its enumeration.
    """

    def __init__(
        self, resource_type: ResourceType, resource_name: str | None, pattern_type: ACLResourcePatternType
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.validate()

    def validate(self) -> None:
        """Refuses arguments that are not of their enumeration."""
        kinds: tuple[tuple[str, object, type], ...] = (
            ("resource_type", self.resource_type, ResourceType),
            ("pattern_type", self.pattern_type, ACLResourcePatternType),
        )
        for name, value, kind in kinds:
            if not isinstance(value, kind):
                raise IllegalArgumentError(f"{name} must be of {kind.__name__}, not {value!r}")

    def __repr__(self) -> str:
        name = self.resource_name
        return f"<ResourcePattern type={self.resource_type.name}, name={name}, pattern={self.pattern_type.name}>"

    def _key(self) -> tuple[Any, ...]:
        return (self.resource_type, self.resource_name, self.pattern_type)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResourcePatternFilter) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


class ResourcePattern(ResourcePatternFilter):
    """The resources that a rule is about.

    Raises:
        IllegalArgumentError: An argument is not of its enumeration, or is for filters only.
    """

    def __init__(
        self,
        resource_type: ResourceType,
        resource_name: str,
        pattern_type: ACLResourcePatternType = ACLResourcePatternType.LITERAL,
    ) -> None:
        super().__init__(resource_type, resource_name, pattern_type)

    def validate(self) -> None:
        """Refuses arguments that are not of their enumeration, and values for filters."""
        super().validate()
        if self.resource_type is ResourceType.ANY:
            raise IllegalArgumentError("resource_type cannot be ANY")
        if self.pattern_type in {ACLResourcePatternType.ANY, ACLResourcePatternType.MATCH}:
            raise IllegalArgumentError(f"pattern_type cannot be {self.pattern_type.name} on a concrete ResourcePattern")


class ACLFilter:
    """A filter for rules; None as principal or host matches any.

    Raises:
        IllegalArgumentError: An argument is of a wrong type.
    """

    def __init__(
        self,
        principal: str | None,
        host: str | None,
        operation: ACLOperation,
        permission_type: ACLPermissionType,
        resource_pattern: ResourcePatternFilter,
    ) -> None:
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.resource_pattern = resource_pattern
        self.validate()

    def validate(self) -> None:
        """Refuses arguments of a wrong type."""
        kinds: tuple[tuple[str, object, type], ...] = (
            ("operation", self.operation, ACLOperation),
            ("permission_type", self.permission_type, ACLPermissionType),
            ("resource_pattern", self.resource_pattern, ResourcePatternFilter),
        )
        for name, value, kind in kinds:
            if not isinstance(value, kind):
                raise IllegalArgumentError(f"{name} must be of {kind.__name__}, not {value!r}")

    def __repr__(self) -> str:
        return (
            f"<ACL principal={self.principal}, resource={self.resource_pattern}, operation={self.operation.name}, "
            f"type={self.permission_type.name}, host={self.host}>"
        )

    def _key(self) -> tuple[Any, ...]:
        return (self.principal, self.host, self.operation, self.permission_type, self.resource_pattern)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ACLFilter) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


class ACL(ACLFilter):
    """One rule.

    Args:
        principal: The user, such as "User:alice".
        host: The address of the client, or "*".
        operation: The operation.
        permission_type: Whether the operation is allowed or denied.
        resource_pattern: The resources.

    Raises:
        IllegalArgumentError: An argument is of a wrong type, or is for filters only.
    """

    def validate(self) -> None:
        """Refuses arguments of a wrong type, and values for filters."""
        if self.operation is ACLOperation.ANY:
            raise IllegalArgumentError("operation cannot be ANY")
        if self.permission_type is ACLPermissionType.ANY:
            raise IllegalArgumentError("permission_type cannot be ANY")
        if not isinstance(self.resource_pattern, ResourcePattern):
            raise IllegalArgumentError("resource_pattern must be a ResourcePattern object")
        super().validate()


def valid_acl_operations(int_vals: Iterable[int]) -> set[ACLOperation]:
    """Returns the operations of these numbers, without UNKNOWN, ANY and ALL."""
    return {ACLOperation(value) for value in int_vals if value > ACLOperation.ALL}
