"""Ways to be let in: a mechanism, with TLS or without it."""

from __future__ import annotations

from dataclasses import dataclass

NOBODY, CERTIFICATE = "no login", "certificate"
PASSWORDS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
TOKEN, OIDC, KERBEROS = "OAUTHBEARER", "OIDC", "GSSAPI"


@dataclass(frozen=True)
class Way:
    """One way."""

    login: str
    has_tls: bool

    @property
    def has_sasl(self) -> bool:
        return self.login not in {NOBODY, CERTIFICATE}

    @property
    def mechanism(self) -> str:
        """What the protocol calls it."""
        return TOKEN if self.login == OIDC else self.login

    @property
    def listener(self) -> str:
        """The listener of the matrix's brokers that believes it."""
        if self.has_sasl:
            return "SASLTLS" if self.has_tls else "SASL"
        return "MUTUAL" if self.login == CERTIFICATE else "TLS"

    @property
    def protocol(self) -> str:
        """`security_protocol`."""
        if self.has_sasl:
            return "sasl_ssl" if self.has_tls else "sasl_plaintext"
        return "ssl"

    def __str__(self) -> str:
        return f"{self.login}, TLS" if self.has_tls else self.login


WAYS = (
    Way(NOBODY, has_tls=True),
    Way(CERTIFICATE, has_tls=True),
    *(Way(login, has_tls) for login in (*PASSWORDS, TOKEN, OIDC, KERBEROS) for has_tls in (False, True)),
)
