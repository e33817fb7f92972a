"""What was accepted before `close()` is done, or reported, within the time that `close()` has."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import TopicPartition
from kafkars.errors import AuthorizationError, CommitFailedError, KafkaTimeoutError
from kafkars.testing import EmbeddedCluster

from tests.brokers import Broker
from tests.support.clients import Clients, numbers, read, values
from tests.support.groups import Group, assigned
from tests.support.waiting import SECONDS, eventually

WAYS = ["by hand", "subscribed"]


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A cluster of this test alone."""
    with EmbeddedCluster() as started:
        yield Broker("embedded", started)


def reading(group: Group, way: str) -> Any:
    """A consumer that owns all partitions, one way or the other, and has committed before."""
    member = group.member(enable_auto_commit=False)
    if way == "by hand":
        member.assign([(group.topic, partition) for partition in range(4)])
    else:
        member.subscribe([group.topic])
        assigned(member, 4)
    member.commit({(group.topic, 0): 1})
    return member


def committed(group: Group, partition: int = 0) -> int | None:
    """What the group has committed."""
    place = TopicPartition(group.topic, partition)
    found = group.member().committed(place).get(place)
    return None if found is None else found.offset


def end(member: Any, group: Group, timeout: float) -> tuple[list[Any], float]:
    """Commits three times without waiting and closes at once: what the callbacks hear, and how long it takes."""
    heard: list[Any] = []
    for offset in (5, 6, 7):
        member.commit_async({(group.topic, 0): offset}, lambda offsets, error: heard.append((offsets, error)))
    started = time.monotonic()
    member.close(timeout)
    took = time.monotonic() - started
    return [(offsets[group.topic, 0].offset, error) for offsets, error in heard], took


@pytest.mark.parametrize("way", WAYS)
def test_by_a_slow_coordinator_commits_are_made_before_the_end(group: Group, way: str) -> None:
    member = reading(group, way)
    with group.clients.broker.handle.intercept("OffsetCommit", "delay", seconds=1.0, times=2):
        heard, _ = end(member, group, 20)
    assert heard == [(5, None), (6, None), (7, None)]
    assert committed(group) == 7


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", ["disconnect", "disconnect_after", "COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR"])
def test_by_a_coordinator_in_trouble_commits_are_made_before_the_end(group: Group, way: str, fault: str) -> None:
    member = reading(group, way)
    with group.clients.broker.handle.intercept("OffsetCommit", fault, times=2):
        heard, _ = end(member, group, 20)
    assert heard == [(5, None), (6, None), (7, None)]
    assert committed(group) == 7


@pytest.mark.parametrize("way", WAYS)
def test_by_a_coordinator_that_moves_commits_are_made_before_the_end(group: Group, way: str) -> None:
    member = reading(group, way)
    cluster = group.clients.broker.handle
    cluster.move_coordinator(group.group_id, next(iter({1, 2, 3} - {cluster.coordinator(group.group_id)})))
    heard, _ = end(member, group, 20)
    assert heard == [(5, None), (6, None), (7, None)]
    assert committed(group) == 7


def test_an_end_that_was_not_waited_for_does_not_end_a_later_one(group: Group) -> None:
    """`unsubscribe()` runs out of time, and the application has not heard of its end yet when it closes."""
    member = reading(group, "subscribed")
    cluster = group.clients.broker.handle
    goodbye = {"classic": "LeaveGroup", "consumer": "ConsumerGroupHeartbeat"}[group.protocol]
    with cluster.intercept(goodbye, "delay", seconds=0.5, times=1) as fault:
        member.unsubscribe(timeout=0.2)
        eventually(lambda: fault.hits == 1, "the goodbye is under way")
    member.subscribe([group.topic])
    eventually(lambda: member.health().state == "stable", "the member is back")
    with cluster.intercept("OffsetCommit", "delay", seconds=1.0, times=2):
        heard, _ = end(member, group, 20)
    assert heard == [(5, None), (6, None), (7, None)]
    assert committed(group) == 7


def finished(group: Group, way: str) -> Any:
    """A consumer that has read everything and commits at its end."""
    member = group.member(enable_auto_commit=True, auto_commit_interval_ms=60_000)
    if way == "by hand":
        member.assign([(group.topic, partition) for partition in range(4)])
    else:
        member.subscribe([group.topic])
    read(member, 40)
    return member


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("timeout", [0.0, 2.0])
def test_a_last_commit_without_an_outcome_is_an_error(group: Group, way: str, timeout: float) -> None:
    """What `close()` commits by itself is committed when it returns, or it says so."""
    member = finished(group, way)
    with group.clients.broker.handle.intercept(None, "drop"), pytest.raises(KafkaTimeoutError, match="not committed"):
        member.close(timeout)
    assert member.closed
    member.close(0)


@pytest.mark.parametrize("way", WAYS)
def test_a_last_commit_that_is_refused_is_an_error(group: Group, way: str) -> None:
    member = finished(group, way)
    fault = group.clients.broker.handle.intercept("OffsetCommit", "GROUP_AUTHORIZATION_FAILED")
    with fault, pytest.raises(AuthorizationError, match="GROUP_AUTHORIZATION_FAILED"):
        member.close(10)
    assert member.closed


@pytest.mark.parametrize("way", WAYS)
def test_an_exception_of_a_block_counts_more_than_one_of_its_end(
    group: Group, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    member = finished(group, way)
    native = getattr(member, "_client", member)
    heard: list[Any] = []
    native.commit_async({(group.topic, 0): 3}, lambda *_: heard.append(1) or 1 / 0)

    async def asynchronous() -> None:
        async with native:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        if group.clients.api.name == "sync":
            with native:
                raise KeyError("mine")
        member._loop.run_until_complete(asynchronous())
    assert heard
    assert member.closed
    assert "division by zero" in caplog.text


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("raises", ["callback", "listener"])
def test_an_exception_at_the_end_keeps_nobody_from_hearing_the_truth(group: Group, way: str, raises: str) -> None:
    member = group.member(enable_auto_commit=raises == "listener", auto_commit_interval_ms=60_000)

    def fail(*_: Any) -> None:
        raise ZeroDivisionError(raises)

    if way == "by hand":
        member.assign([(group.topic, partition) for partition in range(4)])
    else:
        member.subscribe([group.topic], on_partitions_revoked=fail if raises == "listener" else None)
        assigned(member, 4)
    heard: list[Any] = []
    with group.clients.broker.handle.intercept("OffsetCommit", "delay", seconds=0.5, times=2):
        if raises == "callback":
            member.commit_async({(group.topic, 0): 3}, fail)
        member.commit_async({(group.topic, 0): 5}, lambda _, error: heard.append(error))
        member.commit_async({(group.topic, 0): 7}, lambda _, error: heard.append(error))
        try:
            member.close(20)
        except ZeroDivisionError:
            assert (raises, way) != ("listener", "by hand")
        else:
            assert (raises, way) == ("listener", "by hand")
    assert heard == [None, None]
    # Where commits are automatic the position comes last.
    assert raises == "listener" or committed(group) == 7


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("timeout", [0.0, 3.0])
def test_without_a_coordinator_callbacks_hear_so_before_the_end(group: Group, way: str, timeout: float) -> None:
    member = reading(group, way)
    with group.clients.broker.handle.intercept(None, "drop"):
        heard, took = end(member, group, timeout)
    assert took < timeout + SECONDS / 2
    assert [offset for offset, _ in heard] == [5, 6, 7]
    assert all(isinstance(error, KafkaTimeoutError) for _, error in heard), heard


def test_a_commit_that_is_awaited_later_is_made_by_the_call(group: Group) -> None:
    """A task that commits and one that closes: the commit was made first. A synchronous one has ended when it
    returns."""
    member = reading(group, "by hand")
    if group.clients.api.name == "sync":
        member.commit({(group.topic, 0): 9})
        member.close()
        assert committed(group) == 9
        return
    native = member._client

    async def commit_and_close() -> Any:
        pending = native.commit({(group.topic, 0): 9})
        await native.close()
        return await pending

    member._loop.run_until_complete(commit_and_close())
    assert committed(group) == 9


def test_a_member_commits_only_what_it_owns(group: Group) -> None:
    """Another member reads the rest, or will: it starts from what is committed."""
    member = reading(group, "subscribed")
    other = group.clients.broker.new_topic(1)
    with pytest.raises(CommitFailedError, match=r"not assigned to this member of group"):
        member.commit({(other, 0): 1})
    heard: list[Any] = []
    member.commit_async({(other, 0): 1, (group.topic, 0): 3}, lambda _, error: heard.append(error))
    member.close()
    assert [type(error) for error in heard] == [CommitFailedError]
    assert committed(group) == 1
    # Whoever does not subscribe sets what it likes.
    by_hand = group.member()
    assert by_hand.commit({(other, 0): 1})


def test_who_waits_for_the_topics_of_a_pattern_is_no_outsider(group: Group) -> None:
    """Before it is a member it owns nothing, and commits nothing."""
    with group.clients.broker.handle.intercept("Metadata", "delay", seconds=0.5):
        member = group.member(enable_auto_commit=False)
        member.subscribe(pattern=f"{group.topic}")
        with pytest.raises(CommitFailedError, match=r"not assigned to this member of group"):
            member.commit({(group.topic, 0): 3})
        heard: list[Any] = []
        member.commit_async({(group.topic, 0): 3}, lambda _, error: heard.append(error))
        member.close()
    assert [type(error) for error in heard] == [CommitFailedError]
    assert committed(group) is None


@pytest.mark.parametrize("protocol", ["consumer"], indirect=True)
@pytest.mark.parametrize("fault", ["UNKNOWN_TOPIC_ID", "disconnect", "LEADER_NOT_AVAILABLE"])
def test_topics_of_a_pattern_are_looked_up_until_they_are_found(clients: Clients, protocol: str, fault: str) -> None:
    group = Group(clients, protocol)
    member = group.member(metadata_max_age_ms=600_000)
    with clients.broker.handle.intercept("Metadata", fault, times=6):
        member.subscribe(pattern=f"{group.topic}")
        assert sorted(values(read(member, 40))) == sorted(numbers(10) * 4)
