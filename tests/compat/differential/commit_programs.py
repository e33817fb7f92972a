"""Random programs of commits: one reader of one partition that reads, seeks, stores and commits in all ways, gives the
partition up and takes it again. After each step both sides must have the same committed in the cluster. Where all is
written in transactions, two offsets are the same if reading goes on with the same record.

Where a program goes back behind what it has committed it says so by a commit: without one the two differ, as the page
of differences has it. Short form: `test_programs.py`. Long form:
`python -m tests.compat.differential.commit_programs FIRST_SEED COUNT [transactions]`.
"""

from __future__ import annotations

import functools
import importlib
import random
import sys
import time
from bisect import bisect_left
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import confluent_kafka
from kafkars import Producer
from kafkars.testing import EmbeddedBroker

from tests.compat.differential.patience import twice
from tests.compat.differential.programs import SIDES
from tests.kafka import wire

RECORDS = 40
SECONDS = 10.0
NEVER = 600_000
"""An interval of automatic commits, in milliseconds, after which none is made."""
SOON = 100

Step = tuple[str, int]


@dataclass(frozen=True)
class Program:
    """The steps of a seed, and how its reader is set."""

    seed: int
    commits: bool
    stores: bool
    interval: int
    is_member: bool
    steps: list[Step]
    transactions: list[tuple[int, bool]]
    """How many records each has, and whether it is committed; none if the records stand by themselves."""

    @property
    def shown(self) -> list[int]:
        """The offsets of the records that are read."""
        if not self.transactions:
            return list(range(RECORDS))
        shown, offset = [], 0
        for count, is_committed in self.transactions:
            shown += range(offset, offset + count) if is_committed else ()
            # A marker follows.
            offset += count + 1
        return shown

    @property
    def end(self) -> int:
        """The offset after the last record that is read."""
        return self.shown[-1] + 1

    def left(self, position: int) -> list[int]:
        """The offsets of the records that are read from this position on."""
        shown = self.shown
        return shown[bisect_left(shown, position) :]

    def next_shown(self, offset: int) -> int:
        """The offset of the record with which reading goes on; the end if there is none."""
        return next(iter(self.left(offset)), self.end) if offset >= 0 else offset


def program(seed: int, length: int = 14, *, in_transactions: bool = False) -> Program:
    """The program of a seed, of records that stand by themselves or are written in transactions."""
    chance = random.Random(seed)
    commits, stores, is_member = chance.random() < 0.6, chance.random() < 0.3, chance.random() < 0.5
    interval = SOON if chance.random() < 0.3 else NEVER
    calls = {"read": 6, "consume": 2, "back": 4, "forth": 3, "pause": 1, "commit": 4, "commit_later": 2}
    calls |= {"commit_message": 1, "commit_offset": 2, "leave": 1, "again": 1, "idle": 2}
    if stores:
        calls["store"] = 5
    steps: list[Step] = [("read", chance.randint(1, 6))]
    for _ in range(length):
        call = chance.choices(list(calls), weights=list(calls.values()))[0]
        steps.append((call, chance.randint(1, 6)))
    written = transactions(seed) if in_transactions else []
    return Program(seed, commits, stores, interval, is_member, steps, written)


def transactions(seed: int) -> list[tuple[int, bool]]:
    """Those of a program. The last one is committed, so that a record is left wherever a program goes."""
    chance = random.Random(f"transactions of {seed}")
    return [*((chance.randint(1, 3), chance.random() < 0.5) for _ in range(12)), (4, True)]


class Reader:
    """One side of a program."""

    def __init__(self, library: str, servers: str, made: Program, patience: float) -> None:
        self.module = importlib.import_module(library)
        self.servers = servers
        self.program = made
        self.patience = patience
        self.group = f"commits-{made.seed}-{library}-{patience}"
        self.position = 0
        self.is_sought = False
        """Whether nothing was read since a seek."""
        self.last: Any = None
        self.ended: list[Any] = []
        self.asking = self.module.Consumer({"bootstrap.servers": servers, "group.id": self.group})
        self._open(0)

    def run(self) -> list[Any]:
        """What each step gives, and what is committed after it."""
        seen = []
        try:
            for call, number in self.program.steps:
                result = self._call(call, number)
                if self.program.interval == SOON:
                    self._idle()
                seen.append((call, number, self._told(call, result), self.program.next_shown(self._committed())))
        finally:
            self._go_on()
            self.consumer.close()
            seen.append(("in the end", 0, None, self.program.next_shown(self._committed())))
            self.asking.close()
        return seen

    def _told(self, call: str, result: Any) -> Any:
        """What a step gives. Behind a message, markers are moved over now or with the next poll: then there is nothing
        to commit, or an offset that says the same.
        """
        return result if not self.program.transactions or call in {"read", "consume"} else None

    def _go_on(self) -> None:
        """Reads on after a seek, before the partition goes, and drops what is fetched: the original's close() comes to
        markers there, past what was not handed out.
        """
        if self.program.transactions:
            if self.is_sought:
                self._read(1, lambda left: [self.consumer.poll(0.1)] if left else [])
            self._idle()
            self.consumer.pause(self.consumer.assignment())

    def _call(self, call: str, number: int) -> Any:  # noqa: C901, PLR0911, PLR0912  one for each call
        try:
            match call:
                case "read":
                    return self._read(number, lambda left: [self.consumer.poll(0.1)] if left else [])
                case "consume":
                    return self._read(number, lambda left: self.consumer.consume(left, 0.1))
                case "back":
                    return self._seek(max(0, self.position - number))
                case "forth":
                    return self._seek(min(self.program.end - bool(self.program.transactions), self.position + number))
                case "pause":
                    return self.consumer.pause([self._at()])
                case "commit":
                    return self._offsets(self.consumer.commit(asynchronous=False))
                case "commit_later":
                    return self._later(None)
                case "commit_message" if self.last is not None:
                    return self._offsets(self.consumer.commit(message=self.last, asynchronous=False))
                case "commit_offset" if self.is_sought:
                    return self._arrive()
                case "commit_offset":
                    return self._later(self.position + number - 3) if number % 2 else self._commit(self.position + 1)
                case "store" if self.last is not None:
                    return self.consumer.store_offsets(message=self.last)
                case "leave":
                    self._go_on()
                    return self._leave()
                case "again":
                    self._go_on()
                    self.consumer.close()
                    return self._open(self._start())
                case "idle":
                    return self._idle()
        except self.module.KafkaException as problem:
            return problem.args[0].name()
        return None

    def _open(self, start: int) -> None:
        settings = {
            "bootstrap.servers": self.servers,
            "group.id": self.group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": self.program.commits,
            "auto.commit.interval.ms": self.program.interval,
            "enable.auto.offset.store": not self.program.stores,
            "on_commit": lambda error, _: self.ended.append(error and error.name()),
            "fetch.wait.max.ms": 20,
            "log_level": 0,
        }
        self.consumer = self.module.Consumer(settings)
        self._take(start)

    def _start(self) -> int:
        """Where the next assignment begins."""
        return max(self._committed(), 0)

    def _take(self, start: int) -> None:
        self.position, self.last, self.is_sought = start, None, False
        if self.program.is_member:
            self.consumer.subscribe([self._at().topic], on_assign=taken)
        else:
            self.consumer.assign([self._at(start)])
        self._idle(lambda: bool(self.consumer.assignment()))

    def _leave(self) -> None:
        (self.consumer.unsubscribe if self.program.is_member else self.consumer.unassign)()
        self._idle(lambda: not self.consumer.assignment())
        # Nothing waits for the commit that this has begun.
        self._idle()
        self._take(self._start())

    def _at(self, offset: int = -1001) -> Any:
        return self.module.TopicPartition("commits", 0, offset)

    def _read(self, count: int, take: Any) -> list[int]:
        self.consumer.resume([self._at()])
        found: list[int] = []
        began = time.monotonic()
        wanted = min(count, len(self.program.left(self.position)))
        while len(found) < wanted and time.monotonic() - began < SECONDS * self.patience:
            for message in take(wanted - len(found)):
                if message is not None and message.error() is None:
                    found.append(message.offset())
                    self._note(message)
        return found

    def _note(self, message: Any) -> None:
        self.last, self.position, self.is_sought = message, message.offset() + 1, False

    def _seek(self, offset: int) -> Any:
        if self.last is None:
            # The original refuses that before it has begun to read.
            return None
        self.consumer.resume([self._at()])
        committed = self._committed()
        self.consumer.seek(self._at(offset))
        self.position = offset
        self.is_sought = True
        return self._arrive() if offset < committed and not self.program.stores else None

    def _arrive(self) -> Any:
        """Reads on after a seek, and says so by a commit."""
        return self._read(1, lambda left: [self.consumer.poll(0.1)] if left else []), self._commit(self.position)

    def _commit(self, offset: int) -> Any:
        return self._offsets(self.consumer.commit(offsets=[self._at(max(offset, 0))], asynchronous=False))

    def _later(self, offset: int | None) -> Any:
        """What becomes of a commit that is not waited for."""
        self.ended.clear()
        if offset is None:
            self.consumer.commit()
        else:
            self.consumer.commit(offsets=[self._at(max(offset, 0))])
        self._idle(lambda: bool(self.ended))
        return self.ended[:1]

    def _idle(self, is_over: Any = None) -> None:
        """Polls while nothing is read."""
        until = time.monotonic() + (3 * SOON / 1000 if is_over is None else SECONDS) * self.patience
        places = self.consumer.assignment()
        self.consumer.pause(places)
        while time.monotonic() < until and not (is_over is not None and is_over()):
            message = self.consumer.poll(0.02)
            self.consumer.pause(self.consumer.assignment())
            if message is not None and message.error() is None:
                self._note(message)
        self.consumer.resume(self.consumer.assignment())

    def _committed(self) -> int:
        [found] = self.asking.committed([self._at()], timeout=SECONDS)
        return int(found.offset)

    @staticmethod
    def _offsets(partitions: list[Any]) -> list[int]:
        return [each.offset for each in partitions]


def taken(consumer: Any, partitions: list[Any]) -> None:
    """Takes partitions so that nothing is read before the program asks for it."""
    consumer.assign(partitions)
    consumer.pause(partitions)


def difference(seed: int, *, in_transactions: bool = False) -> str | None:
    """The first step that the two sides see differently, twice."""
    return twice(functools.partial(parted, program(seed, in_transactions=in_transactions)))


def parted(made: Program, patience: float) -> str | None:
    """The first step that the two sides see differently, with the steps before."""
    with EmbeddedBroker() as broker, ThreadPoolExecutor(len(SIDES)) as sides:
        wire.create_topic(broker.bootstrap_servers, "commits", 1, 1, {})
        write(broker.bootstrap_servers, made)
        runs = [Reader(library, broker.bootstrap_servers, made, patience) for library in SIDES]
        original, face = sides.map(Reader.run, runs)
    for number, (one, other) in enumerate(zip(original, face, strict=True)):
        if one != other:
            done = original[: number + 1]
            return f"{made}, step {number}: {done}\n  original {one}\n  face     {other}"
    return None


def write(servers: str, made: Program) -> None:
    """Writes what is read."""
    if not made.transactions:
        with Producer(bootstrap_servers=servers) as producer:
            for number in range(RECORDS):
                producer.send("commits", b"%d" % number)
        return
    writer = confluent_kafka.Producer({"bootstrap.servers": servers, "transactional.id": "commits"})
    writer.init_transactions(SECONDS)
    for count, is_committed in made.transactions:
        writer.begin_transaction()
        for _ in range(count):
            writer.produce("commits", b"", partition=0)
        writer.flush(SECONDS)
        (writer.commit_transaction if is_committed else writer.abort_transaction)(SECONDS)


def main() -> None:
    first, count = map(int, sys.argv[1:3])
    for seed in range(first, first + count):
        found = difference(seed, in_transactions=sys.argv[3:] == ["transactions"])
        sys.stdout.write(f"{found}\n" if found else "")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
