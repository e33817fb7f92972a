"""Several commits of one partition: what the application says later counts, and what is no longer its own is not
committed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
from kafkars import TopicPartition, _logging
from kafkars.errors import GroupAuthorizationFailedError, KafkaError, KafkaTimeoutError
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.clients import Clients, read
from tests.support.groups import PROTOCOLS, Group, assigned, poll_until
from tests.support.waiting import SECONDS, eventually

NEVER_MS = 3_600_000


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A broker of this test alone."""
    with EmbeddedBroker() as started:
        yield Broker("embedded", started)


def committed(group: Group) -> int | None:
    """What the group has of its first partition."""
    place = TopicPartition(group.topic, 0)
    found = group.member(enable_auto_commit=False).committed([place])
    return found[place].offset if place in found else None


@pytest.mark.parametrize("is_found", [True, False], ids=["position found", "position not found"])
@pytest.mark.parametrize("how", ["close", "unassign", "interval"])
def test_a_position_that_nothing_was_read_from_is_not_committed_over_a_commit(
    clients: Clients, how: str, is_found: bool
) -> None:
    group = Group(clients, "classic", 1)
    place = TopicPartition(group.topic, 0)
    member = group.member(auto_offset_reset="latest", auto_commit_interval_ms=10 if how == "interval" else NEVER_MS)
    member.assign([place])
    if is_found:
        assert member.position(place, timeout=5) == 10
    member.commit({place: 4})
    if member.position(place, timeout=5) == 10:
        if how == "unassign":
            member.unassign()
        if how == "interval":
            deadline = time.monotonic() + 0.1
            while time.monotonic() < deadline:
                assert not member.poll_batch(timeout=0.02)
    member.close()
    assert committed(group) == 4


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_was_read_by_hand_is_not_committed_as_a_member(clients: Clients, protocol: str) -> None:
    group = Group(clients, protocol, 1)
    place = TopicPartition(group.topic, 0)
    owner = group.reader(auto_commit_interval_ms=NEVER_MS)
    assigned(owner, 1)
    poll_until([owner], lambda: owner.position(place, timeout=5) == 10, "everything")
    owner.commit()
    guest = group.member(auto_commit_interval_ms=NEVER_MS)
    guest.assign({place: 0})
    read(guest, 3)
    assert guest.poll_batch(max_records=1, timeout=5) is not None
    guest.unassign()
    guest.subscribe([group.topic])
    poll_until([owner, guest], lambda: guest.health().state == "stable", "two members")
    assert committed(group) == 10


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_was_read_by_hand_is_committed_before_a_group_is_joined(clients: Clients, protocol: str) -> None:
    group = Group(clients, protocol, 1)
    place = TopicPartition(group.topic, 0)
    member = group.member(auto_commit_interval_ms=NEVER_MS)
    member.assign({place: 0})
    assert len(member.poll_batch(max_records=3, timeout=5)) == 3
    assert len(member.poll_batch(max_records=3, timeout=5)) == 3
    with clients.broker.handle.intercept("OffsetCommit", "delay", seconds=0.2):
        member.unassign()
        member.subscribe([group.topic])
        records = assigned(member, 1)
    records = records or read(member, 1)
    requests = clients.broker.handle.requests("OffsetCommit")
    assert [request.body["member_id"] for request in requests if request.body["group_id"] == group.group_id] == [""]
    assert records[0].offset == 3


@pytest.mark.parametrize("fault", ["drop", "GROUP_AUTHORIZATION_FAILED"])
@pytest.mark.parametrize("how", ["unassign", "assign another"])
def test_close_tells_that_what_was_given_up_is_not_committed(
    clients: Clients, fault: str, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    group = Group(clients, "classic", 2)
    member = group.member(auto_commit_interval_ms=NEVER_MS)
    member.assign({TopicPartition(group.topic, 0): 0})
    assert len(member.poll_batch(max_records=3, timeout=5)) == 3
    assert len(member.poll_batch(max_records=3, timeout=5)) == 3
    error = KafkaTimeoutError if fault == "drop" else GroupAuthorizationFailedError
    with clients.broker.handle.intercept("OffsetCommit", fault, times=None if fault == "drop" else 1):
        if how == "unassign":
            member.unassign()
        else:
            member.assign([TopicPartition(group.topic, 1)])
        try:
            member.close(timeout=2 if fault == "drop" else SECONDS)
            raised = ""
        except error as problem:
            raised = str(problem)

    # Of several commits that failed the first is raised: that of the other partition, where its position was found by
    # then. The rest is in the log, and what was refused before close() had begun.
    assert raised or fault != "drop"

    def is_told() -> bool:
        _logging.drain()
        return f"{group.topic}-0" in raised + caplog.text

    eventually(is_told, "the commit that was given up is named")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("what", ["commit", "commit and forget", "seek"])
def test_what_is_said_during_the_end_of_a_subscription_is_not_taken_back(
    clients: Clients, protocol: str, what: str
) -> None:
    group = Group(clients, protocol, 1)
    place = TopicPartition(group.topic, 0)
    member = group.reader(auto_commit_interval_ms=NEVER_MS)
    read(member, 4)
    with clients.broker.handle.intercept("FindCoordinator", "delay", seconds=0.1):
        member.unsubscribe(timeout=0)
        member.assign({place: 5})
        if what == "commit":
            member.commit({place: 7})
        elif what == "commit and forget":
            member.commit_async({place: 7})
        else:
            member.seek(place, 7)
        eventually(lambda: member.health().state == "unsubscribed", "the end of the subscription")
    member.close()
    assert committed(group) == 7


@pytest.mark.parametrize("fault", ["drop", "COORDINATOR_LOAD_IN_PROGRESS"])
def test_a_position_that_waits_for_a_commit_says_so(clients: Clients, fault: str) -> None:
    group = Group(clients, "classic", 1)
    place = TopicPartition(group.topic, 0)
    member = group.member(auto_commit_interval_ms=NEVER_MS)
    member.assign({place: 0})
    assert len(member.poll_batch(max_records=3, timeout=5)) == 3
    assert len(member.poll_batch(max_records=3, timeout=5)) == 3
    cause = r"broker \d+ \(.*\) has not answered OffsetCommit" if fault == "drop" else fault
    with clients.broker.handle.intercept("OffsetCommit", fault) as commits:
        member.unassign()
        member.assign([place])
        eventually(lambda: commits.hits, "the commit is under way")
        with pytest.raises(KafkaTimeoutError, match=f"a commit of the partition is to end first: {cause}"):
            member.position(place, timeout=1.5)
        with suppress(KafkaError):
            member.close(timeout=0)
