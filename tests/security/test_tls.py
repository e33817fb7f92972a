"""TLS against real Kafka and the embedded broker: who is believed, who is not, and what is said of it."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import kafkars
import pytest
from kafkars.errors import (
    BootstrapError,
    CertificateError,
    ConfigError,
    KafkaError,
    NotKafkaError,
    TlsError,
)

from tests.kafka.cluster import wait_until
from tests.security.conftest import SecureKafka
from tests.support.certificates import Authority

pytestmark = pytest.mark.timeout(180)


def round_trip(client_api: Any, settings: dict[str, Any], topic: str, value: bytes = b"v") -> None:
    """One record out and in."""
    with client_api.Producer(**settings) as producer:
        producer.send(topic, value).result(30)
    with client_api.Consumer(**settings, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        record = consumer.poll(30)
        assert record is not None
        assert record.value == value


def failure(settings: dict[str, Any], expected: type[BaseException] | tuple[type[BaseException], ...]) -> str:
    """What a call says that must fail, long before the time-out of requests."""
    with kafkars.Admin(**settings) as admin, pytest.raises(expected) as raised:
        started = time.monotonic()
        admin.list_topics(timeout=60)
    assert time.monotonic() - started < 30
    return str(raised.value)


def until_trusted(admin: Any) -> None:
    """After several refusals the next try may be a second away."""

    def is_trusted() -> bool:
        try:
            admin.list_topics()
        except KafkaError:
            return False
        return True

    wait_until(is_trusted, 30, "the broker trusts the client")


@pytest.mark.parametrize("listener", ["TLS", "RSA"])
def test_records_travel_over_tls(client_api: Any, secure_kafka: SecureKafka, listener: str) -> None:
    round_trip(client_api, secure_kafka.tls(listener), secure_kafka.new_topic())


@pytest.mark.parametrize("version", ["TLSv1.2", "TLSv1.3"])
def test_a_version_and_a_cipher_can_be_chosen(secure_kafka: SecureKafka, version: str) -> None:
    suite = {"TLSv1.2": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLSv1.3": "TLS_AES_128_GCM_SHA256"}[version]
    settings = secure_kafka.tls(ssl_enabled_protocols=[version], ssl_cipher_suites=suite)
    with kafkars.Admin(**settings) as admin:
        admin.list_topics()


def test_large_records_in_number_arrive_whole(secure_kafka: SecureKafka) -> None:
    topic = secure_kafka.new_topic()
    values = [os.urandom(50_000) for _ in range(100)]
    with kafkars.Producer(**secure_kafka.tls()) as producer:
        for value in values:
            producer.send(topic, value)
        assert producer.flush(60) == 0
    with kafkars.Consumer(**secure_kafka.tls(), auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        found: list[Any] = []
        deadline = time.monotonic() + 60
        while len(found) < len(values) and time.monotonic() < deadline:
            found += [record.value for record in consumer.poll_batch(timeout=1.0)]
    assert found == values


@pytest.mark.parametrize("form", ["file", "directory", "text"])
def test_authorities_come_from_a_file_a_directory_or_text(
    secure_kafka: SecureKafka, tmp_path: Path, authority: Authority, form: str
) -> None:
    (tmp_path / "one.pem").write_text(authority.own.pem)
    (tmp_path / "readme").write_text("no certificate")
    settings = secure_kafka.tls()
    del settings["ssl_ca_location"]
    given = {
        "file": {"ssl_ca_location": tmp_path / "one.pem"},
        "directory": {"ssl_ca_location": tmp_path},
        "text": {"ssl_ca_pem": authority.own.pem},
    }[form]
    with kafkars.Admin(**settings, **given) as admin:
        admin.list_topics()


CASES = {
    "EXPIRED": "expired broker.*has expired",
    "ELSEWHERE": "elsewhere broker.*does not name the host.*kafka.elsewhere.test",
    "STRANGER": "stranger.*an unknown authority.*ssl_ca_location",
}


@pytest.mark.parametrize("listener", CASES)
def test_a_certificate_that_is_not_accepted_is_named_with_the_reason(secure_kafka: SecureKafka, listener: str) -> None:
    import re

    said = failure(secure_kafka.tls(listener), CertificateError)
    assert re.search(CASES[listener], said), said


def test_the_system_does_not_know_our_authority(secure_kafka: SecureKafka) -> None:
    settings = secure_kafka.tls()
    del settings["ssl_ca_location"]
    with kafkars.Admin(**settings) as admin, pytest.raises(CertificateError, match="no authority that is believed"):
        admin.list_topics()


def test_the_host_name_is_not_looked_at_only_when_asked(secure_kafka: SecureKafka) -> None:
    without = {"ssl_endpoint_identification_algorithm": "none"}
    with kafkars.Admin(**secure_kafka.tls("ELSEWHERE", **without)) as admin:
        admin.list_topics()
    # Everything else still is.
    for listener in ("EXPIRED", "STRANGER"):
        failure(secure_kafka.tls(listener, **without), CertificateError)


def test_a_revoked_certificate_is_refused(secure_kafka: SecureKafka) -> None:
    lists = {"ssl_crl_location": secure_kafka.folder / "crl.pem"}
    assert "revoked" in failure(secure_kafka.tls("REVOKED", **lists), CertificateError)
    with kafkars.Admin(**secure_kafka.tls(**lists)) as admin:
        admin.list_topics()


@pytest.mark.parametrize("form", ["pem", "one file", "text", "encrypted", "password from a file", "pkcs12"])
@pytest.mark.parametrize("kind", ["ec", "rsa"])
def test_a_client_shows_its_certificate(
    secure_kafka: SecureKafka, authority: Authority, tmp_path: Path, form: str, kind: str
) -> None:
    client = authority.issue("client", kind=kind)
    (tmp_path / "certificate.pem").write_text(client.pem)
    (tmp_path / "key.pem").write_text(client.key_pem())
    (tmp_path / "encrypted.pem").write_text(client.key_pem("swordfish"))
    (tmp_path / "password").write_text("swordfish\n")
    certificate = {"ssl_certificate_location": tmp_path / "certificate.pem"}
    encrypted = certificate | {"ssl_key_location": tmp_path / "encrypted.pem"}
    given: dict[str, Any] = {
        "pem": certificate | {"ssl_key_location": tmp_path / "key.pem"},
        "one file": {"ssl_certificate_location": client.write(tmp_path, "both")},
        "text": {"ssl_certificate_pem": client.pem, "ssl_key_pem": client.key_pem()},
        "encrypted": encrypted | {"ssl_key_password": "swordfish"},
        "password from a file": encrypted | {"ssl_key_password": tmp_path / "password"},
        "pkcs12": {
            "ssl_keystore_location": client.write_pkcs12(tmp_path, "client", "swordfish"),
            "ssl_keystore_password": lambda: "swordfish",
        },
    }[form]
    with kafkars.Admin(**secure_kafka.tls("MUTUAL", **given)) as admin:
        admin.list_topics()


@pytest.mark.parametrize("version", ["TLSv1.2", "TLSv1.3"])
def test_a_broker_that_wants_a_certificate_is_told_apart(
    secure_kafka: SecureKafka, tmp_path: Path, version: str
) -> None:
    settings = secure_kafka.tls("MUTUAL", ssl_enabled_protocols=version)
    assert "client certificate" in failure(settings, CertificateError)
    stranger = Authority("another").issue("client").write(tmp_path, "stranger")
    assert "client certificate" in failure(settings | {"ssl_certificate_location": stranger}, CertificateError)


def test_renewed_files_are_used_without_a_restart(
    secure_kafka: SecureKafka, tmp_path: Path, authority: Authority
) -> None:
    path = tmp_path / "client.pem"
    shutil.copy(Authority("another").issue("client").write(tmp_path, "stranger"), path)
    settings = secure_kafka.tls("MUTUAL", ssl_certificate_location=path)
    with kafkars.Admin(**settings) as admin:
        with pytest.raises(CertificateError):
            admin.list_topics()
        path.write_text("half a fi")
        with pytest.raises(CertificateError):
            admin.list_topics()
        shutil.copy(authority.issue("client").write(tmp_path, "good"), path)
        until_trusted(admin)


def test_a_plain_port_and_a_tls_port_are_told_apart(secure_kafka: SecureKafka) -> None:
    plain = secure_kafka.cluster.bootstrap_servers
    settings = secure_kafka.tls() | {"bootstrap_servers": plain}
    with kafkars.Admin(**settings) as admin, pytest.raises(TlsError, match="SSL or SASL_SSL listener"):
        admin.list_topics(timeout=3)
    with (
        kafkars.Admin(bootstrap_servers=secure_kafka.address("TLS")) as admin,
        pytest.raises((BootstrapError, NotKafkaError)),
    ):
        admin.list_topics(timeout=3)


def test_a_downgrade_is_refused(secure_kafka: SecureKafka) -> None:
    settings = secure_kafka.tls(ssl_enabled_protocols="TLSv1.2", ssl_cipher_suites="TLS_AES_128_GCM_SHA256")
    with pytest.raises(ConfigError, match="ssl_cipher_suites"):
        kafkars.Admin(**settings)
    with pytest.raises(ConfigError, match=r"ssl_enabled_protocols.*TLSv1\.2.*TLSv1\.3"):
        kafkars.Admin(**secure_kafka.tls(ssl_enabled_protocols="TLSv1.1"))
