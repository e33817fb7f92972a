"""Security settings of an embedded broker: its listeners and access control rules."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from kafkars.config.checks import sendable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kafkars.testing.certificates import Certificate, Certificates

Protocol: TypeAlias = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
"""The security protocol of a listener."""

Mechanism: TypeAlias = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]
"""A SASL mechanism."""

MECHANISMS: tuple[Mechanism, ...] = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
"""All SASL mechanisms of the embedded broker."""


@dataclass(frozen=True)
class Listener:
    """A listener of an embedded broker; every node has all of them, each on a port of its own."""

    security: Protocol = "PLAINTEXT"
    """Its security protocol."""

    port: int = 0
    """Port of the first node; the next nodes take the ports that follow. 0 takes free ports."""

    certificate: Certificate | None = None
    """Its certificate, if it has TLS. None: one for this machine, signed by the broker's `certificates`."""

    client_auth: Literal["none", "requested", "required"] = "none"
    """Whether clients need a certificate (`ssl.client.auth`)."""

    client_ca_pem: str | None = None
    """The authorities of clients' certificates, as PEM. None: the one of the broker's `certificates`."""

    mechanisms: Sequence[Mechanism] = MECHANISMS
    """The mechanisms by which clients may log in (`sasl.enabled.mechanisms`)."""

    max_reauth_ms: int | None = None
    """Milliseconds for which a login is valid (`connections.max.reauth.ms`), or less if its token expires sooner.
    None: for ever."""

    @property
    def has_tls(self) -> bool:
        """True if connections are encrypted."""
        return self.security.upper() in {"SSL", "SASL_SSL"}

    @property
    def has_sasl(self) -> bool:
        """True if clients have to log in."""
        return self.security.upper() in {"SASL_PLAINTEXT", "SASL_SSL"}

    def _to_native(self, name: str, certificates: Certificates | None) -> dict[str, object]:
        certificate = self.certificate
        if certificate is None and self.has_tls and certificates is not None:
            certificate = certificates.issue(f"broker {name}")
        ca_pem = self.client_ca_pem
        if ca_pem is None and certificates is not None:
            ca_pem = certificates.ca_pem
        if certificate is not None:
            sendable("certificate_pem", certificate.certificate_pem)
            sendable("key_pem", certificate.key_pem)
        sendable("client_ca_pem", ca_pem)
        return {
            "name": name,
            "protocol": self.security,
            "port": self.port,
            "certificate_pem": None if certificate is None else certificate.certificate_pem,
            "key_pem": None if certificate is None else certificate.key_pem,
            "client_auth": self.client_auth,
            "client_ca_pem": ca_pem,
            "mechanisms": list(self.mechanisms),
            "max_reauth_ms": self.max_reauth_ms,
        }


@dataclass(frozen=True)
class Acl:
    """An access control rule, by Kafka's names in upper or lower case.

    ```python
    Acl("User:alice", "READ", "TOPIC", "orders")
    Acl("User:*", "ALL", "TOPIC", "public-", pattern="PREFIXED")
    ```
    """

    principal: str
    """The user it is about: `User:alice`, by a certificate `User:CN=alice`; `User:*` is everybody."""

    operation: str
    """The operation: READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, CLUSTER_ACTION, DESCRIBE_CONFIGS, ALTER_CONFIGS,
    IDEMPOTENT_WRITE or ALL."""

    resource_type: str
    """The kind of resource: TOPIC, GROUP, CLUSTER or TRANSACTIONAL_ID."""

    resource_name: str = "kafka-cluster"
    """The resource's name; `*` is every one. The default is the name that Kafka gives the cluster."""

    pattern: str = "LITERAL"
    """LITERAL, or PREFIXED for all resources whose names begin with `resource_name`."""

    permission: str = "ALLOW"
    """ALLOW, or DENY, which wins."""

    host: str = "*"
    """The address of the client; `*` is anywhere."""

    def _to_native(self) -> tuple[str, str, str, str, str, str, str]:
        return (
            self.principal,
            self.operation,
            self.resource_type,
            self.resource_name,
            self.pattern,
            self.permission,
            self.host,
        )


def unsecured_token(subject: str, *, lifetime: float = 3600.0, now: float | None = None) -> str:
    """Makes an unsigned token for OAUTHBEARER, which an embedded broker accepts, as does Kafka if it is set up for
    tests.

    Args:
        subject: The user who logs in with it.
        lifetime: Seconds until it expires; negative for one that has expired.
        now: Start of the lifetime in seconds since 1970; None for the machine's time.
    """
    now = time.time() if now is None else now
    claims = {"sub": subject, "iat": int(min(now, now + lifetime)) - 1, "exp": now + lifetime}
    return f"{_encoded({'alg': 'none'})}.{_encoded(claims)}."


def _encoded(value: Mapping[str, object]) -> str:
    import base64  # noqa: PLC0415  only tokens need the two, and `import kafkars.testing` is to be quick
    import json  # noqa: PLC0415

    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
