"""Sends synthetic clicks at a set rate: most once, some twice, some late, some broken."""

from __future__ import annotations

import argparse
import json
import random
import time
import uuid

from kafkars import Producer
from shared import CLICKS

PAGES = ("home", "search", "product", "basket", "pay")


def main() -> None:
    """Runs for a while."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--rate", type=int, default=2_000, help="events a second")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    sent = 0
    began = time.time()
    with Producer(bootstrap_servers=arguments.address, compression_type="zstd", linger_ms=20) as producer:
        for second in range(arguments.seconds):
            for number in range(arguments.rate):
                now = int((began + second + number / arguments.rate) * 1_000)
                for key, value in events(chance, now):
                    # The time of the record is when it was sent: both are simulated, so that no event is late by
                    # accident.
                    producer.send(CLICKS, value, key, timestamp=now)
                    sent += 1
            time.sleep(max(0.0, began + second + 1 - time.time()))
    print(f"{sent} records")


def events(chance: random.Random, now: int) -> list[tuple[bytes, bytes]]:
    """One event as one or two records."""
    user = f"user-{chance.randrange(1_000)}"
    late = 60_000 if chance.random() < 0.01 else chance.randrange(2_000)
    body = {
        "id": str(uuid.UUID(int=chance.getrandbits(128))),
        "user": user,
        "page": chance.choice(PAGES),
        "at": now - late,
    }
    value = b"not JSON" if chance.random() < 0.005 else json.dumps(body).encode()
    return [(user.encode(), value)] * (2 if chance.random() < 0.02 else 1)


if __name__ == "__main__":
    main()
