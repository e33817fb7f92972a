"""SCRAM credentials of users (KIP-554)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kafkars._discreet import discreet
from kafkars.config.checks import shown
from kafkars.config.secret import NOT_UTF8, is_utf8
from kafkars.errors import InvalidArgumentError

ScramMechanism = Literal["SCRAM-SHA-256", "SCRAM-SHA-512", "UNKNOWN"]
"""A hash of SCRAM, by the name that `sasl_mechanism` has; "UNKNOWN" is what a newer broker may answer with."""

MECHANISMS: dict[ScramMechanism, int] = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
MECHANISM_NAMES: dict[int, ScramMechanism] = {number: name for name, number in MECHANISMS.items()}

NativeAlteration = tuple[str, int, "tuple[int, bytes | None, bytes] | None"]


class ScramCredentialInfo(NamedTuple):
    """A SCRAM credential as brokers describe it: they do not tell the hash."""

    mechanism: ScramMechanism
    iterations: int
    """The number of times that the password is hashed."""


@dataclass(frozen=True)
class UserScramCredentialUpsertion:
    """A credential to create or replace. Its `repr` shows no password; only a salted hash of it is sent."""

    user: str
    """Whose, without `User:`."""
    mechanism: ScramMechanism
    """For logins by this mechanism; a user may have one of each."""
    password: str | bytes = field(repr=False)
    """The password."""
    iterations: int = 4096
    """The number of times that the password is hashed; brokers take 4,096 to 16,384."""
    salt: bytes | None = field(default=None, repr=False)
    """The salt; None for 24 random bytes."""


@dataclass(frozen=True)
class UserScramCredentialDeletion:
    """A credential to delete."""

    user: str
    """Whose, without `User:`."""
    mechanism: ScramMechanism
    """The mechanism whose credential is deleted."""


def sendable(name: str, text: object) -> None:
    """Raises an error for text that cannot be encoded in UTF-8: Python's own would contain the whole text."""
    if isinstance(text, str) and not is_utf8(text):
        raise InvalidArgumentError(f"{name}: {NOT_UTF8}")


@discreet
def to_native(of: object) -> NativeAlteration:
    """Converts a change to the native module's form. No error message quotes a value: it may be the password.

    Raises:
        InvalidArgumentError: The mechanism or the number of iterations is not valid.
        TypeError: It is no change, or a field has a wrong type.
    """
    if not isinstance(of, (UserScramCredentialUpsertion, UserScramCredentialDeletion)):
        raise TypeError(
            "expected UserScramCredentialUpsertion or UserScramCredentialDeletion, not " + type(of).__name__
        )
    if not isinstance(of.user, str):
        raise TypeError(f"user: expected str, not {type(of.user).__name__}")
    sendable("user", of.user)
    # A text that names no mechanism is not quoted: it may be the password, given one argument too early.
    mechanism: object = of.mechanism
    if not isinstance(mechanism, str) or mechanism not in MECHANISMS:
        given = shown(mechanism, MECHANISMS)
        raise InvalidArgumentError(f"mechanism: {given} is none; one of {', '.join(map(repr, MECHANISMS))}")
    number = MECHANISMS[of.mechanism]
    if isinstance(of, UserScramCredentialDeletion):
        return of.user, number, None
    sendable("password", of.password)
    password = of.password.encode() if isinstance(of.password, str) else of.password
    if not isinstance(password, bytes):
        raise TypeError(f"password: expected str or bytes, not {type(password).__name__}")
    if not password:
        raise InvalidArgumentError("password: is empty")
    if not isinstance(of.iterations, int):
        raise TypeError(f"iterations: expected int, not {type(of.iterations).__name__}")
    if of.iterations < 1:
        raise InvalidArgumentError(f"iterations: {of.iterations} is none; brokers take 4096 to 16384")
    if of.salt is not None and not isinstance(of.salt, bytes):
        raise TypeError(f"salt: expected bytes, not {type(of.salt).__name__}")
    return of.user, number, (of.iterations, of.salt, password)
