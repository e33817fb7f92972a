"""Clients that use more of the embedded broker than they may."""

from __future__ import annotations

import contextlib
import socket

import confluent_kafka
import pytest
from kafkars import Consumer, Producer, TopicPartition
from kafkars.errors import ConfigError
from kafkars.testing import EmbeddedBroker

SECONDS = 20.0


def test_a_producer_over_its_quota_goes_on_when_it_has_paused() -> None:
    with EmbeddedBroker(topics={"t": 1}, clock="manual") as broker:
        broker.set_quota("producer_byte_rate", 50_000, client_id="busy")
        with Producer(bootstrap_servers=broker.bootstrap_servers, client_id="busy", linger_ms=0) as producer:
            # A quota is for 10 seconds: this is more by what takes 100 ms and a little.
            producer.send("t", b"x" * 506_000).result(SECONDS)
            producer.send("t", b"2").result(SECONDS)
        with Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
            consumer.assign([TopicPartition("t", 0)])
            record = consumer.poll(SECONDS)
            assert record is not None


def test_a_consumer_over_its_quota_gets_everything_in_the_end() -> None:
    with EmbeddedBroker(topics={"t": 1}, clock="manual") as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=0) as producer:
            for _ in range(3):
                producer.send("t", b"x" * 170_000).result(SECONDS)
        broker.set_quota("consumer_byte_rate", 50_000)
        with Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
            consumer.assign([TopicPartition("t", 0)])
            for offset in range(3):
                record = consumer.poll(SECONDS)
                while record is None:
                    record = consumer.poll(SECONDS)
                assert record.offset == offset
                broker.clock.advance(12)


def test_librdkafka_is_told_of_its_pause() -> None:
    told: list[float] = []
    with EmbeddedBroker(topics={"t": 1}, clock="manual") as broker:
        broker.set_quota("producer_byte_rate", 50_000)
        producer = confluent_kafka.Producer(
            {
                "bootstrap.servers": broker.bootstrap_servers,
                "message.max.bytes": 1_000_000,
                "throttle_cb": lambda event: told.append(event.throttle_time),
            }
        )
        producer.produce("t", b"x" * 506_000)
        assert producer.flush(SECONDS) == 0
        while not told:
            producer.poll(SECONDS)
        assert told[0] > 0.1


def test_quotas_that_make_no_sense_are_refused() -> None:
    with EmbeddedBroker() as broker:
        with pytest.raises(ConfigError, match="greater than 0"):
            broker.set_quota("producer_byte_rate", 0)
        broker.set_quota("producer_byte_rate", None)


def test_an_address_opens_no_more_connections_than_it_may() -> None:
    with EmbeddedBroker(clock="manual") as broker:
        broker.set_connection_rate(1)
        port = int(broker.bootstrap_servers.rsplit(":", 1)[1])
        with contextlib.ExitStack() as opened:
            sockets = [opened.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(11)]
            sockets[-1].settimeout(SECONDS)
            assert not sockets[-1].recv(1), "closed without a word"
        broker.set_connection_rate(None)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"1").result(SECONDS)


def test_rates_of_addresses_make_sense() -> None:
    with EmbeddedBroker() as broker:
        with pytest.raises(ConfigError, match="address"):
            broker.set_connection_rate(1, address="nowhere")
        with pytest.raises(ConfigError, match="fractional"):
            broker.set_connection_rate(1.5, address="127.0.0.1")
        broker.set_connection_rate(1, address="::1")
