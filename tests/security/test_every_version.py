"""Logins on every release of Kafka that is supported: `make test-kafka-old` runs this on the oldest ones. `-s` prints
the outcomes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import kafkars
import pytest
from kafkars.errors import CertificateError, SaslAuthenticationFailedError, UnsupportedSaslMechanismError

from tests.brokers import leave_out, why_no_kafka
from tests.kafka import KafkaCluster, KafkaOptions
from tests.security.conftest import ALICE, PASSWORDS, SecureKafka, make_scram_users
from tests.security.test_tls import failure, round_trip
from tests.support.certificates import Authority
from tests.support.old_handshake import old_handshake

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(120)]
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]
STORE_PASSWORD = "Xq7-store"
KAFKA = "org.apache.kafka.common.security"


@pytest.fixture(scope="module")
def guarded(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, authority: Authority
) -> Iterator[SecureKafka]:
    """A broker with what all releases know: no access control, and no tokens that are signed."""
    reason = why_no_kafka()
    if reason is not None:
        leave_out(reason)
    folder = tmp_path_factory.mktemp("certificates")
    (folder / "ca.pem").write_text(authority.own.pem)
    users = " ".join(f'user_{user}="{password}"' for user, password in PASSWORDS.items())
    properties: dict[str, str] = {}
    for name in ("tls", "sasltls"):
        # Brokers before 3.0 take no PEM without a password.
        store = authority.issue(f"{name} broker").write_pkcs12(folder, name, STORE_PASSWORD)
        properties |= {
            f"listener.name.{name}.ssl.keystore.{key}": value
            for key, value in {"type": "PKCS12", "location": str(store), "password": STORE_PASSWORD}.items()
        }
    for name in ("sasl", "sasltls"):
        prefix = f"listener.name.{name}"
        properties[f"{prefix}.sasl.enabled.mechanisms"] = ",".join(MECHANISMS)
        properties[f"{prefix}.plain.sasl.jaas.config"] = f"{KAFKA}.plain.PlainLoginModule required {users};"
        for scram in ("scram-sha-256", "scram-sha-512"):
            properties[f"{prefix}.{scram}.sasl.jaas.config"] = f"{KAFKA}.scram.ScramLoginModule required;"
    options = KafkaOptions(
        version=request.config.getoption("--kafka-version"),
        listeners={"TLS": "SSL", "SASL": "SASL_PLAINTEXT", "SASLTLS": "SASL_SSL"},
        properties=properties,
    )
    with KafkaCluster(options) as cluster:
        make_scram_users(cluster.bootstrap_servers)
        # Nobody asks for a token here.
        yield SecureKafka(cluster, folder, authority, tokens=None)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def outcome(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tells what held, with the release and what the test was given."""
    failed = request.session.testsfailed
    yield
    result = "as it should be" if request.session.testsfailed == failed else "NOT as it should be"
    sys.stdout.write(f"{request.config.getoption('--kafka-version'):<6} {request.node.name:<110} {result}\n")


@pytest.mark.parametrize("listener", ["SASL", "SASLTLS"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_records_travel_after_a_login(client_api: Any, guarded: SecureKafka, mechanism: str, listener: str) -> None:
    round_trip(client_api, guarded.sasl(mechanism, listener=listener), guarded.new_topic())


@pytest.mark.parametrize("protocol", ["TLSv1.2", "TLSv1.3"])
def test_records_travel_over_tls(client_api: Any, guarded: SecureKafka, protocol: str) -> None:
    round_trip(client_api, guarded.tls(ssl_enabled_protocols=[protocol]), guarded.new_topic())


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_wrong_password_is_refused(guarded: SecureKafka, mechanism: str) -> None:
    said = failure(guarded.sasl(mechanism, sasl_password="Xq7-wrong"), SaslAuthenticationFailedError)
    assert "invalid" in said.lower()
    assert "Xq7" not in said


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_messages_travel_without_headers_after_the_first_version_of_the_handshake(
    client_api: Any, guarded: SecureKafka, mechanism: str
) -> None:
    """SaslHandshake v0, as brokers before 1.0 know it, which refuse by hanging up."""
    settings = guarded.sasl(mechanism, listener="SASL")
    with old_handshake(settings["bootstrap_servers"]) as proxy:
        settings["bootstrap_servers"] = proxy.address
        with client_api.Admin(**settings) as admin:
            assert admin.list_topics() is not None
        assert set(proxy.handshakes) == {0}
        failure(settings | {"sasl_password": "Xq7-wrong"}, SaslAuthenticationFailedError)


def test_what_does_not_fit_together_is_named(guarded: SecureKafka) -> None:
    token = guarded.sasl("PLAIN") | {
        "sasl_mechanism": "OAUTHBEARER",
        "sasl_username": None,
        "sasl_password": None,
        "sasl_oauthbearer_token_provider": lambda: "token",
    }
    said = failure(token, UnsupportedSaslMechanismError)
    assert all(mechanism in said for mechanism in MECHANISMS)
    plain_port = guarded.sasl("PLAIN", listener="SASL", bootstrap_servers=guarded.cluster.bootstrap_servers)
    assert "does not authenticate" in failure(plain_port, UnsupportedSaslMechanismError)
    stranger = guarded.tls() | {"ssl_ca_location": None, "ssl_ca_pem": Authority("another").own.pem}
    failure(stranger, CertificateError)


def test_a_transaction_after_a_login(guarded: SecureKafka) -> None:
    topic = guarded.new_topic()
    with kafkars.Producer(**guarded.sasl("SCRAM-SHA-512", ALICE), transactional_id=f"{topic}-t") as producer:
        producer.init_transactions(timeout=60)
        producer.begin_transaction()
        producer.send(topic, b"v")
        producer.commit_transaction(timeout=60)
