"""Peers that hang, lie or know nothing in the middle of a login, and settings that cannot work: no Kafka is needed."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from typing import Any

import kafkars
import pytest
from kafkars.errors import ConfigError, HandshakeTimeoutError, SaslAuthenticationFailedError

from tests.security.conftest import ALICE, PASSWORDS
from tests.security.test_tls import failure
from tests.support.waiting import SECONDS


class FakeBroker:
    """Answers ApiVersions and SaslHandshake, then whatever a test says."""

    def __init__(self, replies: list[bytes | None]) -> None:
        self.replies = replies
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.server.getsockname()[1]}"
        self.threads: list[threading.Thread] = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            try:
                peer, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer: socket.socket) -> None:
        replies = list(self.replies)
        with peer:
            while True:
                header = peer.recv(4, socket.MSG_WAITALL)
                if len(header) < 4:
                    return
                frame = peer.recv(struct.unpack(">i", header)[0], socket.MSG_WAITALL)
                api, version, correlation = struct.unpack_from(">hhi", frame)
                if api == 18:
                    body = self.api_versions(version)
                elif api == 17:
                    body = struct.pack(">hih", 0, 1, 5) + b"PLAIN"
                else:
                    given = replies.pop(0) if replies else None
                    if given is None:
                        continue  # and hangs
                    body = struct.pack(">h", 0) + struct.pack(">h", -1) + struct.pack(">i", len(given)) + given
                answer = struct.pack(">i", correlation) + body
                peer.sendall(struct.pack(">i", len(answer)) + answer)

    @staticmethod
    def api_versions(version: int) -> bytes:
        ranges = [(18, 0, 0), (17, 0, 1), (36, 0, 0), (3, 0, 1)]
        listed = b"".join(struct.pack(">hhh", *each) for each in ranges)
        code = 35 if version > 0 else 0
        return struct.pack(">hi", code, len(ranges)) + listed

    def close(self) -> None:
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()


@pytest.fixture
def fake(request: pytest.FixtureRequest) -> Iterator[FakeBroker]:
    broker = FakeBroker(request.param)
    yield broker
    broker.close()


def against(fake: FakeBroker, mechanism: str, limit_ms: int = 10_000) -> dict[str, Any]:
    return {
        "bootstrap_servers": fake.address,
        "security_protocol": "sasl_plaintext",
        "sasl_mechanism": mechanism,
        "sasl_username": ALICE,
        "sasl_password": PASSWORDS[ALICE],
        "socket_connection_setup_timeout_ms": limit_ms,
    }


@pytest.mark.parametrize("fake", [[]], indirect=True)
@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_broker_that_hangs_in_the_login_is_given_up(client_api: Any, fake: FakeBroker, mechanism: str) -> None:
    refused = pytest.raises(HandshakeTimeoutError, match=f"{mechanism} handshake")
    with client_api.Admin(**against(fake, mechanism, limit_ms=500)) as admin, refused:
        admin.list_topics(timeout=SECONDS)


@pytest.mark.parametrize(
    "fake",
    [
        [b""],
        [b"v=AAAA"],
        [b"r=chosen-by-the-broker,s=c2FsdA==,i=4096"],
        [b"r=x,s=c2FsdA==,i=1"],
        [b"\xff\xfe"],
        [b"e=other-error"],
    ],
    indirect=True,
)
def test_a_broker_that_cannot_prove_itself_is_not_believed(fake: FakeBroker) -> None:
    failure(against(fake, "SCRAM-SHA-256"), SaslAuthenticationFailedError)


@pytest.mark.parametrize("fake", [[b"more"]], indirect=True)
def test_an_answer_where_none_is_due_is_an_error(fake: FakeBroker) -> None:
    failure(against(fake, "PLAIN"), SaslAuthenticationFailedError)


def test_a_broker_that_hangs_in_the_handshake_is_given_up(client_api: Any, mute: str) -> None:
    settings = {
        "bootstrap_servers": mute,
        "security_protocol": "ssl",
        "socket_connection_setup_timeout_ms": 500,
    }
    with client_api.Admin(**settings) as admin, pytest.raises(HandshakeTimeoutError, match="TLS handshake"):
        admin.list_topics(timeout=SECONDS)


def test_settings_that_do_not_fit_are_refused_at_once() -> None:
    base = {"bootstrap_servers": "127.0.0.1:1"}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"security_protocol": "sasl_ssl"}, "sasl_mechanism: is missing"),
        ({"sasl_mechanism": "PLAIN", "sasl_username": "a", "sasl_password": "b"}, "does not authenticate"),
        ({"security_protocol": "ssl", "sasl_password": "b"}, "sasl_password: has no meaning without sasl_mechanism"),
        ({"security_protocol": "sasl_ssl", "sasl_mechanism": "PLAIN"}, "sasl_username: is missing"),
        (
            {"security_protocol": "sasl_ssl", "sasl_mechanism": "PLAIN", "sasl_username": "a"},
            "sasl_password: is missing",
        ),
        ({"security_protocol": "sasl_ssl", "sasl_mechanism": "OAUTHBEARER"}, "token_endpoint_url: is missing"),
        (
            {"security_protocol": "sasl_ssl", "sasl_mechanism": "GSSAPI", "sasl_username": "a"},
            "sasl_username: has no meaning with sasl_mechanism=GSSAPI",
        ),
        (
            {
                "security_protocol": "sasl_ssl",
                "sasl_mechanism": "GSSAPI",
                "sasl_kerberos_keytab": __file__,
                "sasl_kerberos_ccache": "/c",
            },
            "sasl_kerberos_ccache: cannot be used together",
        ),
        (
            {"security_protocol": "sasl_ssl", "sasl_mechanism": "PLAIN", "sasl_kerberos_principal": "a"},
            "sasl_kerberos_principal: has no meaning with",
        ),
        (
            {"security_protocol": "sasl_ssl", "sasl_mechanism": "AWS_MSK_IAM", "sasl_aws_msk_iam_access_key_id": "A"},
            "sasl_aws_msk_iam_access_key_id: has no meaning without",
        ),
        (
            {
                "security_protocol": "sasl_ssl",
                "sasl_mechanism": "AWS_MSK_IAM",
                "sasl_aws_msk_iam_access_key_id": "A",
                "sasl_aws_msk_iam_secret_access_key": "b",
                "sasl_aws_msk_iam_profile": "c",
            },
            "sasl_aws_msk_iam_profile: cannot be used together",
        ),
        ({"security_protocol": "sasl_ssl", "sasl_mechanism": "LOGIN"}, "sasl_mechanism: expected one of"),
        ({"ssl_ca_location": "/tmp/ca.pem"}, "PLAINTEXT does not encrypt"),
        ({"security_protocol": "ssl", "ssl_ca_location": "/nonexistent/ca.pem"}, "ssl_ca_location: /nonexistent"),
        ({"security_protocol": "ssl", "ssl_ca_pem": "nothing"}, "ssl_ca_pem: holds no PEM certificate"),
        ({"security_protocol": "ssl", "ssl_key_location": "/k"}, "ssl_key_location: has no meaning without"),
        (
            {"security_protocol": "ssl", "ssl_cipher_suites": "RC4"},
            "ssl_cipher_suites: a name that was given is not offered",
        ),
        ({"security_protocol": "tls"}, "security_protocol: expected one of"),
        ({"ssl_cafile": "/tmp/ca.pem"}, "use ssl_ca_location"),
        ({"sasl_password": 7}, "sasl_password: expected text"),
    ]
    for settings, message in cases:
        with pytest.raises(ConfigError, match=message):
            kafkars.Producer(**base | settings)
