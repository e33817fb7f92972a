"""Topics that do not exist, cannot exist, or have no such partition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kafkars.errors import (
    InvalidPartitionError,
    InvalidTopicError,
    KafkaError,
    MetadataTimeoutError,
    UnknownTopicOrPartitionError,
)
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.waiting import SECONDS, Stopwatch

pytestmark = pytest.mark.usefixtures("nothing_left")

IMPOSSIBLE_NAMES = ["", ".", "..", "a b", "a/b", "größe", "a:b", "x" * 250]


@pytest.fixture(params=["broker says no", pytest.param("client says no", marks=pytest.mark.kafka)])
def strict(request: pytest.FixtureRequest) -> Iterator[tuple[str, dict[str, Any]]]:
    """A cluster that creates no topics for this client, and the client's settings for it."""
    if request.param == "broker says no":
        with EmbeddedBroker(auto_create_topics=False, topics={"there": 1}) as broker:
            yield broker.bootstrap_servers, {}
    else:
        broker = request.getfixturevalue("kafka_cluster")
        yield broker.bootstrap_servers, {"allow_auto_create_topics": False}


def test_sending_to_an_unknown_topic_ends_with_its_cause(client_api: Any, strict: tuple[str, dict[str, Any]]) -> None:
    address, settings = strict
    with client_api.Producer(bootstrap_servers=address, max_block_ms=400, **settings) as producer:
        with (
            Stopwatch() as watch,
            pytest.raises(MetadataTimeoutError, match=r"not-there.*UNKNOWN_TOPIC_OR_PARTITION") as caught,
        ):
            producer.send("not-there", b"value").result(SECONDS)
        assert 0.3 < watch.seconds < 3
        assert caught.value.topic == "not-there"
        assert isinstance(caught.value.__cause__, UnknownTopicOrPartitionError)
        assert producer.metrics()["unacknowledged"] == 0


@pytest.mark.parametrize("call", ["poll", "poll_batch"])
def test_reading_an_unknown_topic_ends_with_its_cause(
    client_api: Any, strict: tuple[str, dict[str, Any]], call: str
) -> None:
    address, settings = strict
    with client_api.Consumer(bootstrap_servers=address, auto_offset_reset="earliest", **settings) as consumer:
        consumer.assign([("not-there", 0)])
        with Stopwatch() as watch, pytest.raises(UnknownTopicOrPartitionError, match=r"not-there") as caught:
            getattr(consumer, call)(timeout=SECONDS)
        assert watch.seconds < 10
        assert caught.value.topic == "not-there"
        assert caught.value.retriable


@pytest.mark.parametrize("kind", ["Producer", "Consumer"])
def test_asking_about_an_unknown_topic_ends_with_its_cause(
    client_api: Any, strict: tuple[str, dict[str, Any]], kind: str
) -> None:
    address, settings = strict
    with getattr(client_api, kind)(bootstrap_servers=address, **settings) as client:
        with Stopwatch() as watch, pytest.raises(KafkaError, match=r"not-there.*UNKNOWN_TOPIC_OR_PARTITION"):
            client.partitions_for("not-there", timeout=0.4)
        assert watch.seconds < 3


@pytest.mark.parametrize("call", ["position", "end_offsets", "beginning_offsets", "offsets_for_times"])
def test_offsets_of_an_unknown_topic_end_with_its_cause(
    client_api: Any, strict: tuple[str, dict[str, Any]], call: str
) -> None:
    address, settings = strict
    with client_api.Consumer(bootstrap_servers=address, auto_offset_reset="earliest", **settings) as consumer:
        consumer.assign([("not-there", 0)])
        argument = {"position": ("not-there", 0), "offsets_for_times": {("not-there", 0): 0}}
        with Stopwatch() as watch, pytest.raises(KafkaError, match=r"not-there|UNKNOWN_TOPIC_OR_PARTITION"):
            getattr(consumer, call)(argument.get(call, [("not-there", 0)]), timeout=0.4)
        assert watch.seconds < 3


def test_one_bad_topic_does_not_hold_up_another(client_api: Any) -> None:
    with EmbeddedBroker(auto_create_topics=False, topics={"there": 1}) as broker:
        address = broker.bootstrap_servers
        with client_api.Producer(bootstrap_servers=address) as producer:
            producer.send("there", b"value").result(SECONDS)
        with client_api.Consumer(bootstrap_servers=address, auto_offset_reset="earliest") as consumer:
            consumer.assign([("not-there", 0), ("there", 0)])
            with Stopwatch() as watch:
                assert consumer.poll(timeout=SECONDS).value == b"value"
            assert watch.seconds < 5
            with pytest.raises(UnknownTopicOrPartitionError):
                consumer.poll(timeout=SECONDS)


def test_a_partition_beyond_the_last_is_an_error(client_api: Any, broker: Broker, topic: str) -> None:
    address = broker.bootstrap_servers
    with client_api.Producer(bootstrap_servers=address) as producer, pytest.raises(InvalidPartitionError):
        producer.send(topic, b"value", partition=1).result(SECONDS)
    with client_api.Consumer(bootstrap_servers=address, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 1)])
        with pytest.raises(KafkaError, match=f"{topic}.*no partition 1"):
            consumer.poll(timeout=SECONDS)


@pytest.mark.parametrize("name", IMPOSSIBLE_NAMES)
def test_a_name_no_topic_can_have_is_refused_at_once(client_api: Any, broker: Broker, name: str) -> None:
    with client_api.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        with Stopwatch() as watch:
            with pytest.raises(InvalidTopicError, match="topic name"):
                producer.send(name, b"value").result(SECONDS)
            with pytest.raises(InvalidTopicError, match="topic name"):
                producer.partitions_for(name)
        assert watch.seconds < 5
    with (
        client_api.Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer,
        pytest.raises(InvalidTopicError, match="topic name"),
    ):
        consumer.partitions_for(name, timeout=SECONDS)


@pytest.mark.parametrize("name", IMPOSSIBLE_NAMES)
def test_reading_a_name_no_topic_can_have_is_an_error_at_once(client_api: Any, broker: Broker, name: str) -> None:
    with client_api.Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:

        def read() -> None:
            consumer.assign([(name, 0)])
            consumer.poll(timeout=5)

        with Stopwatch() as watch, pytest.raises(InvalidTopicError, match="name"):
            read()
        assert watch.seconds < 4
