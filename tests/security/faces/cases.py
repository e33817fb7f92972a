"""Every way to connect that is compared: each protocol with each mechanism, and everything that can be wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.security.conftest import ALICE, PASSWORDS, PLAIN_CLIENT, SecureKafka
from tests.security.faces.case import Case
from tests.support.certificates import Authority

MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
PASSWORD_MECHANISMS = MECHANISMS[:3]

TLS: dict[str, tuple[str, dict[str, Any]]] = {
    "SSL": ("TLS", {}),
    "SSL with RSA": ("RSA", {}),
    "SSL by a context": ("TLS", {"context": "foreign"}),
    "SSL, host not checked": ("ELSEWHERE", {"check_host": False}),
    "SSL, host not checked, by a context": ("ELSEWHERE", {"check_host": False, "context": "foreign"}),
    "SSL with cipher suites": ("TLS", {"ciphers": "ECDHE+AESGCM"}),
    "SSL with a client certificate": ("MUTUAL", {"certificate": "client.pem", "key": "key.pem"}),
    "SSL with an encrypted key": (
        "MUTUAL",
        {"certificate": "client.pem", "key": "encrypted.pem", "key_password": "Xq7-key"},
    ),
    "SSL with texts of PEM": ("MUTUAL", {"certificate": "client.pem", "key": "key.pem", "as_text": True}),
    "SSL with a list of revoked certificates": ("TLS", {"crl": "crl.pem"}),
    "a revoked certificate": ("REVOKED", {"crl": "crl.pem"}),
    "an authority that is not known": ("STRANGER", {}),
    "another host": ("ELSEWHERE", {}),
    "an expired certificate": ("EXPIRED", {}),
    "no client certificate": ("MUTUAL", {}),
    "a client certificate of a stranger": ("MUTUAL", {"certificate": "stranger.pem", "key": "stranger.key"}),
    "a file that is missing": ("TLS", {"ca": "missing.pem"}),
    "cipher suites that nobody knows": ("TLS", {"ciphers": "NONSENSE"}),
}
"""The listener, and what is set besides protocol and authority. Names of files are in the folder of `write_files()`."""

SASL = (
    *(f"{protocol} {mechanism}" for protocol in ("SASL_PLAINTEXT", "SASL_SSL") for mechanism in MECHANISMS),
    *(f"{mechanism}, wrong password" for mechanism in PASSWORD_MECHANISMS),
    "PLAIN, name and password are changed",
    "OAUTHBEARER, a token endpoint",
    "OAUTHBEARER, expired token",
    "OAUTHBEARER, the provider fails",
    "a mechanism that is not offered",
    "a mechanism that nobody knows",
    "no mechanism",
    "no password",
)
ONLY_CONFLUENT = ("PLAIN, name and password are changed", "OAUTHBEARER, a token endpoint", "SSL with texts of PEM")
"""What the other libraries do not have."""

OTHERS = ("a hanging broker, SSL", "a hanging broker, SASL", "TLS to a plain port", "plain to a TLS port")
NAMES = (*TLS, *SASL, *OTHERS)
HOPELESS = {
    "a revoked certificate",
    "an authority that is not known",
    "another host",
    "an expired certificate",
    "no client certificate",
    "a client certificate of a stranger",
    *(f"{mechanism}, wrong password" for mechanism in PASSWORD_MECHANISMS),
    "OAUTHBEARER, expired token",
    "OAUTHBEARER, the provider fails",
    "a mechanism that is not offered",
    "no password",
    "no mechanism",
    *OTHERS,
}
SILENT = {"a hanging broker, SSL", "a hanging broker, SASL"}
"""Those of them in which nobody hears of anything but its own time-outs."""


def write_files(folder: Path, kafka: SecureKafka) -> None:
    """Certificates of clients."""
    authority = kafka.authority
    (folder / "crl.pem").write_text((kafka.folder / "crl.pem").read_text())
    client, stranger = authority.issue("client"), Authority("another").issue("client")
    (folder / "client.pem").write_text(client.pem)
    (folder / "key.pem").write_text(client.key_pem())
    (folder / "encrypted.pem").write_text(client.key_pem("Xq7-key"))
    (folder / "stranger.pem").write_text(stranger.pem)
    (folder / "stranger.key").write_text(stranger.key_pem())
    client.write_pkcs12(folder, "client", "Xq7-key")


def case_of(name: str, kafka: SecureKafka, folder: Path, mute: str) -> Case:
    """A case, with a topic of its own."""
    common: dict[str, Any] = {"name": name, "topic": kafka.new_topic(), "ca": kafka.ca}
    if name in HOPELESS:
        # librdkafka's calls wait as long whatever its callback has heard.
        common["seconds"] = 1.5 if name in SILENT else 3.0
    if name in TLS:
        listener, given = TLS[name]
        given = {
            key: str(folder / value) if key in {"ca", "certificate", "key", "crl"} else value
            for key, value in given.items()
        }
        return Case(**common | {"address": kafka.address(listener), "protocol": "SSL"} | given)
    if name in OTHERS:
        return Case(**common | elsewhere(name, kafka, mute))
    protocol, _, rest = name.partition(" ")
    if protocol.startswith("SASL_"):
        listener = "SASL" if protocol == "SASL_PLAINTEXT" else "SASLTLS"
        return Case(**common, address=kafka.address(listener), protocol=protocol, **login(rest, kafka))
    given = {"address": kafka.address("SASL"), "protocol": "SASL_PLAINTEXT"} | wrong(name, kafka)
    return Case(**common | given)


def login(mechanism: str, kafka: SecureKafka) -> dict[str, Any]:
    if mechanism == "OAUTHBEARER":
        return {"mechanism": mechanism, "token": kafka.tokens.token()}
    return {"mechanism": mechanism, "username": ALICE, "password": PASSWORDS[ALICE]}


def wrong(name: str, kafka: SecureKafka) -> dict[str, Any]:
    mechanism = name.partition(", ")[0]
    given: dict[str, dict[str, Any]] = {
        "OAUTHBEARER, expired token": {"mechanism": "OAUTHBEARER", "token": kafka.tokens.token(lives=-300)},
        "PLAIN, name and password are changed": {
            **login("PLAIN", kafka),
            "username": "nobody",
            "password": "Xq7-wrong",
            "new_login": (ALICE, PASSWORDS[ALICE]),
        },
        "OAUTHBEARER, a token endpoint": {
            **login("OAUTHBEARER", kafka),
            "endpoint": (kafka.tokens.endpoint, *PLAIN_CLIENT),
        },
        "OAUTHBEARER, the provider fails": {"mechanism": "OAUTHBEARER", "provider_fails": True},
        "a mechanism that is not offered": {**login("SCRAM-SHA-512", kafka), "address": kafka.address("BRIEF")},
        "a mechanism that nobody knows": login("TELEPATHY", kafka),
        "no mechanism": {"mechanism": None},
        "no password": {"mechanism": "PLAIN"},
    }
    return given[name] if name in given else {**login(mechanism, kafka), "password": "Xq7-wrong"}


def elsewhere(name: str, kafka: SecureKafka, mute: str) -> dict[str, Any]:
    return {
        "a hanging broker, SSL": {"address": mute, "protocol": "SSL"},
        "a hanging broker, SASL": {"address": mute, "protocol": "SASL_PLAINTEXT", **login("PLAIN", kafka)},
        "TLS to a plain port": {"address": kafka.cluster.bootstrap_servers, "protocol": "SSL"},
        "plain to a TLS port": {"address": kafka.address("TLS")},
    }[name]
