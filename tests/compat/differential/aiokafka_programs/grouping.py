"""Programs of members of a group, which come and go, commit, and read on through faults of the broker.

Who gets which partition is chance, and so is how often a group is formed anew. What both sides must agree on is what
the group has read of each partition when it is at rest, how many partitions each member has, what listeners heard, how
calls end, and what is committed.
"""

from __future__ import annotations

import asyncio
import importlib
import random
import time
from dataclasses import dataclass, field
from typing import Any

from tests.compat.differential.aiokafka_programs.playing import ASKER, NODES, TESTED, Player, Program, Step, stopped

TOPICS = ("one", "other")
PARTITIONS = 2
PLACES = [(topic, partition) for topic in TOPICS for partition in range(PARTITIONS)]
MEMBERS = 3
QUIET = 0.4
"""A group is at rest when nothing has come and nothing has changed for this long, in seconds."""
REST = 12.0
"""And it has come to rest by then."""
ASSIGNORS = {
    "range": "RangePartitionAssignor",
    "roundrobin": "RoundRobinPartitionAssignor",
    "sticky.sticky_assignor": "StickyPartitionAssignor",
}
FAULTS = (
    ("Heartbeat", "REBALANCE_IN_PROGRESS"),
    ("Heartbeat", "disconnect"),
    ("OffsetCommit", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("OffsetCommit", "disconnect"),
    ("OffsetFetch", "COORDINATOR_LOAD_IN_PROGRESS"),
    ("JoinGroup", "COORDINATOR_NOT_AVAILABLE"),
    ("JoinGroup", "UNKNOWN_MEMBER_ID"),
    ("SyncGroup", "REBALANCE_IN_PROGRESS"),
    ("SyncGroup", "NOT_COORDINATOR"),
    ("FindCoordinator", "COORDINATOR_NOT_AVAILABLE"),
    ("Fetch", "disconnect"),
    ("Fetch", "NOT_LEADER_OR_FOLLOWER"),
)
PATTERNS = ("^o.*", "^o.+")
"""Two that match the same topics."""
AGES = (60_000, 150)
"""How often topics are looked at again: with the second also while a program waits for rest."""
CALLS = {
    "join": 5,
    "again": 3,
    "leave": 2,
    "write": 4,
    "commit": 3,
    "commit_offset": 1,
    "pattern": 1,
    "unsubscribe": 1,
    "cancel": 1,
    "fault": 3,
    "restart": 1,
    "move": 1,
}


def program(seed: int, length: int = 9) -> Program:
    """The program of a seed."""
    chance = random.Random(seed)
    steps: list[Step] = [("join", 0), ("write", 3)]
    commits_by_itself = chance.random() < 0.4
    calls = dict(CALLS)
    if commits_by_itself:
        # The original never stops where its last commit fails, and commits each position at its end, also where the
        # program has committed another offset since.
        del calls["move"], calls["commit_offset"], calls["restart"]
    for _ in range(length):
        call = chance.choices(list(calls), weights=list(calls.values()))[0]
        step = (call, given(chance, call))
        ends_badly = call == "fault" and (step[1][0] == "OffsetCommit" or step[1][1] == "NOT_COORDINATOR")
        if not (commits_by_itself and ends_badly):
            steps.append(step)
    settings = {
        "assignor": chance.choice(list(ASSIGNORS)),
        "enable_auto_commit": commits_by_itself,
        "way": chance.choice(["getmany", "getone", "iterate"]),
        "listener": chance.choice(["plain", "coroutine", "raising"]),
        "metadata_max_age_ms": chance.choice(AGES),
    }
    return Program("grouping", seed, settings, tuple(steps))


def given(chance: random.Random, call: str) -> Any:
    """What a call is given: mostly a member."""
    match call:
        case "fault":
            return (*chance.choice(FAULTS), 1)
        case "restart" | "move":
            return chance.randint(1, NODES)
        case "write":
            return chance.randint(1, 3)
        case "again":
            answered = chance.choice(["Metadata", "FindCoordinator", "JoinGroup", "SyncGroup"])
            return chance.randrange(MEMBERS), chance.random() < 0.5, answered, chance.randrange(6)
        case _:
            return chance.randrange(MEMBERS)


@dataclass(eq=False)
class Member:
    """A consumer, the task that reads with it, and what it has heard."""

    consumer: Any
    is_subscribed: bool = True
    task: asyncio.Task[None] | None = None
    read: dict[tuple[str, int], set[int]] = field(default_factory=dict)
    errors: set[str] = field(default_factory=set)
    held: frozenset[Any] = frozenset()
    wrong: set[str] = field(default_factory=set)
    changed: float = 0.0
    is_back: bool = False
    by_pattern: bool = False
    subscribed: int = 0
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when `start()` has ended, which a listener waits for."""

    def hear(self, what: str, partitions: set[Any]) -> None:
        """A listener hears: what is given back is what was given before."""
        self.changed = time.monotonic()
        if what == "revoked":
            # One that comes back gives back in the original what it had given up before.
            if frozenset(partitions) != self.held and not self.is_back:
                self.wrong.add("gives back what it does not have")
            self.held = frozenset()
            self.is_back = False
        else:
            if self.held:
                self.wrong.add("is given partitions before it has given back others")
            self.held = frozenset(partitions)


class Group(Player):
    """One side of a program."""

    async def prepare(self) -> None:
        self.members: list[Member | None] = [None] * MEMBERS
        self.departed: list[Member] = []
        self.written = 0
        self.read: dict[tuple[str, int], set[int]] = {}
        for topic in TOPICS:
            self.broker.create_topic(topic, PARTITIONS, replication_factor=NODES)

    def made(self) -> Any:
        """A consumer that is not started."""
        settings = dict(self.program.settings)
        path = settings["assignor"]
        package = f"{self.module.__name__}.coordinator.assignors"
        assignor = getattr(importlib.import_module(f"{package}.{path}"), ASSIGNORS[path])
        return self.module.AIOKafkaConsumer(
            **{**self.common, "metadata_max_age_ms": settings["metadata_max_age_ms"]},
            group_id="group",
            auto_offset_reset="earliest",
            enable_auto_commit=settings["enable_auto_commit"],
            auto_commit_interval_ms=600_000,
            heartbeat_interval_ms=50,
            session_timeout_ms=6_000,
            rebalance_timeout_ms=6_000,
            fetch_max_wait_ms=50,
            partition_assignment_strategy=(assignor,),
        )

    def listener(self, member: Member) -> Any:
        """A listener that tells the member."""
        base = importlib.import_module(f"{self.module.__name__}.abc").ConsumerRebalanceListener
        way = self.program.settings["listener"]

        class Listener(base):  # type: ignore[misc]
            def on_partitions_revoked(self, revoked: Any) -> None:
                member.hear("revoked", revoked)
                if way == "raising":
                    raise KeyError("revoked")

            def on_partitions_assigned(self, assigned: Any) -> None:
                member.hear("assigned", assigned)
                if way == "raising":
                    raise KeyError("assigned")

        class Coroutines(base):  # type: ignore[misc]
            async def on_partitions_revoked(self, revoked: Any) -> None:
                await asyncio.sleep(0)
                member.hear("revoked", revoked)

            async def on_partitions_assigned(self, assigned: Any) -> None:
                await member.ready.wait()
                member.hear("assigned", assigned)

        return Coroutines() if way == "coroutine" else Listener()

    async def call(self, name: str, given: Any) -> Any:
        return [await self.outcome(self.step(name, given)), await self.settled()]

    async def step(self, name: str, given: Any) -> Any:  # noqa: PLR0911  one for each call
        """What a call gives, before the group has come to rest."""
        match name:
            case "write":
                self.write(
                    [
                        (*place, b"%d" % number)
                        for number in range(self.written, self.written + given)
                        for place in PLACES
                    ]
                )
                self.written += given
                return None
            case "fault":
                return self.fault(*given)
            case "restart":
                return self.restart(given)
            case "move":
                return self.broker.move_coordinator("group", given)
            case "commit":
                return await self.commit()
            case "commit_offset":
                return await self.commit_offset(PLACES[given])
            case "join":
                return await self.join(given)
            case "again":
                return await self.again(*given)
        member = self.members[given]
        return None if member is None else await self.of_member(name, given, member)

    async def of_member(self, name: str, number: int, member: Member) -> Any:
        """What one that is there does."""
        match name:
            case "leave":
                if self.would_set_back(member):
                    return None
                self.members[number] = None
                await self.stop(member)
                return sorted(member.wrong)
            case "unsubscribe":
                await ended(member.task)
                member.task = None
                member.is_subscribed = False
                self.departed = [*(each for each in self.departed if each is not member), member]
                member.held = frozenset()
                return member.consumer.unsubscribe()
            case "pattern":
                if not member.is_subscribed:
                    member.is_back = member.by_pattern = True
                    self.subscribe(member)
                    self.attend(member)
                return None
            case "cancel":
                # Readers are given up in the middle, and others take their place.
                await ended(member.task)
                if member.is_subscribed:
                    self.attend(member)
                return None
        raise AssertionError(name)

    def would_set_back(self, member: Member) -> bool:
        """True if the original commits, when this one stops, what it had read before it unsubscribed: a group without
        members lets it, and the others may have read on since.
        """
        commits_by_itself = self.program.settings["enable_auto_commit"]
        others = any(each is not None and each.is_subscribed for each in self.members)
        return commits_by_itself and not member.is_subscribed and not others

    async def join(self, number: int) -> None:
        """A member comes, or subscribes to what it has subscribed to."""
        member = self.members[number]
        if member is None:
            member = self.members[number] = Member(self.made())
            self.subscribe(member)
            await self.start(member)
        elif not member.is_subscribed:
            member.is_back = True
            member.by_pattern = False
            self.subscribe(member)
        if member.task is None:
            self.attend(member)

    async def again(self, number: int, by_pattern: bool, api: str, ticks: int) -> None:
        """A member subscribes again to what it has subscribed to: one that comes does while `start()` waits, some
        iterations of the loop after the broker has seen a request.
        """
        member = self.members[number]
        if member is not None:
            if member.is_subscribed:
                self.subscribe(member)
            return
        member = self.members[number] = Member(self.made(), by_pattern=by_pattern)
        self.subscribe(member)
        seen = self.seen(api)
        starts = asyncio.ensure_future(self.start(member))
        while self.seen(api) == seen and not starts.done():  # noqa: ASYNC110  the broker tells nobody
            await asyncio.sleep(0)
        for _ in range(ticks):
            await asyncio.sleep(0)
        self.subscribe(member)
        await starts
        self.attend(member)

    async def start(self, member: Member) -> None:
        """Starts one, whose listener waits for that."""
        try:
            await asyncio.wait_for(member.consumer.start(), 20)
        finally:
            member.ready.set()

    def seen(self, api: str) -> int:
        """How many such requests the broker has seen."""
        return len(self.broker.requests(api, client_id=TESTED))

    def subscribe(self, member: Member) -> None:
        """Subscribes to all topics, by their names or by a pattern that is not the one before."""
        listener = self.listener(member)
        member.subscribed += 1
        if member.by_pattern:
            member.consumer.subscribe(pattern=PATTERNS[member.subscribed % 2], listener=listener)
        else:
            member.consumer.subscribe(list(TOPICS), listener=listener)

    def attend(self, member: Member) -> None:
        """Reads from now on."""
        member.is_subscribed = True
        member.task = asyncio.ensure_future(self.reading(member))

    async def reading(self, member: Member) -> None:
        """Reads until it is cancelled."""
        way = self.program.settings["way"]
        while True:
            try:
                if way == "getmany":
                    found = await member.consumer.getmany(timeout_ms=50)
                    records = [record for each in found.values() for record in each]
                elif way == "getone":
                    records = [await member.consumer.getone()]
                else:
                    records = [await member.consumer.__anext__()]
            except Exception as problem:  # noqa: BLE001 - told
                member.errors.add(type(problem).__name__)
                await asyncio.sleep(0.05)
                continue
            for record in records:
                member.changed = time.monotonic()
                member.read.setdefault((record.topic, record.partition), set()).add(record.offset)

    async def commit(self) -> list[Any]:
        """Every member commits what it has read. How each call ends, without which member it was."""
        members = [member for member in self.members if member is not None and member.is_subscribed]
        ends = [await self.outcome(asyncio.wait_for(member.consumer.commit(), 10)) for member in members]
        return sorted(ends, key=repr)

    async def commit_offset(self, place: tuple[str, int]) -> Any:
        """Whoever has a partition commits an offset of it: which member that is, and who has none, is chance."""
        for member in self.members:
            if member is not None and place in member.consumer.assignment():
                commit = member.consumer.commit({self.partition(*place): 1})
                return await self.outcome(asyncio.wait_for(commit, 10))
        return None

    async def settled(self) -> Any:
        """What was read by the time the group is at rest, who has how much and what went wrong."""
        members = [member for member in self.members if member is not None]
        began = time.monotonic()
        while not self.is_at_rest(members, began):
            if time.monotonic() - began > REST * self.patience:
                return "no rest", [len(member.consumer.assignment()) for member in members]
            await asyncio.sleep(0.02)
        # What is read again where nothing is committed depends on who leads the group, which is chance.
        for member in members:
            for place, offsets in member.read.items():
                self.read.setdefault(place, set()).update(offsets)
            member.read.clear()
        held = sorted(len(member.consumer.assignment()) for member in members)
        errors = sorted(error for member in members for error in member.errors)
        wrong = sorted(
            {
                *(each for member in members for each in member.wrong),
                *("has heard of other partitions" for member in members if member.held != member.consumer.assignment()),
            }
        )
        return sorted((place, sorted(offsets)) for place, offsets in self.read.items()), held, errors, wrong

    def is_at_rest(self, members: list[Member], began: float) -> bool:
        """True if the members that have subscribed have all partitions between them, and nothing has come for long."""
        held = [sorted(map(tuple, member.consumer.assignment())) for member in members]
        whole = PLACES if any(member.is_subscribed for member in members) else []
        last = max(began, *(member.changed for member in members)) if members else 0.0
        is_quiet = time.monotonic() - last > QUIET * self.patience
        return is_quiet and sorted(each for own in held for each in own) == whole

    async def stop(self, member: Member) -> None:
        """Ends a member and its reader."""
        await ended(member.task)
        await asyncio.wait_for(member.consumer.stop(), 20)

    async def end(self) -> Any:
        # Those that have unsubscribed first, in that order: see `would_set_back`.
        there = [member for member in self.members if member is not None]
        departed = [member for member in self.departed if member in there and not member.is_subscribed]
        for member in (*departed, *(each for each in there if each not in departed)):
            await self.stop(member)
        asker = self.module.AIOKafkaConsumer(**{**self.common, **ASKER}, group_id="group")
        await asker.start()
        try:
            # Which partition a member commits is chance.
            return sorted([await asker.committed(self.partition(*place)) for place in PLACES], key=repr)
        finally:
            await stopped([asker])


async def ended(task: asyncio.Task[None] | None) -> None:
    """Gives up a task."""
    if task is not None:
        task.cancel()
        await asyncio.wait([task])
