"""Seeks while commits are under way: what the group has in the end is where the consumer stood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from kafkars import TopicPartition
from kafkars.errors import KafkaTimeoutError
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.groups import Group
from tests.support.waiting import eventually

NEVER_MS = 3_600_000
OFTEN_MS = 40

# What happens to a commit, each with the seconds that it takes.
TROUBLES = {
    "late": ("delay", 0.3),
    "arrived, and its answer lost": ("disconnect_after", 0.0),
    "lost": ("disconnect", 0.0),
    "refused": ("OFFSET_METADATA_TOO_LARGE", 0.0),
    "put off": ("COORDINATOR_LOAD_IN_PROGRESS", 0.0),
}
# What happens to one that is waited for and given up: it takes far longer than that.
GIVEN_UP = ("delay", 1.0)


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A broker of this test alone."""
    with EmbeddedBroker() as started:
        yield Broker("embedded", started)


@dataclass
class Round:
    """The consumer stands at `reached`, commits in this way, and goes on at `then` while that is under way."""

    reached: int
    way: str
    trouble: str
    named: int
    then: int


@dataclass
class History:
    """One consumer's life."""

    end: str
    rounds: list[Round] = field(default_factory=list)
    interval_ms: int = NEVER_MS

    @classmethod
    def of(cls, seed: int) -> History:
        """Makes one up."""
        random = Random(seed)
        made = cls(random.choice(["close", "revocation", "interval"]))
        if made.end == "interval" or random.random() < 0.3:
            made.interval_ms = OFTEN_MS
        ways = ["all", "named", "given up"] + ["by itself"] * (made.interval_ms == OFTEN_MS)
        # Places that were not committed before, or there would be nothing to commit.
        fresh = random.sample(range(1, 11), 8)
        places = [0]
        for _ in range(random.randint(1, 3)):
            reached = fresh.pop()
            places.append(reached)
            then = random.choice([*places, fresh.pop()])
            way, trouble = random.choice(ways), random.choice(list(TROUBLES))
            made.rounds.append(Round(reached, way, trouble, random.choice(places), then))
        return made


def commit(member: Any, place: TopicPartition, step: Round) -> None:
    """Begins a commit; nobody waits for its end."""
    if step.way == "all":
        member.commit_async()
    elif step.way == "named":
        member.commit_async({place: step.named})
    elif step.way == "given up":
        with pytest.raises(KafkaTimeoutError):
            member.commit(timeout=0.02)


def carry_out(group: Group, member: Any, place: TopicPartition, step: Round) -> None:
    """Goes to a place, and to another one while a commit is under way."""
    action, seconds = GIVEN_UP if step.way == "given up" else TROUBLES[step.trouble]
    with group.clients.broker.handle.intercept("OffsetCommit", action, seconds=seconds, times=1) as fault:
        member.seek(place, step.reached)
        commit(member, place, step)
        eventually(lambda: fault.hits, "a commit under way")
        member.seek(place, step.then)


def offset_of(member: Any, place: TopicPartition) -> int | None:
    """What the group has committed."""
    found = member.committed(place).get(place)
    return None if found is None else found.offset


def live(group: Group, history: History) -> None:
    """Carries one history out."""
    place = TopicPartition(group.topic, 0)
    member = group.member(auto_commit_interval_ms=history.interval_ms)
    if history.end == "revocation":
        member.subscribe([group.topic])
        eventually(lambda: member.poll_batch(timeout=0.02) is not None and member.assignment(), "an assignment")
    else:
        member.assign([place])
    for step in history.rounds:
        carry_out(group, member, place, step)
    stands = history.rounds[-1].then
    assert member.position(place) == stands
    if history.end == "interval":
        watcher = group.member(enable_auto_commit=False)
        eventually(lambda: offset_of(watcher, place) == stands, f"a commit of {stands}")
    elif history.end == "revocation":
        member.unsubscribe()
    member.close()
    assert offset_of(group.member(enable_auto_commit=False), place) == stands


@pytest.mark.parametrize("seed", range(16))
def test_what_the_group_has_in_the_end_is_where_the_consumer_stood(group: Group, seed: int) -> None:
    history = History.of(seed)
    try:
        live(group, history)
    except AssertionError as error:
        raise AssertionError(f"{error}: {history}") from error


@pytest.mark.parametrize("end", ["close", "revocation"])
def test_what_failed_while_its_commit_was_under_way_is_read_again(group: Group, end: str) -> None:
    live(group, History(end, [Round(1, "all", "late", 0, 2), Round(3, "all", "late", 0, 1)]))
