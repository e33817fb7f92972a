"""The embedded broker with the listeners and faults that `conftest.py` gives a real Kafka."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from kafkars.testing import Acl, Certificate, EmbeddedBroker, Listener, unsecured_token

from tests.security.conftest import ALICE, NAMES, PASSWORDS, RENEWED_MS, SecureKafka, TokenServer
from tests.support.certificates import Authority
from tests.support.certificates import Certificate as Issued

THREE = ("PLAIN", "SCRAM-SHA-256", "OAUTHBEARER")
NOBODY: tuple[Acl, ...] = ()


class UnsecuredTokens(TokenServer):
    """Gives tokens that nobody has signed, which is what the embedded broker takes."""

    def token(self, subject: str = ALICE, *, lives: float = 600, audience: str = "") -> str:  # noqa: ARG002
        return unsecured_token(subject, lifetime=lives, now=time.time())


class SecureEmbedded(SecureKafka):
    """What the tests know of a cluster, on the embedded broker."""

    checks_audience = False

    def __init__(self, broker: EmbeddedBroker, folder: Path, authority: Authority, tokens: TokenServer) -> None:
        self.broker = broker
        self.cluster = SimpleNamespace(bootstrap_servers=broker.bootstrap_servers)  # type: ignore[assignment]
        self.folder = folder
        self.authority = authority
        self.tokens = tokens
        self.ca = str(folder / "ca.pem")

    def address(self, listener: str) -> str:
        return self.broker.bootstrap_servers_of(listener)

    def new_topic(self) -> str:
        topic = f"secured-{next(NAMES)}"
        self.broker.create_topic(topic)
        return topic


def start(folder: Path, authority: Authority) -> EmbeddedBroker:
    """A broker with a listener for every way to be reached."""
    revoked = authority.issue("revoked broker")
    (folder / "ca.pem").write_text(authority.own.pem)
    (folder / "crl.pem").write_text(authority.revoke(revoked))

    def tls(issued: Issued, security: Any = "SSL", **settings: Any) -> Listener:
        return Listener(security, certificate=Certificate(issued.pem, issued.key_pem()), **settings)

    listeners = {
        "PLAINTEXT": Listener(),
        "TLS": tls(authority.issue("broker")),
        "RSA": tls(authority.issue("rsa broker", kind="rsa")),
        "MUTUAL": tls(authority.issue("mutual broker"), client_auth="required", client_ca_pem=authority.own.pem),
        "EXPIRED": tls(authority.issue("expired broker", expired=True)),
        "ELSEWHERE": tls(authority.issue("elsewhere broker", hosts=("kafka.elsewhere.test",))),
        "STRANGER": tls(Authority("an unknown authority").issue("stranger")),
        "REVOKED": tls(revoked),
        "SASL": Listener("SASL_PLAINTEXT"),
        "SASLTLS": tls(authority.issue("sasl broker"), "SASL_SSL"),
        "BRIEF": Listener("SASL_PLAINTEXT", mechanisms=THREE, max_reauth_ms=2000),
        "RENEWED": Listener("SASL_PLAINTEXT", mechanisms=THREE, max_reauth_ms=RENEWED_MS),
    }
    return EmbeddedBroker(
        listeners=listeners,
        users=PASSWORDS,
        acls=NOBODY,
        super_users=["User:ANONYMOUS", f"User:{ALICE}", "User:CN=client"],
    )
