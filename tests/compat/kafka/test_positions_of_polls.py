"""`poll(update_offsets=False)` leaves the positions where they are; small fetches return records all the same."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars import Producer
from kafkars.compat import kafka, kafka_3

from tests.brokers import Broker


@pytest.mark.parametrize("module", [kafka, kafka_3])
def test_the_next_poll_returns_the_same_records(broker: Broker, module: Any) -> None:
    topic = broker.new_topic()
    # One batch: it leaves when the producer is closed.
    with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=60_000) as producer:
        for number in range(4):
            producer.send(topic, b"%d" % number)
    place = module.TopicPartition(topic, 0)
    # Less than a record: the first of a partition comes all the same.
    limits = {"fetch_max_bytes": 1, "max_partition_fetch_bytes": 1}
    with module.KafkaConsumer(
        bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest", **limits
    ) as consumer:
        consumer.assign([place])
        for keeps, expected in ((True, 0), (True, 0), (False, 0), (False, 2)):
            found = consumer.poll(20_000, max_records=2, update_offsets=not keeps)
            assert [record.offset for record in found[place]] == [expected, expected + 1]
            assert consumer.position(place) == (0 if keeps else expected + 2)
