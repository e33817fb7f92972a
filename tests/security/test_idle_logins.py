"""Logins of clients that do nothing, and what travels beside a token."""

from __future__ import annotations

import threading
import time
from typing import Any

import kafkars
import pytest
from kafkars.testing import EmbeddedBroker, Listener, unsecured_token

from tests.support.sasl_gate import guarded_broker
from tests.support.waiting import SECONDS

pytestmark = pytest.mark.timeout(90)
HOLDS_MS = 15_000
"""How long a login is believed. Clients renew it after four fifths of that: 3 s are to spare."""


@pytest.mark.parametrize("mechanism", ["OAUTHBEARER", "PLAIN", "SCRAM-SHA-256"])
def test_an_idle_client_renews_its_login_in_the_background(client_api: Any, mechanism: str) -> None:
    """So the first record after a pause waits for no login."""
    calls = 0
    changed = threading.Condition()

    def give() -> str:
        nonlocal calls
        with changed:
            calls += 1
            changed.notify_all()
        return unsecured_token("alice", now=time.time()) if mechanism == "OAUTHBEARER" else "wonderland"

    name = "sasl_oauthbearer_token_provider" if mechanism == "OAUTHBEARER" else "sasl_password"
    listener = Listener("SASL_PLAINTEXT", max_reauth_ms=HOLDS_MS)
    with EmbeddedBroker(listeners={"RENEWED": listener}, users={"alice": "wonderland"}, topics={"t": 1}) as broker:
        settings = broker.client_settings(mechanism=mechanism) | {name: give}
        with client_api.Producer(**settings) as producer:
            producer.send("t", b"before").result(SECONDS)
            made = producer.metrics()["client"]["connections_made"]
            with changed:
                seen = calls
                assert changed.wait_for(lambda: calls > seen, SECONDS), "nobody asked for another"
            producer.send("t", b"after").result(SECONDS)
            assert producer.metrics()["client"]["connections_made"] == made


def test_extensions_travel_with_the_token() -> None:
    """RFC 7628, section 3.1; KIP-342."""
    provided = {
        "of the config": ({"sasl_oauthbearer_extensions": {"logicalCluster": "lkc-1"}}, lambda: "token"),
        "of the function": ({}, lambda: ("token", None, {"logicalCluster": "lkc-1"})),
    }
    for settings, provider in provided.values():
        with guarded_broker(records=1) as gate:
            given = gate.token_settings | settings | {"sasl_oauthbearer_token_provider": provider}
            with kafkars.Admin(**given) as admin:
                admin.list_topics()
            assert gate.message == b"n,,\x01auth=Bearer token\x01logicalCluster=lkc-1\x01\x01"
