"""What one node carries beside Apache Kafka: the same clients in turns, both brokers running all the time.

Wall time on a machine with few cores is that of client and broker together, and of whatever else runs there: what else
runs only makes a round slower, so the fastest is the truest, and the broker's own processor time stands beside it.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from typing import Any, NamedTuple

from kafkars import Admin

from benches.compare import rounds, topics
from benches.compare.brokers import Running, running
from benches.compare.task import Task

NUMBERS = itertools.count(1)
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
BATCH_BYTES = 131_072
# Of values in one round.
MOST_BYTES = 250_000_000
CONSUME = "consume-batch"
# By default it rests for a second when its queue is full, which happens with the faster broker only: its rest, not the
# broker's.
OWN_SETTINGS = {("confluent", CONSUME): {"fetch.queue.backoff.ms": 5}}


class Case(NamedTuple):
    """What is done, over and over."""

    driver: str
    job: str
    size: int = 100
    codec: str = "none"
    partitions: int = 1

    def __str__(self) -> str:
        return f"{self.driver} {self.job}, {self.size:,} B, {self.codec}, partitions: {self.partitions}"


CASES = [
    *(Case(*what) for what in itertools.product(("kafkars", "confluent"), ("produce", CONSUME), (100, 1_000))),
    *(Case("kafkars", "produce", codec=codec) for codec in CODECS[1:]),
    *(Case("kafkars", CONSUME, codec=codec) for codec in CODECS[1:]),
    *(Case("kafkars", job, partitions=24) for job in ("produce", CONSUME)),
]


class Round(NamedTuple):
    """What one broker did in one round."""

    per_second: float
    # Of the broker's process, in microseconds a record.
    cpu: float


def measure(options: argparse.Namespace) -> Any:
    found = []
    with running("embedded", "") as embedded, running("real", options.kafka_version) as kafka:
        print(
            f"beside {kafka.name}, {options.records} records a round, fewer large ones; embedded, Kafka: records/s of the fastest round and their"
            " ratio, ratio of the two in each round (median, extremes), CPU of the broker's process in us a record"
        )
        for each in CASES:
            rounds_of = in_turns(options, each, {"embedded": embedded, "kafka": kafka})
            found.append({**each._asdict(), **show(each, rounds_of)})
    return found


def in_turns(options: argparse.Namespace, case: Case, sides: dict[str, Running]) -> dict[str, list[Round]]:
    count = min(options.records, MOST_BYTES // case.size)
    sources = {name: filled(side, case, count) if case.job == CONSUME else "" for name, side in sides.items()}
    done: dict[str, list[Round]] = {name: [] for name in sides}
    # One more than is counted: the first is for Java's compiler.
    for number in range(options.rounds + 1):
        order = list(sides)
        for name in order if number % 2 == 0 else reversed(order):
            topic = sources[name] or new_topic(sides[name], case)
            done[name].append(one(case, sides[name], topic, count))
            if not sources[name]:
                delete(sides[name], topic)
    for name, topic in sources.items():
        if topic:
            delete(sides[name], topic)
    return {name: rounds_of[1:] for name, rounds_of in done.items()}


def one(case: Case, side: Running, topic: str, records: int) -> Round:
    task = Task(
        case.driver,
        case.job,
        side.address,
        topic,
        records,
        partitions=case.partitions,
        size=case.size,
        codec=case.codec,
        own=OWN_SETTINGS.get((case.driver, case.job), {}),
    )
    before = side.cpu_seconds()
    result = rounds.measure(task)
    count = result["records"]
    return Round(count / result["seconds"], (side.cpu_seconds() - before) * 1e6 / count)


def show(case: Case, done: dict[str, list[Round]]) -> dict[str, Any]:
    pairs = list(zip(done["embedded"], done["kafka"], strict=True))
    ratios = [ours.per_second / theirs.per_second for ours, theirs in pairs]
    best = {name: max(each.per_second for each in rounds_of) for name, rounds_of in done.items()}
    # A round of the embedded broker may take less than the clock of processor time can tell.
    cpu = {name: statistics.fmean(each.cpu for each in rounds_of) for name, rounds_of in done.items()}
    print(
        f"  {case!s:<58} best {best['embedded']:>9,.0f} {best['kafka']:>9,.0f}  {best['embedded'] / best['kafka']:5.2f}"
        f"  rounds {statistics.median(ratios):5.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        f"  broker CPU {cpu['embedded']:.2f} {cpu['kafka']:.2f}",
        flush=True,
    )
    return {
        "rounds": {name: [each._asdict() for each in rounds_of] for name, rounds_of in done.items()},
        "ratios": ratios,
    }


def new_topic(side: Running, case: Case) -> str:
    topic = f"throughput-{next(NUMBERS)}"
    topics.create(side.address, topic, case.partitions)
    return topic


def delete(side: Running, topic: str) -> None:
    """One broker keeps everything in memory, the other on a disk, and both are of this machine."""
    with Admin(bootstrap_servers=side.address) as admin:
        admin.delete_topics([topic])


def filled(side: Running, case: Case, records: int) -> str:
    topic = new_topic(side, case)
    topics.fill(side.address, topic, records, case.size, case.codec, BATCH_BYTES)
    return topic
