"""Random programs: sequences of calls that confluent_kafka and its face run on one broker, and that must see the same.

A program is a list of steps of one reader that takes its partitions by itself, closes and comes again, made from a
seed. Short form: `test_programs.py`. Long form: `python -m tests.compat.differential.programs FIRST_SEED COUNT`, which
shows the first difference of each program.
"""

from __future__ import annotations

import functools
import importlib
import random
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from kafkars import Producer
from kafkars.testing import EmbeddedBroker

from tests.compat.differential.patience import twice
from tests.kafka import wire

SIDES = ("confluent_kafka", "kafkars.compat.confluent_kafka")
TOPICS = ("plain", "transactions")
RECORDS = 12
QUIET = 1.2
"""A reader is through when nothing has come for this long, in seconds."""
SECONDS = 5.0

Step = tuple[str, Any]


def program(seed: int, length: int = 14) -> list[Step]:
    """The steps of a seed."""
    chance = random.Random(seed)
    steps: list[Step] = [("assign", [places(chance)])]
    for _ in range(length):
        call, given = step(chance)
        if call == "seek" or call.startswith("commit_beside"):
            # The original refuses to go anywhere in a partition that it has not begun to read. And a commit that is
            # refused takes a while, in which only the face moves over the markers of transactions.
            steps.append(("drain", []))
        if call == "store_offsets":
            given = [[(topic, max(offset, 0)) for topic, offset in given[0]]]
        steps.append((call, given))
        if call == "commit_later":
            # What still waits for its answer when the assignment changes. Whether a commit() that follows at once finds
            # it done is chance.
            steps += [(chance.choice(["assign", "unassign", "incremental_unassign"]), [places(chance)]), ("drain", [])]
        if call == "commit_beside_later":
            steps.append(("drain", []))
        if call.startswith("commit_beside"):
            steps.append(("committed", []))
    return [*steps, ("drain", []), ("position", [])]


def places(chance: random.Random) -> list[tuple[int, int]]:
    """Partitions, each by the number of its topic, and where to begin: an offset, the ends, what is committed, the last
    few."""
    chosen = chance.sample(range(len(TOPICS)), chance.randint(1, len(TOPICS)))
    starts = [0, 3, RECORDS - 1, RECORDS + 50, -1, -2, -1000, -1001, -2002, -2000 - 2 * RECORDS]
    return [(topic, chance.choice(starts)) for topic in chosen]


def step(chance: random.Random) -> Step:
    """One call."""
    call = chance.choices(list(CALLS), weights=list(CALLS.values()))[0]
    return (call, [places(chance)])


CALLS = {
    "drain": 5,
    "assign": 2,
    "incremental_assign": 2,
    "incremental_unassign": 2,
    "unassign": 1,
    "pause": 1,
    "resume": 2,
    "seek": 3,
    "position": 3,
    "assignment": 2,
    "committed": 2,
    "take": 4,
    "commit": 2,
    "commit_later": 2,
    "commit_offsets": 2,
    "commit_beside": 1,
    "commit_beside_later": 1,
    "store_offsets": 2,
    "watermarks": 1,
    "again": 1,
}


@dataclass
class Reader:
    """One side of a program."""

    library: str
    servers: str
    group: str
    stores: bool
    commits: bool
    patience: float
    """How many times longer than usual it waits for something to come."""
    consumer: Any = field(init=False)
    told: list[Any] = field(default_factory=list)
    """What `on_commit` has heard since the latest drain."""
    known: dict[str, int] = field(default_factory=dict)
    """What is known to be committed: the original commits the same again when partitions go, and tells of that."""

    def __post_init__(self) -> None:
        self.module = importlib.import_module(self.library)
        self.consumer = self._made()

    def _made(self) -> Any:
        return self.module.Consumer(
            {
                "bootstrap.servers": self.servers,
                "group.id": self.group,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": self.commits,
                "on_commit": self._committed,
                # Only when partitions go: otherwise it would be chance whether a commit finds anything.
                "auto.commit.interval.ms": 600_000,
                "enable.auto.offset.store": not self.stores,
                "log_level": 0,
                # What has to be asked again is asked soon, or the original would be quiet for longer than a drain
                # waits.
                "fetch.error.backoff.ms": 10,
                "retry.backoff.ms": 10,
            }
        )

    def run(self, call: str, chosen: list[tuple[int, int]]) -> Any:
        """What a step gives, or how it fails."""
        partitions = [self.module.TopicPartition(TOPICS[topic], 0, offset) for topic, offset in chosen]
        try:
            return self._call(call, partitions)
        except self.module.KafkaException as problem:
            # Which of the two the original says of a partition that is not read depends on what it was asked before.
            return f"failed with {problem.args[0].name()}".replace("_STATE", "_UNKNOWN_PARTITION")

    def _call(self, call: str, partitions: list[Any]) -> Any:  # noqa: C901, PLR0911, PLR0912  one line for each call
        reader = self.consumer
        everything = [self.module.TopicPartition(topic, 0) for topic in TOPICS]
        match call:
            case "drain":
                return self._drain()
            case "seek":
                return reader.seek(partitions[0])
            case "position":
                return self._told(reader.position(everything))
            case "assignment":
                return sorted((each.topic, each.offset) for each in reader.assignment())
            case "committed":
                return self._told(reader.committed(everything, timeout=SECONDS))
            case "take":
                return self._take(len(partitions))
            case "commit":
                return self._noted(reader.commit(asynchronous=False))
            case "commit_later":
                return reader.commit()
            case "commit_offsets":
                return self._noted(reader.commit(offsets=partitions, asynchronous=False))
            case "commit_beside":
                return self._noted(reader.commit(offsets=[*partitions, self._absent()], asynchronous=False))
            case "commit_beside_later":
                return reader.commit(offsets=[*partitions, self._absent()])
            case "store_offsets":
                return reader.store_offsets(offsets=partitions)
            case "watermarks":
                return [reader.get_watermark_offsets(each, timeout=SECONDS) for each in everything]
            case "again":
                reader.close()
                self.consumer = self._made()
                return None
            case "unassign":
                return reader.unassign()
            case _:
                return getattr(reader, call)(partitions)

    def _absent(self) -> Any:
        """A partition that there is not, beside which others are committed."""
        return self.module.TopicPartition(TOPICS[0], 9, 1)

    def _committed(self, error: Any, partitions: list[Any]) -> None:
        new = self._news([each for each in partitions if each.offset >= 0])
        if new or error is not None:
            self.told.append((error and error.name(), self._told(new)))

    def _news(self, partitions: list[Any]) -> list[Any]:
        """Those of these commits that change something."""
        new = [each for each in partitions if self.known.get(each.topic) != each.offset]
        self.known.update((each.topic, each.offset) for each in new if each.error is None)
        return new

    def _take(self, count: int) -> list[Any]:
        """A few records, where only one partition can bring them. The face moves over the markers of transactions at
        once, the original with the next poll.
        """
        found: list[Any] = []
        began = time.monotonic()
        is_plain = [each.topic for each in self.consumer.assignment()] == ["plain"]
        while is_plain and len(found) < count and time.monotonic() - began < QUIET * self.patience:
            message = self.consumer.poll(0.1)
            if message is not None:
                found.append(message.offset() if message.error() is None else message.error().name())
        return found

    def _drain(self) -> dict[str, list[Any]]:
        """Everything that comes, by partition: which partition comes first is nobody's promise; and what commits that
        were not waited for have come to.
        """
        found: dict[str, list[Any]] = {}
        last = time.monotonic()
        while time.monotonic() - last < QUIET * self.patience:
            message = self.consumer.poll(0.1)
            if message is None:
                continue
            last = time.monotonic()
            error = message.error()
            seen = error.name() if error is not None else (message.offset(), message.value())
            found.setdefault(message.topic() or "", []).append(seen)
        if self.told:
            found["on_commit"] = sorted(self.told, key=repr)
            self.told.clear()
        return found

    def _noted(self, committed: list[Any]) -> list[Any]:
        self._news([each for each in committed if each.offset >= 0])
        return self._told(committed)

    @staticmethod
    def _told(partitions: list[Any]) -> list[Any]:
        return sorted((each.topic, each.offset, each.error and each.error.name()) for each in partitions)


def prepare(servers: str) -> None:
    """A topic of records, and one with committed and aborted transactions in turn."""
    for topic in TOPICS:
        wire.create_topic(servers.split(",", maxsplit=1)[0], topic, 1, 1, {})
    with Producer(bootstrap_servers=servers) as plain:
        for number in range(RECORDS):
            plain.send("plain", b"value-%d" % number)
    with Producer(bootstrap_servers=servers, transactional_id="programs") as writer:
        writer.init_transactions()
        for number in range(RECORDS // 2):
            with suppress(Abort), writer.transaction():
                writer.send("transactions", b"value-%d" % number)
                writer.flush()
                if number % 3 == 1:
                    raise Abort


class Abort(Exception):  # noqa: N818  no error
    """This transaction is not committed."""


def difference(servers: str, seed: int) -> str | None:
    """The first step of a program that the two sides see differently, twice, with the steps before."""
    return twice(functools.partial(parted, servers, seed))


def parted(servers: str, seed: int, patience: float) -> str | None:
    """The first step of a program that the two sides see differently, with the steps before."""
    stores, commits = seed % 2 == 1, seed % 4 >= 2
    one, other = (
        Reader(library, servers, f"{seed}-{library}-{patience}", stores, commits, patience) for library in SIDES
    )
    done: list[Step] = []
    try:
        for call, (chosen,) in ((call, given or [[]]) for call, given in program(seed)):
            done.append((call, chosen))
            original, face = one.run(call, chosen), other.run(call, chosen)
            if original != face:
                named = f"seed {seed}, stores {stores}, commits {commits}"
                return f"{named}: {done}\n  original {original}\n  face     {face}"
    finally:
        one.consumer.close()
        other.consumer.close()
    return None


def main() -> None:
    first, count = map(int, sys.argv[1:])
    with EmbeddedBroker() as broker:
        prepare(broker.bootstrap_servers)
        for seed in range(first, first + count):
            found = difference(broker.bootstrap_servers, seed)
            sys.stdout.write(f"{found}\n" if found else "")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
