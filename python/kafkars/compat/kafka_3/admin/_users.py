"""Credentials of SCRAM users. No `repr` shows a password."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any

from kafkars.admin import UserScramCredentialDeletion as EngineDeletion
from kafkars.admin import UserScramCredentialUpsertion as EngineUpsertion
from kafkars.compat.kafka.admin._answers import code_of
from kafkars.compat.kafka.admin._connection import Connection
from kafkars.compat.kafka.errors import IllegalArgumentError
from kafkars.compat.kafka.util import EnumHelper
from kafkars.config.secret import NOT_UTF8, is_utf8


class ScramMechanism(EnumHelper, IntEnum):
    """The SCRAM mechanisms."""

    UNKNOWN = 0
    SCRAM_SHA_256 = 1
    SCRAM_SHA_512 = 2

    @property
    def hash_name(self) -> str:
        """The name of the hash in `hashlib`."""
        return self.name.removeprefix("SCRAM_").replace("_", "").lower()


class UserScramCredentialDeletion:
    """A credential to delete."""

    def __init__(self, user: str, mechanism: ScramMechanism | str | int) -> None:
        self.user = user
        self.mechanism = ScramMechanism.build_from(mechanism)

    def __repr__(self) -> str:
        return f"UserScramCredentialDeletion({self.user}, {self.mechanism.name})"


class UserScramCredentialUpsertion:
    """A credential to set.

    Raises:
        IllegalArgumentError: The mechanism is UNKNOWN.
        ValueError: The mechanism is unknown, or `iterations` is below 1.
    """

    DEFAULT_ITERATIONS = 4096

    def __init__(
        self,
        user: str,
        mechanism: ScramMechanism | str | int,
        password: str | bytes,
        iterations: int | None = None,
        salt: bytes | None = None,
    ) -> None:
        self.user = user
        self.mechanism = ScramMechanism.build_from(mechanism)
        if self.mechanism is ScramMechanism.UNKNOWN:
            raise IllegalArgumentError("SCRAM mechanism must not be UNKNOWN")
        self.iterations = self.DEFAULT_ITERATIONS if iterations is None else iterations
        if self.iterations < 1:
            raise ValueError("iterations must be greater than 0")
        self.salt = os.urandom(24) if salt is None else salt
        if isinstance(password, str) and not is_utf8(password):
            raise ValueError(f"password {NOT_UTF8}")
        self._password = password.encode() if isinstance(password, str) else password

    @property
    def salted_password(self) -> bytes:
        """The salted password, as it is sent to brokers."""
        return hashlib.pbkdf2_hmac(self.mechanism.hash_name, self._password, self.salt, self.iterations)

    def __repr__(self) -> str:
        return f"UserScramCredentialUpsertion({self.user}, {self.mechanism.name}, iterations={self.iterations})"


NAMES: dict[ScramMechanism, Any] = {
    ScramMechanism.SCRAM_SHA_256: "SCRAM-SHA-256",
    ScramMechanism.SCRAM_SHA_512: "SCRAM-SHA-512",
}


class UserCalls(Connection):
    """Calls about credentials of users."""

    def alter_user_scram_credentials(
        self, alterations: Iterable[UserScramCredentialDeletion | UserScramCredentialUpsertion]
    ) -> dict[str, str | None]:
        """Sets and deletes credentials. Returns for each user None or the error.

        Raises:
            IllegalArgumentError: An item is neither a deletion nor an upsertion.
        """
        asked = [engine_alteration(each) for each in alterations]
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.alter_user_scram_credentials(
                asked, timeout=self._seconds(), return_exceptions=True
            )
            return {user: code_of(each)[1] for user, each in found.items()}

    def describe_user_scram_credentials(self, users: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
        """Returns mechanisms and iterations of users' credentials: for each user `error` and `credential_infos`.

        Args:
            users: The names of users; None or an empty list for all users.
        """
        named = list(users or ())
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.describe_user_scram_credentials(
                named or None, timeout=self._seconds(), return_exceptions=True
            )
            return {user: description(each) for user, each in found.items()}


def engine_alteration(given: object) -> EngineDeletion | EngineUpsertion:
    """Converts an alteration for the engine. No message shows a value of it.

    Raises:
        IllegalArgumentError: The item is neither a deletion nor an upsertion.
    """
    if isinstance(given, UserScramCredentialDeletion):
        return EngineDeletion(given.user, NAMES.get(given.mechanism, given.mechanism.name))
    if isinstance(given, UserScramCredentialUpsertion):
        return EngineUpsertion(given.user, NAMES[given.mechanism], given._password, given.iterations, given.salt)
    raise IllegalArgumentError(
        "alterations must be UserScramCredentialDeletion or UserScramCredentialUpsertion, got " + type(given).__name__
    )


def description(found: Any) -> dict[str, Any]:
    """Returns a user's credentials, or the error."""
    _, message = code_of(found)
    if message is not None:
        return {"error": message, "credential_infos": []}
    numbers = {name: mechanism for mechanism, name in NAMES.items()}
    infos = [
        {"mechanism": numbers.get(each.mechanism, ScramMechanism.UNKNOWN), "iterations": each.iterations}
        for each in found
    ]
    return {"error": None, "credential_infos": infos}
