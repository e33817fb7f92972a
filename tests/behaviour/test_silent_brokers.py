"""A call whose time is over while one broker owes it an answer says which broker, which request, and for how long."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import kafkars
import pytest
from kafkars import ConsumerGroupMetadata, TopicPartition
from kafkars.admin import ConfigResource, NewTopic
from kafkars.errors import KafkaError
from kafkars.testing import EmbeddedCluster

from tests.support.waiting import SECONDS, Stopwatch, eventually

pytestmark = pytest.mark.timeout(120)
TOPIC, PLACE = "silent", TopicPartition("silent", 0)
TIMEOUT = 1.0
SLACK = 8.0
SILENCE = re.compile(r"broker (\d+) \((127\.0\.0\.1:\d+)\) has not answered (\w+) for (\d+) ms")


@pytest.fixture(scope="module")
def cluster() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(nodes=3, topics={TOPIC: 3}) as started:
        yield started


@contextmanager
def silence(cluster: EmbeddedCluster, api: str | None) -> Iterator[None]:
    with cluster.intercept(api, "drop"):
        yield
    cluster.cut_connections()


def assert_named(cluster: EmbeddedCluster, told: BaseException, api: str) -> None:
    """The broker is named as it is known in the cluster, and it is the one that was asked."""
    found = SILENCE.search(str(told))
    assert found, str(told)
    node, address, request, waited = found.groups()
    addresses = dict(zip(cluster.nodes, cluster.bootstrap_servers.split(","), strict=True))
    assert addresses[int(node)] == address
    assert request == api
    # In milliseconds: as seconds it would not be more than the time-out.
    assert TIMEOUT < int(waited) < (TIMEOUT + SLACK) * 1_000
    assert any(request.node == int(node) for request in cluster.requests(api)), "it was asked"


def end_of(consumer: Any) -> None:
    consumer.assign([PLACE])
    consumer.seek_to_end([PLACE])
    consumer.position(PLACE, timeout=TIMEOUT)


def start_of(consumer: Any) -> None:
    consumer.assign([PLACE])
    consumer.position(PLACE, timeout=TIMEOUT)


def told_to_a_callback(consumer: Any) -> None:
    heard: list[Any] = []
    consumer.assign({PLACE: 0})
    consumer.commit_async({PLACE: 1}, callback=lambda _offsets, error: heard.append(error))
    consumer.close(timeout=TIMEOUT)
    raise heard[0]


CONSUMERS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "commit": ("OffsetCommit", lambda consumer: consumer.commit({PLACE: 1}, timeout=TIMEOUT)),
    "commit of nobody's coordinator": (
        "FindCoordinator",
        lambda consumer: consumer.commit({PLACE: 1}, timeout=TIMEOUT),
    ),
    "committed": ("OffsetFetch", lambda consumer: consumer.committed([PLACE], timeout=TIMEOUT)),
    "end_offsets": ("ListOffsets", lambda consumer: consumer.end_offsets([PLACE], timeout=TIMEOUT)),
    "offsets_for_times": ("ListOffsets", lambda consumer: consumer.offsets_for_times({PLACE: 0}, timeout=TIMEOUT)),
    "position": ("ListOffsets", end_of),
    "position that is committed": ("OffsetFetch", start_of),
    "topics": ("Metadata", lambda consumer: consumer.topics(timeout=TIMEOUT)),
    "partitions_for": ("Metadata", lambda consumer: consumer.partitions_for("another", timeout=TIMEOUT)),
    "callback": ("OffsetCommit", told_to_a_callback),
}

ADMINS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "list_topics": ("Metadata", lambda admin: admin.list_topics(timeout=TIMEOUT)),
    "create_topics": ("CreateTopics", lambda admin: admin.create_topics([NewTopic("new")], timeout=TIMEOUT)),
    "list_groups": ("ListGroups", lambda admin: admin.list_groups(timeout=TIMEOUT)),
    "list_group_offsets": ("OffsetFetch", lambda admin: admin.list_group_offsets(["group"], timeout=TIMEOUT)),
    "list_offsets": ("ListOffsets", lambda admin: admin.list_offsets({PLACE: "latest"}, timeout=TIMEOUT)),
    "describe_configs": (
        "DescribeConfigs",
        lambda admin: admin.describe_configs([ConfigResource("topic", TOPIC)], timeout=TIMEOUT),
    ),
    "find_coordinator": ("FindCoordinator", lambda admin: admin.find_coordinator("group", timeout=TIMEOUT)),
}


def in_time(call: Callable[[], object]) -> KafkaError:
    with Stopwatch() as watch, pytest.raises(KafkaError) as raised:
        call()
    assert watch.seconds < TIMEOUT + SLACK
    return raised.value


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_consumer_says_who_is_silent(cluster: EmbeddedCluster, client_api: Any, name: str) -> None:
    api, call = CONSUMERS[name]
    group = f"silent-{name}"
    consumer = client_api.Consumer(
        bootstrap_servers=cluster.bootstrap_servers, group_id=group, enable_auto_commit=False
    )
    consumer.topics(timeout=SECONDS)
    consumer.partitions_for(TOPIC, timeout=SECONDS)
    if api != "FindCoordinator":
        consumer.committed([PLACE], timeout=SECONDS)
    with silence(cluster, api):
        told = in_time(lambda: call(consumer))
    assert_named(cluster, told, api)
    consumer.close(timeout=SECONDS)


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_member_says_who_is_silent(cluster: EmbeddedCluster, client_api: Any, protocol: str) -> None:
    # A group of its own: what another test has left in it would have to leave first.
    consumer = client_api.Consumer(
        bootstrap_servers=cluster.bootstrap_servers,
        group_id=f"silent-{protocol}-{uuid.uuid4().hex[:8]}",
        group_protocol=protocol,
        enable_auto_commit=False,
    )
    consumer.subscribe([TOPIC])
    consumer.poll(timeout=0)
    eventually(lambda: consumer.poll(timeout=0.1) or consumer.assignment(), "an assignment")
    consumer.committed([PLACE], timeout=SECONDS)
    # Nothing else is answered either: an answer out of order would end the connection.
    with silence(cluster, None):
        told = in_time(lambda: consumer.commit({PLACE: 0}, timeout=TIMEOUT))
    assert_named(cluster, told, "OffsetCommit")
    consumer.close(timeout=SECONDS)


def test_the_end_of_a_consumer_says_who_is_silent(cluster: EmbeddedCluster, client_api: Any) -> None:
    with kafkars.Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
        producer.send(TOPIC, b"value", partition=0).result(SECONDS)
    consumer = client_api.Consumer(
        bootstrap_servers=cluster.bootstrap_servers, group_id="silent-end", auto_commit_interval_ms=60_000
    )
    consumer.assign({PLACE: 0})
    assert consumer.poll(timeout=SECONDS) is not None
    # From here on it knows who coordinates.
    consumer.committed([PLACE])
    with silence(cluster, "OffsetCommit"), pytest.raises(KafkaError) as raised:
        consumer.close(timeout=TIMEOUT)
    assert_named(cluster, raised.value, "OffsetCommit")


@pytest.mark.parametrize("name", ADMINS)
def test_an_administrator_says_who_is_silent(cluster: EmbeddedCluster, client_api: Any, name: str) -> None:
    api, call = ADMINS[name]
    with client_api.Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.list_topics(timeout=SECONDS)
        with silence(cluster, api):
            told = in_time(lambda: call(admin))
        assert_named(cluster, told, api)


def offsets_of_transaction(producer: Any) -> None:
    producer.begin_transaction()
    producer.send_offsets_to_transaction({PLACE: 1}, ConsumerGroupMetadata("group"), timeout=TIMEOUT)


def end_of_transaction(producer: Any) -> None:
    producer.begin_transaction()
    producer.send(TOPIC, b"value").result(SECONDS)
    producer.commit_transaction(timeout=TIMEOUT)


PRODUCERS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "partitions_for": ("Metadata", lambda producer: producer.partitions_for("another", timeout=TIMEOUT)),
    "send_offsets_to_transaction": ("TxnOffsetCommit", offsets_of_transaction),
    "coordinator of a group": ("FindCoordinator", offsets_of_transaction),
    "commit_transaction": ("EndTxn", end_of_transaction),
}


@pytest.mark.parametrize("name", PRODUCERS)
def test_a_producer_says_who_is_silent(cluster: EmbeddedCluster, client_api: Any, name: str) -> None:
    api, call = PRODUCERS[name]
    producer = client_api.Producer(bootstrap_servers=cluster.bootstrap_servers, transactional_id=f"silent-{name}")
    producer.init_transactions(timeout=SECONDS)
    with silence(cluster, api):
        told = in_time(lambda: call(producer))
    assert_named(cluster, told, api)
    with suppress(KafkaError):
        producer.close(timeout=SECONDS)


def test_a_producer_without_id_says_who_is_silent(cluster: EmbeddedCluster, client_api: Any) -> None:
    producer = client_api.Producer(bootstrap_servers=cluster.bootstrap_servers, transactional_id="silent")
    producer.partitions_for(TOPIC, timeout=SECONDS)
    with silence(cluster, "InitProducerId"):
        told = in_time(lambda: producer.init_transactions(timeout=TIMEOUT))
    assert_named(cluster, told, "InitProducerId")
    producer.close(timeout=SECONDS)
