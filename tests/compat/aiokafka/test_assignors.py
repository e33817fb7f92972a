"""Assignors that a program calls: on aiokafka and on the face."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from tests.support.aiokafka_library import Library


class Cluster:
    """What assignors ask of a cluster."""

    def __init__(self, partitions: dict[str, set[int]]) -> None:
        self.partitions = partitions

    def topics(self) -> set[str]:
        return set(self.partitions)

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return self.partitions.get(topic)


def sticky(library: Library) -> Any:
    """A class of its own for each test: aiokafka's keeps state."""
    return type("Sticky", (library.module("coordinator.assignors.sticky.sticky_assignor").StickyPartitionAssignor,), {})


def assigned(assignor: Any, cluster: Cluster, metadata: dict[str, Any]) -> dict[str, list[Any]]:
    return {member: given.partitions() for member, given in assignor.assign(cluster, metadata).items()}


def check(cluster: Cluster, wishes: dict[str, set[str]], shares: dict[str, list[Any]]) -> None:
    """Each partition has one owner, and none could go to a member that has two or more fewer."""
    given = [partition for share in shares.values() for partition in share]
    wanted = {(topic, number) for topic in set().union(*wishes.values()) for number in cluster.partitions[topic]}
    assert (len(given), set(given)) == (len(wanted), wanted)
    for (member, share), (other, fewer) in itertools.permutations(shares.items(), 2):
        assert {partition.topic for partition in share} <= wishes[member]
        if len(share) > len(fewer) + 1:
            assert not {partition.topic for partition in share} & wishes[other], (shares, wishes)


def chance(seed: int) -> tuple[Cluster, dict[str, set[str]]]:
    pick = random.Random(seed)
    # Numbers from 1: aiokafka's own tests have them, too.
    cluster = Cluster({f"t{number}": set(range(1, pick.randint(1, 12))) for number in range(pick.randint(2, 15))})
    topics = sorted(cluster.partitions)
    members = range(pick.randint(1, 25))
    return cluster, {f"C{number}": set(pick.sample(topics, pick.randint(1, len(topics)))) for number in members}


@pytest.mark.parametrize("seed", range(60))
def test_sticky_is_balanced_where_members_want_different_topics(embedded: Library, seed: int) -> None:
    assignor = sticky(embedded)
    cluster, wishes = chance(seed)
    fresh = assigned(assignor, cluster, {member: assignor.metadata(topics) for member, topics in wishes.items()})
    check(cluster, wishes, fresh)


def test_sticky_gives_all_three_something(embedded: Library) -> None:
    assignor = sticky(embedded)
    wishes = {"C0": {"a", "b"}, "C1": {"a"}, "C2": {"b", "c"}}
    cluster = Cluster({"a": {0}, "b": {0}, "c": {0}})
    shares = assigned(assignor, cluster, {member: assignor.metadata(topics) for member, topics in wishes.items()})
    assert {member: len(share) for member, share in shares.items()} == {"C0": 1, "C1": 1, "C2": 1}


@pytest.mark.parametrize("seed", range(20))
def test_sticky_keeps_what_members_tell_that_they_had(embedded: Library, seed: int) -> None:
    assignor = sticky(embedded)
    cluster, wishes = chance(seed)

    def told(shares: dict[str, list[Any]]) -> dict[str, Any]:
        return {member: assignor._metadata(wishes[member], shares[member], 3) for member in shares}

    before = assigned(assignor, cluster, {member: assignor.metadata(topics) for member, topics in wishes.items()})
    again = assigned(assignor, cluster, told(before))
    assert {member: set(share) for member, share in again.items()} == {
        member: set(share) for member, share in before.items()
    }
    # Whoever is left keeps what it had where the load allows.
    if len(before) > 1:
        before.pop("C0")
        wishes.pop("C0")
        check(cluster, wishes, assigned(assignor, cluster, told(before)))


def test_sticky_tells_what_it_was_told(embedded: Library) -> None:
    assignor = sticky(embedded)
    protocol = embedded.module("coordinator.protocol")
    fresh = assignor.metadata(["t"])
    assert (fresh.version, fresh.subscription, fresh.user_data) == (0, ["t"], b"")
    assignor.on_assignment(protocol.ConsumerProtocolMemberAssignment(0, [("t", [1, 0]), ("u", [4])], b""))
    assignor.on_generation_assignment(5)
    metadata = assignor.metadata(["t"])
    assert metadata.user_data == (b"\0\0\0\x02\0\x01t\0\0\0\x02\0\0\0\x01\0\0\0\0\0\x01u\0\0\0\x01\0\0\0\x04\0\0\0\x05")
    parsed = assignor.parse_member_metadata(metadata)
    assert parsed.partitions == [embedded.partition("t", 1), embedded.partition("t", 0), embedded.partition("u", 4)]
    assert (parsed.subscription, parsed.generation) == (["t"], 5)


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\0",
        b"\0\0\0\x02\0\x01t",
        b"\0\0\0\x01\0\x09t",
        b"\x7f\xff\xff\xff",
        # Lengths that lead back, with counts that go on and on.
        b"\x7f\xff\xff\xff\xff\xf6\0\0\0\x01",
        b"\0\0\0\x01\0\x01\xff\0\0\0\0\0\0\0\x01",
    ],
)
def test_user_data_that_cannot_be_read_is_none(embedded: Library, nonsense: bytes) -> None:
    assignor = sticky(embedded)
    metadata = embedded.module("coordinator.protocol").ConsumerProtocolMemberMetadata(0, ["t"], nonsense)
    parsed = assignor.parse_member_metadata(metadata)
    assert (parsed.subscription, parsed.partitions, parsed.generation) == (["t"], [], -1)


@pytest.mark.parametrize("null", [b"\xff\xff\xff\xff\0\0\0\x01", b"\0\0\0\x01\0\x01t\xff\xff\xff\xff\0\0\0\x01"])
def test_lists_that_are_null_are_none(face: Library, null: bytes) -> None:
    """The original lets the leader fail, by TypeError."""
    assignor = sticky(face)
    metadata = face.module("coordinator.protocol").ConsumerProtocolMemberMetadata(0, ["t"], null)
    assert assignor.parse_member_metadata(metadata).partitions == []


@pytest.mark.parametrize("name", ["range.RangePartitionAssignor", "roundrobin.RoundRobinPartitionAssignor"])
def test_topics_without_partitions_of_their_own(embedded: Library, name: str) -> None:
    path, kind = name.split(".")
    assignor = getattr(embedded.module(f"coordinator.assignors.{path}"), kind)
    cluster = Cluster({"a": {0}, "empty": set()})
    members = {member: assignor.metadata(["a", "empty", "unknown"]) for member in ("C0", "C1")}
    expected = {
        "range": {"C0": [("a", [0]), ("empty", [])], "C1": [("a", []), ("empty", [])]},
        "roundrobin": {"C0": [("a", [0])], "C1": []},
    }
    if path == "roundrobin":
        # aiokafka's cannot have a topic that is not known.
        members = {member: assignor.metadata(["a", "empty"]) for member in members}
    given = assignor.assign(cluster, members)
    assert {member: each.assignment for member, each in given.items()} == expected[path]
