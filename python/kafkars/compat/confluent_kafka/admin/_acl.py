"""Access lists and SCRAM credentials: the classes that programs name. The calls with them are not offered."""

from __future__ import annotations

from enum import Enum
from typing import Any

from kafkars.compat.confluent_kafka._model import Ordered
from kafkars.compat.confluent_kafka.admin._resources import ResourcePatternType, ResourceType, resource_type


class AclOperation(Ordered):
    """What may be done."""

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
    """Whether it may be done."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


class AclBinding:
    """A line of an access list."""

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
        self.restype = resource_type(restype)
        for what, text in (("name", name), ("principal", principal), ("host", host)):
            self._check_text(what, text)
        self.name = name
        self.resource_pattern_type = member(ResourcePatternType, resource_pattern_type)
        self.principal = principal
        self.host = host
        self.operation = member(AclOperation, operation)
        self.permission_type = member(AclPermissionType, permission_type)

    def _check_text(self, what: str, text: object) -> None:
        if text is None:
            raise ValueError(f"{what} must not be None")
        if not isinstance(text, str):
            raise TypeError(f"{what} must be str, not {type(text).__name__}")

    def _place(self) -> tuple[Any, ...]:
        return tuple(vars(self).values())

    def __eq__(self, other: object) -> bool:
        return self._place() == other._place() if isinstance(other, AclBinding) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._place())


class AclBindingFilter(AclBinding):
    """Which lines of access lists are meant."""

    def _check_text(self, what: str, text: object) -> None:
        if text is not None:
            super()._check_text(what, text)


class ScramMechanism(Ordered):
    """Hashes of SCRAM."""

    UNKNOWN = 0
    SCRAM_SHA_256 = 1
    SCRAM_SHA_512 = 2


class ScramCredentialInfo:
    """How a user's password is kept."""

    def __init__(self, mechanism: ScramMechanism, iterations: int) -> None:
        self.mechanism = mechanism
        self.iterations = iterations


class UserScramCredentialsDescription:
    """How a user's passwords are kept."""

    def __init__(self, user: str, scram_credential_infos: list[ScramCredentialInfo]) -> None:
        self.user = user
        self.scram_credential_infos = scram_credential_infos


class UserScramCredentialAlteration:
    """A change of a user's password."""

    def __init__(self, user: str) -> None:
        self.user = user


class UserScramCredentialUpsertion(UserScramCredentialAlteration):
    """A new password."""

    def __init__(
        self, user: str, scram_credential_info: ScramCredentialInfo, password: bytes, salt: bytes | None = None
    ) -> None:
        super().__init__(user)
        self.scram_credential_info = scram_credential_info
        self.password = password
        self.salt = salt


class UserScramCredentialDeletion(UserScramCredentialAlteration):
    """A password that is to go."""

    def __init__(self, user: str, mechanism: ScramMechanism) -> None:
        super().__init__(user)
        self.mechanism = mechanism


def member(kind: type[Enum], given: Any) -> Any:
    """A member of an enumeration by itself, its name in any case, or its number."""
    return kind[given.upper()] if isinstance(given, str) else kind(given)
