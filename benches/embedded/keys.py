"""How many APIs the broker answers."""

from __future__ import annotations

import argparse
from typing import Any

from kafkars.testing import EmbeddedBroker

from tests.kafka import wire

API_VERSIONS = 18
# Kinds of requests that kfake of franz-go answers.
KFAKE = 62


def measure(_options: argparse.Namespace) -> Any:
    with EmbeddedBroker() as broker:
        answer = wire.Answer(wire.call(broker.bootstrap_servers, API_VERSIONS, 0, b""))
    assert answer.int16() == 0
    keys = []
    for _ in range(answer.int32()):
        keys.append(answer.int16())
        answer.skip(4)
    print(f"APIs answered: {len(keys)}, kfake {KFAKE}: {len(keys) / KFAKE:.0%}")
    return {"keys": keys, "kfake": KFAKE}
