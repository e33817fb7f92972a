"""Assignors share partitions as kafka-python's do, and those of an application run in its group."""

from __future__ import annotations

import importlib
import random
import time
from typing import Any, ClassVar

import pytest
from kafkars.compat.kafka import KafkaConsumer, TopicPartition
from kafkars.compat.kafka.coordinator.assignors.abstract import AbstractPartitionAssignor
from kafkars.compat.kafka.coordinator.assignors.range import RangePartitionAssignor
from kafkars.compat.kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
from kafkars.compat.kafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment_v0,
    ConsumerProtocolMemberMetadata_v0,
)
from kafkars.compat.kafka.coordinator.subscription import Subscription
from kafkars.compat.kafka.errors import KafkaConfigurationError, KafkaError
from kafkars.compat.kafka_3 import KafkaConsumer as NewerConsumer
from kafkars.compat.kafka_3.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor

from tests.brokers import Broker

SECONDS = 20.0


class Cluster:
    """Topics with their numbers of partitions."""

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = counts

    def topics(self) -> set[str]:
        return set(self.counts)

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        return set(range(self.counts[topic])) if topic in self.counts else None


def situation(seed: int) -> tuple[Cluster, dict[str, list[str]], dict[str, str | None]]:
    """Topics, what members subscribe to, and their names."""
    chance = random.Random(seed)
    topics = {f"topic-{number}": chance.randint(1, 7) for number in range(chance.randint(1, 6))}
    members = {
        f"member-{number}": sorted(chance.sample(sorted([*topics, "unknown"]), chance.randint(1, len(topics))))
        for number in range(chance.randint(1, 8))
    }
    names = {member: chance.choice([None, None, f"name-{chance.random()}"]) for member in members}
    # The original forgets members where those with and without names are mixed.
    members = {member: members[member] for member in sorted(members, key=lambda each: (names[each] is None, each))}
    return Cluster(topics), members, names


@pytest.mark.parametrize("seed", range(150))
def test_range_shares_as_the_original(seed: int) -> None:
    cluster, members, names = situation(seed)
    same_as_the_original("range.RangePartitionAssignor", cluster, members, names)


@pytest.mark.parametrize("seed", range(150))
def test_round_robin_shares_as_the_original(seed: int) -> None:
    cluster, members, names = situation(seed)
    # Where members subscribe to different topics the original fails with KeyError.
    everything = sorted({topic for topics in members.values() for topic in topics})
    same_as_the_original("roundrobin.RoundRobinPartitionAssignor", cluster, dict.fromkeys(members, everything), names)


def same_as_the_original(
    path: str, cluster: Cluster, members: dict[str, list[str]], names: dict[str, str | None]
) -> None:
    module, _, name = path.rpartition(".")
    ours = getattr(importlib.import_module(f"kafkars.compat.kafka.coordinator.assignors.{module}"), name)
    theirs = getattr(importlib.import_module(f"kafka.coordinator.assignors.{module}"), name)
    said = {member: ours.metadata(topics) for member, topics in members.items()}
    by_name = ours.assign(cluster, {member: Subscription(each, names[member]) for member, each in said.items()})
    listed = [Listed(member, names[member], each) for member, each in said.items()]
    assert ours.assign(cluster, listed) == by_name
    assert {member: each.encode() for member, each in by_name.items()} == {
        member: each.encode() for member, each in theirs().assign(cluster, listed).items()
    }


class Listed:
    """A member as kafka-python 3 gives it to assignors."""

    def __init__(self, member_id: str, group_instance_id: str | None, metadata: Any) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.metadata = metadata


@pytest.mark.parametrize("seed", range(150))
def test_sticky_is_even_and_moves_what_it_must(seed: int) -> None:
    cluster, members, _ = situation(seed)
    chance = random.Random(seed)
    had: dict[str, list[TopicPartition]] = {}
    for generation in range(4):
        said = {
            member: StickyPartitionAssignor._metadata(topics, had.get(member, ()), generation)
            for member, topics in members.items()
        }
        shares = {member: each.partitions() for member, each in StickyPartitionAssignor.assign(cluster, said).items()}
        wanted = {topic for topics in members.values() for topic in topics}
        given = sorted(partition for share in shares.values() for partition in share)
        assert given == sorted(
            TopicPartition(topic, number) for topic in wanted for number in cluster.partitions_for_topic(topic) or ()
        )
        assert_even(shares, members)
        movements = StickyPartitionAssignor._latest_partition_movements
        assert movements is not None
        assert movements.are_sticky()
        if shares.keys() == had.keys():
            assert shares == had, "nothing had changed"
        had = shares
        # Somebody goes, or nothing changes.
        if len(members) > 1 and chance.random() < 0.6:
            members.pop(chance.choice(sorted(members)))


def assert_even(shares: dict[str, list[TopicPartition]], members: dict[str, list[str]]) -> None:
    for owner, share in shares.items():
        for partition in share:
            assert partition.topic in members[owner]
            for other, topics in members.items():
                assert partition.topic not in topics or len(share) <= len(shares[other]) + 1


@pytest.mark.parametrize("seed", range(60))
def test_cooperative_sticky_gives_nobody_what_another_reads(seed: int) -> None:
    cluster, members, _ = situation(seed)
    owned: dict[str, list[TopicPartition]] = {}
    newcomer = {"newcomer": sorted(cluster.counts)}
    gone = dict(list(members.items())[1:])
    for present in (members, {**members, **newcomer}, {**gone, **newcomer}):
        for _ in range(3):
            reads = {member: owned.get(member, []) for member in present}
            owned = cooperative(cluster, present, reads)
            owners = {partition: member for member, share in reads.items() for partition in share}
            for member, share in owned.items():
                assert all(owners.get(partition, member) == member for partition in share)
        # What was given back in one round was given on in the next.
        assert_even(owned, present)
        given = sorted(partition for share in owned.values() for partition in share)
        wanted = {topic for topics in present.values() for topic in topics}
        assert given == sorted(
            TopicPartition(topic, number) for topic in wanted for number in cluster.partitions_for_topic(topic) or ()
        )


def cooperative(
    cluster: Cluster, members: dict[str, list[str]], reads: dict[str, list[TopicPartition]]
) -> dict[str, list[TopicPartition]]:
    said = []
    for member, topics in members.items():
        metadata = CooperativeStickyAssignor.metadata(topics)
        metadata.owned_partitions = [
            type("Owned", (), {"topic": each.topic, "partitions": [each.partition]}) for each in reads[member]
        ]
        said.append(Listed(member, None, metadata))
    given = CooperativeStickyAssignor.assign(cluster, said)
    return {member: each.partitions() for member, each in given.items()}


class Everything(AbstractPartitionAssignor):
    """Gives all partitions to the member that asks for them in its data."""

    name = "everything"  # pyright: ignore[reportAssignmentType]  a property of the class above
    version = 0
    heard: ClassVar[list[Any]] = []

    @classmethod
    def assign(cls, cluster: Any, members: Any) -> Any:
        said = members if isinstance(members, dict) else {each.member_id: each.metadata for each in members}
        topics = {topic for each in said.values() for topic in each.topics}
        everything = [(topic, sorted(cluster.partitions_for_topic(topic))) for topic in sorted(topics)]
        first = min(said, key=lambda member: (said[member].user_data != b"me", member))
        return {
            member: ConsumerProtocolMemberAssignment_v0(0, everything if member == first else [], b"told")
            for member in said
        }

    @classmethod
    def metadata(cls, topics: Any) -> Any:
        return ConsumerProtocolMemberMetadata_v0(cls.version, list(topics), b"me")

    @classmethod
    def on_assignment(cls, assignment: Any, generation: int | None = None) -> None:
        cls.heard.append((assignment.assignment, assignment.user_data, generation))


@pytest.mark.parametrize("consumer_class", [KafkaConsumer, NewerConsumer])
def test_an_assignor_of_the_application_runs_in_its_group(consumer_class: Any, broker: Broker) -> None:
    topic = broker.new_topic(3)
    Everything.heard.clear()
    with consumer_class(
        topic,
        bootstrap_servers=broker.bootstrap_servers,
        group_id=topic,
        partition_assignment_strategy=[Everything, RangePartitionAssignor],
    ) as consumer:
        deadline = time.monotonic() + SECONDS
        while not consumer.assignment() and time.monotonic() < deadline:
            consumer.poll(100)
        assert consumer.assignment() == {TopicPartition(topic, number) for number in range(3)}
        assert Everything.heard[0][:2] == ([(topic, [0, 1, 2])], b"told")
        assert Everything.heard[0][2] == (None if consumer_class is KafkaConsumer else -1)


class Failing(Everything):
    """Fails on the member that leads."""

    name = "failing"

    @classmethod
    def assign(cls, cluster: Any, members: Any) -> Any:
        raise LookupError("no plan", len(cluster.topics()), len(members))


def test_a_failure_of_an_assignor_comes_out_of_poll(broker: Broker) -> None:
    topic = broker.new_topic()
    with KafkaConsumer(
        topic,
        bootstrap_servers=broker.bootstrap_servers,
        group_id=topic,
        partition_assignment_strategy=[Failing],
    ) as consumer:
        deadline = time.monotonic() + SECONDS
        with pytest.raises(KafkaError, match=r"LookupError: \('no plan', 1, 1\)"):
            while time.monotonic() < deadline:
                consumer.poll(100)


def test_what_is_no_assignor_is_refused(broker: Broker) -> None:
    wrong: Any = [object()]
    with pytest.raises(KafkaConfigurationError, match="partition_assignment_strategy"):
        KafkaConsumer(bootstrap_servers=broker.bootstrap_servers, group_id="g", partition_assignment_strategy=wrong)
