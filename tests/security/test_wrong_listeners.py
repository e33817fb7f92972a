"""A client whose security does not fit the listener, and authorities that change: what it hears, and how soon. No Kafka
is needed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kafkars import Admin
from kafkars.errors import CertificateError, SaslAuthenticationFailedError, TlsError
from kafkars.testing import Certificates, EmbeddedBroker, Listener

pytestmark = pytest.mark.timeout(90)

OWN = Certificates("one name")
NAMESAKE = Certificates("one name")
SOON = 15.0
"""Far below the time-out that the calls are given."""

LISTENERS = {
    "PLAIN": Listener("PLAINTEXT"),
    "TLS": Listener("SSL"),
    "MUTUAL": Listener("SSL", client_auth="required"),
    "LOGIN": Listener("SASL_PLAINTEXT"),
    "BOTH": Listener("SASL_SSL"),
}


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(listeners=LISTENERS, certificates=OWN, users={"alice": "w"}, topics={"t": 1}) as broker:
        yield broker


def fails(client_api: Any, kind: type[Exception], match: str, settings: dict[str, Any]) -> None:
    began = time.monotonic()
    with client_api.Admin(**settings) as admin, pytest.raises(kind, match=match):
        admin.list_topics(timeout=60)
    assert time.monotonic() - began < SOON


def at(broker: EmbeddedBroker, listener: str, **settings: Any) -> dict[str, Any]:
    return {"bootstrap_servers": broker.client_settings(listener)["bootstrap_servers"]} | settings


def test_tls_at_a_plain_port(client_api: Any, broker: EmbeddedBroker) -> None:
    settings = at(broker, "PLAIN", security_protocol="ssl", ssl_ca_pem=OWN.ca_pem)
    fails(client_api, TlsError, "a port without TLS", settings)


@pytest.mark.parametrize("listener", ["LOGIN", "BOTH"])
def test_no_login_where_one_is_wanted(client_api: Any, broker: EmbeddedBroker, listener: str) -> None:
    settings = at(broker, listener)
    if listener == "BOTH":
        settings |= {"security_protocol": "ssl", "ssl_ca_pem": OWN.ca_pem}
    fails(client_api, SaslAuthenticationFailedError, "it may want a login: set security_protocol", settings)


def test_an_authority_of_the_same_name(client_api: Any, broker: EmbeddedBroker) -> None:
    settings = at(broker, "TLS", security_protocol="ssl", ssl_ca_pem=NAMESAKE.ca_pem)
    fails(client_api, CertificateError, "ssl_ca_location", settings)


def test_a_certificate_by_an_authority_of_the_same_name(client_api: Any, broker: EmbeddedBroker) -> None:
    made = NAMESAKE.issue("alice")
    pem = {"ssl_certificate_pem": made.certificate_pem, "ssl_key_pem": made.key_pem}
    settings = at(broker, "MUTUAL", security_protocol="ssl", ssl_ca_pem=OWN.ca_pem, **pem)
    fails(client_api, CertificateError, "refused our certificate", settings)


def test_authorities_of_tests_have_names_of_their_own() -> None:
    one, other = Certificates(), Certificates()
    with EmbeddedBroker(security="SSL", certificates=one, topics={"t": 1}) as broker:
        settings = {
            "bootstrap_servers": broker.bootstrap_servers,
            "security_protocol": "ssl",
            "ssl_ca_pem": other.ca_pem,
        }
        with Admin(**settings) as admin, pytest.raises(CertificateError, match="no authority that is believed"):
            admin.list_topics(timeout=30)


def test_an_authority_that_changes_within_a_directory(client_api: Any, broker: EmbeddedBroker, tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text(NAMESAKE.ca_pem)
    settings = at(broker, "TLS", security_protocol="ssl", ssl_ca_location=tmp_path)
    with client_api.Admin(**settings) as admin:
        with pytest.raises(CertificateError):
            admin.list_topics(timeout=30)
        # In place, so the directory's own time of change stays.
        file.write_text(OWN.ca_pem + "\n")
        until = time.monotonic() + 40
        while True:
            try:
                assert "t" in admin.list_topics(timeout=30)
                break
            except CertificateError:
                assert time.monotonic() < until
