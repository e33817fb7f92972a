"""Credentials of SCRAM users."""

from __future__ import annotations

import hashlib
import os
from enum import IntEnum

from kafkars.compat.kafka.util import EnumHelper


class ScramMechanism(EnumHelper, IntEnum):
    """How a password is hashed."""

    UNKNOWN = 0
    SCRAM_SHA_256 = 1
    SCRAM_SHA_512 = 2

    @property
    def hash_name(self) -> str:
        """The hash by its name in `hashlib`."""
        return self.name.removeprefix("SCRAM_").replace("_", "").lower()


class UserScramCredentialDeletion:
    """Credentials to delete."""

    def __init__(self, user: str, mechanism: ScramMechanism | str | int) -> None:
        self.user = user
        self.mechanism = ScramMechanism.build_from(mechanism)


class UserScramCredentialUpsertion:
    """Credentials to set: the password itself is not kept."""

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
        self.iterations = self.DEFAULT_ITERATIONS if iterations is None else iterations
        self.salt = os.urandom(24) if salt is None else salt
        data = password.encode() if isinstance(password, str) else password
        self.salted_password = hashlib.pbkdf2_hmac(self.mechanism.hash_name, data, self.salt, self.iterations)
