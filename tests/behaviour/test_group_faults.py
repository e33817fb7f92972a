"""Groups whose coordinator fails, moves, or falls silent: on the embedded broker, which can be told to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from kafkars.errors import (
    CommitFailedError,
    ConsumerStuckError,
    GroupAuthorizationFailedError,
    KafkaError,
    ProtocolError,
    UnsupportedByBrokerError,
)
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

from tests.brokers import Broker
from tests.support.clients import Clients, numbers, read, values
from tests.support.groups import Group, assigned, native, poll_until
from tests.support.waiting import SECONDS, eventually

HEARTBEAT = {"classic": "Heartbeat", "consumer": "ConsumerGroupHeartbeat"}
JOIN = {"classic": "JoinGroup", "consumer": "ConsumerGroupHeartbeat"}


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A cluster of this test alone."""
    with EmbeddedCluster() as started:
        yield Broker("embedded", started)


def test_members_that_were_thrown_out_hear_of_the_loss_and_join_again(group: Group) -> None:
    heard: list[tuple[str, int]] = []
    # For the coordinator the old member lives until its session ends, and the new one waits for that.
    classic = {"session_timeout_ms": 6000} if group.protocol == "classic" else {}
    member = group.member(enable_auto_commit=False, **classic)
    member.subscribe(
        [group.topic],
        on_partitions_assigned=lambda partitions: heard.append(("assigned", len(partitions))),
        on_partitions_revoked=lambda partitions: heard.append(("revoked", len(partitions))),
        on_partitions_lost=lambda partitions: heard.append(("lost", len(partitions))),
    )
    read(member, 8)
    with group.clients.broker.handle.intercept(HEARTBEAT[group.protocol], "UNKNOWN_MEMBER_ID", times=1):
        poll_until([member], lambda: len(heard) >= 3, "the loss and the next assignment")
    assert [each for each in heard if each[1]] == [("assigned", 4), ("lost", 4), ("assigned", 4)]


def test_who_lost_partitions_cannot_commit_for_them(group: Group) -> None:
    """Also before the application has heard of the loss: another member may have committed more by then."""
    member = group.member(enable_auto_commit=False)
    member.subscribe([group.topic])
    read(member, 40)
    with group.clients.broker.handle.intercept(HEARTBEAT[group.protocol], "UNKNOWN_MEMBER_ID", times=1):
        identity = member.group_metadata().member_id, member.group_metadata().generation_id
        eventually(
            lambda: (member.group_metadata().member_id, member.group_metadata().generation_id) != identity,
            "the coordinator's refusal",
        )
    with pytest.raises(CommitFailedError, match=r"given the partitions away"):
        member.commit()
    assert member.committed([(group.topic, partition) for partition in range(4)]) == {}


def test_a_coordinator_that_moves_is_found_again(group: Group) -> None:
    cluster = group.clients.broker.handle
    member = group.reader()
    records = read(member, 12)
    before = cluster.coordinator(group.group_id)
    for node in {1, 2, 3} - {before}:
        cluster.move_coordinator(group.group_id, node)
        member.commit(timeout=10)
        records += member.poll_batch(max_records=7, timeout=10)
    records += read(member, 40 - len(records))
    assert sorted(values(records)) == sorted(numbers(10) * 4)


def test_a_coordinator_that_goes_down_is_replaced(group: Group) -> None:
    cluster = group.clients.broker.handle
    member = group.reader()
    records = read(member, 5)
    gone = cluster.coordinator(group.group_id)
    cluster.kill_node(gone)
    cluster.fence_node(gone)
    assert member.commit(timeout=15)
    assert cluster.coordinator(group.group_id) != gone
    # It led a partition that has no copy elsewhere.
    cluster.start_node(gone)
    records += read(member, 35)
    assert sorted(values(records)) == sorted(numbers(10) * 4)


def test_a_watchdog_turns_silence_into_an_exception(group: Group) -> None:
    member = group.member(stuck_timeout_ms=3000, auto_commit_interval_ms=3_600_000)
    member.subscribe([group.topic])
    read(member, 40)
    assert member.health().stuck_since is None
    with (
        group.clients.broker.handle.intercept(None, "drop"),
        pytest.raises(ConsumerStuckError, match=r"stuck_timeout_ms=3000") as caught,
    ):
        member.poll(None)
    assert isinstance(caught.value, TimeoutError)
    assert native(member).health().stuck_since >= 2.9


def test_without_a_watchdog_health_tells_since_when_nothing_is_heard(group: Group) -> None:
    member = group.reader(request_timeout_ms=2000)
    read(member, 40)
    with group.clients.broker.handle.intercept(None, "drop"):
        stuck = eventually(lambda: native(member).health().stuck_since, "silence that is noticed")
        assert stuck > 1
    eventually(lambda: member.poll_batch(timeout=0.1) is not None and member.health().stuck_since is None, "an answer")


def test_a_group_the_user_may_not_use_is_named(group: Group) -> None:
    with group.clients.broker.handle.intercept(JOIN[group.protocol], "GROUP_AUTHORIZATION_FAILED"):
        member = group.reader()
        with pytest.raises(GroupAuthorizationFailedError, match=f'group "{group.group_id}"'):
            poll_until([member], lambda: False, "the refusal")


def test_a_commit_that_the_broker_had_but_did_not_confirm_is_made_again(group: Group) -> None:
    member = group.member(enable_auto_commit=False)
    member.subscribe([group.topic])
    read(member, 40)
    with group.clients.broker.handle.intercept("OffsetCommit", "disconnect_after", times=2) as fault:
        assert len(member.commit(timeout=10)) == 4
    assert fault.hits == 2
    assert member.committed((group.topic, 0))[group.topic, 0].offset == 10


@pytest.mark.parametrize("code", ["COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "REBALANCE_IN_PROGRESS"])
def test_commits_outlast_what_passes(group: Group, code: str) -> None:
    member = group.member(enable_auto_commit=False)
    member.subscribe([group.topic])
    read(member, 40)
    with group.clients.broker.handle.intercept("OffsetCommit", code, times=2):
        assert len(member.commit(timeout=10)) == 4


def test_offsets_of_an_open_transaction_are_waited_for(group: Group) -> None:
    member = group.member()
    with group.clients.broker.handle.intercept("OffsetFetch", "UNSTABLE_OFFSET_COMMIT", times=2) as fault:
        assert member.committed((group.topic, 0), timeout=10) == {}
    assert fault.hits == 2


def test_leaving_tells_why(group: Group) -> None:
    """KIP-800, which the coordinator writes to its log."""
    member = group.reader()
    assigned(member, 4)
    member.close()
    broker = group.clients.broker.handle
    if group.protocol == "consumer":
        broker.wait_for_request("ConsumerGroupHeartbeat", count=2)
        return
    request = broker.wait_for_request("LeaveGroup")
    assert request.version >= 5


@pytest.mark.parametrize("protocol", ["consumer"], indirect=True)
def test_brokers_without_the_consumer_protocol_are_told_apart(client_api: Any, protocol: str) -> None:
    with EmbeddedBroker(topics={"t": 1}, version="3.9") as old:
        made = Clients(Broker("embedded", old), client_api)
        member = made.consumer(group_id="g", group_protocol=protocol)
        member.subscribe(["t"])
        with pytest.raises(UnsupportedByBrokerError, match=r'group_protocol="consumer".*Kafka 4\.0'):
            poll_until([member], lambda: False, "the refusal")
        made.close()
    assert issubclass(UnsupportedByBrokerError, KafkaError)


def test_a_commit_does_not_wait_for_a_coordinator_that_is_silent_for_a_session(clients: Clients) -> None:
    """Its connections stay open and nothing comes back, as when the process is stopped; another coordinates by then."""
    group = Group(clients, "classic", partitions=1)
    # Without a session it would wait as long as any request.
    silent_for = {"session_timeout_ms": 6_000, "request_timeout_ms": 60_000}
    member = group.reader(enable_auto_commit=False, **silent_for)
    read(member, 10)
    cluster = clients.broker.handle
    # Not the one that it reads from.
    silent = next(node for node in cluster.nodes if node != cluster.leader(group.topic, 0))
    cluster.move_coordinator(group.group_id, silent)
    eventually(lambda: member.commit(timeout=SECONDS), "a commit where the group has moved to")
    cluster.pause_node(silent)
    cluster.fence_node(silent)

    def committed() -> bool:
        # The partition is lost with the session; then it is read again, and committed to the next coordinator.
        with suppress(CommitFailedError):
            if member.commit(timeout=SECONDS):
                return True
        member.poll_batch(timeout=0.1)
        return False

    eventually(committed, "a commit to the next coordinator")


def two_members(group: Group) -> list[Any]:
    """Two members that have their share, whose sessions are long."""
    long_session = {"session_timeout_ms": 45_000} if group.protocol == "classic" else {}
    members = [group.member(client_id=name, **long_session) for name in ("first", "second")]
    for member in members:
        member.subscribe([group.topic])
    poll_until(members, lambda: all(len(each.assignment()) == 2 for each in members), "two partitions each")
    return members


# Codes without a rule of their own, and one that is in no table.
@pytest.mark.parametrize("fault", ["UNKNOWN_SERVER_ERROR", "9999", "FENCED_INSTANCE_ID", "INVALID_REQUEST"])
def test_one_unexpected_answer_holds_up_nobody(group: Group, fault: str) -> None:
    """The member keeps its place, or gives it up: the group does not wait until its session ends."""
    members = two_members(group)
    raised: list[KafkaError] = []

    def poll(member: Any) -> None:
        try:
            member.poll_batch(timeout=0.02)
        except KafkaError as error:
            raised.append(error)

    def are_back() -> bool:
        for member in members:
            poll(member)
        return bool(raised) and all(len(each.assignment()) == 2 for each in members)

    with group.clients.broker.handle.intercept(HEARTBEAT[group.protocol], fault, times=1):
        eventually(are_back, "both have their share again", seconds=20)
    assert len(raised) == 1, raised
    assert not raised[0].fatal, "the member goes on"


def test_a_member_that_ends_after_an_unexpected_answer_frees_its_place(group: Group) -> None:
    first, second = two_members(group)
    api, handle = HEARTBEAT[group.protocol], group.clients.broker.handle
    with (
        handle.intercept(api, "UNKNOWN_SERVER_ERROR", times=1, when=lambda request: request.client_id == "first"),
        pytest.raises(KafkaError, match="UNKNOWN_SERVER_ERROR"),
    ):
        poll_until([first], lambda: False, "the refusal")
    first.close()
    poll_until([second], lambda: len(second.assignment()) == 4, "all four partitions", seconds=20)


def test_a_goodbye_that_is_refused_is_said_again(group: Group) -> None:
    first, second = two_members(group)
    api = {"classic": "LeaveGroup", "consumer": "ConsumerGroupHeartbeat"}[group.protocol]
    first.poll(0)
    with group.clients.broker.handle.intercept(
        api, "UNKNOWN_SERVER_ERROR", times=1, when=lambda request: request.client_id == "first"
    ):
        first.close()
    poll_until([second], lambda: len(second.assignment()) == 4, "all four partitions", seconds=20)


def test_who_has_no_instance_id_loses_nothing_with_it(group: Group) -> None:
    member = group.reader(enable_auto_commit=False)
    read(member, 40)
    handle = group.clients.broker.handle
    with handle.intercept("OffsetCommit", "FENCED_INSTANCE_ID", times=1), pytest.raises(KafkaError) as caught:
        member.commit(timeout=10)
    assert "FENCED_INSTANCE_ID" in str(caught.value)
    assert isinstance(caught.value, ProtocolError)
    assert not caught.value.fatal
    assert len(member.commit(timeout=10)) == 4
    assert len(member.assignment()) == 4


@pytest.mark.parametrize("protocol", ["consumer"], indirect=True)
@pytest.mark.parametrize("code", ["UNSUPPORTED_ASSIGNOR", "GROUP_AUTHORIZATION_FAILED", "GROUP_MAX_SIZE_REACHED"])
def test_who_is_refused_for_good_joins_again_when_it_subscribes_again(group: Group, code: str) -> None:
    """As in Java's client. Until then each poll raises why, and nobody is asked."""
    with group.clients.broker.handle.intercept("ConsumerGroupHeartbeat", code) as refused:
        member = group.reader()
        for _ in range(3):
            with pytest.raises(KafkaError, match=code) as caught:
                poll_until([member], lambda: False, "the refusal")
            assert (caught.value.fatal, caught.value.retriable) == (True, False)
        assert refused.hits == 1
    member.subscribe([group.topic])
    poll_until([member], lambda: len(member.assignment()) > 0, "partitions")
