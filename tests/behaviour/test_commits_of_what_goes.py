"""Partitions that go at the application's wish, in every order of calls: what was finished of them is committed all the
same."""

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


class Life:
    """One consumer, and what must be committed at its end.

    Of each partition: `finished` is where it stood before the latest call for records, `handed` where it stands now. Of one that
    is assigned again both are what was committed, so that nothing is left out and nothing read twice.
    """

    def __init__(self, group: Group, seed: int) -> None:
        self.group = group
        self.random = Random(seed)
        self.member = group.member(auto_commit_interval_ms=NEVER_MS)
        self.finished = dict.fromkeys(range(PARTITIONS), 0)
        self.handed = dict(self.finished)
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

    def finish(self) -> None:
        """All that was handed out is finished."""
        self.finished.update(self.handed)

    def see_the_end(self) -> None:
        """Waits for the end of a subscription, unless what it had assigned was given up before."""
        if self.is_leaving:
            eventually(lambda: self.member.health().state == "unsubscribed", "the end of a subscription")
        self.is_leaving = False

    def go(self, numbers: Iterable[int]) -> None:
        """These are given up: the latest records of them are not finished."""
        for number in numbers:
            self.handed[number] = self.finished[number]

    def poll(self, timeout: float = 0.05) -> None:
        """One call for records."""
        records = list(self.member.poll_batch(max_records=self.random.randint(1, 6), timeout=timeout))
        self.finish()
        for record in records:
            stands = self.handed[record.partition]
            assert record.offset == stands, f"partition {record.partition} goes on at {record.offset}, not at {stands}"
            self.handed[record.partition] = record.offset + 1

    def assign(self) -> None:
        """Others, or some of the same, or none; some of them with an offset."""
        wanted = self.some(range(PARTITIONS))
        at = {number: self.random.randint(0, 9) for number in self.some(wanted) if self.random.random() < 0.3}
        self.member.assign({place: at.get(place.partition) for place in self.places(wanted)})
        self.is_leaving = False
        self.go(self.mine - wanted)
        for each in (self.finished, self.handed):
            each.update(at)
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
        self.member.commit()
        self.finish()

    def step(self) -> None:
        """One call that the state allows."""
        calls = [self.assign, self.unassign, self.incremental_assign, self.incremental_unassign]
        if self.is_subscribed:
            calls = [self.poll, self.poll, self.unsubscribe]
        elif self.mine:
            calls += [self.poll] * 4 + [self.commit]
        else:
            calls += [self.subscribe] * 3
        call = self.random.choice(calls)
        self.calls.append(call.__name__)
        call()

    def close(self) -> None:
        """The end, at which everything is finished."""
        self.see_the_end()
        self.member.close()
        self.finish()


@pytest.mark.parametrize("seed", range(12))
def test_what_is_finished_is_committed_in_the_end(clients: Clients, seed: int) -> None:
    group = Group(clients, PROTOCOLS[seed % 2], PARTITIONS)
    life = Life(group, seed)
    try:
        for _ in range(16):
            life.step()
        life.close()
        assert committed(group) == life.finished
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
