"""Partitions that go, come back and are sought at the application's wish, and commits of its own, in every order of
calls: nothing in its hands is committed, what was finished is, and what it says later counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from random import Random

import pytest
from kafkars import TopicPartition
from kafkars.errors import KafkaError
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.clients import Clients, read
from tests.support.groups import PROTOCOLS, Group
from tests.support.waiting import eventually

NEVER_MS = 3_600_000
PARTITIONS = 4


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A broker of this test alone."""
    with EmbeddedBroker() as started:
        yield Broker("embedded", started)


def committed(group: Group) -> dict[int, int]:
    """What the group has of each partition."""
    places = [TopicPartition(group.topic, number) for number in range(PARTITIONS)]
    found = group.member(enable_auto_commit=False).committed(places)
    return {place.partition: found[place].offset if place in found else 0 for place in places}


def sent(group: Group) -> Iterator[tuple[int, int]]:
    """Partitions and offsets of the commits that have reached the broker."""
    for request in group.clients.broker.handle.requests("OffsetCommit"):
        if request.body["group_id"] == group.group_id:
            for topic in request.body["topics"]:
                for place in topic["partitions"]:
                    yield place["partition_index"], place["committed_offset"]


class Life:
    """One consumer, and what must be committed at its end.

    Of each partition: `handed` is where it stands now, `in_hand` the first record of the latest call that is not
    finished, `said` a commit of the application's own with where it was finished then. One that is assigned again
    starts where it was committed, so that nothing is left out and nothing read twice. With `interval` commits are made
    at any time: none passes what is in hand, nor what was said later.
    """

    def __init__(self, group: Group, seed: int, interval: int) -> None:
        self.group = group
        self.random = Random(seed)
        self.member = group.member(auto_commit_interval_ms=interval)
        self.handed = dict.fromkeys(range(PARTITIONS), 0)
        self.in_hand: dict[int, int] = {}
        self.said: dict[int, tuple[int, int]] = {}
        # What a commit may say since the last look: where each partition was finished, or what was said.
        self.may_say: dict[int, set[int]] = {number: {0} for number in range(PARTITIONS)}
        self.seen = 0
        self.mine: set[int] = set()
        self.is_subscribed = False
        # The end of a subscription is under way, and records of it may still come: once more afterwards.
        self.is_leaving = False
        self.calls: list[str] = []

    def places(self, numbers: Iterable[int]) -> list[TopicPartition]:
        """Partitions by their numbers."""
        return [TopicPartition(self.group.topic, number) for number in numbers]

    def some(self, numbers: Iterable[int]) -> set[int]:
        """Some of these, or none."""
        return {number for number in numbers if self.random.random() < 0.5}

    def finished(self, number: int) -> int:
        """Up to where a partition is finished."""
        return min(self.handed[number], self.in_hand.get(number, self.handed[number]))

    def to_commit(self, number: int) -> int:
        """What is to be committed of it: where it is finished, unless that is no news since the application's own
        commit."""
        said, stood = self.said.get(number, (0, -1))
        finished = self.finished(number)
        return said if finished == stood else finished

    def finish(self) -> None:
        """All that was handed out is finished."""
        self.in_hand.clear()

    def note(self) -> None:
        """Where everything stands may be committed from now on."""
        for number in range(PARTITIONS):
            self.may_say[number].add(self.to_commit(number))

    def look(self) -> None:
        """Every commit that was sent since the last look says what it might."""
        commits = list(sent(self.group))
        for number, offset in commits[self.seen :]:
            may = self.may_say[number]
            assert offset in may, f"{offset} of partition {number} was committed where {may} might be"
        self.seen = len(commits)

    def see_the_end(self) -> None:
        """Waits for the end of a subscription, unless what it had assigned was given up before."""
        if self.is_leaving:
            eventually(lambda: self.member.health().state == "unsubscribed", "the end of a subscription")
        self.is_leaving = False

    def go(self, numbers: Iterable[int]) -> None:
        """These are given up: the latest records of them are not finished."""
        for number in numbers:
            self.handed[number] = self.to_commit(number)
            self.said.pop(number, None)

    def go_to(self, number: int, offset: int) -> None:
        """One is read from there: what was in hand is none the more finished, and what was said before is past."""
        said, stood = self.said.pop(number, (0, -1))
        if number in self.in_hand and self.finished(number) == stood:
            self.in_hand[number] = max(self.in_hand[number], said)
        self.handed[number] = offset

    def poll(self, timeout: float = 0.05) -> None:
        """One call for records."""
        records = list(self.member.poll_batch(max_records=self.random.randint(1, 6), timeout=timeout))
        self.finish()
        for record in records:
            stands = self.handed[record.partition]
            assert record.offset == stands, f"partition {record.partition} goes on at {record.offset}, not at {stands}"
            self.in_hand.setdefault(record.partition, stands)
            self.handed[record.partition] = record.offset + 1

    def assign(self) -> None:
        """Others, or some of the same, or none; some of them with an offset."""
        wanted = self.some(range(PARTITIONS))
        at = {number: self.random.randint(0, 9) for number in self.some(wanted) if self.random.random() < 0.3}
        self.member.assign({place: at.get(place.partition) for place in self.places(wanted)})
        self.is_leaving = False
        self.go(self.mine - wanted)
        for number, offset in at.items():
            self.go_to(number, offset)
        self.mine = wanted

    def incremental_assign(self) -> None:
        """Some more."""
        more = self.some(range(PARTITIONS))
        self.member.incremental_assign(self.places(more))
        self.mine |= more
        self.is_leaving = False

    def incremental_unassign(self) -> None:
        """Some less."""
        less = self.some(self.mine)
        self.member.incremental_unassign(self.places(less))
        self.go(less)
        self.mine -= less

    def unassign(self) -> None:
        """None at all."""
        self.member.unassign()
        self.go(self.mine)
        self.mine, self.is_leaving = set(), False

    def subscribe(self) -> None:
        """All partitions, as the only member."""
        self.see_the_end()
        self.member.subscribe([self.group.topic])
        self.is_subscribed, self.mine = True, set(range(PARTITIONS))
        if self.random.random() < 0.8:

            def has_all() -> bool:
                self.poll()
                return len(self.member.assignment()) == PARTITIONS

            eventually(has_all, "an assignment")

    def unsubscribe(self) -> None:
        """Waits for the end, or does not; what was handed out is finished."""
        timeout = self.random.choice([0, 5])
        self.calls.append(str(timeout))
        self.member.unsubscribe(timeout=timeout)
        self.finish()
        self.is_subscribed, self.mine = False, set()
        self.is_leaving = timeout == 0

    def commit(self) -> None:
        """Everything handed out, which is finished by that."""
        self.find_positions()
        self.member.commit()
        self.finish()
        for number in self.mine:
            self.said[number] = (self.handed[number], self.handed[number])

    def find_positions(self) -> None:
        """Positions are found before anything is committed, which would move those that are not found yet."""
        for place in self.places(self.mine):
            self.member.position(place, timeout=5)

    def say(self) -> None:
        """An offset of its own choice, further on or back, waited for or not."""
        self.find_positions()
        number = self.random.choice(sorted(self.mine))
        offset, waits = self.random.randint(0, 10), self.random.random() < 0.5
        self.calls.append(f"{number}={offset}")
        [place] = self.places([number])
        self.note()
        self.may_say[number].add(offset)
        if waits:
            self.member.commit({place: offset})
        else:
            self.member.commit_async({place: offset})
        if number in self.in_hand:
            self.in_hand[number] = max(self.in_hand[number], offset)
        self.said[number] = (offset, self.finished(number))
        self.look()
        if waits:
            self.may_say[number] = {offset}

    def seek(self) -> None:
        """Somewhere else, or to the beginning."""
        number = self.random.choice(sorted(self.mine))
        offset = self.random.choice([0, self.random.randint(0, 9)])
        self.calls.append(f"{number}@{offset}")
        self.member.seek(self.places([number])[0], offset)
        self.go_to(number, offset)

    def step(self) -> None:
        """One call that the state allows."""
        calls = [self.assign, self.unassign, self.incremental_assign, self.incremental_unassign]
        if self.is_subscribed:
            calls = [self.poll, self.poll, self.unsubscribe]
        elif self.mine:
            calls += [self.poll] * 4 + [self.commit] + [self.say, self.seek] * 2
        else:
            calls += [self.subscribe] * 3
        call = self.random.choice(calls)
        self.calls.append(call.__name__)
        self.note()
        call()
        self.note()
        self.look()

    def close(self) -> None:
        """The end, at which everything is finished."""
        self.see_the_end()
        self.member.close()
        self.finish()
        self.note()
        self.look()


@pytest.mark.parametrize("interval", [NEVER_MS, 10], ids=["at the end", "all the time"])
@pytest.mark.parametrize("seed", range(12))
def test_what_is_finished_is_committed_in_the_end(clients: Clients, seed: int, interval: int) -> None:
    group = Group(clients, PROTOCOLS[seed % 2], PARTITIONS)
    life = Life(group, seed, interval)
    try:
        for _ in range(24):
            life.step()
        life.close()
        assert committed(group) == {number: life.to_commit(number) for number in range(PARTITIONS)}
    except (AssertionError, KafkaError) as error:
        raise AssertionError(f"{error}: {life.calls}") from error


def test_the_end_of_a_subscription_is_nothing_to_miss_while_others_are_read(clients: Clients) -> None:
    group = Group(clients, "classic", PARTITIONS)
    member = group.member(stuck_timeout_ms=1500)
    member.subscribe([group.topic])
    assert len(read(member, 5)) == 5
    with ExitStack() as faults:
        for api in ("LeaveGroup", "Heartbeat", "FindCoordinator", "OffsetCommit"):
            faults.enter_context(clients.broker.handle.intercept(api, "drop"))
        member.unsubscribe(timeout=0.2)
        place = TopicPartition(group.topic, 0)
        member.assign({place: 0})
        assert len(read(member, 10)) == 10

        def is_silent() -> bool:
            assert member.poll_batch(timeout=0.1) is not None
            heard = member.health().last_heartbeat
            return heard is not None and heard > 2.0

        eventually(is_silent, "a silence that says nothing")
        assert member.health().state == "leaving"
        with suppress(KafkaError):
            member.close(0.1)
