"""What this client agrees to in TLS, as a server of OpenSSL sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kafkars
import pytest
from kafkars.errors import KafkaError
from kafkars.testing import EmbeddedBroker

from tests.security.matrix.interposer import Interposer
from tests.support.certificates import Authority
from tests.support.waiting import eventually

pytestmark = pytest.mark.timeout(60)
APPLICATION_PROTOCOL = 16
"""The extension of RFC 7301."""
SUITES = {
    "TLSv1.2": ("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"),
    "TLSv1.3": ("TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"),
}
"""By version: IANA's name of a suite, and OpenSSL's."""


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Interposer]:
    """TLS of OpenSSL in front of an embedded broker, which is known by that address only."""
    authority = Authority("an authority")
    (tmp_path / "ca.pem").write_text(authority.own.pem)
    peer = Interposer("127.0.0.1:1", "", authority.issue("a broker").write(tmp_path, "broker"))
    assert peer.context is not None
    peer.context.set_alpn_protocols(["h2", "kafka"])
    port = int(peer.address.rsplit(":", 1)[1])
    try:
        with EmbeddedBroker(topics={"t": 1}, advertised_host="127.0.0.1", advertised_port=port) as broker:
            host, own = broker.bootstrap_servers.rsplit(":", 1)
            peer.upstream = (host, int(own))
            yield peer
    finally:
        peer.close()


def settings(peer: Interposer, folder: Path, **changes: Any) -> dict[str, Any]:
    base = {"bootstrap_servers": peer.address, "security_protocol": "ssl", "ssl_ca_location": folder / "ca.pem"}
    return base | changes


def test_no_application_protocol_is_offered(client_api: Any, peer: Interposer, tmp_path: Path) -> None:
    with client_api.Admin(**settings(peer, tmp_path)) as admin:
        assert "t" in admin.list_topics()
    assert all(handshake.application is None for handshake in peer.handshakes)
    assert all(APPLICATION_PROTOCOL not in handshake.extensions for handshake in peer.handshakes)
    # Others are seen: the name of the server or the groups of keys.
    assert all(10 in handshake.extensions for handshake in peer.handshakes)


@pytest.mark.parametrize("version", SUITES)
def test_the_version_and_the_cipher_are_those_that_were_chosen(peer: Interposer, tmp_path: Path, version: str) -> None:
    ours, theirs = SUITES[version]
    chosen = settings(peer, tmp_path, ssl_enabled_protocols=[version], ssl_cipher_suites=[ours])
    with kafkars.Admin(**chosen) as admin:
        admin.list_topics()
    assert {(handshake.version, handshake.cipher) for handshake in peer.handshakes} == {(version, theirs)}


def test_the_newest_version_is_taken_where_nothing_is_chosen(peer: Interposer, tmp_path: Path) -> None:
    with kafkars.Admin(**settings(peer, tmp_path)) as admin:
        admin.list_topics()
    assert {handshake.version for handshake in peer.handshakes} == {"TLSv1.3"}


@pytest.mark.parametrize("version", SUITES)
def test_sessions_are_resumed(client_api: Any, peer: Interposer, tmp_path: Path, version: str) -> None:
    chosen = settings(peer, tmp_path, ssl_enabled_protocols=[version], reconnect_backoff_ms=1)
    with client_api.Admin(**chosen) as admin:
        admin.list_topics()
        assert not peer.handshakes[0].is_resumed
        before = len(peer.handshakes)
        peer.cut()

        def is_there_again() -> bool:
            try:
                admin.list_topics(timeout=5)
            except KafkaError:
                return False
            return len(peer.handshakes) > before

        eventually(is_there_again, "another connection is made")
        assert all(handshake.is_resumed for handshake in peer.handshakes[before:])
    # Another client has sessions of its own.
    before = len(peer.handshakes)
    with client_api.Admin(**chosen) as admin:
        admin.list_topics()
    assert not peer.handshakes[before].is_resumed
