"""Assignors, static members, patterns, forced rebalances, and members of unlike settings in one group."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from kafkars import Assignor, GroupMember, TopicPartition
from kafkars.assignor import DataAssignor, MemberAssignment
from kafkars.errors import (
    AssignorError,
    ClientStateError,
    ConfigError,
    FencedInstanceIdError,
    InconsistentGroupProtocolError,
    InvalidSessionTimeoutError,
    KafkaError,
    UnsupportedAssignorError,
)

from tests.support.clients import Clients, read
from tests.support.groups import Group, assigned, poll_until
from tests.support.waiting import eventually

classic_only = pytest.mark.parametrize("protocol", ["classic"], indirect=True)
consumer_only = pytest.mark.parametrize("protocol", ["consumer"], indirect=True)


def shares(members: list[Any]) -> list[int]:
    """How many partitions each has."""
    return [len(member.assignment()) for member in members]


@pytest.mark.parametrize("assignor", ["range", "roundrobin", "sticky", "cooperative-sticky"])
@classic_only
def test_every_assignor_shares_the_partitions(group: Group, assignor: str) -> None:
    members = [group.reader(partition_assignment_strategy=assignor) for _ in range(3)]
    poll_until(members, lambda: sorted(shares(members)) == [1, 1, 2], "four partitions for three members")
    members.pop().close()
    poll_until(members, lambda: shares(members) == [2, 2], "two partitions for each")
    assert not members[0].assignment() & members[1].assignment()


@pytest.mark.parametrize("assignor", ["uniform", "range"])
@consumer_only
def test_every_assignor_of_the_coordinator_shares_the_partitions(group: Group, assignor: str) -> None:
    members = [group.reader(group_remote_assignor=assignor) for _ in range(3)]
    poll_until(members, lambda: sorted(shares(members)) == [1, 1, 2], "four partitions for three members")


@classic_only
def test_members_agree_on_an_assignor_that_all_offer(group: Group) -> None:
    members = [
        group.reader(partition_assignment_strategy=["sticky", "roundrobin"]),
        group.reader(partition_assignment_strategy=["range", "roundrobin"]),
    ]
    poll_until(members, lambda: shares(members) == [2, 2], "two partitions for each")


@classic_only
def test_a_group_moves_from_eager_to_cooperative_one_member_at_a_time(group: Group) -> None:
    """KIP-429: every member offers both first, then the old one is left out."""
    both = ["cooperative-sticky", "range"]
    steps: list[Any] = ["range", "range", both, both, "cooperative-sticky", "cooperative-sticky"]
    members: list[Any] = []
    for step in steps:
        members.append(group.reader(partition_assignment_strategy=step))
        if len(members) > 2:
            members.pop(0).close()
        wanted = [4] if len(members) == 1 else [2, 2]
        poll_until(members, lambda wanted=wanted: shares(members) == wanted, f"{wanted} with {step}")


@classic_only
def test_a_member_without_a_common_assignor_is_told_what_it_offers(group: Group) -> None:
    assigned(group.reader(partition_assignment_strategy="range"), 4)
    stranger = group.reader(partition_assignment_strategy="sticky")
    with pytest.raises(InconsistentGroupProtocolError, match=r'"sticky".*partition_assignment_strategy'):
        poll_until([stranger], lambda: False, "the refusal")


class First:
    """Gives everything to one member."""

    name = "first"

    def __init__(self) -> None:
        self.seen: list[tuple[dict[str, int], list[GroupMember]]] = []

    def assign(self, partitions: Any, members: Any) -> dict[str, list[TopicPartition]]:
        members = list(members)
        self.seen.append((dict(partitions), members))
        everything = [TopicPartition(topic, number) for topic, count in partitions.items() for number in range(count)]
        return {members[0].member_id: everything}


@classic_only
def test_an_assignor_in_python_decides(group: Group) -> None:
    assignor = First()
    assert isinstance(assignor, Assignor)
    members = [group.reader(partition_assignment_strategy=[assignor], client_rack=f"rack-{n}") for n in range(2)]
    poll_until(members, lambda: assignor.seen != [] and len(assignor.seen[-1][1]) == 2, "a rebalance of both")
    poll_until(members, lambda: sorted(shares(members)) == [0, 4], "everything for one")
    partitions, seen = assignor.seen[-1]
    assert partitions == {group.topic: 4}
    assert {member.topics for member in seen} == {(group.topic,)}
    assert {member.rack for member in seen} == {"rack-0", "rack-1"}


class Talkative:
    """Its members say their names, and hear how many they are."""

    name = "talkative"

    def __init__(self, own_name: bytes) -> None:
        self.own_name = own_name
        self.names: set[bytes | None] = set()
        self.asked: list[tuple[int, int]] = []
        self.heard: list[tuple[int, bytes | None]] = []

    def user_data(self, last: Any, generation: int) -> bytes:
        self.asked.append((len(last), generation))
        return self.own_name

    def assign(self, partitions: Any, members: Any) -> dict[str, MemberAssignment]:
        members = list(members)
        self.names = {member.user_data for member in members}
        (topic, count), *_ = partitions.items()
        return {
            member.member_id: MemberAssignment(
                [TopicPartition(topic, number) for number in range(place, count, len(members))], b"%d" % len(members)
            )
            for place, member in enumerate(members)
        }

    def on_assignment(self, partitions: Any, user_data: bytes | None) -> None:
        self.heard.append((len(partitions), user_data))


@classic_only
def test_assignors_in_python_tell_each_other_something(group: Group) -> None:
    one, two = Talkative(b"one"), Talkative(b"two")
    assert isinstance(one, DataAssignor)
    members = [group.reader(partition_assignment_strategy=[assignor]) for assignor in (one, two)]
    poll_until(members, lambda: shares(members) == [2, 2], "both have their share")
    assert {b"one", b"two"} in (one.names, two.names)
    for assignor in (one, two):
        assert assignor.asked[0] == (0, -1)
        assert assignor.heard[-1] == (2, b"2")


class Broken:
    """Fails, or answers nonsense."""

    name = "broken"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def assign(self, _: Any, members: Any) -> Any:
        return self.answer([member.member_id for member in members])


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (lambda _: 1 / 0, "division by zero"),
        (lambda _: None, "must return a mapping"),
        (lambda _: {"stranger": []}, '"stranger", which is no member'),
        (lambda ids: {ids[0]: [("no-such-topic", 0)]}, "no-such-topic"),
        (lambda ids: {ids[0]: 5}, "expected a TopicPartition, or several, .* not 5"),
    ],
)
@pytest.mark.parametrize("client_api", ["sync"], indirect=True)
@classic_only
def test_an_assignor_that_fails_is_named(group: Group, answer: Any, problem: str) -> None:
    member = group.reader(partition_assignment_strategy=[Broken(answer)])
    with pytest.raises(AssignorError, match=f'(?s)"broken".*{problem}'):
        poll_until([member], lambda: False, "the failure")


def test_a_static_member_comes_back_to_its_partitions(group: Group) -> None:
    """KIP-345: nobody else hears of a restart."""
    heard: list[Any] = []
    one = group.member(group_instance_id="one")
    one.subscribe([group.topic], on_partitions_revoked=heard.append)
    two = group.reader(group_instance_id="two")
    poll_until([one, two], lambda: shares([one, two]) == [2, 2], "two partitions for each")
    before, generation = two.assignment(), one.group_metadata().generation_id
    heard.clear()
    two.close()
    again = group.reader(group_instance_id="two")
    poll_until([again], lambda: again.assignment() == before, "the same partitions")
    assert one.poll_batch(timeout=0.05) is not None
    assert one.group_metadata().generation_id == generation
    assert one.group_metadata().group_instance_id == "one"
    assert heard == []


@classic_only
def test_of_two_members_with_one_instance_id_the_older_one_ends(group: Group) -> None:
    first = group.reader(group_instance_id="same")
    assigned(first, 4)
    second = group.reader(group_instance_id="same")
    with pytest.raises(FencedInstanceIdError, match=r'group_instance_id="same"') as caught:
        poll_until([first, second], lambda: False, "the end of one of them")
    assert caught.value.fatal
    poll_until([second], lambda: len(second.assignment()) == 4, "all partitions for the newer one")
    # Nothing would come of waiting, so no read waits.
    for read_again in (first.poll, first.poll_batch):
        for timeout in (0, 30):
            with pytest.raises(FencedInstanceIdError):
                read_again(timeout=timeout)
    # It owns nothing any more: nothing to commit is no success.
    for offsets in ({(group.topic, 0): 1}, None, {}):
        with pytest.raises(FencedInstanceIdError):
            first.commit(offsets)
        told: list[Any] = []
        first.commit_async(offsets, lambda _, error, told=told: told.append(error))
        while not told:
            with contextlib.suppress(FencedInstanceIdError):
                first.poll(timeout=0.01)
        assert [type(error) for error in told] == [FencedInstanceIdError]
    assert first.assignment() == frozenset()
    assert second.poll_batch(timeout=0.05) is not None, "the newer one is not disturbed"


@classic_only
def test_commits_name_what_has_fenced_a_member_before_a_poll_does(group: Group) -> None:
    first = group.reader(group_instance_id="same", enable_auto_commit=False)
    assigned(first, 4)
    second = group.reader(group_instance_id="same")
    assigned(second, 4)
    eventually(lambda: first.health().state == "failed", "the heartbeats of the older one are refused")
    with pytest.raises(FencedInstanceIdError, match=r'group_instance_id="same"'):
        first.commit({(group.topic, 0): 1})


@classic_only
def test_a_member_that_was_fenced_can_subscribe_again_or_leave(group: Group) -> None:
    def fenced() -> tuple[Any, Any]:
        older = group.reader(group_instance_id="same", enable_auto_commit=False)
        assigned(older, 4)
        newer = group.reader(group_instance_id="same", enable_auto_commit=False)
        with pytest.raises(FencedInstanceIdError):
            poll_until([older, newer], lambda: False, "the end of one of them")
        return older, newer

    older, newer = fenced()
    older.subscribe([group.topic])
    with pytest.raises(FencedInstanceIdError):
        poll_until([older, newer], lambda: False, "the end of the other")
    assigned(older, 4)
    with pytest.raises(FencedInstanceIdError):
        newer.poll(timeout=30)
    newer.unsubscribe()
    with pytest.raises(ClientStateError):
        newer.poll(timeout=0)
    newer.assign([TopicPartition(group.topic, 0)])
    assert len(read(newer, 1)) == 1


@classic_only
def test_a_rebalance_can_be_forced(group: Group) -> None:
    member = group.reader()
    assigned(member, 4)
    generation = member.group_metadata().generation_id
    member.enforce_rebalance("new weights")
    poll_until([member], lambda: member.group_metadata().generation_id > generation, "another generation")


@consumer_only
def test_forcing_a_rebalance_is_the_coordinators_with_the_consumer_protocol(group: Group) -> None:
    member = group.reader()
    assigned(member, 4)
    with pytest.raises(ClientStateError, match=r'group_protocol="classic"'):
        member.enforce_rebalance()


@pytest.mark.parametrize("client_api", ["sync"], indirect=True)
def test_a_pattern_follows_topics_that_come(clients: Clients, protocol: str) -> None:
    group = Group(clients, protocol, partitions=1)
    prefix = f"pattern-{group.topic}"
    first = clients.broker.new_topic(1, name=f"{prefix}-a")
    member = group.member(metadata_max_age_ms=300)
    member.subscribe(pattern=rf"{prefix}-[ab].*")
    poll_until([member], lambda: {each.topic for each in member.assignment()} == {first}, "the first topic")
    clients.broker.new_topic(1, name=f"{prefix}-c")
    second = clients.broker.new_topic(2, name=f"{prefix}-b")
    poll_until(
        [member], lambda: {each.topic for each in member.assignment()} == {first, second}, "the second topic", 60
    )
    assert len(member.assignment()) == 3
    assert member.subscription() == frozenset()


def test_changing_the_subscription_changes_the_assignment(group: Group) -> None:
    other = group.clients.broker.new_topic(2)
    member = group.reader()
    read(member, 40)
    member.subscribe([other])
    poll_until([member], lambda: {each.topic for each in member.assignment()} == {other}, "the other topic")
    member.subscribe([group.topic, other])
    poll_until([member], lambda: len(member.assignment()) == 6, "both")
    # What was read before is committed, so nothing comes again.
    assert member.committed((group.topic, 0))[group.topic, 0].offset == 10


def test_partitions_that_are_added_are_read(group: Group) -> None:
    member = group.reader(metadata_max_age_ms=300)
    assigned(member, 4)
    with group.clients.api.Admin(bootstrap_servers=group.clients.broker.bootstrap_servers) as admin:
        admin.create_partitions({group.topic: 6})
    poll_until([member], lambda: len(member.assignment()) == 6, "six partitions")


@classic_only
def test_a_session_outside_what_brokers_allow_is_named(group: Group) -> None:
    member = group.reader(session_timeout_ms=10, heartbeat_interval_ms=5)
    with pytest.raises(InvalidSessionTimeoutError, match=r"session_timeout_ms=10 .*group\.min\.session\.timeout\.ms"):
        poll_until([member], lambda: False, "the refusal")


@consumer_only
def test_an_assignor_that_the_coordinator_does_not_have_is_named(group: Group) -> None:
    member = group.reader(group_remote_assignor="astrology")
    with pytest.raises(UnsupportedAssignorError, match=r'"astrology" \(group_remote_assignor\)'):
        poll_until([member], lambda: False, "the refusal")


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"group_protocol": "modern"}, r"group_protocol"),
        ({"group_id": ""}, "group_id"),
        ({"group_instance_id": ""}, "group_instance_id"),
        (
            {"session_timeout_ms": 1000, "heartbeat_interval_ms": 2000},
            r"heartbeat_interval_ms.*2000.*session_timeout_ms=1000",
        ),
        ({"partition_assignment_strategy": "astrology"}, "partition_assignment_strategy.*cooperative-sticky"),
        ({"partition_assignment_strategy": ["range", "range"]}, "'range' is named twice"),
        ({"group_remote_assignor": "uniform"}, r"group_remote_assignor.*group_protocol"),
        ({"max_poll_interval_ms": 0}, "max_poll_interval_ms"),
        ({"group_id": None, "enable_auto_commit": True}, "enable_auto_commit.*group_id"),
        ({"group_id": None, "group_instance_id": "x"}, "group_instance_id.*group_id"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(client_api: Any, settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        client_api.Consumer(**{"bootstrap_servers": "127.0.0.1:9", "group_id": "g", **settings})
    assert issubclass(ConfigError, KafkaError)
