"""The promise of order: per partition, records are stored as they were sent, once, whatever requests meet."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.support.clients import numbers, read, values
from tests.support.waiting import SECONDS

FAULTS = ["NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "disconnect", "disconnect_after"]


@pytest.mark.parametrize("fault", FAULTS)
def test_records_are_stored_once_in_the_order_of_the_calls(client_api: Any, fault: str) -> None:
    settings: dict[str, Any] = {"batch_size": 500, "linger_ms": 0, "retry_backoff_ms": 1, "reconnect_backoff_ms": 1}
    with EmbeddedBroker() as broker:
        broker.create_topic("topic", partitions=2)
        seen = iter(range(1_000_000))
        # Every third request meets the fault, so that batches behind it are under way as well.
        broken = broker.intercept("Produce", fault, when=lambda _request: next(seen) % 3 == 1, times=40)
        address = broker.bootstrap_servers
        with client_api.Producer(bootstrap_servers=address, **settings) as producer, broken:
            for number in numbers(1_500):
                producer.send("topic", number, partition=int(number) % 2)
            producer.send_many("topic", numbers(1_500, 2_000), partitions=[0, 1] * 250)
            assert producer.flush(SECONDS) == 0
            assert broken.hits > 3
        with client_api.Consumer(bootstrap_servers=address, auto_offset_reset="earliest") as consumer:
            for partition in range(2):
                consumer.assign([("topic", partition)])
                assert values(read(consumer, 1_000)) == numbers(2_000)[partition::2]
