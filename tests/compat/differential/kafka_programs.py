"""Random programs of one reader and one writer, run by kafka-python 2.3.3, kafka-python 3 and their faces; all must see
the same of one seed as their originals.

A program takes partitions by itself or in a group, reads by `poll()` and by iteration, goes to other positions, pauses,
commits, writes, closes and comes again. Which partition's records come first is nobody's promise: where there are
several, everything is read. Short form: `test_programs.py`. Long form:
`python -m tests.compat.differential.kafka_programs FIRST_SEED COUNT [BOOTSTRAP]`, which shows the first difference of
each program, on the embedded broker or on the one that is named (`python -m tests.kafka` starts a real one).
"""

from __future__ import annotations

import importlib
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from kafkars import Producer
from kafkars.testing import EmbeddedBroker

from tests.compat.differential.patience import MORE
from tests.kafka import wire

ROOT = Path(__file__).parents[3]
SIDES = {
    "2": (str(ROOT / ".cache" / "kafka-python-2"), "kafkars.compat.kafka"),
    "3": ("", "kafkars.compat.kafka_3"),
}
"""Where the original of a version is, where it is not installed, and the face."""
TOPICS = ("one", "three")
PARTITIONS = {"one": 1, "three": 3}
RECORDS = 9
BEGAN = 1_700_000_000_000
QUIET = 0.7
"""Nothing more is there when nothing has come for this long, in seconds, times the patience of a look."""
SECONDS = 8.0
LENGTH = 16

Step = tuple[str, int]

READING = {"drain": 5, "poll": 4, "iterate": 3}
MOVING = {"seek": 4, "seek_to_beginning": 2, "seek_to_end": 2, "pause": 2, "resume": 2}
TAKING = {"assign": 4, "subscribe": 1, "subscribe_pattern": 1, "unsubscribe": 1, "again": 1}
ASKING = {"position": 3, "assignment": 2, "subscription": 1, "paused": 2, "ends": 1, "times": 1, "partitions": 1}
COMMITTING = {"commit": 3, "commit_offsets": 2, "commit_async": 1, "committed": 3}
WRITING = {"send": 2, "send_late": 1}
CALLS = READING | MOVING | TAKING | ASKING | COMMITTING | WRITING


def program(seed: int) -> list[Step]:
    """The steps of a seed: a call and a number from which its arguments are made."""
    chance = random.Random(seed)
    names, weights = list(CALLS), list(CALLS.values())
    steps = [("assign", chance.randrange(2**30))]
    steps += [(chance.choices(names, weights)[0], chance.randrange(2**30)) for _ in range(LENGTH)]
    return [*steps, ("drain", 0), ("position", 0), ("committed", 0)]


class Reader:
    """One side of a program."""

    def __init__(self, module: Any, servers: str, prefix: str, seed: int, patience: float) -> None:
        self._module = module
        self._servers = servers
        self._prefix = prefix
        self._group = f"{prefix}{seed}"
        self._own = f"{prefix}own-{seed}"
        self._quiet = QUIET * patience
        self._producer = module.KafkaProducer(bootstrap_servers=servers)
        self._consumer = self._made()
        self._written = 0

    def _made(self) -> Any:
        return self._module.KafkaConsumer(
            bootstrap_servers=self._servers,
            group_id=self._group,
            auto_offset_reset="earliest",
            # The same holds of automatic commits: what was looked up, the face commits too.
            enable_auto_commit=False,
            consumer_timeout_ms=int(self._quiet * 1000),
            session_timeout_ms=6000,
            heartbeat_interval_ms=200,
            # What is assigned while a request waits is asked for after it.
            fetch_max_wait_ms=100,
        )

    def close(self) -> None:
        """The end."""
        self._consumer.close()
        self._producer.close()

    def run(self, call: str, number: int) -> Any:
        """What a step gives, or how it fails."""
        try:
            return getattr(self, call)(random.Random(number))
        except Exception as problem:  # noqa: BLE001  which one it is, is compared
            return f"raised {type(problem).__name__}"

    # Partitions

    def _topic(self, name: str) -> str:
        return self._own if name == "own" else self._prefix + name

    def _place(self, chance: random.Random) -> Any:
        topic = chance.choice(TOPICS)
        return self._module.TopicPartition(self._topic(topic), chance.randrange(PARTITIONS[topic]))

    def _mine(self, chance: random.Random) -> Any:
        """One that is assigned, mostly."""
        mine = sorted(self._consumer.assignment())
        return chance.choice(mine) if mine and chance.random() < 0.9 else self._place(chance)

    def _told(self, places: Any) -> Any:
        return sorted([place.topic.removeprefix(self._prefix), place.partition] for place in places)

    # Calls

    def drain(self, _chance: random.Random) -> Any:
        """Everything that comes, by partition."""
        found: dict[str, list[Any]] = {}
        last = time.monotonic()
        is_joining = bool(self._consumer.subscription()) and not self._consumer.assignment()
        deadline = time.monotonic() + SECONDS
        while time.monotonic() - last < self._quiet or (is_joining and time.monotonic() < deadline):
            batches = self._consumer.poll(100)
            if is_joining and self._consumer.assignment():
                is_joining, last = False, time.monotonic()
            for place, records in batches.items():
                last = time.monotonic()
                named = f"{place.topic.removeprefix(self._prefix)}-{place.partition}"
                found.setdefault(named, []).extend([record.offset, record.value.decode()] for record in records)
        if self._consumer.subscription():
            # A group that is formed anew meanwhile reads records again.
            return sorted([name, sorted({tuple(each) for each in records})] for name, records in found.items())
        return sorted(found.items())

    def poll(self, chance: random.Random) -> Any:
        """A few records, where only one partition has any."""
        most = chance.randint(1, 4)
        if not self._reads_one():
            return self.drain(chance)
        deadline = time.monotonic() + self._quiet
        while time.monotonic() < deadline:
            found = self._consumer.poll(100, max_records=most)
            if found:
                return [[record.offset for record in records] for records in found.values()]
        return []

    def iterate(self, chance: random.Random) -> Any:
        """The same by iteration."""
        if not self._reads_one():
            return self.drain(chance)
        found: list[Any] = []
        for _ in range(chance.randint(1, 3)):
            record = next(self._consumer, None)
            if record is None:
                break
            found.append([record.offset, record.timestamp, record.key, len(record.headers)])
        return found

    def _reads_one(self) -> bool:
        return len(self._consumer.assignment() - self._consumer.paused()) == 1

    def seek(self, chance: random.Random) -> Any:
        return self._consumer.seek(self._mine(chance), chance.choice([0, 1, 5, RECORDS, RECORDS + 40, -1]))

    def seek_to_beginning(self, chance: random.Random) -> Any:
        return self._consumer.seek_to_beginning(*self._some(chance))

    def seek_to_end(self, chance: random.Random) -> Any:
        return self._consumer.seek_to_end(*self._some(chance))

    def _some(self, chance: random.Random) -> list[Any]:
        return [self._mine(chance)] if chance.random() < 0.6 else []

    def pause(self, chance: random.Random) -> Any:
        return self._consumer.pause(self._mine(chance)) if self._consumer.assignment() else None

    def resume(self, _chance: random.Random) -> Any:
        return self._consumer.resume(*self._consumer.paused())

    def assign(self, chance: random.Random) -> Any:
        return self._consumer.assign([self._place(chance) for _ in range(chance.randint(0, 3))])

    def subscribe(self, chance: random.Random) -> Any:
        return self._consumer.subscribe([self._topic(chance.choice(TOPICS))])

    def subscribe_pattern(self, chance: random.Random) -> Any:
        return self._consumer.subscribe(pattern=f"{self._prefix}{chance.choice(['one', 'th.*', 't'])}$")

    def unsubscribe(self, _chance: random.Random) -> Any:
        return self._consumer.unsubscribe()

    def again(self, _chance: random.Random) -> Any:
        self._consumer.close()
        self._consumer = self._made()

    def position(self, _chance: random.Random) -> Any:
        return [self._consumer.position(place) for place in sorted(self._consumer.assignment())]

    def assignment(self, _chance: random.Random) -> Any:
        # In a group it takes its time.
        return None if self._consumer.subscription() else self._told(self._consumer.assignment())

    def subscription(self, _chance: random.Random) -> Any:
        found = self._consumer.subscription()
        # Topics of a pattern are looked for at the next poll.
        return None if found is None else bool(found) or "none yet"

    def paused(self, _chance: random.Random) -> Any:
        return self._told(self._consumer.paused())

    def ends(self, chance: random.Random) -> Any:
        # The original fails with KeyError where it does not know one topic of several yet.
        topic = chance.choice(TOPICS)
        places = [self._module.TopicPartition(self._topic(topic), number) for number in range(PARTITIONS[topic])]
        return [
            sorted(found.values())
            for found in (self._consumer.beginning_offsets(places), self._consumer.end_offsets(places))
        ]

    def times(self, chance: random.Random) -> Any:
        place = self._place(chance)
        found = self._consumer.offsets_for_times({place: BEGAN + chance.choice([-5, 0, 3, 100])})[place]
        return None if found is None else [found.offset, found.timestamp]

    def partitions(self, chance: random.Random) -> Any:
        names = [*map(self._topic, TOPICS), f"{self._prefix}nothing"]
        return sorted(self._consumer.partitions_for_topic(chance.choice(names)) or ())

    # The original looks for a position when it is needed first, and has nothing to commit before; the face looks for it
    # when the partition is assigned (docs/migrating/kafka-python.md).
    def commit(self, chance: random.Random) -> Any:
        self.position(chance)
        return self._consumer.commit()

    def commit_offsets(self, chance: random.Random) -> Any:
        return self._consumer.commit(self._offsets(chance))

    def commit_async(self, chance: random.Random) -> Any:
        # The original refuses it where it does not know the coordinator yet.
        self.committed(chance)
        if self._consumer.subscription() and not self._consumer.assignment():
            # How much is read while it is waited for would be chance.
            self.drain(chance)
        told: list[Any] = []
        future = self._consumer.commit_async(
            self._offsets(chance), lambda offsets, _response: told.append([len(offsets)])
        )
        deadline = time.monotonic() + SECONDS
        places = self._consumer.assignment() - self._consumer.paused()
        self._consumer.pause(*places)
        while not told and time.monotonic() < deadline:
            self._consumer.poll(20)
        self._consumer.resume(*places)
        return told, future.succeeded() or future.failed()

    def _offsets(self, chance: random.Random) -> Any:
        self.position(chance)
        # Kafka takes offsets of partitions that nobody reads only of a group without members.
        places = sorted(self._consumer.assignment()) or [self._place(chance)]
        kind = self._module.OffsetAndMetadata
        return {place: kind(chance.randrange(RECORDS), "text", -1) for place in places}

    def committed(self, _chance: random.Random) -> Any:
        every = [(topic, number) for topic in TOPICS for number in range(PARTITIONS[topic])]
        kind = self._module.TopicPartition
        return [self._consumer.committed(kind(self._topic(topic), number)) for topic, number in every]

    def send(self, chance: random.Random) -> Any:
        return self._told_of(self._sent(chance, timestamp_ms=None).get(SECONDS))

    def send_late(self, chance: random.Random) -> Any:
        futures = [self._sent(chance, timestamp_ms=BEGAN + number) for number in range(3)]
        self._producer.flush()
        return [self._told_of(future.get(0)) for future in futures], [future.is_done for future in futures]

    def _sent(self, chance: random.Random, timestamp_ms: int | None) -> Any:
        self._written += 1
        return self._producer.send(
            self._own,
            chance.choice([b"value", b"", None]),
            key=chance.choice([b"key", b"other"]),
            headers=[("name", b"content")][: chance.randrange(2)],
            timestamp_ms=timestamp_ms,
        )

    def _told_of(self, metadata: Any) -> Any:
        sizes = [metadata.serialized_key_size, metadata.serialized_value_size, metadata.serialized_header_size]
        return [metadata.partition, metadata.offset, *sizes]


def prepare(servers: str, prefix: str, seeds: Sequence[int]) -> None:
    """Topics of one side."""
    address = servers.split(",", maxsplit=1)[0]
    for topic in TOPICS:
        wire.create_topic(address, prefix + topic, PARTITIONS[topic], 1, {})
    for seed in seeds:
        wire.create_topic(address, f"{prefix}own-{seed}", 1, 1, {})
    with Producer(bootstrap_servers=servers) as writer:
        for topic in TOPICS:
            for number in range(RECORDS * PARTITIONS[topic]):
                partition = number % PARTITIONS[topic]
                writer.send(
                    prefix + topic, b"value-%d" % number, key=b"key", partition=partition, timestamp=BEGAN + number
                )


def worker() -> None:
    """Runs programs of one side: `worker FOLDER|"" MODULE SERVERS PREFIX PATIENCE SEED...`; a line of JSON for each."""
    folder, name, servers, prefix, patience, *seeds = sys.argv[2:]
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout = sys.stderr
    if folder:
        sys.path.insert(0, folder)
    module = importlib.import_module(name)
    for seed in map(int, seeds):
        reader = Reader(module, servers, prefix, seed, float(patience))
        steps = [reader.run(*step) for step in program(seed)]
        reader.close()
        print(json.dumps(steps, default=repr).replace(prefix, ""), file=told, flush=True)


def seen(version: str, side: str, servers: str, seeds: Sequence[int], patience: float) -> list[Any]:
    """What one side sees of programs, step by step."""
    prefix = f"{side[0]}{version}{time.time_ns() % 10**9}x"
    prepare(servers, prefix, seeds)
    original, face = SIDES[version]
    arguments = [original, "kafka"] if side == "original" else ["", face]
    command = [sys.executable, "-W", "ignore", "-m", __spec__.name, "worker", *arguments, servers, prefix]
    finished = subprocess.run(
        [*command, str(patience), *map(str, seeds)],
        capture_output=True,
        text=True,
        timeout=60 * len(seeds) * patience + 60,
        check=False,
        cwd=ROOT,
    )
    assert finished.returncode == 0, finished.stderr[-4000:]
    return [json.loads(line) for line in finished.stdout.splitlines()]


def differences(version: str, servers: str, seeds: Sequence[int]) -> Iterator[str]:
    """Where the two sides part, of programs that are different once more when they run by themselves."""
    found = parted(version, servers, seeds, 1.0)
    for seed in found:
        again = parted(version, servers, [seed], MORE).get(seed)
        if again is not None:
            yield again


def parted(version: str, servers: str, seeds: Sequence[int], patience: float) -> dict[int, str]:
    """The first step of each program that the two sides see differently, with the steps before."""
    with ThreadPoolExecutor() as threads:
        runs = [threads.submit(seen, version, side, servers, seeds, patience) for side in ("original", "face")]
        originals, faces = (run.result() for run in runs)
    found: dict[int, str] = {}
    for seed, theirs, ours in zip(seeds, originals, faces, strict=True):
        steps = program(seed)
        for number, (original, face) in enumerate(zip(theirs, ours, strict=True)):
            if original != face:
                done = [name for name, _ in steps[: number + 1]]
                found[seed] = f"kafka-python {version}, seed {seed}: {done}\n  original {original}\n  face     {face}"
                break
    return found


@contextmanager
def _embedded() -> Iterator[str]:
    with EmbeddedBroker() as broker:
        yield broker.bootstrap_servers


def main() -> None:
    if sys.argv[1] == "worker":
        worker()
        return
    first, count = map(int, sys.argv[1:3])
    with nullcontext(sys.argv[3]) if len(sys.argv) > 3 else _embedded() as servers:
        for begin in range(first, first + count, 10):
            for version in SIDES:
                seeds = range(begin, min(begin + 10, first + count))
                for each in differences(version, servers, seeds):
                    sys.stdout.write(each + "\n")
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
