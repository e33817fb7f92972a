"""Retention and compaction of the embedded broker, as other clients see what is left."""

from __future__ import annotations

import pytest
from kafkars import Consumer, Producer, TopicPartition
from kafkars.errors import UnknownTopicOrPartitionError
from kafkars.testing import EmbeddedBroker

from tests.interop.peers import PEERS, Peer

SECONDS = 20.0
COMPACT = {"cleanup.policy": "compact"}


def send(broker: EmbeddedBroker, pairs: list[tuple[str, str | None]], codec: str = "none") -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers, compression_type=codec) as producer:
        for key, value in pairs:
            producer.send("t", None if value is None else value.encode(), key=key.encode(), partition=0)


def read(broker: EmbeddedBroker, count: int) -> list[tuple[int, bytes | None]]:
    with Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition("t", 0)])
        found: list[tuple[int, bytes | None]] = []
        while len(found) < count:
            record = consumer.poll(SECONDS)
            assert record is not None, f"{len(found)} of {count} records"
            found.append((record.offset, record.value))
        return found


@pytest.mark.parametrize("codec", ["none", "zstd"])
@pytest.mark.parametrize("peer", PEERS, ids=str)
def test_others_read_over_the_gaps_of_a_compacted_log(peer: Peer, codec: str) -> None:
    with EmbeddedBroker() as broker:
        broker.create_topic("t", 1, configs=COMPACT)
        send(broker, [(f"{number % 7}", f"{number}") for number in range(50)], codec)
        with Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id="p") as producer:
            producer.init_transactions()
            for ending in ("abort", "commit"):
                producer.begin_transaction()
                producer.send("t", ending.encode(), key=b"0", partition=0).result(SECONDS)
                getattr(producer, f"{ending}_transaction")()
        assert broker.compact("t") == 45
        send(broker, [("after", "after")], codec)
        found = peer.consume(broker.bootstrap_servers, "t", 8)
        assert [sample.value for sample in found] == [b"43", b"44", b"45", b"46", b"47", b"48", b"commit", b"after"]


def test_a_reader_goes_on_behind_what_was_compacted_before_it() -> None:
    with EmbeddedBroker(clock="manual") as broker:
        broker.create_topic("t", 1, configs={**COMPACT, "delete.retention.ms": "0"})
        send(broker, [("a", "1"), ("b", "2"), ("b", None)])
        with Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
            consumer.assign([TopicPartition("t", 0)])
            first = consumer.poll(SECONDS)
            assert first is not None
            assert first.value == b"1"
            assert (broker.compact(), broker.compact()) == (1, 1)
            assert broker.offsets("t", 0) == (0, 3)
            send(broker, [("c", "3")])
            while (record := consumer.poll(SECONDS)) is not None and record.key != b"c":
                assert record.offset < 3
            assert record is not None
            assert record.offset == 3
        assert read(broker, 2) == [(0, b"1"), (3, b"3")]


def test_what_retention_deletes_is_out_of_range() -> None:
    with EmbeddedBroker(clock="manual", cleanup_interval=None) as broker:
        broker.create_topic("t", 1, configs={"retention.ms": "3600000"})
        send(broker, [("a", "old"), ("a", "older")])
        broker.clock.advance(3601)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            now = broker.clock.now_ms()
            producer.send("t", b"new", timestamp=now).result(SECONDS)
        assert broker.run_retention() == 2
        assert broker.offsets("t", 0) == (2, 3)
        assert read(broker, 1) == [(2, b"new")]


def test_cleaning_is_refused_for_unknown_topics() -> None:
    with EmbeddedBroker() as broker:
        with pytest.raises(UnknownTopicOrPartitionError, match='there is no topic "nowhere"'):
            broker.run_retention("nowhere")
        with pytest.raises(UnknownTopicOrPartitionError):
            broker.compact("nowhere")
