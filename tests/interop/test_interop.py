"""What one library writes, another reads back the same: every codec, both directions, on either broker."""

from __future__ import annotations

from typing import Any

import pytest

from tests.brokers import Broker
from tests.interop.peers import PEERS, SECONDS, Peer, Sample
from tests.interop.samples import samples

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
each_peer = pytest.mark.parametrize("peer", PEERS, ids=str)
each_codec = pytest.mark.parametrize("codec", CODECS)


@each_codec
@each_peer
def test_ours_are_read_by_others(broker: Broker, topic: str, client_api: Any, peer: Peer, codec: str) -> None:
    sent = samples()
    produce(client_api, broker.bootstrap_servers, topic, codec, sent)
    assert peer.consume(broker.bootstrap_servers, topic, len(sent)) == sent


@each_codec
@each_peer
def test_others_are_read_by_ours(broker: Broker, topic: str, client_api: Any, peer: Peer, codec: str) -> None:
    sent = [sample for sample in samples() if not peer.refuses(sample)]
    peer.produce(broker.bootstrap_servers, topic, codec, sent)
    assert consume(client_api, broker.bootstrap_servers, topic, len(sent)) == sent


@each_codec
@each_peer
def test_others_read_their_own_on_the_embedded_broker(embedded_broker: Broker, peer: Peer, codec: str) -> None:
    sent = [sample for sample in samples() if not peer.refuses(sample)]
    topic = embedded_broker.new_topic()
    peer.produce(embedded_broker.bootstrap_servers, topic, codec, sent)
    assert peer.consume(embedded_broker.bootstrap_servers, topic, len(sent)) == sent


@each_codec
def test_ours_are_read_by_ours(broker: Broker, topic: str, client_api: Any, codec: str) -> None:
    sent = samples()
    produce(client_api, broker.bootstrap_servers, topic, codec, sent)
    assert consume(client_api, broker.bootstrap_servers, topic, len(sent)) == sent


def produce(client_api: Any, bootstrap: str, topic: str, codec: str, sent: list[Sample]) -> None:
    with client_api.Producer(bootstrap_servers=bootstrap, compression_type=codec, linger_ms=20) as producer:
        pending = [
            producer.send(
                topic,
                sample.value,
                key=sample.key,
                partition=0,
                timestamp=sample.timestamp,
                headers=list(sample.headers),
            )
            for sample in sent
        ]
        assert [one.result(SECONDS).offset for one in pending] == list(range(len(sent)))


def consume(client_api: Any, bootstrap: str, topic: str, count: int) -> list[Sample]:
    with client_api.Consumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        found: list[Sample] = []
        while len(found) < count:
            records = consumer.poll_batch(timeout=SECONDS)
            assert records, f"nothing came for {SECONDS} s after {len(found)} of {count} records"
            found += [Sample(record.key, record.value, record.timestamp, tuple(record.headers)) for record in records]
        return found
