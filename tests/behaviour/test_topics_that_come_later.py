"""A topic that is subscribed by name, and made later, is read soon after."""

from __future__ import annotations

import time
from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.support.groups import PROTOCOLS
from tests.support.waiting import SECONDS


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_it_is_read_soon_and_asked_for_at_the_pace_of_retries(client_api: Any, protocol: str) -> None:
    with EmbeddedBroker() as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers}
        with client_api.Consumer(
            **settings, group_id="g", group_protocol=protocol, auto_offset_reset="earliest"
        ) as consumer:
            consumer.subscribe(["late"])
            began = time.monotonic()
            assert consumer.poll(timeout=2.0) is None
            waited = time.monotonic() - began
            asked = broker.requests("Metadata")
            # Ten a second at first, one a second in the end; other clients' requests beside them.
            assert len(asked) < 10 + 5 * waited
            assert "late" not in client_api.Admin(**settings).list_topics()
            with client_api.Producer(**settings) as producer:
                producer.send("late", b"value").result(SECONDS)
            record = consumer.poll(timeout=SECONDS)
            assert record is not None
            assert record.value == b"value"
