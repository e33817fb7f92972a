"""Consumers that share the partitions of a topic as members of a group."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from kafkars import OffsetAndMetadata, TopicPartition
from kafkars.errors import (
    ClientStateError,
    InvalidArgumentError,
    InvalidRegularExpressionError,
    InvalidTopicError,
    NotAssignedError,
)

from tests.support.clients import Clients, numbers, read, values
from tests.support.groups import Group, closing, poll_until
from tests.support.waiting import SECONDS


def test_a_member_alone_reads_everything_and_commits_when_it_leaves(group: Group) -> None:
    with closing(group.reader()) as member:
        assert sorted(values(read(member, 40))) == sorted(numbers(10) * 4)
        assert len(member.assignment()) == 4
    committed = group.member().committed([(group.topic, partition) for partition in range(4)])
    assert [each.offset for each in committed.values()] == [10] * 4


def test_members_share_the_partitions_and_the_rest_takes_over(group: Group) -> None:
    first = group.reader()
    poll_until([first], lambda: len(first.assignment()) == 4, "all partitions for the only member")
    second = group.reader()
    both = [first, second]
    poll_until(both, lambda: [len(each.assignment()) for each in both] == [2, 2], "two partitions for each")
    assert not first.assignment() & second.assignment()
    second.close()
    poll_until([first], lambda: len(first.assignment()) == 4, "all partitions for the one that stays")


def test_nothing_is_read_twice_when_a_member_joins(group: Group) -> None:
    first = group.reader()
    records = read(first, 20)
    second = group.reader()
    both = [first, second]
    records += poll_until(both, lambda: [len(each.assignment()) for each in both] == [2, 2], "two partitions for each")
    deadline = time.monotonic() + SECONDS
    while len(records) < 40 and time.monotonic() < deadline:
        records += first.poll_batch(timeout=0.02)
        records += second.poll_batch(timeout=0.02)
    places = [(record.partition, record.offset) for record in records]
    assert sorted(places) == [(partition, offset) for partition in range(4) for offset in range(10)]


def test_a_new_member_starts_where_the_group_has_committed(group: Group) -> None:
    partition = TopicPartition(group.topic, 0)
    writer = group.member(enable_auto_commit=False)
    writer.assign([partition])
    committed = OffsetAndMetadata(7, "half way", 0)
    assert writer.commit({partition: committed}) == {partition: committed}
    assert writer.committed([partition, (group.topic, 1)]) == {partition: committed}
    writer.close()
    reader = group.reader()
    records = [record for record in read(reader, 33) if record.partition == 0]
    assert [record.offset for record in records] == [7, 8, 9]


def test_commits_take_records_numbers_and_nothing(group: Group) -> None:
    partition = TopicPartition(group.topic, 2)
    member = group.member()
    member.assign([partition])
    record = read(member, 1)[0]
    assert member.commit(record)[partition].offset == 1
    assert member.commit({partition: 5})[partition].offset == 5
    read(member, 9)
    assert member.commit()[partition].offset == 10
    assert member.committed(partition)[partition].offset == 10


def test_a_commit_without_waiting_calls_back_in_a_later_poll(group: Group) -> None:
    member = group.member()
    member.assign([(group.topic, 0)])
    read(member, 4)
    heard: list[Any] = []
    member.commit_async(callback=lambda offsets, error: heard.append((offsets, error)))
    poll_until([member], lambda: bool(heard), "the callback")
    ((offsets, error),) = heard
    assert error is None
    assert offsets[group.topic, 0].offset == 4


def test_automatic_commits_leave_out_what_the_latest_poll_handed_out(group: Group) -> None:
    member = group.member(auto_commit_interval_ms=50)
    partition = TopicPartition(group.topic, 0)
    member.assign([partition])
    read(member, 3)  # in one call, or several; the last one is not finished
    handed_out = member.position(partition)
    last = member.poll_batch(max_records=2, timeout=SECONDS)
    assert len(last) == 2
    deadline = time.monotonic() + SECONDS
    while (found := member.committed(partition).get(partition)) is None or found.offset < handed_out:
        assert time.monotonic() < deadline
    assert found.offset == handed_out


def test_listeners_hear_of_every_change(group: Group) -> None:
    heard: list[tuple[str, int]] = []
    member = group.member()
    member.subscribe(
        [group.topic],
        on_partitions_assigned=lambda partitions: heard.append(("assigned", len(partitions))),
        on_partitions_revoked=lambda partitions: heard.append(("revoked", len(partitions))),
    )
    poll_until([member], lambda: len(member.assignment()) == 4, "all partitions")
    member.unsubscribe()
    assert [each for each in heard if each[1]] == [("assigned", 4), ("revoked", 4)]
    assert member.subscription() == frozenset()
    assert member.assignment() == frozenset()
    member.subscribe(group.topic)
    poll_until([member], lambda: len(member.assignment()) == 4, "all partitions again")


def test_a_pattern_reads_topics_that_come_later(clients: Clients, protocol: str) -> None:
    group = Group(clients, protocol, partitions=1)
    prefix = f"pattern-{group.topic}"
    member = group.member(metadata_max_age_ms=300)
    member.subscribe(pattern=rf"{prefix}.*")
    later = clients.broker.new_topic(2, name=prefix)
    poll_until([member], lambda: {each.topic for each in member.assignment()} == {later}, "the new topic")


def test_seek_and_position_of_a_revoked_partition_say_so(group: Group) -> None:
    member = group.reader()
    poll_until([member], lambda: len(member.assignment()) == 4, "all partitions")
    member.unsubscribe()
    for call in (lambda: member.seek((group.topic, 0), 1), lambda: member.position((group.topic, 0))):
        with pytest.raises(NotAssignedError, match=r"is not assigned"):
            call()


def test_who_belongs_to_the_group_says_so(group: Group) -> None:
    member = group.reader()
    assert member.subscription() == {group.topic}
    poll_until([member], lambda: len(member.assignment()) == 4, "all partitions")
    metadata = member.group_metadata()
    assert metadata.group_id == group.group_id
    assert metadata.generation_id >= 1
    assert metadata.member_id
    health = member.health()
    assert health.connected
    assert (health.assigned, health.state, health.stuck_since) == (4, "stable", None)
    assert health.last_heartbeat is not None
    assert health.last_heartbeat < SECONDS
    assert set(member.lags()) == member.assignment()


def test_subscribe_and_assign_exclude_each_other(group: Group) -> None:
    member = group.reader()
    with pytest.raises(ClientStateError, match=r"unsubscribe\(\) first"):
        member.assign([(group.topic, 0)])
    # A group that has members takes no commit of somebody who assigns by hand.
    by_hand = group.member(enable_auto_commit=False)
    by_hand.assign([(group.topic, 0)])
    with pytest.raises(ClientStateError, match=r"unassign\(\) before subscribe\(\)"):
        by_hand.subscribe([group.topic])
    by_hand.unassign()
    by_hand.subscribe([group.topic])


def test_what_needs_a_group_says_so(clients: Clients, topic: str) -> None:
    consumer = clients.consumer([(topic, 0)])
    calls: list[Callable[[], Any]] = [
        lambda: consumer.subscribe([topic]),
        lambda: consumer.subscribe(pattern="a.*"),
        lambda: consumer.commit({(topic, 0): 1}),
        lambda: consumer.commit_async({(topic, 0): 1}),
        lambda: consumer.committed([(topic, 0)]),
        consumer.group_metadata,
        consumer.enforce_rebalance,
    ]
    for call in calls:
        with pytest.raises(ClientStateError, match="needs a group; name it with group_id"):
            call()


def test_arguments_that_cannot_work_are_refused(group: Group) -> None:
    member = group.member()
    with pytest.raises(InvalidArgumentError, match="not both"):
        member.subscribe([group.topic], pattern="a")
    with pytest.raises(InvalidArgumentError, match="needs topics"):
        member.subscribe()
    with pytest.raises(ClientStateError, match="at least one topic"):
        member.subscribe([])
    with pytest.raises(InvalidTopicError):
        member.subscribe(["no such/name"])
    with pytest.raises(InvalidRegularExpressionError, match="open group without closing"):
        member.subscribe(pattern="(a")
    with pytest.raises(InvalidArgumentError, match=r"offset -1 of .* must not be negative"):
        member.commit({(group.topic, 0): -1})
    with pytest.raises(TypeError, match="on_partitions_lost: expected a function"):
        member.subscribe([group.topic], on_partitions_lost=5)
    assert member.subscription() == frozenset()
