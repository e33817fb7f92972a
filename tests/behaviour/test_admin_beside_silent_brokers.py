"""A broker that does not answer keeps an administrator's call only from what that broker alone knows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import pytest
from kafkars import Producer
from kafkars.admin import ConfigResource
from kafkars.errors import KafkaTimeoutError
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

from tests.support.waiting import SECONDS

NODES = (1, 2, 3)
SILENT = 2
TIMEOUT = 3.0
"""Seconds for a call: what the silent broker alone knows is waited for that long."""


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedCluster(nodes=len(NODES), topics={"t": 3}) as made:
        yield made


@pytest.fixture(params=[500, 30_000], ids=["soon", "late"])
def admin(broker: EmbeddedBroker, client_api: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Its `request_timeout_ms` is over before the time of a call, or long after it.

    The silent broker may be the one that is asked what any other could answer.
    """
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers, request_timeout_ms=request.param) as made:
        made.describe_cluster()
        yield made


def by_node(broker: EmbeddedBroker, count: int, kind: Any) -> dict[int, list[str]]:
    """Names of groups or transactions, by their coordinators."""
    names: dict[int, list[str]] = {node: [] for node in NODES}
    for number in range(count):
        node = NODES[number % len(NODES)]
        name = f"{kind}-{number}"
        broker.move_coordinator(name, node, kind=kind)
        names[node].append(name)
    return names


def failed(outcomes: dict[Any, Any]) -> set[Any]:
    return {key for key, outcome in outcomes.items() if isinstance(outcome, KafkaTimeoutError)}


@pytest.mark.parametrize("call", ["describe_groups", "list_group_offsets", "delete_groups"])
def test_groups_of_other_coordinators_are_answered(broker: EmbeddedBroker, admin: Any, call: str) -> None:
    # Their coordinators are not found one after another: a silent broker would be asked for each.
    groups = by_node(broker, 21, "group")
    for group in chain(*groups.values()):
        admin.alter_group_offsets(group, {("t", 0): 0})
    broker.pause_node(SILENT)
    # The first one asked about is of the silent broker.
    order = [*groups[SILENT], *groups[1], *groups[3]]
    started = time.monotonic()
    outcomes = getattr(admin, call)(order, timeout=TIMEOUT, return_exceptions=True)
    assert time.monotonic() - started < TIMEOUT + 5
    assert list(outcomes) == order
    assert failed(outcomes) == set(groups[SILENT])
    assert not [
        one for one in outcomes.values() if isinstance(one, Exception) and not isinstance(one, KafkaTimeoutError)
    ]


@pytest.mark.parametrize("admin", [30_000], ids=["late"], indirect=True)
def test_what_a_call_had_no_time_to_ask_for_is_not_done_later(broker: EmbeddedBroker, admin: Any) -> None:
    """A coordinator that goes on again answers what it has got meanwhile."""
    groups = by_node(broker, 9, "group")
    for group in groups[SILENT]:
        admin.alter_group_offsets(group, {("t", 0): 0})
    broker.pause_node(SILENT)
    outcomes = admin.delete_groups(groups[SILENT], timeout=1.5, return_exceptions=True)
    assert failed(outcomes) == set(groups[SILENT])
    others = [group for group in groups[SILENT] if "no time was left behind DeleteGroups" in str(outcomes[group])]
    assert len(others) == len(groups[SILENT]) - 1
    broker.resume_node(SILENT)
    described = admin.describe_groups(others, timeout=SECONDS)
    assert {one.state for one in described.values()} == {"Empty"}


def test_transactions_of_other_coordinators_are_described(broker: EmbeddedBroker, admin: Any) -> None:
    transactions = by_node(broker, 3, "transaction")
    for name in chain(*transactions.values()):
        with Producer(bootstrap_servers=broker.bootstrap_servers, transactional_id=name) as producer:
            producer.init_transactions()
    broker.pause_node(SILENT)
    order = [*transactions[SILENT], *transactions[1], *transactions[3]]
    outcomes = admin.describe_transactions(order, timeout=TIMEOUT, return_exceptions=True)
    assert failed(outcomes) == set(transactions[SILENT])


def test_log_directories_of_other_brokers_are_described(broker: EmbeddedBroker, admin: Any) -> None:
    broker.pause_node(SILENT)
    outcomes = admin.describe_log_dirs([SILENT, 1, 3], timeout=TIMEOUT, return_exceptions=True)
    assert failed(outcomes) == {SILENT}
    assert set(outcomes) == set(NODES)


@pytest.mark.parametrize("call", ["describe_configs", "alter_configs"])
def test_settings_of_other_brokers_are_answered(broker: EmbeddedBroker, admin: Any, call: str) -> None:
    broker.pause_node(SILENT)
    order = [ConfigResource("broker", str(node)) for node in (SILENT, 1, 3)]
    limits = {"timeout": TIMEOUT, "return_exceptions": True}
    match call:
        case "describe_configs":
            outcomes = admin.describe_configs(order, **limits)
        case _:
            outcomes = admin.alter_configs({each: {"log.cleaner.threads": "2"} for each in order}, **limits)
    assert list(outcomes) == order
    assert failed(outcomes) == {order[0]}


def leaders(admin: Any) -> dict[tuple[str, int], int]:
    described = admin.describe_topics(["t"])["t"]
    return {("t", number): info.leader for number, info in enumerate(described.partitions)}


@pytest.mark.parametrize("call", ["list_offsets", "delete_records"])
def test_partitions_of_other_leaders_are_answered(broker: EmbeddedBroker, admin: Any, call: str) -> None:
    led = leaders(admin)
    assert set(led.values()) == set(NODES)
    silent = {of for of, node in led.items() if node == SILENT}
    order = sorted(led, key=lambda of: of not in silent)
    broker.pause_node(SILENT)
    limits = {"timeout": TIMEOUT, "return_exceptions": True}
    match call:
        case "list_offsets":
            outcomes = admin.list_offsets(dict.fromkeys(order, "latest"), **limits)
        case _:
            outcomes = admin.delete_records(dict.fromkeys(order, 0), **limits)
    assert failed(outcomes) == silent


def test_one_lost_answer_of_a_deletion_is_no_other_ones(broker: EmbeddedBroker, admin: Any) -> None:
    """What had its effect by then was asked for again, and was not there any more."""
    groups = [f"group-{number}" for number in range(30)]
    for group in groups:
        admin.alter_group_offsets(group, {("t", 0): 0})
    broker.slow_down(latency=0.02)
    with broker.intercept("DeleteGroups", "disconnect_after", times=1):
        outcomes = admin.delete_groups(groups, timeout=SECONDS, return_exceptions=True)
    assert len([one for one in outcomes.values() if one is not None]) <= 1
    broker.slow_down()
    assert admin.list_groups() == []


def test_the_new_leader_is_asked(broker: EmbeddedBroker, admin: Any) -> None:
    """It asked the old one until its time was over."""
    led = leaders(admin)
    broker.kill_node(SILENT)
    limits = {"timeout": SECONDS, "return_exceptions": True}
    with ThreadPoolExecutor() as threads:
        outcomes = threads.submit(admin.list_offsets, dict.fromkeys(led, "latest"), **limits)
        broker.wait_for_request("ListOffsets")
        assert not outcomes.done()
        broker.fence_node(SILENT)
        assert {of: found.offset for of, found in outcomes.result(SECONDS).items()} == dict.fromkeys(led, 0)


@pytest.mark.parametrize("silent", NODES)
def test_what_any_broker_can_answer_is_answered(broker: EmbeddedBroker, admin: Any, silent: int) -> None:
    groups = by_node(broker, 3, "group")
    broker.pause_node(silent)
    for _ in range(3):
        assert len(admin.describe_cluster(timeout=TIMEOUT).brokers) == len(NODES)
        assert set(admin.describe_topics(["t"], timeout=TIMEOUT)) == {"t"}
        assert admin.describe_configs([ConfigResource("topic", "t")], timeout=TIMEOUT)
        assert admin.find_coordinator(groups[silent][0], timeout=TIMEOUT) == silent


def test_what_is_named_twice_is_done_once(admin: Any) -> None:
    admin.alter_group_offsets("group", {("t", 0): 0})
    for call in (admin.describe_groups, admin.list_group_offsets, admin.delete_groups):
        outcomes = call(["group", "other", "group"], return_exceptions=True)
        assert list(outcomes) == ["group", "other"]
        assert not isinstance(outcomes["group"], Exception)


def test_a_group_without_a_coordinator_holds_up_no_other(broker: EmbeddedBroker, client_api: Any) -> None:
    groups = [f"group-{number:03}" for number in range(220)]
    lost = groups[7]
    broker.intercept("FindCoordinator", "COORDINATOR_NOT_AVAILABLE", when=lambda request: lost in str(request.body))
    broker.slow_down(latency=0.005)
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers, retry_backoff_ms=5) as admin:
        outcomes = admin.describe_groups(groups, timeout=TIMEOUT, return_exceptions=True)
    assert list(outcomes) == groups
    assert failed(outcomes) == {lost}


def test_a_failure_that_passes_is_no_reason_to_wait_for_a_silent_broker(broker: EmbeddedBroker, admin: Any) -> None:
    silent: list[int] = []

    def is_first(request: Any) -> bool:
        silent.append(request.node)
        return bool(request.node == silent[0])

    broker.move_coordinator("group", 1)
    broker.intercept("FindCoordinator", "drop", when=is_first)
    broker.intercept("FindCoordinator", "disconnect", times=2)
    started = time.monotonic()
    assert admin.find_coordinator("group", timeout=SECONDS) == 1
    assert time.monotonic() - started < SECONDS / 2


FENCED: dict[str, Any] = {
    "ConsumerGroupDescribe": lambda admin, groups, _: admin.describe_groups(groups, timeout=SECONDS),
    "ListOffsets": lambda admin, _, places: admin.list_offsets(dict.fromkeys(places, "latest"), timeout=SECONDS),
}


@pytest.mark.parametrize("api", FENCED)
def test_a_silent_broker_that_leaves_the_cluster_holds_up_nothing(
    broker: EmbeddedBroker, client_api: Any, api: str
) -> None:
    """What it coordinated and led has gone to others, while the call waits for its answer."""
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        groups = list(chain(*by_node(broker, 30, "group").values()))
        for group in groups:
            admin.alter_group_offsets(group, {("t", 0): 0})
        places = sorted(leaders(admin))
        with broker.intercept(None, "drop", node=SILENT), ThreadPoolExecutor(1) as pool:
            started = time.monotonic()
            outcome = pool.submit(FENCED[api], admin, groups, places)
            broker.wait_for_request(api, node=SILENT)
            broker.fence_node(SILENT)
            assert len(outcome.result(SECONDS)) == len(places if api == "ListOffsets" else groups)
        assert time.monotonic() - started < 5


def test_a_silent_broker_that_leaves_the_cluster_keeps_what_it_was_asked_to_change(
    broker: EmbeddedBroker, client_api: Any
) -> None:
    """It may have done it, and another one would refuse it. What it was not asked for yet goes to the next one."""
    groups = by_node(broker, 30, "group")
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        for group in chain(*groups.values()):
            admin.alter_group_offsets(group, {("t", 0): 0})
        with broker.intercept(None, "drop", node=SILENT), ThreadPoolExecutor(1) as pool:
            asked = list(chain(*groups.values()))
            outcome = pool.submit(admin.delete_groups, asked, timeout=TIMEOUT, return_exceptions=True)
            broker.wait_for_request("DeleteGroups", node=SILENT)
            broker.fence_node(SILENT)
            outcomes = outcome.result(SECONDS)
        assert len(failed(outcomes) & set(groups[SILENT])) == 1
        assert sum(one is None for one in outcomes.values()) == 29


def test_a_broker_that_answers_late_is_not_asked_twice_when_it_leaves_the_cluster(
    broker: EmbeddedBroker, client_api: Any
) -> None:
    broker.move_coordinator("g", SILENT)
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        admin.alter_group_offsets("g", {("t", 0): 0})
        with broker.intercept("DeleteGroups", "delay", seconds=3.0), ThreadPoolExecutor(1) as pool:
            outcome = pool.submit(admin.delete_groups, ["g"], timeout=SECONDS)
            broker.wait_for_request("DeleteGroups", node=SILENT)
            broker.fence_node(SILENT)
            assert outcome.result(SECONDS) == {"g": None}


def test_a_broker_that_never_answered_is_left_as_well(broker: EmbeddedBroker, client_api: Any) -> None:
    """There is no connection to it yet, and what it led has other leaders."""
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        places = sorted(leaders(admin))
        broker.pause_node(SILENT)
        with ThreadPoolExecutor(1) as pool:
            started = time.monotonic()
            outcome = pool.submit(admin.list_offsets, dict.fromkeys(places, "latest"), timeout=SECONDS)
            broker.wait_for_request("ListOffsets", node=1)
            broker.fence_node(SILENT)
            assert len(outcome.result(SECONDS)) == len(places)
        assert time.monotonic() - started < 6


def test_committed_offsets_are_those_of_the_next_coordinator(broker: EmbeddedBroker, client_api: Any) -> None:
    broker.move_coordinator("g", SILENT)
    with client_api.Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="g") as consumer:
        consumer.assign([("t", 0)])
        assert consumer.committed([("t", 0)], timeout=SECONDS) == {}
        broker.forget_requests()
        with broker.intercept(None, "drop", node=SILENT), ThreadPoolExecutor(1) as pool:
            started = time.monotonic()
            outcome = pool.submit(consumer.committed, [("t", 0)], timeout=SECONDS)
            broker.wait_for_request("OffsetFetch", node=SILENT)
            broker.fence_node(SILENT)
            assert outcome.result(SECONDS) == {}
        assert time.monotonic() - started < 5


def test_partitions_that_have_moved_wait_for_no_other_ones(broker: EmbeddedBroker, client_api: Any) -> None:
    """Those of one leader have two new ones: a silent one, and one that refuses once."""
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        places = [("t", number) for number in range(3)]
        for _, number in places:
            broker.move_leader("t", number, 1)
        wanted = dict.fromkeys(places, "latest")
        admin.list_offsets(wanted)
        broker.pause_node(SILENT)
        broker.forget_requests()
        with (
            broker.intercept("ListOffsets", "NOT_LEADER_OR_FOLLOWER", node=1, times=1),
            broker.intercept("ListOffsets", "LEADER_NOT_AVAILABLE", node=3, times=1),
            ThreadPoolExecutor(1) as pool,
        ):
            outcome = pool.submit(admin.list_offsets, wanted, timeout=TIMEOUT, return_exceptions=True)
            broker.wait_for_request("ListOffsets", node=1)
            broker.move_leader("t", 0, SILENT)
            broker.move_leader("t", 1, 3)
            broker.move_leader("t", 2, 3)
            assert failed(outcome.result(SECONDS)) == {places[0]}


def test_seconds_of_silence_are_named_and_not_the_refusal_before(broker: EmbeddedBroker, client_api: Any) -> None:
    with client_api.Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        admin.describe_cluster()
        refused = broker.intercept("ListOffsets", "NOT_LEADER_OR_FOLLOWER", times=1)
        silent = broker.intercept("Metadata", "drop", when=lambda _: refused.hits > 0)
        with refused, silent:
            outcome = admin.list_offsets({("t", 0): "latest"}, timeout=TIMEOUT, return_exceptions=True)
    assert "has not answered Metadata" in str(outcome["t", 0])
