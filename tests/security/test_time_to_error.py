"""How long it takes from a credential that no longer holds to the error of its type. `-s` prints the times."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kafkars.errors import CertificateError, CredentialsError, KafkaError, SaslAuthenticationFailedError

from tests.security.conftest import ALICE, PASSWORDS, SecureKafka

pytestmark = pytest.mark.timeout(120)
HOLDS = 2.0
"""Seconds for which the listener BRIEF believes a login."""
PATIENCE = 20.0
"""What is allowed beside that: a connection or two, on a busy machine."""
TIMES: list[tuple[str, str, str, float]] = []


@pytest.fixture(scope="module", autouse=True)
def table() -> Iterator[None]:
    yield
    for broker, what, error, seconds in TIMES:
        sys.stdout.write(f"{broker:<14} {what:<44} {error:<32} {seconds * 1000:6.0f} ms\n")


def note(secure_kafka: SecureKafka, what: str, error: BaseException, since: float) -> None:
    seconds = time.monotonic() - since
    TIMES.append((type(secure_kafka).__name__, what, type(error).__name__, seconds))
    assert seconds < HOLDS + PATIENCE


@pytest.mark.parametrize("what", ["a token that has expired", "a password that was changed"])
def test_a_login_that_does_not_hold_is_refused_at_once(client_api: Any, secure_kafka: SecureKafka, what: str) -> None:
    expired = secure_kafka.tokens.token(lives=-60)
    settings = {
        "a token that has expired": secure_kafka.sasl("OAUTHBEARER", sasl_oauthbearer_token_provider=lambda: expired),
        "a password that was changed": secure_kafka.sasl("SCRAM-SHA-256", sasl_password="Xq7-former"),
    }
    since = time.monotonic()
    with client_api.Admin(**settings[what]) as admin, pytest.raises(SaslAuthenticationFailedError) as raised:
        admin.list_topics()
    note(secure_kafka, what, raised.value, since)


@pytest.mark.parametrize("listener", ["EXPIRED", "REVOKED"])
def test_a_certificate_that_does_not_hold_is_refused_at_once(
    client_api: Any, secure_kafka: SecureKafka, listener: str
) -> None:
    lists = {"ssl_crl_location": secure_kafka.folder / "crl.pem"}
    since = time.monotonic()
    with client_api.Admin(**secure_kafka.tls(listener, **lists)) as admin, pytest.raises(CertificateError) as raised:
        admin.list_topics()
    note(secure_kafka, f"a certificate that is {listener.lower()}", raised.value, since)


GONE: dict[str, tuple[str, type[KafkaError]]] = {
    "a password is changed": ("SCRAM-SHA-256", SaslAuthenticationFailedError),
    "tokens are given that have expired": ("OAUTHBEARER", SaslAuthenticationFailedError),
    "the file of the password goes away": ("PLAIN", CredentialsError),
}


@pytest.mark.parametrize("what", GONE)
def test_a_login_that_ends_while_records_are_read_is_an_error_of_its_type(
    client_api: Any, secure_kafka: SecureKafka, what: str, tmp_path: Path
) -> None:
    mechanism, expected = GONE[what]
    topic = secure_kafka.new_topic()
    path = tmp_path / "password"
    path.write_text(PASSWORDS[ALICE])
    lives = [600.0]
    source: dict[str, Any] = {"sasl_password": path}
    if mechanism == "OAUTHBEARER":
        source = {"sasl_oauthbearer_token_provider": lambda: secure_kafka.tokens.token(lives=lives[0])}
    settings = secure_kafka.sasl(mechanism, listener="BRIEF", **source)
    with client_api.Consumer(**settings) as consumer:
        consumer.assign([(topic, 0)])
        assert consumer.poll(1) is None
        lives[0] = -60.0
        path.write_text("Xq7-another")
        if expected is CredentialsError:
            path.unlink()
        since = time.monotonic()
        with pytest.raises(expected) as raised:
            while time.monotonic() < since + HOLDS + PATIENCE:
                consumer.poll(1)
        note(secure_kafka, what, raised.value, since)


@pytest.mark.parametrize("what", GONE)
def test_a_login_that_ends_while_records_are_sent_is_an_error_of_its_type(
    client_api: Any, secure_kafka: SecureKafka, what: str, tmp_path: Path
) -> None:
    mechanism, expected = GONE[what]
    topic = secure_kafka.new_topic()
    path = tmp_path / "password"
    path.write_text(PASSWORDS[ALICE])
    lives = [600.0]
    source: dict[str, Any] = {"sasl_password": path}
    if mechanism == "OAUTHBEARER":
        source = {"sasl_oauthbearer_token_provider": lambda: secure_kafka.tokens.token(lives=lives[0])}
    # What has no credentials to show is waited out: nobody has refused them.
    times = {"socket_connection_setup_timeout_ms": 3_000, "request_timeout_ms": 3_000, "delivery_timeout_ms": 10_000}
    with client_api.Producer(**secure_kafka.sasl(mechanism, listener="BRIEF", **source), **times) as producer:
        producer.send(topic, b"first").result(PATIENCE)
        lives[0] = -60.0
        path.write_text("Xq7-another")
        if expected is CredentialsError:
            path.unlink()
        since = time.monotonic()
        with pytest.raises(expected) as raised:
            while time.monotonic() < since + HOLDS + PATIENCE:
                producer.send(topic, b"next").result(PATIENCE)
        assert f"{topic}-0" in str(raised.value)
        note(secure_kafka, f"{what}, of a producer", raised.value, since)
