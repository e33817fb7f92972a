"""The security settings of an embedded broker, and those that clients need to connect to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkars.config.checks import sendable
from kafkars.errors import ConfigError, InvalidArgumentError
from kafkars.testing.certificates import Certificates
from kafkars.testing.security import Listener, unsecured_token

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kafkars.testing.certificates import Certificate
    from kafkars.testing.clock import Clock
    from kafkars.testing.security import Acl, Mechanism, Protocol

PREFERRED: tuple[Mechanism, ...] = ("SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN", "OAUTHBEARER")
"""Mechanisms in the order of preference, if none is named."""


class Protection:
    """The listeners, users and certificates of one broker. Its `repr` shows no password."""

    __slots__ = ("_listeners", "_single", "certificates", "users")

    def __init__(
        self,
        security: Protocol,
        listeners: Mapping[str, Listener] | None,
        users: Mapping[str, str] | None,
        certificates: Certificates | None,
    ) -> None:
        if listeners is not None and security != "PLAINTEXT":
            message = "cannot be used together with listeners, each of which has its own"
            raise ConfigError.of("security", message)
        if listeners is not None and not listeners:
            message = "is empty, so that no client could connect; leave it out for a plain one"
            raise ConfigError.of("listeners", message)
        self._single = Listener(security)
        self._listeners = dict(listeners or {})
        self.users = dict(users or {})
        for name, password in self.users.items():
            check_user(name, password)
        has_tls = any(listener.has_tls for listener in (self._listeners.values() or [self._single]))
        self.certificates = Certificates() if certificates is None and has_tls else certificates

    def listeners_to_native(self) -> list[dict[str, object]]:
        """Returns the listeners in the form of the native module."""
        listeners = self._listeners or {self._single.security.upper(): self._single}
        return [listener._to_native(name, self.certificates) for name, listener in listeners.items()]

    def listener(self, name: str | None) -> tuple[str | None, Listener]:
        """Returns a listener and its name, which is None for the first.

        Raises:
            InvalidArgumentError: There is none of that name.
        """
        if name is None:
            return None, next(iter(self._listeners.values()), self._single)
        listeners = self._listeners or {self._single.security.upper(): self._single}
        if name not in listeners:
            message = f"there is no listener {name!r}, only {', '.join(listeners)}"
            raise InvalidArgumentError(message)
        return name, listeners[name]

    def tls_settings(self, listener: Listener, certificate: Certificate | None) -> dict[str, Any]:
        """Returns the client settings for TLS: the authority to trust, and the client's certificate."""
        certificates = self.certificates
        if certificates is None:
            return {}
        settings: dict[str, Any] = {"ssl_ca_pem": certificates.ca_pem}
        if certificate is None and listener.client_auth == "required":
            certificate = certificates.issue("client")
        if certificate is not None:
            settings["ssl_certificate_pem"] = certificate.certificate_pem
            settings["ssl_key_pem"] = certificate.key_pem
        return settings

    def sasl_settings(
        self, listener: Listener, user: str | None, mechanism: Mechanism | None, clock: Clock
    ) -> dict[str, Any]:
        """Returns the client settings for SASL.

        Raises:
            InvalidArgumentError: There is no such user, or the listener does not offer the mechanism.
        """
        offered = [preferred for preferred in PREFERRED if preferred in (listener.mechanisms or PREFERRED)]
        if mechanism is None:
            mechanism = offered[0]
        if mechanism not in offered:
            message = f"the listener does not offer {mechanism!r}, only {', '.join(offered)}"
            raise InvalidArgumentError(message)
        if mechanism == "OAUTHBEARER":
            subject = user or next(iter(self.users), "client")

            def token() -> str:
                return unsecured_token(subject, now=clock.now_ms() / 1000)

            return {"sasl_mechanism": mechanism, "sasl_oauthbearer_token_provider": token}
        user = user or next(iter(self.users), None)
        if user is None or user not in self.users:
            message = (
                f"there is no user {user!r}" if user else "the broker has no users; give it some, or use add_user()"
            )
            raise InvalidArgumentError(message)
        return {"sasl_mechanism": mechanism, "sasl_username": user, "sasl_password": self.users[user]}


def check_user(name: object, password: object) -> None:
    """Checks the name and the password of a user. The password is not quoted.

    Raises:
        ConfigError: The name or the password is no text, or not UTF-8.
    """
    for what, given in (("name of a user", name), ("password of a user", password)):
        if not isinstance(given, str):
            message = f"{what}: expected text, not a value of type {type(given).__name__}"
            raise ConfigError(message)
        sendable(what, given)


def acls_to_native(
    acls: Sequence[Acl] | None, super_users: Sequence[str], *, open_to_everyone: bool
) -> tuple[list[str], bool, list[tuple[str, str, str, str, str, str, str]]] | None:
    """Returns the access control rules in the form of the native module; None without an authorizer.

    Raises:
        ConfigError: Settings of access control were given without `acls`.
    """
    if isinstance(super_users, str):
        message = "is text; give a list of principals such as User:admin"
        raise ConfigError.of("super_users", message)
    if acls is None:
        if super_users or open_to_everyone:
            name = "super_users" if super_users else "allow_everyone_if_no_acl_found"
            message = "means nothing without access control; give acls, which may be an empty list"
            raise ConfigError.of(name, message)
        return None
    return list(super_users), open_to_everyone, [rule._to_native() for rule in acls]
