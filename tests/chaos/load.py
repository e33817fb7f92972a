"""Records of a ledger, sent at an even pace by an idempotent producer."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.chaos.ledger import Ledger

TICK = 0.02
# Longer than a leader can be away: no record has a reason to fail.
DELIVERY_TIMEOUT_MS = 90_000


def load(
    bootstrap: str,
    topic: str,
    ledger: Ledger,
    *,
    seconds: float,
    rate: float,
    ended: threading.Event | None = None,
) -> dict[tuple[int, int], bytes]:
    """`rate` records a second for some time, or until `ended` is set; answers where each was said to be stored."""
    from kafkars import Producer  # tests of the harness alone need no build

    ended = ended or threading.Event()
    sent = []
    with Producer(
        bootstrap_servers=bootstrap, acks="all", enable_idempotence=True, delivery_timeout_ms=DELIVERY_TIMEOUT_MS
    ) as producer:
        started = time.monotonic()
        now = 0.0
        while now < seconds:
            now = min(seconds, time.monotonic() - started)
            while ledger.sent < int(now * rate):
                key, value = ledger.next_record()
                sent.append((value, producer.send(topic, value, key=key)))
            if ended.wait(TICK):
                break
        left = producer.flush(DELIVERY_TIMEOUT_MS / 1000)
        assert left == 0, f"{left} records are still not delivered"
    stored = {}
    for value, delivery in sent:
        metadata = delivery.result(0)
        stored[metadata.partition, metadata.offset] = value
    return stored
