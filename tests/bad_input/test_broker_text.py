"""What a broker says is put on one line, shortened, and shown; it forges no line of the log and fills no screen."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from kafkars.errors import KafkaError
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import eventually

FORGED = "nowhere.invalid\nERROR kafkars: all records are lost\x1b[2J\u202e" + "x" * 30_000


def test_a_host_name_stays_in_its_line(client_api: Any, caplog: pytest.LogCaptureFixture) -> None:
    with EmbeddedBroker(advertised_host=FORGED) as broker, caplog.at_level(logging.DEBUG, "kafkars"):
        consumer = client_api.Consumer(bootstrap_servers=broker.bootstrap_servers)
        with pytest.raises(KafkaError) as raised:
            consumer.topics(timeout=2.0)
        consumer.close(timeout=5)
        assert_harmless(str(raised.value))
        for address, cause in getattr(raised.value, "causes", ()):
            assert_harmless(address)
            assert_harmless(cause)
        eventually(lambda: any("nowhere.invalid" in line.getMessage() for line in caplog.records), "a line about it")
    for line in caplog.records:
        if line.name.startswith("kafkars"):
            assert_harmless(line.getMessage())


def assert_harmless(text: str) -> None:
    """It is on one line, moves no cursor, turns no text around, and is not long."""
    assert not any(forbidden in text for forbidden in "\n\r\x1b\u202e"), text[:500]
    assert len(text) <= 11_000
