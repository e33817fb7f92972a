"""The table of librdkafka's properties: complete, shown in the documentation, and turned into settings of the
engine."""

from __future__ import annotations

import importlib.util
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from kafkars.compat.confluent_kafka import KafkaError, KafkaException
from kafkars.compat.confluent_kafka._config import admin_settings, consumer_settings, producer_settings
from kafkars.compat.confluent_kafka._properties import ALL, KNOWN
from kafkars.compat.confluent_kafka._properties.hidden import HIDDEN
from kafkars.config import AdminConfig, ConsumerConfig, ProducerConfig
from kafkars.config.checks import Derived

ROOT = Path(__file__).parents[3]
TREATMENTS = {"engine", "face", "no effect", "refused"}


def producer(config: dict[str, Any]) -> dict[str, Any]:
    return producer_settings((config,), {}).engine


def consumer(config: dict[str, Any]) -> dict[str, Any]:
    return consumer_settings(({"group.id": "g", **config},), {}).engine


def test_the_table_has_every_row_of_librdkafka() -> None:
    assert len(ALL) == 199 + len(HIDDEN)
    assert all(each.treatment in TREATMENTS and each.note for each in ALL)
    assert {each.alias_of for each in ALL if each.alias_of} <= set(KNOWN)


def test_the_documentation_shows_each_property_with_its_treatment() -> None:
    spec = importlib.util.spec_from_file_location("hooks", ROOT / "docs" / "hooks.py")
    assert spec is not None
    assert spec.loader is not None
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    page = hooks.on_page_markdown((ROOT / "docs" / "reference" / "librdkafka-properties.md").read_text())
    shown = re.findall(r"^\| `([\w.]+)`( \(topic\))? \| (\S+) \| .* \| ([a-z ]+) \| .+ \|$", page, re.MULTILINE)
    expected = [(each.name, each.scope == "topic", each.applies_to, each.treatment) for each in ALL]
    assert [(name, bool(topic), of, treatment) for name, topic, of, treatment in shown] == expected


# The library takes the first on Windows only, and of the second no text.
DEFAULTS = [
    each
    for each in KNOWN.values()
    if each.default and each.name not in {"ssl.ca.certificate.stores", "delivery.report.only.error"}
]


@pytest.mark.parametrize("each", DEFAULTS, ids=lambda each: each.name)
def test_the_default_of_each_property_is_taken(each: Any) -> None:
    consumer_settings(({"group.id": "g", each.name: each.default},), {})
    producer_settings(({each.name: each.default},), {})


def test_defaults_are_those_of_librdkafka_and_fit_the_engine() -> None:
    with Derived():
        produced, consumed = ProducerConfig(**producer({})), ConsumerConfig(**consumer({}))
        AdminConfig(**admin_settings(({},), {}).engine)
    assert produced.bootstrap_servers == consumed.bootstrap_servers == ()
    assert (produced.partitioner, produced.enable_idempotence, produced.acks) == ("consistent_random", False, -1)
    assert (produced.linger_ms, produced.delivery_timeout_ms, produced.batch_size) == (5, 300_000, 1_000_000)
    assert (produced.buffer_memory, produced.max_request_size, produced.client_id) == (2**30, 1_000_000, "rdkafka")
    assert (consumed.isolation_level, consumed.auto_offset_reset) == ("read_committed", "latest")
    assert (consumed.session_timeout_ms, consumed.heartbeat_interval_ms, consumed.request_timeout_ms) == (
        45_000,
        3_000,
        60_000,
    )
    assert consumed.partition_assignment_strategy == ("range", "roundrobin")
    assert (consumed.allow_auto_create_topics, produced.allow_auto_create_topics) == (False, True)
    assert (consumed.connections_max_idle_ms, consumed.fetch_buffer_bytes) == (2**31 - 1, 65536 * 1024)


def test_addresses_are_completed() -> None:
    servers = producer({"bootstrap.servers": "PLAINTEXT://a:1, b ,[::1],[::1]:5"})["bootstrap_servers"]
    assert servers == ["a:1", "b:9092", "[::1]:9092", "[::1]:5"]


@pytest.mark.parametrize(
    ("config", "setting", "value"),
    [
        ({"linger.ms": "0.5"}, "linger_ms", 0.5),
        ({"acks": "0"}, "acks", 0),
        ({"partitioner": "murmur2"}, "partitioner", "murmur2_consistent"),
        ({"partitioner": "murmur2_random"}, "partitioner", "murmur2_random"),
        ({"compression.codec": "gzip", "compression.level": 12}, "compression_level", 9),
        ({"compression.codec": "gzip"}, "compression_level", None),
        ({"compression.level": 3}, "compression_level", None),
        ({"transactional.id": "t"}, "enable_idempotence", True),
        ({"transactional.id": "t"}, "delivery_timeout_ms", 60_000),
        ({"message.timeout.ms": 1000}, "request_timeout_ms", 995),
        ({"message.timeout.ms": 3}, "linger_ms", 1.5),
        ({"max.in.flight": 1}, "max_in_flight_requests_per_connection", 1),
        ({"topic.metadata.refresh.interval.ms": -1}, "metadata_max_age_ms", 900_000),
        ({"socket.send.buffer.bytes": 4096}, "send_buffer_bytes", 4096),
        ({"retry.backoff.ms": 200, "retry.backoff.max.ms": 100}, "retry_backoff_ms", 100),
        ({"message.max.bytes": 2000}, "batch_size", 2000),
        ({"queue.buffering.max.kbytes": 1}, "buffer_memory", 1_000_000),
    ],
)
def test_properties_of_producers_become_settings(config: dict[str, Any], setting: str, value: object) -> None:
    found = producer(config)
    assert found[setting] == value
    with Derived():
        ProducerConfig(**found)


@pytest.mark.parametrize(
    ("config", "setting", "value"),
    [
        ({"auto.offset.reset": "smallest"}, "auto_offset_reset", "earliest"),
        ({"auto.offset.reset": "error"}, "auto_offset_reset", "none"),
        ({"enable.auto.offset.store": False}, "enable_auto_commit", False),
        ({"auto.commit.interval.ms": 0}, "auto_commit_interval_ms", 2**31 - 1),
        ({"queued.max.messages.kbytes": 1}, "fetch_buffer_bytes", 1024),
        ({"fetch.max.bytes": 200_000_000}, "receive_message_max_bytes", 200_000_512),
        ({"group.protocol": "consumer"}, "group_protocol", "consumer"),
        (
            {"partition.assignment.strategy": "cooperative-sticky"},
            "partition_assignment_strategy",
            ["cooperative-sticky"],
        ),
        ({"client.rack": "r1"}, "client_rack", "r1"),
    ],
)
def test_properties_of_consumers_become_settings(config: dict[str, Any], setting: str, value: object) -> None:
    found = consumer(config)
    assert found[setting] == value
    with Derived():
        ConsumerConfig(**found)


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("queuing.strategy", "lifo", "fifo"),
        ("offset.store.method", "file", "enable.auto.commit"),
        ("plugin.library.paths", "plugin", "librdkafka"),
        ("topic.blacklist", "a", "pattern"),
        ("acks", 2, "acks"),
        ("log_cb", print, "logger"),
        ("partitioner_cb", print, "partition"),
    ],
)
def test_what_is_not_offered_is_refused_with_the_reason(key: str, value: object, named: str) -> None:
    with pytest.raises(KafkaException, match=re.escape(key)) as caught:
        producer({key: value})
    (error,) = caught.value.args
    assert error == KafkaError._INVALID_ARG
    assert named in error.str()


@pytest.mark.parametrize(
    ("key", "near"),
    [("bootstrap_servers", "bootstrap.servers"), ("linger.mss", "linger.ms"), ("on_deliver", "on_delivery")],
)
def test_an_unknown_property_is_told_the_nearest_known_one(key: str, near: str) -> None:
    with pytest.raises(KafkaException, match=f'did you mean "{near}"'):
        producer({key: 1})


def test_the_face_keeps_what_it_serves_itself() -> None:
    settings = consumer_settings(
        (
            {
                "group.id": "g",
                "statistics.interval.ms": 500,
                "stats_cb": print,
                "enable.partition.eof": "true",
                "error_cb": None,
            },
        ),
        {"logger": logging.getLogger("app"), "on_commit": repr},
    )
    face = settings.face
    assert (face.statistics_interval, face.stats_cb, face.error_cb, face.on_commit) == (0.5, print, None, repr)
    assert (face.enable_partition_eof, face.enable_auto_offset_store, face.auto_commit_interval) == (True, True, 5.0)
    assert face.logger is logging.getLogger("app")
    assert producer_settings(({"debug": "all"},), {}).face.log_level == logging.DEBUG
    assert settings.values["metadata.broker.list"] is None
