"""A real Kafka with a listener for every way to be reached, and for every fault a certificate can have."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus as quote

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.brokers import leave_out, why_no_kafka
from tests.kafka import TEST_JVM, KafkaCluster, KafkaOptions
from tests.support.certificates import Authority, Certificate

ALICE, BOB = "alice", "bob"
# Searched for in everything that is printed, logged and raised.
PASSWORDS = {ALICE: "Xq7-alice-wonderland", BOB: "Xq7-bob-builder"}
CLIENT_ID, CLIENT_SECRET = "the client", "Xq7-client+secret/&"
# librdkafka does not quote what is not plain.
PLAIN_CLIENT = ("client", "Xq7-secret")
ISSUER, AUDIENCE = "https://issuer.test", "kafka"
NAMES = itertools.count(1)
RENEWED_MS = 15_000
"""How long the listener RENEWED believes a login. Clients renew it after four fifths of that: 3 s are to spare."""


class TokenServer:
    """Signs JWTs, and tells brokers the key to check them with."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        numbers = self.key.public_key().public_numbers()
        jwk = {
            "kty": "RSA",
            "kid": "test",
            "use": "sig",
            "alg": "RS256",
            "n": encode(numbers.n.to_bytes(256, "big")),
            "e": encode(numbers.e.to_bytes(3, "big")),
        }
        keys = json.dumps({"keys": [jwk]}).encode()
        self.asked: list[str] = []
        # Programs that are known, and what their tokens are like.
        self.clients: dict[tuple[str, str], dict[str, Any]] = {(CLIENT_ID, CLIENT_SECRET): {}, PLAIN_CLIENT: {}}
        tokens = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(keys)))
                self.end_headers()
                self.wfile.write(keys)

            def do_POST(self) -> None:
                form = self.rfile.read(int(self.headers["Content-Length"])).decode()
                tokens.asked.append(form)
                known = {basic(*client): kind for client, kind in tokens.clients.items()}
                kind = known.get(self.headers["Authorization"])
                answer: dict[str, Any] = {"error": "invalid_client"}
                if kind is not None:
                    answer = {"access_token": tokens.token(**kind), "expires_in": 60}
                body = json.dumps(answer).encode()
                self.send_response(401 if kind is None else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/jwks"
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}/token"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def token(self, subject: str = ALICE, *, lives: float = 600, audience: str = AUDIENCE) -> str:
        """A signed token that ends in `lives` seconds."""
        now = time.time()
        claims = {"iss": ISSUER, "aud": audience, "sub": subject, "iat": now - 1000, "exp": now + lives}
        header = encode(json.dumps({"alg": "RS256", "typ": "JWT", "kid": "test"}).encode())
        signed = f"{header}.{encode(json.dumps(claims).encode())}"
        signature = self.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{signed}.{encode(signature)}"


def basic(name: str, secret: str) -> str:
    """How a program says who it is."""
    return f"Basic {base64.b64encode(f'{quote(name)}:{quote(secret)}'.encode()).decode()}"


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class SecureKafka:
    """The broker, its authorities and what clients need to be believed."""

    checks_audience = True
    """Whether tokens for somebody else are refused."""

    def __init__(self, cluster: KafkaCluster, folder: Path, authority: Authority, tokens: TokenServer) -> None:
        self.cluster = cluster
        self.folder = folder
        self.authority = authority
        self.tokens = tokens
        self.ca = str(folder / "ca.pem")

    def address(self, listener: str) -> str:
        return f"127.0.0.1:{self.cluster.nodes[0].address.listener_ports[listener]}"

    def tls(self, listener: str = "TLS", **settings: Any) -> dict[str, Any]:
        """Settings for a listener with TLS."""
        address = self.address(listener)
        return {"bootstrap_servers": address, "security_protocol": "ssl", "ssl_ca_location": self.ca} | settings

    def sasl(self, mechanism: str, user: str = ALICE, listener: str = "SASLTLS", **settings: Any) -> dict[str, Any]:
        """Settings for a listener with SASL."""
        credentials: dict[str, Any]
        if mechanism == "OAUTHBEARER":
            credentials = {"sasl_oauthbearer_token_provider": lambda: self.tokens.token(user)}
        else:
            credentials = {"sasl_username": user, "sasl_password": PASSWORDS[user]}
        protocol: dict[str, Any] = {"security_protocol": "sasl_plaintext"}
        if "TLS" in listener:
            protocol = {"security_protocol": "sasl_ssl", "ssl_ca_location": self.ca}
        base = {"bootstrap_servers": self.address(listener), "sasl_mechanism": mechanism}
        return base | protocol | credentials | settings

    def new_topic(self) -> str:
        topic = f"secured-{os.getpid()}-{next(NAMES)}"
        self.cluster.create_topic(topic)
        return topic


@pytest.fixture(scope="session")
def tokens() -> Iterator[TokenServer]:
    server = TokenServer()
    yield server
    server.server.shutdown()
    server.server.server_close()


@pytest.fixture(scope="session")
def authority() -> Authority:
    return Authority("kafkars test authority")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """On both kinds of broker; faces are compared with their originals on real Kafka, whose tokens are signed."""
    chosen = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "secure_kafka" in metafunc.fixturenames and "secure_kafka" not in chosen:
        kinds: list[Any] = [pytest.param("kafka", marks=pytest.mark.kafka)]
        if "faces" not in metafunc.definition.path.parts:
            kinds.insert(0, "embedded")
        metafunc.parametrize("secure_kafka", kinds, indirect=True, scope="session")


@pytest.fixture(scope="session")
def secure_kafka(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, authority: Authority
) -> Iterator[SecureKafka]:
    """One of each kind for the whole run."""
    if request.param == "embedded":
        from tests.security.embedded import SecureEmbedded, UnsecuredTokens, start

        unsecured = UnsecuredTokens()
        folder = tmp_path_factory.mktemp("certificates")
        with start(folder, authority) as broker:
            yield SecureEmbedded(broker, folder, authority, unsecured)
        unsecured.server.shutdown()
        unsecured.server.server_close()
        return
    tokens = request.getfixturevalue("tokens")
    reason = why_no_kafka()
    if reason is not None:
        leave_out(reason)
    folder = tmp_path_factory.mktemp("certificates")
    (folder / "ca.pem").write_text(authority.own.pem)
    options = KafkaOptions(
        version=request.config.getoption("--kafka-version"),
        listeners={
            "TLS": "SSL",
            "RSA": "SSL",
            "MUTUAL": "SSL",
            "EXPIRED": "SSL",
            "ELSEWHERE": "SSL",
            "STRANGER": "SSL",
            "REVOKED": "SSL",
            "SASL": "SASL_PLAINTEXT",
            "SASLTLS": "SASL_SSL",
            "BRIEF": "SASL_PLAINTEXT",
            "RENEWED": "SASL_PLAINTEXT",
        },
        jvm=(*TEST_JVM, f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={tokens.url}"),
        properties=properties(folder, authority, tokens),
    )
    with KafkaCluster(options) as cluster:
        kafka = SecureKafka(cluster, folder, authority, tokens)
        make_scram_users(cluster.bootstrap_servers)
        yield kafka


def properties(folder: Path, authority: Authority, tokens: TokenServer) -> dict[str, str]:
    revoked = authority.issue("revoked broker")
    (folder / "crl.pem").write_text(authority.revoke(revoked))
    brokers = {
        "tls": authority.issue("broker"),
        "rsa": authority.issue("rsa broker", kind="rsa"),
        "mutual": authority.issue("mutual broker"),
        "expired": authority.issue("expired broker", expired=True),
        "elsewhere": authority.issue("elsewhere broker", hosts=("kafka.elsewhere.test",)),
        "stranger": Authority("an unknown authority").issue("stranger"),
        "revoked": revoked,
        "sasltls": authority.issue("sasl broker"),
    }
    found: dict[str, str] = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": f"User:ANONYMOUS;User:{ALICE};User:CN=client",
        "sasl.oauthbearer.jwks.endpoint.url": tokens.url,
        "sasl.oauthbearer.expected.issuer": ISSUER,
        "sasl.oauthbearer.expected.audience": AUDIENCE,
    }
    for name, certificate in brokers.items():
        found |= keystore(name, certificate, folder)
    found["listener.name.mutual.ssl.client.auth"] = "required"
    for name in ("sasl", "sasltls", "brief", "renewed"):
        found |= mechanisms(name)
    found["listener.name.brief.connections.max.reauth.ms"] = "2000"
    found["listener.name.renewed.connections.max.reauth.ms"] = str(RENEWED_MS)
    return found


def keystore(name: str, certificate: Certificate, folder: Path) -> dict[str, str]:
    prefix = f"listener.name.{name}.ssl"
    return {
        f"{prefix}.keystore.type": "PEM",
        f"{prefix}.keystore.location": str(certificate.write(folder, f"broker-{name}")),
        f"{prefix}.truststore.type": "PEM",
        f"{prefix}.truststore.location": str(folder / "ca.pem"),
    }


def mechanisms(name: str) -> dict[str, str]:
    kafka = "org.apache.kafka.common.security"
    prefix = f"listener.name.{name}"
    users = " ".join(f'user_{user}="{password}"' for user, password in PASSWORDS.items())
    scram = f"{kafka}.scram.ScramLoginModule required;"
    handler = f"{kafka}.oauthbearer.OAuthBearerValidatorCallbackHandler"
    return {
        f"{prefix}.sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,OAUTHBEARER"
        + ("" if name in {"brief", "renewed"} else ",SCRAM-SHA-512"),
        f"{prefix}.plain.sasl.jaas.config": f"{kafka}.plain.PlainLoginModule required {users};",
        f"{prefix}.scram-sha-256.sasl.jaas.config": scram,
        f"{prefix}.scram-sha-512.sasl.jaas.config": scram,
        f"{prefix}.oauthbearer.sasl.jaas.config": f"{kafka}.oauthbearer.OAuthBearerLoginModule required;",
        f"{prefix}.oauthbearer.sasl.server.callback.handler.class": handler,
    }


def make_scram_users(address: str) -> None:
    """By another client's administrator: ours is under test."""
    from confluent_kafka.admin import (
        AdminClient,
        ScramCredentialInfo,
        ScramMechanism,
        UserScramCredentialUpsertion,
    )

    admin = AdminClient({"bootstrap.servers": address})
    changes = [
        UserScramCredentialUpsertion(user, ScramCredentialInfo(mechanism, 4096), password.encode())
        for user, password in PASSWORDS.items()
        for mechanism in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)
    ]
    for change in changes:  # one change for each user in a request
        for future in admin.alter_user_scram_credentials([change]).values():
            future.result(30)


@pytest.fixture
def mute() -> Iterator[str]:
    """A port that accepts and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    held.append(server.accept()[0])

        threading.Thread(target=accept, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        for each in held:
            each.close()
