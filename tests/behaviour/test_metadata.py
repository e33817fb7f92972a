"""What clients tell about topics, records and themselves."""

from __future__ import annotations

import pytest
from kafkars import PartitionInfo

from tests.support.clients import Clients, read
from tests.support.waiting import SECONDS


def test_partitions_are_described(clients: Clients) -> None:
    topic = clients.broker.new_topic(partitions=3)
    for client in (clients.producer(), clients.consumer()):
        partitions = client.partitions_for(topic)
        assert [(info.topic, info.partition) for info in partitions] == [(topic, 0), (topic, 1), (topic, 2)]
        for info in partitions:
            assert isinstance(info, PartitionInfo)
            assert info.leader in info.replicas
            assert info.in_sync_replicas == info.replicas
            assert info.offline_replicas == ()
            assert info.leader_epoch is not None
            assert info.leader_epoch >= 0


def test_topics_are_listed(clients: Clients) -> None:
    made = {clients.broker.new_topic() for _ in range(3)}
    found = clients.consumer().topics()
    assert made <= set(found)
    assert found == sorted(found)


def test_a_topic_made_later_is_found(clients: Clients) -> None:
    consumer = clients.consumer()
    consumer.topics()
    made = clients.broker.new_topic(partitions=2)
    assert made in consumer.topics()
    assert len(consumer.partitions_for(made)) == 2


def test_records_know_their_sizes_and_their_leaders_epoch(clients: Clients, topic: str) -> None:
    producer = clients.producer()
    producer.send(topic, b"12345", b"123")
    producer.send(topic, None, None)
    producer.flush(SECONDS)
    full, empty = read(clients.consumer([(topic, 0)]), 2)
    assert (full.serialized_key_size, full.serialized_value_size) == (3, 5)
    assert (empty.serialized_key_size, empty.serialized_value_size) == (-1, -1)
    epoch = clients.consumer().partitions_for(topic)[0].leader_epoch
    assert full.leader_epoch == empty.leader_epoch == epoch


def test_records_are_equal_by_content_and_show_themselves(clients: Clients, topic: str) -> None:
    clients.producer().send(topic, b"value", b"key", headers=[("h", b"1")], timestamp=5).result(SECONDS)
    consumer = clients.consumer([(topic, 0)])
    (first,) = read(consumer, 1)
    consumer.seek_to_beginning()
    (again,) = read(consumer, 1)
    assert first == again
    assert hash(first) == hash(again)
    for part in (topic, "partition=0", "offset=0", "timestamp=5", "b'key'", "b'value'", "'h'"):
        assert part in repr(first)


def test_a_producer_counts_what_it_does(clients: Clients, topic: str) -> None:
    producer = clients.producer(linger_ms=20)
    # The first record to a new topic may be refused until its leader knows that it is one.
    producer.send(topic, bytes(100), b"key").result(SECONDS)
    before = producer.metrics()
    for _ in range(10):
        producer.send(topic, bytes(100), b"key")
    assert producer.metrics()["unacknowledged"] in range(11)
    producer.flush(SECONDS)
    metrics = producer.metrics()
    grown = {name: metrics[name] - before[name] for name in metrics if name != "client"}
    assert grown["records_sent"] == 10
    assert grown["records_failed"] == 0
    assert 1 <= grown["batches_sent"] <= 10
    assert grown["bytes_uncompressed"] > 1_000
    assert metrics["bytes_sent"] == metrics["bytes_uncompressed"]
    assert (grown["retries"], metrics["unacknowledged"], metrics["buffer_used"]) == (0, 0, 0)
    assert_client_counts(metrics["client"])


def test_a_consumer_counts_what_it_does(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(10))
    consumer = clients.consumer([(topic, 0)])
    read(consumer, 10)
    metrics = consumer.metrics()
    assert metrics["records_consumed"] == 10
    assert metrics["bytes_fetched"] > 10
    assert metrics["fetches"] >= 1
    assert metrics["buffered_bytes"] == 0
    assert metrics["assigned"] == 1
    assert_client_counts(metrics["client"])


def assert_client_counts(metrics: dict[str, int]) -> None:
    assert metrics["requests_sent"] >= metrics["responses_received"] > 0
    assert metrics["bytes_sent"] > 0
    assert metrics["bytes_received"] > 0
    assert metrics["connections_made"] >= metrics["connections_open"] > 0
    assert metrics["metadata_refreshes"] > 0
    for quiet in ("requests_timed_out", "connections_failed", "throttle_time_ms"):
        assert metrics[quiet] == 0
    assert metrics["requests_in_flight"] >= 0


@pytest.mark.parametrize("name", ["client", "räksmörgås", ""])
def test_any_client_id_will_do(clients: Clients, topic: str, name: str) -> None:
    assert clients.producer(client_id=name).send(topic, b"value").result(SECONDS).offset == 0
