"""Random programs of what callbacks do within `consume()`: one reader of two partitions, which calls `consume()` again
and again, and in a callback of each call, when all there is was taken, seeks, pauses, assigns or gives up. Both sides
must return the same messages and ends of partitions, and stand at the same positions.

In the end what was read is committed, once: what a program commits that has gone back differs, as the page of
differences has it. Short form: `test_programs.py`. Long form:
`python -m tests.compat.differential.consume_programs FIRST_SEED COUNT`.
"""

from __future__ import annotations

import functools
import importlib
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from kafkars import Producer
from kafkars.testing import EmbeddedBroker

from tests.compat.differential.patience import twice
from tests.compat.differential.programs import SIDES
from tests.kafka import wire

TOPIC = "t"
RECORDS = (6, 3)
"""How many each partition has."""
TAKEN_AFTER = 0.4
"""Seconds after which a call has taken all there is, and a callback acts."""
QUIET = 0.3
"""Seconds after which nothing more comes."""
SECONDS = 20.0
NEVER = 600_000

Act = tuple[str, list[tuple[int, int]]]
"""A call, and partitions with offsets."""


@dataclass(frozen=True)
class Program:
    """What callbacks do in each call of `consume()`."""

    seed: int
    has_ends: bool
    calls: list[tuple[bool, list[Act]]]
    """Whether all is assigned anew before a call, so that there is something to take, and what its callback does."""


def program(seed: int, length: int = 5) -> Program:
    """The program of a seed."""
    chance = random.Random(seed)
    has_ends = chance.random() < 0.5
    return Program(seed, has_ends, [(chance.random() < 0.6, acts(chance)) for _ in range(length)])


def acts(chance: random.Random) -> list[Act]:
    """What one callback does."""
    weights = {"seek": 4, "pause": 2, "resume": 3, "pause, resume": 2, "assign": 2, "unassign": 1}
    weights |= {"incremental_unassign": 2, "incremental_assign": 3, "position": 1}
    chosen = chance.choices(list(weights), weights=list(weights.values()), k=chance.randint(1, 3))
    made = [(call, places(chance)) for each in chosen for call in each.split(", ")]
    # The original refuses to go anywhere in a partition that it has not begun to read.
    assigned = next((number for number, (call, _) in enumerate(made) if call.endswith("assign")), len(made))
    return [(call, given) for number, (call, given) in enumerate(made) if call != "seek" or number < assigned]


def places(chance: random.Random) -> list[tuple[int, int]]:
    """Partitions, each with an offset, one of the ends among them."""
    chosen = chance.sample(range(len(RECORDS)), chance.randint(1, len(RECORDS)))
    return [(number, chance.choice([*range(RECORDS[number] + 1), -1, -2])) for number in chosen]


class Reader:
    """One side of a program."""

    def __init__(self, library: str, servers: str, made: Program, patience: float) -> None:
        self.module = importlib.import_module(library)
        self.patience = patience
        self.acts: list[Act] = []
        self.acts_at = 0.0
        self.ended: list[Any] = []
        self.program = made
        settings = {
            "bootstrap.servers": servers,
            "group.id": f"consume-{made.seed}-{library}-{patience}",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "enable.partition.eof": made.has_ends,
            "fetch.wait.max.ms": 10,
            "fetch.error.backoff.ms": 10,
            "retry.backoff.ms": 10,
            "statistics.interval.ms": 50,
            "stats_cb": self._stats,
            "log_level": 0,
        }
        self.consumer = self.module.Consumer(settings)
        self.all = [self.module.TopicPartition(TOPIC, number, 0) for number in range(len(RECORDS))]

    def run(self) -> list[Any]:
        """What each call gives, and where the reader stands after it."""
        try:
            self.consumer.assign(self.all)
            seen: list[Any] = [self._consumed(anew, acts) for anew, acts in self.program.calls]
            seen.append(("committed", self._ended(self._commit)))
        finally:
            self.consumer.close()
        return seen

    def _consumed(self, anew: bool, acts: list[Act]) -> Any:
        if anew:
            self.consumer.assign(self.all)
        began = time.monotonic()
        self.ended = []
        self.acts_at = began + TAKEN_AFTER * self.patience
        self.acts = list(acts)
        found = self.consumer.consume(100, (TAKEN_AFTER + QUIET) * self.patience)
        last = time.monotonic()
        while self.acts or time.monotonic() - last < 2 * QUIET * self.patience:
            if time.monotonic() - began > SECONDS * self.patience:
                return "no callback"
            more = self.consumer.consume(100, QUIET * self.patience)
            last = time.monotonic() if more else last
            found += more
        read: list[list[Any]] = [[] for _ in RECORDS]
        for each in found:
            read[each.partition()].append(each.offset() if each.error() is None else each.error().name())
        return acts, self.ended, read, self._position()

    def _stats(self, _stats: str) -> None:
        if time.monotonic() >= self.acts_at:
            for call, chosen in self.acts:
                partitions = [self.module.TopicPartition(TOPIC, number, offset) for number, offset in chosen]
                self.ended.append(self._ended(functools.partial(self._call, call, partitions)))
            self.acts = []

    def _call(self, call: str, partitions: list[Any]) -> Any:
        match call:
            case "seek":
                return self.consumer.seek(partitions[0])
            case "unassign":
                return self.consumer.unassign()
            case "position":
                return self._position()
            case _:
                return getattr(self.consumer, call)(partitions)

    def _position(self) -> list[int]:
        return [each.offset for each in self.consumer.position(self.all)]

    def _commit(self) -> list[int]:
        found = {each.partition: each.offset for each in self.consumer.commit(asynchronous=False)}
        return [found.get(number, -1) for number in range(len(RECORDS)) if found.get(number, -1) >= 0]

    def _ended(self, call: Any) -> Any:
        try:
            return call()
        except self.module.KafkaException as problem:
            return f"failed with {problem.args[0].name()}"


def prepare(servers: str) -> None:
    """Makes the topic that programs read."""
    wire.create_topic(servers, TOPIC, len(RECORDS), 1, {})
    with Producer(bootstrap_servers=servers) as producer:
        for number, count in enumerate(RECORDS):
            for _ in range(count):
                producer.send(TOPIC, b"value", partition=number)


def difference(servers: str, seed: int) -> str | None:
    """The first call that the two sides see differently, twice."""
    return twice(functools.partial(parted, servers, program(seed)))


def parted(servers: str, made: Program, patience: float) -> str | None:
    """The first call that the two sides see differently."""

    def side(library: str) -> list[Any]:
        return Reader(library, servers, made, patience).run()

    with ThreadPoolExecutor(len(SIDES)) as sides:
        original, face = sides.map(side, SIDES)
    for number, (one, other) in enumerate(zip(original, face, strict=True)):
        if one != other:
            return f"{made}, call {number}\n  original {one}\n  face     {other}"
    return None


def main() -> None:
    first, count = map(int, sys.argv[1:3])
    with EmbeddedBroker() as broker:
        prepare(broker.bootstrap_servers)
        with ThreadPoolExecutor(4) as pool:
            seeds = range(first, first + count)
            differences = pool.map(functools.partial(difference, broker.bootstrap_servers), seeds)
            for seed, found in zip(seeds, differences, strict=True):
                sys.stdout.write(f"{found}\n" if found else f"seed {seed} is the same\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
