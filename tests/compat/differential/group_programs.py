"""Random programs of groups: two members that come and go, commit, and read on through faults of the broker. The
members of one program are all of confluent_kafka, or all of its face, on topics and in a group of their own.

Who gets which partition is chance, and so is how often a group is formed anew. What both sides must agree on is what
the group has read of each partition when it is at rest, how many partitions each member has, which callbacks it heard,
how calls end, and what is committed. Short form: `test_programs.py`. Long form:
`python -m tests.compat.differential.group_programs FIRST_SEED COUNT [consumer]`, where `consumer` asks for the protocol
of KIP-848.
"""

from __future__ import annotations

import functools
import importlib
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from kafkars import Producer
from kafkars.testing import EmbeddedBroker

from tests.compat.differential.patience import twice
from tests.compat.differential.programs import SIDES
from tests.compat.differential.strategies import NEWER, STRATEGIES, settings_of
from tests.kafka import wire

PARTITIONS = 4
MEMBERS = 2
QUIET = 1.0
"""A group is at rest when nothing has come and nothing has changed for this long, in seconds."""
SECONDS = 20.0

Step = tuple[str, int]

REFUSALS = (
    ("Heartbeat", "REBALANCE_IN_PROGRESS"),
    ("OffsetCommit", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("JoinGroup", "COORDINATOR_NOT_AVAILABLE"),
    ("SyncGroup", "REBALANCE_IN_PROGRESS"),
    ("FindCoordinator", "COORDINATOR_NOT_AVAILABLE"),
    ("Fetch", "disconnect"),
)
"""What the broker does once instead of what it should."""
NEWER_REFUSALS = (
    ("ConsumerGroupHeartbeat", "FENCED_MEMBER_EPOCH"),
    ("OffsetCommit", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("ConsumerGroupHeartbeat", "COORDINATOR_NOT_AVAILABLE"),
    ("ConsumerGroupHeartbeat", "UNKNOWN_MEMBER_ID"),
    ("FindCoordinator", "COORDINATOR_NOT_AVAILABLE"),
    ("Fetch", "disconnect"),
)
"""The same in the newer protocol, as many."""


@dataclass(frozen=True)
class Program:
    """The steps of a seed, and how its members are set."""

    seed: int
    strategy: str
    commits_by_itself: bool
    steps: list[Step]


def program(seed: int, strategy: str | None = None, length: int = 8) -> Program:
    """The program of a seed; without a strategy, with one of those of the older protocol."""
    chance = random.Random(seed)
    calls = {"join": 4, "leave": 2, "write": 3, "commit": 3, "unsubscribe": 1, "restart": 1, "refuse": 2}
    steps: list[Step] = [("join", 0), ("write", 3)]
    members = {0}
    for _ in range(length):
        call = chance.choices(list(calls), weights=list(calls.values()))[0]
        if call == "join" and len(members) == MEMBERS:
            # One that subscribes again, and does not lead the group, joins anew alone in the original; in the face all
            # members do.
            call = "write"
        number = (
            chance.randrange(1, 4) if call == "write" else chance.randrange(len(REFUSALS) if call == "refuse" else 2)
        )
        steps.append((call, number))
        if call == "join":
            members.add(number)
        elif call in {"leave", "unsubscribe"}:
            members.discard(number)
    drawn = chance.choice(STRATEGIES)
    return Program(seed, strategy or drawn, chance.random() < 0.4, steps)


@dataclass
class Member:
    """A consumer, and what it has heard since it was asked last."""

    consumer: Any
    is_subscribed: bool = True
    heard: set[str] = field(default_factory=set)
    changed: float = 0.0

    def hear(self, what: str) -> Callable[[Any, list[Any]], None]:
        def callback(_: Any, partitions: list[Any]) -> None:
            self.changed = time.monotonic()
            if partitions:
                self.heard.add(what)

        return callback


class Group:
    """One side of a program."""

    def __init__(self, library: str, broker: EmbeddedBroker, made: Program, patience: float) -> None:
        self.module = importlib.import_module(library)
        self.broker = broker
        self.program = made
        self.patience = patience
        self.name = f"{made.seed}-{library}"
        self.topic = f"topic-{self.name}"
        wire.create_topic(broker.bootstrap_servers, self.topic, PARTITIONS, 1, {})
        self.members: list[Member | None] = [None] * MEMBERS
        self.written = 0

    def run(self) -> list[Any]:
        """What each step gives."""
        seen = []
        try:
            for call, number in self.program.steps:
                seen.append((call, number, self._call(call, number), self._settle()))
        finally:
            for member in self.members:
                if member is not None:
                    member.consumer.close()
        return [*seen, ("in the end", 0, self._committed(), None)]

    def _call(self, call: str, number: int) -> Any:  # noqa: PLR0911  one for each call
        member = self.members[number % MEMBERS]
        try:
            match call:
                case "join":
                    return self._join(number)
                case "leave" if member is not None:
                    self.members[number] = None
                    return (member.consumer.close(), sorted(member.heard))
                case "unsubscribe" if member is not None:
                    member.is_subscribed = False
                    return member.consumer.unsubscribe()
                case "commit":
                    return self._commit()
                case "write":
                    return self._write(number)
                case "refuse":
                    api, action = (NEWER_REFUSALS if self.program.strategy == NEWER else REFUSALS)[number]
                    return self.broker.intercept(api, action, times=1) and None
                case "restart":
                    return self.broker.restart_node(1)
        except self.module.KafkaException as problem:
            return f"failed with {problem.args[0].name()}"
        return None

    def _join(self, number: int) -> None:
        member = self.members[number]
        if member is None:
            settings = {
                "bootstrap.servers": self.broker.bootstrap_servers,
                "group.id": self.name,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": self.program.commits_by_itself,
                # Only when partitions go: otherwise it would be chance whether a commit finds anything.
                "auto.commit.interval.ms": 600_000,
                **settings_of(self.program.strategy),
                "fetch.error.backoff.ms": 10,
                "fetch.wait.max.ms": 20,
                "retry.backoff.ms": 10,
                "reconnect.backoff.max.ms": 200,
                "topic.metadata.refresh.interval.ms": 60_000,
                "log_level": 0,
            }
            member = self.members[number] = Member(self.module.Consumer(settings))
        member.is_subscribed = True
        told = {f"on_{what}": member.hear(what) for what in ("assign", "revoke", "lost")}
        member.consumer.subscribe([self.topic], **told)

    def _write(self, count: int) -> None:
        with Producer(bootstrap_servers=self.broker.bootstrap_servers) as producer:
            for number in range(self.written, self.written + count):
                for partition in range(PARTITIONS):
                    producer.send(self.topic, b"%d" % number, partition=partition)
        self.written += count

    def _commit(self) -> list[Any]:
        """Every member commits what it has read. How each call ends, without which member it was."""
        ends: list[Any] = []
        for member in self.members:
            if member is None:
                continue
            try:
                committed = member.consumer.commit(asynchronous=False)
                ends += [(each.partition, each.offset) for each in committed if each.offset >= 0]
            except self.module.KafkaException as problem:
                ends.append((-1, problem.args[0].name()))
        return sorted(set(ends))

    def _committed(self) -> list[Any]:
        asker = self.module.Consumer({"bootstrap.servers": self.broker.bootstrap_servers, "group.id": self.name})
        places = [self.module.TopicPartition(self.topic, partition) for partition in range(PARTITIONS)]
        found = [(each.partition, each.offset) for each in asker.committed(places, timeout=SECONDS)]
        asker.close()
        return found

    def _settle(self) -> Any:
        """Polls until the group is at rest, and tells what was read, who has how much and who heard what."""
        members = [member for member in self.members if member is not None]
        read: dict[int, set[int]] = {}
        errors: set[str] = set()
        last = began = time.monotonic()
        while time.monotonic() - last < QUIET * self.patience or not self._is_whole(members):
            if time.monotonic() - began > SECONDS * self.patience:
                return "no rest", [len(member.consumer.assignment()) for member in members]
            if not members:
                break
            for member in members:
                message = member.consumer.poll(0.02)
                last = max(last, member.changed)
                if message is None:
                    continue
                last = time.monotonic()
                if message.error() is not None:
                    errors.add(message.error().name())
                else:
                    read.setdefault(message.partition(), set()).add(message.offset())
        sizes = sorted(len(member.consumer.assignment()) for member in members)
        heard = sorted(tuple(sorted(member.heard)) for member in members)
        for member in members:
            member.heard.clear()
        # Of which partitions it was is chance where only some have moved.
        return sorted(sorted(offsets) for offsets in read.values()), sizes, heard, sorted(errors)

    def _is_whole(self, members: list[Member]) -> bool:
        """True if the members that have subscribed have all partitions between them, and each of them some."""
        held = [[each.partition for each in member.consumer.assignment()] for member in members]
        whole = range(PARTITIONS) if any(member.is_subscribed for member in members) else ()
        shared = all(bool(own) == member.is_subscribed for own, member in zip(held, members, strict=True))
        return shared and sorted(each for own in held for each in own) == list(whole)


def difference(seed: int, strategy: str | None = None) -> str | None:
    """The first step that the two sides see differently, twice."""
    return twice(functools.partial(parted, program(seed, strategy)))


def parted(made: Program, patience: float) -> str | None:
    """The first step that the two sides see differently."""

    def side(library: str) -> list[Any]:
        # One each: a broker that restarts for one must not for the other.
        with EmbeddedBroker() as broker:
            return Group(library, broker, made, patience).run()

    with ThreadPoolExecutor(len(SIDES)) as sides:
        original, face = sides.map(side, SIDES)
    for number, (one, other) in enumerate(zip(original, face, strict=True)):
        if one != other:
            return f"{made}, step {number}\n  original {one}\n  face     {other}"
    return None


def main() -> None:
    first, count = map(int, sys.argv[1:3])
    strategy = NEWER if "consumer" in sys.argv[3:] else None
    for seed in range(first, first + count):
        began = time.monotonic()
        found = difference(seed, strategy)
        sys.stdout.write(f"seed {seed}: {time.monotonic() - began:.1f} s\n" + (f"{found}\n" if found else ""))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
