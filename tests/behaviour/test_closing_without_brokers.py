"""The end of a client whose brokers are away: killed, so that connections are refused, or silent. What is only a
goodbye is not waited for, commits a few seconds, records as long as `close_timeout_ms` allows; and slow brokers are not
away.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import kafkars
import pytest
from kafkars.errors import ClosedError, CoordinatorNotAvailableError, KafkaTimeoutError
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

from tests.support.waiting import SECONDS, Stopwatch, eventually

AT_ONCE = 6.0  # a goodbye is given up after 1 s, and close_timeout_ms is 20 s; the rest is for busy machines
SOON = 12.0  # commits are given up after 5 s

AWAY: dict[str, Callable[[EmbeddedBroker], None]] = {
    "killed": lambda broker: broker.kill_node(1),
    "silent": lambda broker: broker.pause_node(1),
}


@pytest.fixture(params=AWAY)
def go_away(request: pytest.FixtureRequest) -> Callable[[EmbeddedBroker], None]:
    """How the broker goes."""
    return AWAY[request.param]


def broker_with_records() -> EmbeddedBroker:
    broker = EmbeddedBroker(topics={"topic": 1})
    with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(10):
            producer.send("topic", b"%d" % number)
    return broker


def member(client_api: Any, broker: EmbeddedBroker, **settings: Any) -> Any:
    """A consumer that has read everything."""
    given = {"group_id": "group", "auto_offset_reset": "earliest", **settings}
    consumer = client_api.Consumer(bootstrap_servers=broker.bootstrap_servers, **given)
    consumer.subscribe(["topic"])
    assert len(consumer.poll_batch(timeout=SECONDS)) == 10
    return consumer


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_member_with_nothing_to_commit_ends_at_once(client_api: Any, go_away: Any, protocol: str) -> None:
    with broker_with_records() as broker:
        consumer = member(client_api, broker, group_protocol=protocol)
        consumer.commit()
        go_away(broker)
        with Stopwatch() as watch:
            consumer.close()
        assert watch.seconds < AT_ONCE


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_the_end_of_a_subscription_is_not_waited_for_but_said_later(client_api: Any, protocol: str) -> None:
    with broker_with_records() as broker:
        revoked: list[Any] = []
        consumer = member(client_api, broker, group_protocol=protocol)
        consumer.subscribe(["topic"], on_partitions_revoked=revoked.extend)
        broker.pause_node(1)
        with Stopwatch() as watch:
            consumer.unsubscribe()
        assert watch.seconds < AT_ONCE
        assert revoked == [("topic", 0)]
        assert consumer.assignment() == set()
        assert consumer.health().state == "leaving"
        broker.resume_node(1)
        eventually(lambda: consumer.health().state == "unsubscribed", "the group is left")
        # What was finished is committed before, as if it had been waited for.
        assert consumer.committed([("topic", 0)])["topic", 0].offset == 10


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_the_end_of_a_subscription_is_not_waited_for_where_nobody_is_left(client_api: Any, protocol: str) -> None:
    with broker_with_records() as broker:
        consumer = member(client_api, broker, group_protocol=protocol)
        broker.kill_node(1)
        with Stopwatch() as watch:
            consumer.unsubscribe()
            consumer.subscribe(["topic"])
            consumer.unsubscribe()
        assert watch.seconds < AT_ONCE
        with suppress(KafkaTimeoutError):
            consumer.close(0)


def test_clients_with_nothing_in_hand_end_at_once(client_api: Any, go_away: Any) -> None:
    with broker_with_records() as broker:
        servers = broker.bootstrap_servers
        producer = client_api.Producer(bootstrap_servers=servers)
        producer.send("topic", b"value").result(SECONDS)
        admin = client_api.Admin(bootstrap_servers=servers)
        admin.list_topics()
        reader = client_api.Consumer(bootstrap_servers=servers, auto_offset_reset="earliest")
        reader.assign([("topic", 0)])
        assert reader.poll(timeout=SECONDS) is not None
        go_away(broker)
        with Stopwatch() as watch:
            assert producer.close() == 0
            admin.close()
            reader.close()
        assert watch.seconds < AT_ONCE


def test_a_transaction_that_cannot_be_aborted_is_not_waited_for(client_api: Any, go_away: Any) -> None:
    with broker_with_records() as broker:
        producer = client_api.Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id="id")
        producer.init_transactions()
        producer.begin_transaction()
        producer.send("topic", b"value").result(SECONDS)
        go_away(broker)
        with Stopwatch() as watch:
            assert producer.close() == 0
        assert watch.seconds < AT_ONCE


def test_clients_that_never_met_a_broker_end_at_once(client_api: Any) -> None:
    with EmbeddedBroker() as gone:
        servers = gone.bootstrap_servers
    consumer = client_api.Consumer(bootstrap_servers=servers, group_id="group")
    consumer.subscribe(["topic"])
    clients = [consumer, client_api.Producer(bootstrap_servers=servers), client_api.Admin(bootstrap_servers=servers)]
    with Stopwatch() as watch:
        for client in clients:
            client.close()
    assert watch.seconds < AT_ONCE


@pytest.mark.parametrize("away", AWAY)
def test_commits_wait_for_a_few_seconds(away: str) -> None:
    with broker_with_records() as broker:
        consumer = member(kafkars, broker)
        AWAY[away](broker)
        with Stopwatch() as watch, pytest.raises(KafkaTimeoutError, match="topic-0"):
            consumer.close()
        assert watch.seconds < SOON


def test_the_setting_bounds_every_end(client_api: Any, go_away: Any) -> None:
    with broker_with_records() as broker:
        consumer = member(client_api, broker, close_timeout_ms=300)
        producer = client_api.Producer(bootstrap_servers=broker.bootstrap_servers, close_timeout_ms=300)
        producer.send("topic", b"value").result(SECONDS)
        go_away(broker)
        sent = [producer.send("topic", b"value") for _ in range(3)]
        with Stopwatch() as watch:
            with pytest.raises(KafkaTimeoutError):
                consumer.close()
            assert producer.close() == 3
        assert 0.3 <= watch.seconds < AT_ONCE
        for each in sent:
            with pytest.raises(ClosedError):
                each.result(SECONDS)


def test_the_end_of_a_block_has_the_setting(client_api: Any, go_away: Any) -> None:
    with broker_with_records() as broker:
        settings = {"bootstrap_servers": broker.bootstrap_servers, "close_timeout_ms": 250}
        given_up = pytest.raises(KafkaTimeoutError, match="2 records were not acknowledged within 250 ms")
        with Stopwatch() as watch, given_up, client_api.Producer(**settings) as producer:
            producer.send("topic", b"value").result(SECONDS)
            go_away(broker)
            for _ in range(2):
                producer.send("topic", b"value")
        assert watch.seconds < AT_ONCE


def test_the_argument_counts_before_the_setting(client_api: Any, go_away: Any) -> None:
    with broker_with_records() as broker:
        consumer = member(client_api, broker)
        producer = client_api.Producer(bootstrap_servers=broker.bootstrap_servers)
        admin = client_api.Admin(bootstrap_servers=broker.bootstrap_servers)
        producer.send("topic", b"value").result(SECONDS)
        go_away(broker)
        left = producer.send("topic", b"value")
        with Stopwatch() as watch:
            with pytest.raises(KafkaTimeoutError):
                consumer.close(timeout=0.2)
            assert producer.close(timeout=0.2) == 1
            admin.close(timeout=0.2)
        assert watch.seconds < AT_ONCE
        with pytest.raises(ClosedError):
            left.result(SECONDS)


def test_slow_brokers_are_waited_for(client_api: Any) -> None:
    with broker_with_records() as broker:
        consumer = member(client_api, broker)
        broker.slow_down(latency=0.2)
        consumer.close()
        broker.slow_down()
        with kafkars.Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            offsets = admin.list_group_offsets({"group": None})["group"]
            assert [each.offset for each in offsets.values()] == [10]
            eventually(lambda: admin.describe_groups(["group"])["group"].state == "Empty", "its goodbye is heard")


def test_another_coordinator_is_waited_for(client_api: Any) -> None:
    """It is found only after the goodbye, and the commit before it, have failed for a while."""
    with EmbeddedCluster(nodes=3, topics={"topic": 1}) as cluster, ThreadPoolExecutor(1) as threads:
        with kafkars.Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
            for _ in range(10):
                producer.send("topic", b"value")
        consumer = member(client_api, cluster)
        coordinator = cluster.coordinator("group")
        assert coordinator is not None
        cluster.kill_node(coordinator)
        asked_in_vain = cluster.intercept("FindCoordinator", CoordinatorNotAvailableError)

        def find_another() -> None:
            eventually(lambda: asked_in_vain.hits > 3, "coordinators that were asked for in vain")
            cluster.move_coordinator("group", coordinator % 3 + 1)
            asked_in_vain.remove()

        moved = threads.submit(find_another)
        consumer.close()
        moved.result(SECONDS)
        with kafkars.Admin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            offsets = admin.list_group_offsets({"group": None})["group"]
            assert [each.offset for each in offsets.values()] == [10]
