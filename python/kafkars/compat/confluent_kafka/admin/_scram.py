"""SCRAM credentials of users (`confluent_kafka.admin`). No `repr` here shows a password."""

from __future__ import annotations

from typing import Any

from kafkars.admin import UserScramCredentialDeletion as EngineDeletion
from kafkars.admin import UserScramCredentialUpsertion as EngineUpsertion
from kafkars.compat.confluent_kafka._model import Ordered


class ScramMechanism(Ordered):
    """Hashes of SCRAM."""

    UNKNOWN = 0
    SCRAM_SHA_256 = 1
    SCRAM_SHA_512 = 2


class ScramCredentialInfo:
    """How a user's password is kept: by which hash, applied how often."""

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
    """A new password, which is hashed before it is sent; with random salt where none is given."""

    def __init__(
        self, user: str, scram_credential_info: ScramCredentialInfo, password: bytes, salt: bytes | None = None
    ) -> None:
        super().__init__(user)
        self.scram_credential_info = scram_credential_info
        self.password = password
        self.salt = salt


class UserScramCredentialDeletion(UserScramCredentialAlteration):
    """A password to delete."""

    def __init__(self, user: str, mechanism: ScramMechanism) -> None:
        super().__init__(user)
        self.mechanism = mechanism


NAMES: dict[ScramMechanism, Any] = {
    ScramMechanism.SCRAM_SHA_256: "SCRAM-SHA-256",
    ScramMechanism.SCRAM_SHA_512: "SCRAM-SHA-512",
}


def users(given: Any) -> list[str] | None:
    """Names of users, each once; None for everybody.

    Raises:
        TypeError: It is no list, or a member is no text.
        ValueError: A name is empty, or there twice.
    """
    if given is None:
        return None
    if not isinstance(given, list):
        raise TypeError(f"expected a list of users, not {type(given).__name__}")
    for each in given:
        checked_user(each)
    return given


def checked_user(given: Any) -> None:
    if not isinstance(given, str):
        raise TypeError(f"user must be str, not {type(given).__name__}")
    if not given:
        raise ValueError("user cannot be empty")


def alterations(given: Any) -> list[UserScramCredentialAlteration]:
    """Checks changes. Error messages quote no value.

    Raises:
        TypeError: Something is of a wrong type.
        ValueError: There is none, or something is empty.
    """
    if not isinstance(given, list):
        raise TypeError(f"expected a list of alterations, not {type(given).__name__}")
    if not given:
        raise ValueError("expected at least one alteration")
    for each in given:
        if not isinstance(each, UserScramCredentialAlteration):
            raise TypeError(f"expected UserScramCredentialUpsertion or -Deletion, not {type(each).__name__}")
        checked_user(each.user)
        if not isinstance(each, (UserScramCredentialUpsertion, UserScramCredentialDeletion)):
            raise TypeError(f"expected UserScramCredentialUpsertion or -Deletion, not {type(each).__name__}")
        if isinstance(each, UserScramCredentialUpsertion):
            check_upsertion(each)
        elif not isinstance(each.mechanism, ScramMechanism):
            raise TypeError(f"mechanism must be ScramMechanism, not {type(each.mechanism).__name__}")
    return given


def check_upsertion(given: UserScramCredentialUpsertion) -> None:
    if not isinstance(given.password, bytes):
        raise TypeError(f"password must be bytes, not {type(given.password).__name__}")
    if not given.password:
        raise ValueError("password cannot be empty")
    if given.salt is not None and not given.salt:
        raise ValueError("salt can be None but not empty")
    if given.salt is not None and not isinstance(given.salt, bytes):
        raise TypeError(f"salt must be bytes, not {type(given.salt).__name__}")
    info = given.scram_credential_info
    if not isinstance(info, ScramCredentialInfo):
        raise TypeError(f"scram_credential_info must be ScramCredentialInfo, not {type(info).__name__}")
    if info.iterations < 1:
        raise ValueError("iterations must be positive")
    if not isinstance(info.mechanism, ScramMechanism):
        raise TypeError(f"mechanism must be ScramMechanism, not {type(info.mechanism).__name__}")


def engine_alteration(given: Any) -> EngineUpsertion | EngineDeletion:
    """Returns a change in kafkars' form."""
    if isinstance(given, UserScramCredentialDeletion):
        return EngineDeletion(given.user, NAMES.get(given.mechanism, given.mechanism.name))
    info = given.scram_credential_info
    return EngineUpsertion(
        given.user, NAMES.get(info.mechanism, info.mechanism.name), given.password, info.iterations, given.salt
    )


def description(user: str, found: Any) -> UserScramCredentialsDescription:
    """Returns the description of a user's credentials."""
    numbers = {name: mechanism for mechanism, name in NAMES.items()}
    return UserScramCredentialsDescription(
        user,
        [ScramCredentialInfo(numbers.get(each.mechanism, ScramMechanism.UNKNOWN), each.iterations) for each in found],
    )
