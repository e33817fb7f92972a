"""Access control lists: the rules, filters for them, and Kafka's numbers of what they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kafkars.errors import InvalidArgumentError

AclResourceType = Literal["topic", "group", "cluster", "transactional_id", "delegation_token", "user", "any", "unknown"]
"""Kind of resource that a rule is about; "any" is for filters, "unknown" is what a newer broker may answer with."""
AclPatternType = Literal["literal", "prefixed", "match", "any", "unknown"]
"""How the name of a resource is matched (KIP-290): exactly ("*" is every name), or as a prefix of names. In filters
"match" finds every rule that applies to the name."""
AclOperation = Literal[
    "all",
    "read",
    "write",
    "create",
    "delete",
    "alter",
    "describe",
    "cluster_action",
    "describe_configs",
    "alter_configs",
    "idempotent_write",
    "create_tokens",
    "describe_tokens",
    "two_phase_commit",
    "any",
    "unknown",
]
"""What is allowed or denied."""
AclPermission = Literal["allow", "deny", "any", "unknown"]
"""The effect of a rule: it allows or denies; a denial wins."""


@dataclass(frozen=True)
class AclBinding:
    """A rule of an access control list.

    ```python
    AclBinding("User:alice", "read", "topic", "orders")
    AclBinding("User:*", "all", "topic", "public-", pattern_type="prefixed")
    ```
    """

    principal: str
    """The user it is about: `User:alice`, by a certificate `User:CN=alice`; `User:*` is everybody."""
    operation: AclOperation
    """The operation that is allowed or denied."""
    resource_type: AclResourceType
    """The kind of resource that it is allowed or denied on."""
    resource_name: str = "kafka-cluster"
    """The resource's name; "*" is every one. The default is the name that Kafka gives the cluster."""
    pattern_type: AclPatternType = "literal"
    """"literal", or "prefixed" for all resources whose names begin with `resource_name`."""
    permission: AclPermission = "allow"
    """"allow", or "deny", which wins."""
    host: str = "*"
    """The address that requests come from; "*" is anywhere."""


@dataclass(frozen=True)
class AclBindingFilter:
    """A filter of rules. A field that is None or "any" matches every value."""

    principal: str | None = None
    """The user that rules are about, such as `User:alice`."""
    operation: AclOperation | None = None
    """The operation that is allowed or denied."""
    resource_type: AclResourceType | None = None
    """The kind of resource."""
    resource_name: str | None = None
    """The resource's name."""
    pattern_type: AclPatternType | None = None
    """"literal" or "prefixed"; "match" finds every rule that applies to the name."""
    permission: AclPermission | None = None
    """"allow" or "deny"."""
    host: str | None = None
    """The address that requests come from."""


RESOURCE_TYPES: dict[AclResourceType, int] = {
    "unknown": 0,
    "any": 1,
    "topic": 2,
    "group": 3,
    "cluster": 4,
    "transactional_id": 5,
    "delegation_token": 6,
    "user": 7,
}
PATTERN_TYPES: dict[AclPatternType, int] = {"unknown": 0, "any": 1, "match": 2, "literal": 3, "prefixed": 4}
OPERATIONS: dict[AclOperation, int] = {
    "unknown": 0,
    "any": 1,
    "all": 2,
    "read": 3,
    "write": 4,
    "create": 5,
    "delete": 6,
    "alter": 7,
    "describe": 8,
    "cluster_action": 9,
    "describe_configs": 10,
    "alter_configs": 11,
    "idempotent_write": 12,
    "create_tokens": 13,
    "describe_tokens": 14,
    "two_phase_commit": 15,
}
PERMISSIONS: dict[AclPermission, int] = {"unknown": 0, "any": 1, "deny": 2, "allow": 3}

FOR_FILTERS = {"unknown", "any", "match"}
OF_RULES: dict[str, Mapping[Any, int]] = {
    "resource_type": {name: number for name, number in RESOURCE_TYPES.items() if name not in FOR_FILTERS},
    "pattern_type": {name: number for name, number in PATTERN_TYPES.items() if name not in FOR_FILTERS},
    "operation": {name: number for name, number in OPERATIONS.items() if name not in FOR_FILTERS},
    "permission": {name: number for name, number in PERMISSIONS.items() if name not in FOR_FILTERS},
}

RESOURCE_TYPE_NAMES: dict[int, AclResourceType] = {number: name for name, number in RESOURCE_TYPES.items()}
PATTERN_TYPE_NAMES: dict[int, AclPatternType] = {number: name for name, number in PATTERN_TYPES.items()}
OPERATION_NAMES: dict[int, AclOperation] = {number: name for name, number in OPERATIONS.items()}
PERMISSION_NAMES: dict[int, AclPermission] = {number: name for name, number in PERMISSIONS.items()}

NativeBinding = tuple[int, str, int, str, str, int, int]
NativeFilter = tuple[int, "str | None", int, "str | None", "str | None", int, int]


def binding_to_native(of: AclBinding) -> NativeBinding:
    """Converts a rule to the native module's form.

    Raises:
        InvalidArgumentError: A field has a name that Kafka does not have, or one for filters. Kafka fails the whole
            request for such a rule, the other rules included.
    """
    return (
        number("resource_type", of.resource_type, OF_RULES["resource_type"]),
        text("resource_name", of.resource_name),
        number("pattern_type", of.pattern_type, OF_RULES["pattern_type"]),
        text("principal", of.principal),
        text("host", of.host),
        number("operation", of.operation, OF_RULES["operation"]),
        number("permission", of.permission, OF_RULES["permission"]),
    )


def filter_to_native(of: AclBindingFilter) -> NativeFilter:
    """Converts a filter to the native module's form.

    Raises:
        InvalidArgumentError: A field has a name that Kafka does not have.
    """
    return (
        number("resource_type", of.resource_type or "any", RESOURCE_TYPES),
        None if of.resource_name is None else text("resource_name", of.resource_name),
        number("pattern_type", of.pattern_type or "any", PATTERN_TYPES),
        None if of.principal is None else text("principal", of.principal),
        None if of.host is None else text("host", of.host),
        number("operation", of.operation or "any", OPERATIONS),
        number("permission", of.permission or "any", PERMISSIONS),
    )


def binding_of_native(row: NativeBinding) -> AclBinding:
    """Converts a rule from the native module's form."""
    kind, name, pattern, principal, host, operation, permission = row
    return AclBinding(
        principal,
        OPERATION_NAMES.get(operation, "unknown"),
        RESOURCE_TYPE_NAMES.get(kind, "unknown"),
        name,
        PATTERN_TYPE_NAMES.get(pattern, "unknown"),
        PERMISSION_NAMES.get(permission, "unknown"),
        host,
    )


def operations(bits: int | None) -> frozenset[AclOperation] | None:
    """Returns the operations of a bit field; None if the broker has not told them."""
    if bits is None:
        return None
    return frozenset(name for number, name in OPERATION_NAMES.items() if bits >> number & 1)


def number(what: str, name: object, known: Mapping[Any, int]) -> int:
    """Returns Kafka's number for a name."""
    for each, value in known.items():
        if each == name:
            return value
    raise InvalidArgumentError(f"{what}: {name!r} is none; one of {', '.join(map(repr, known))}")


def text(what: str, given: object) -> str:
    """Returns a text, or raises a TypeError that names the argument."""
    if not isinstance(given, str):
        raise TypeError(f"{what}: expected str, not {type(given).__name__}")
    return given
