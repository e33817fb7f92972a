"""What an administrator's call says of a refusal, and for how long it is repeated."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from kafkars.admin import AclBinding, AclBindingFilter, ConfigResource, NewTopic
from kafkars.errors import BrokerError, KafkaTimeoutError
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

from tests.support.waiting import SECONDS

RULE = AclBinding("User:a", "read", "topic", "t")


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": 1}) as made:
        yield made


@pytest.fixture
def admin(broker: EmbeddedBroker, client_api: Any) -> Iterator[Any]:
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as made:
        made.alter_group_offsets("g1", {("t", 0): 0})
        yield made


CALLS: list[tuple[str, str, Callable[[Any], Any], str]] = [
    ("DeleteGroups", "NON_EMPTY_GROUP", lambda admin: admin.delete_groups(["g1"]), 'group "g1"'),
    ("OffsetFetch", "GROUP_AUTHORIZATION_FAILED", lambda admin: admin.list_group_offsets(["g1"]), 'group "g1"'),
    (
        "ConsumerGroupDescribe",
        "GROUP_AUTHORIZATION_FAILED",
        lambda admin: admin.describe_groups(["g1"]),
        'group "g1"',
    ),
    (
        "OffsetDelete",
        "GROUP_AUTHORIZATION_FAILED",
        lambda admin: admin.delete_group_offsets("g1", [("t", 0)]),
        'group "g1"',
    ),
    ("FindCoordinator", "GROUP_AUTHORIZATION_FAILED", lambda admin: admin.find_coordinator("g1"), 'group "g1"'),
    (
        "DescribeTransactions",
        "TRANSACTIONAL_ID_NOT_FOUND",
        lambda admin: admin.describe_transactions(["t1"]),
        'transactional id "t1"',
    ),
    (
        "IncrementalAlterConfigs",
        "INVALID_CONFIG",
        lambda admin: admin.alter_configs({ConfigResource("broker", "1"): {"x": "1"}}),
        'broker "1"',
    ),
    (
        "DescribeConfigs",
        "CLUSTER_AUTHORIZATION_FAILED",
        lambda admin: admin.describe_configs([ConfigResource("broker", "1")]),
        'broker "1"',
    ),
    ("DescribeLogDirs", "CLUSTER_AUTHORIZATION_FAILED", lambda admin: admin.describe_log_dirs([1]), "broker 1"),
    ("ListGroups", "CLUSTER_AUTHORIZATION_FAILED", lambda admin: admin.list_groups(), "broker 1"),
    ("ListTransactions", "CLUSTER_AUTHORIZATION_FAILED", lambda admin: admin.list_transactions(), "broker 1"),
    ("CreateAcls", "CLUSTER_AUTHORIZATION_FAILED", lambda admin: admin.create_acls([RULE]), 'ACL of "User:a" on "t"'),
    (
        "DeleteAcls",
        "CLUSTER_AUTHORIZATION_FAILED",
        lambda admin: admin.delete_acls([AclBindingFilter(principal="User:a")]),
        'ACLs of "User:a" on any',
    ),
    (
        "DescribeAcls",
        "CLUSTER_AUTHORIZATION_FAILED",
        lambda admin: admin.describe_acls(AclBindingFilter(resource_name="t")),
        'ACLs of any on "t"',
    ),
]


@pytest.mark.parametrize("case", CALLS, ids=[call[0] for call in CALLS])
def test_a_refusal_names_what_was_refused(
    broker: EmbeddedBroker, admin: Any, case: tuple[str, str, Callable[[Any], Any], str]
) -> None:
    api, code, call, named = case
    with broker.intercept(api, code), pytest.raises(BrokerError, match=f"^{code} for {named}: "):
        call(admin)


@pytest.mark.parametrize("seconds", [0.5, 2.0])
def test_a_call_is_repeated_until_its_time_is_over(broker: EmbeddedBroker, admin: Any, seconds: float) -> None:
    """Pauses grow to a second, which may be more than is left."""
    with broker.intercept("CreateTopics", "NOT_CONTROLLER"):
        started = time.monotonic()
        with pytest.raises(
            KafkaTimeoutError, match=r"^CreateTopics not done within \d+ ms; last cause: NOT_CONTROLLER"
        ):
            admin.create_topics([NewTopic("new")], timeout=seconds)
        assert time.monotonic() - started > seconds - 0.15


def test_a_call_whose_time_ends_names_what_was_asked_about(broker: EmbeddedBroker, admin: Any) -> None:
    with (
        broker.intercept("DeleteGroups", "drop"),
        pytest.raises(KafkaTimeoutError, match=r'DeleteGroups for group "g1"'),
    ):
        admin.delete_groups(["g1"], timeout=0.5)


LATE: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("FindCoordinator", "COORDINATOR_NOT_AVAILABLE", lambda admin: admin.find_coordinator("g1", timeout=1.5)),
    ("DeleteGroups", "NOT_COORDINATOR", lambda admin: admin.delete_groups(["g1"], timeout=1.5)),
    ("CreateTopics", "NOT_CONTROLLER", lambda admin: admin.create_topics([NewTopic("new")], timeout=1.5)),
]


@pytest.mark.parametrize("case", LATE, ids=[call[0] for call in LATE])
def test_a_last_try_without_time_for_an_answer_says_nothing(
    broker: EmbeddedBroker, admin: Any, case: tuple[str, str, Callable[[Any], Any]]
) -> None:
    """It is made a tenth of a second before the end, and answers take longer."""
    api, code, call = case
    broker.slow_down(latency=0.15)
    with broker.intercept(api, code), pytest.raises(KafkaTimeoutError, match=f"last cause: {code}: "):
        call(admin)


@pytest.mark.parametrize("call", ["end_offsets", "committed"])
def test_a_last_try_of_a_consumer_says_nothing(broker: EmbeddedBroker, client_api: Any, call: str) -> None:
    api, code = (
        ("ListOffsets", "NOT_LEADER_OR_FOLLOWER") if call == "end_offsets" else ("OffsetFetch", "NOT_COORDINATOR")
    )
    with client_api.Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="g1") as consumer:
        broker.slow_down(latency=0.15)
        with broker.intercept(api, code), pytest.raises(KafkaTimeoutError, match=code):
            getattr(consumer, call)([("t", 0)], timeout=1.5)


def test_brokers_that_refuse_at_once_are_not_asked_without_end(broker: EmbeddedBroker, client_api: Any) -> None:
    with (
        client_api.Admin(bootstrap_servers=broker.bootstrap_servers, retry_backoff_ms=0) as admin,
        broker.intercept("CreateTopics", "NOT_CONTROLLER") as refused,
        pytest.raises(KafkaTimeoutError),
    ):
        admin.create_topics([NewTopic("new")], timeout=0.5)
    assert refused.hits <= 150


@pytest.mark.parametrize("call", ["list_offsets", "delete_records"])
def test_partitions_are_tried_hundreds_of_times(broker: EmbeddedBroker, client_api: Any, call: str) -> None:
    """Each try was kept on the stack, which ended the process."""
    api = {"list_offsets": "ListOffsets", "delete_records": "DeleteRecords"}[call]
    wanted: Any = {("t", 0): 0}
    settings: dict[str, Any] = {"retry_backoff_ms": 5, "retry_backoff_max_ms": 5}
    with (
        client_api.Admin(bootstrap_servers=broker.bootstrap_servers, **settings) as admin,
        broker.intercept(api, "NOT_LEADER_OR_FOLLOWER") as refused,
        pytest.raises(KafkaTimeoutError, match="NOT_LEADER_OR_FOLLOWER"),
    ):
        getattr(admin, call)(wanted, timeout=5)
    assert refused.hits > 250


def test_a_partition_that_is_answered_is_not_asked_for_again(client_api: Any) -> None:
    """One of two is refused twice: at last because it has another leader since it was found."""
    with (
        EmbeddedCluster(nodes=2, topics={"t": 2}) as cluster,
        client_api.Admin(bootstrap_servers=cluster.bootstrap_servers) as admin,
        ThreadPoolExecutor(1) as pool,
    ):
        for number in (0, 1):
            cluster.move_leader("t", number, 1)
        wanted: Any = {("t", 0): "latest", ("t", 1): "latest"}
        admin.list_offsets(wanted)
        cluster.forget_requests()
        refused = cluster.intercept("ListOffsets", "NOT_LEADER_OR_FOLLOWER", times=1)
        late = cluster.intercept("ListOffsets", "delay", seconds=0.5, times=1, when=lambda _: refused.hits > 0)
        with refused, late:
            outcome = pool.submit(admin.list_offsets, wanted, timeout=SECONDS)
            cluster.wait_for_request("ListOffsets", count=2)
            cluster.move_leader("t", 1, 2)
            assert len(outcome.result(SECONDS)) == 2
        asked = [str(each.body).count("partition_index") for each in cluster.requests("ListOffsets")]
        assert asked == [2, 2, 1]
