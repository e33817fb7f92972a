"""Positions whose look-up is refused for long: the partitions are asked for together, at the pace of one."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import kafkars
import pytest
from kafkars.errors import TopicAuthorizationFailedError
from kafkars.testing import Acl, EmbeddedBroker, EmbeddedCluster

from tests.support.clients import read, values
from tests.support.waiting import SECONDS, Stopwatch, eventually

PARTITIONS = 50
# One topic of many partitions, and many topics of one.
TOPICS = {"wide": PARTITIONS // 2, **{f"narrow-{number}": 1 for number in range(PARTITIONS // 2)}}
REQUEST_TIMEOUT = 0.5
TIMEOUTS = 8
# The first pauses are shorter than `retry_backoff_max_ms`, which is a second.
MOST_AT_FIRST = 6
MOST_EACH_SECOND = 2
# A program that takes this long for an error takes those of all partitions for seconds.
ERROR_TAKES = 0.01
WATCHED = 3.0


def poll_for(consumer: Any, watch: Stopwatch) -> None:
    limit = REQUEST_TIMEOUT * TIMEOUTS
    eventually(lambda: consumer.poll(timeout=0.1) or watch.seconds > limit, "several time-outs")


def assert_few(count: int, watch: Stopwatch, brokers: int = 1) -> None:
    assert 2 <= count <= brokers * (MOST_AT_FIRST + watch.seconds * MOST_EACH_SECOND), f"in {watch.seconds:.1f} s"


@pytest.mark.parametrize(
    ("api", "code"), [("OffsetFetch", "UNSTABLE_OFFSET_COMMIT"), ("ListOffsets", "NOT_LEADER_OR_FOLLOWER")]
)
def test_partitions_without_position_are_asked_for_together(api: str, code: str) -> None:
    with EmbeddedBroker(topics=TOPICS) as broker:
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("wide", b"value", partition=0).result(SECONDS)
        consumer = kafkars.Consumer(
            bootstrap_servers=broker.bootstrap_servers,
            client_id="asks",
            group_id="group",
            auto_offset_reset="earliest",
            request_timeout_ms=int(REQUEST_TIMEOUT * 1000),
        )
        with broker.intercept(api, code), Stopwatch() as watch:
            consumer.subscribe(list(TOPICS))
            poll_for(consumer, watch)
            asked, searched = (len(broker.requests(each, client_id="asks")) for each in (api, "FindCoordinator"))
        assert_few(asked, watch)
        assert searched <= 4, "the coordinator refuses, but it is known"
        assert values(read(consumer, 1)) == [b"value"], "it is found when nobody refuses any more"
        consumer.close(timeout=SECONDS)


def take_errors(consumer: Any, watch: Stopwatch) -> int:
    """Polls for some seconds; each error takes the program a hundredth of a second. Returns how many there were."""
    taken = 0
    while watch.seconds < WATCHED:
        with contextlib.suppress(TopicAuthorizationFailedError):
            assert consumer.poll(timeout=0.1) is None
            continue
        taken += 1
        time.sleep(ERROR_TAKES)
    return taken


def read_past_errors(consumer: Any) -> Any:
    """The next record; errors that wait before it are taken."""

    def look() -> Any:
        with contextlib.suppress(TopicAuthorizationFailedError):
            return consumer.poll(timeout=0.1)

    return eventually(look, "a record is read")


@pytest.mark.parametrize("api", ["OffsetFetch", "ListOffsets"])
@pytest.mark.parametrize("partitions", [1, 300])
def test_what_is_refused_for_good_is_asked_for_together_by_a_program_that_takes_the_errors_slowly(
    api: str, partitions: int
) -> None:
    with EmbeddedBroker(topics={"t": partitions}) as broker:
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"value", partition=partitions - 1).result(SECONDS)
        consumer = kafkars.Consumer(
            bootstrap_servers=broker.bootstrap_servers,
            client_id="asks",
            group_id="group",
            auto_offset_reset="earliest",
        )
        with broker.intercept(api, "TOPIC_AUTHORIZATION_FAILED"), Stopwatch() as watch:
            consumer.subscribe(["t"])
            taken = take_errors(consumer, watch)
            asked, searched = (len(broker.requests(each, client_id="asks")) for each in (api, "FindCoordinator"))
        assert taken > 0
        assert_few(asked, watch)
        assert searched <= 4, "the coordinator refuses, but it is known"
        assert read_past_errors(consumer).value == b"value", "it is found when nobody refuses any more"
        consumer.close(timeout=SECONDS)


def test_partitions_whose_leader_changed_are_checked_together() -> None:
    with EmbeddedCluster(nodes=2, topics={"wide": PARTITIONS}) as cluster:
        with kafkars.Producer(bootstrap_servers=cluster.bootstrap_servers) as producer:
            sent = [producer.send("wide", b"value", partition=number) for number in range(PARTITIONS)]
            assert len({each.result(SECONDS).partition for each in sent}) == PARTITIONS
        consumer = kafkars.Consumer(
            bootstrap_servers=cluster.bootstrap_servers,
            client_id="asks",
            auto_offset_reset="earliest",
            request_timeout_ms=int(REQUEST_TIMEOUT * 1000),
        )
        consumer.assign([("wide", number) for number in range(PARTITIONS)])
        read(consumer, PARTITIONS)
        with cluster.intercept("OffsetForLeaderEpoch", "NOT_LEADER_OR_FOLLOWER"), Stopwatch() as watch:
            cluster.stop_node(cluster.leader("wide", 0))
            poll_for(consumer, watch)
            asked = len(cluster.requests("OffsetForLeaderEpoch", client_id="asks"))
        assert_few(asked, watch, brokers=2)
        consumer.close(timeout=SECONDS)


def test_a_partition_that_is_refused_holds_up_no_other() -> None:
    """They are asked for in one request, again and again, and each is told its own answer."""
    acls = [Acl("User:reader", "READ", "TOPIC", "open"), Acl("User:reader", "READ", "GROUP", "group")]
    users = {"admin": "a", "reader": "r"}
    with EmbeddedBroker(
        topics={"open": 1, "closed": 1},
        security="SASL_PLAINTEXT",
        users=users,
        super_users=["User:admin"],
        acls=acls,
    ) as broker:

        def login(name: str) -> dict[str, Any]:
            return {
                "bootstrap_servers": broker.bootstrap_servers,
                "security_protocol": "SASL_PLAINTEXT",
                "sasl_mechanism": "PLAIN",
                "sasl_username": name,
                "sasl_password": users[name],
            }

        with kafkars.Producer(**login("admin")) as producer:
            for topic in ("open", "closed"):
                producer.send(topic, b"value").result(SECONDS)
        consumer = kafkars.Consumer(**login("reader"), group_id="group", auto_offset_reset="earliest")
        consumer.assign([("open", 0), ("closed", 0)])
        found: list[Any] = []
        refusals = 0
        watch = Stopwatch()
        with watch:
            while not found or not refusals:
                try:
                    found += filter(None, [consumer.poll(timeout=0.1)])
                except TopicAuthorizationFailedError:
                    refusals += 1
                assert watch.seconds < SECONDS, (found, refusals)
        assert [each.topic for each in found] == ["open"]
        consumer.close(timeout=SECONDS)


def test_a_partition_with_an_open_transaction_holds_up_none_that_is_assigned_later() -> None:
    with EmbeddedBroker(topics={"t": 2}) as broker:
        servers = broker.bootstrap_servers
        with kafkars.Producer(bootstrap_servers=servers) as producer:
            for partition in range(2):
                producer.send("t", b"value", partition=partition).result(SECONDS)
        open_one = kafkars.Producer(bootstrap_servers=servers, transactional_id="open")
        open_one.init_transactions()
        open_one.begin_transaction()
        open_one.send_offsets_to_transaction({("t", 0): 1}, kafkars.ConsumerGroupMetadata("group"))
        consumer = kafkars.Consumer(bootstrap_servers=servers, group_id="group", auto_offset_reset="earliest")
        consumer.assign([("t", 0)])
        assert consumer.poll(timeout=0.5) is None
        consumer.assign([("t", 0), ("t", 1)])
        [record] = read(consumer, 1)
        assert record.partition == 1
        open_one.abort_transaction()
        [record] = read(consumer, 1)
        assert record.partition == 0
        consumer.close(timeout=SECONDS)
        open_one.close()
