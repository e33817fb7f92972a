"""What membership of a group costs a reader: rate, idling, and the pause when somebody joins.

    python -m benches.python.groups [--bootstrap HOST:PORT] [--records 400000] [--rounds 5] [--seconds 10]

Without `--bootstrap` the embedded broker runs in a process of its own. CPU is that of this process, all threads.

- Rate: reading by `subscribe()` beside reading by `assign()`, in turns; the ratio of the medians.
- Idle: a member with 1,000 partitions and nothing to read; percent of one core.
- Rebalance: records arrive steadily while a second member joins. For partitions that the first one keeps, the longest
  time between two records, before and during the change.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import multiprocessing
import statistics
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import kafkars
from kafkars import Admin, Consumer, Producer, TopicPartition
from kafkars.admin import NewTopic
from kafkars.testing import EmbeddedBroker

VALUE = b"v" * 100
PARTITIONS = 4
IDLE_PARTITIONS = 1000
REBALANCED_PARTITIONS = 8
SECONDS = 60.0
PROTOCOLS: dict[str, dict[str, Any]] = {
    "classic": {"group_protocol": "classic", "partition_assignment_strategy": "cooperative-sticky"},
    "consumer": {"group_protocol": "consumer"},
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bootstrap", help="an existing cluster; topics named groups-bench-* are made in it")
    options.add_argument("--records", type=int, default=400_000)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=float, default=10.0, help="how long idling and rebalancing are watched")
    given = options.parse_args()
    print(f"kafkars {kafkars.__version__}, Python {sys.version.split()[0]}, {given}")
    with contextlib.ExitStack() as stack:
        servers = given.bootstrap or stack.enter_context(embedded())
        bench = Bench(servers, f"groups-bench-{time.time_ns()}")
        for protocol in PROTOCOLS:
            bench.rate(protocol, given.records, given.rounds)
        for protocol in PROTOCOLS:
            bench.idle(protocol, given.seconds)
        for protocol in PROTOCOLS:
            bench.rebalance(protocol, given.seconds)


@contextlib.contextmanager
def embedded() -> Iterator[str]:
    """A broker in a process of its own, whose CPU is not counted."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there,))
    process.start()
    try:
        yield here.recv()
    finally:
        here.send(None)
        process.join(SECONDS)


def serve(pipe: Any) -> None:
    with EmbeddedBroker() as broker:
        pipe.send(broker.bootstrap_servers)
        pipe.recv()


class Bench:
    def __init__(self, servers: str, prefix: str) -> None:
        self.servers = servers
        self.prefix = prefix

    def topic(self, name: str, partitions: int) -> str:
        topic = f"{self.prefix}-{name}"
        with Admin(bootstrap_servers=self.servers) as admin:
            admin.create_topics([NewTopic(topic, partitions)])
        return topic

    def consumer(self, protocol: str | None, group: str = "") -> Consumer[bytes, bytes]:
        settings = {} if protocol is None else {"group_id": f"{self.prefix}-{group}", **PROTOCOLS[protocol]}
        return Consumer(bootstrap_servers=self.servers, auto_offset_reset="earliest", **settings)

    def rate(self, protocol: str, records: int, rounds: int) -> None:
        topic = self.topic(f"rate-{protocol}", PARTITIONS)
        with Producer(bootstrap_servers=self.servers) as producer:
            for number in range(records):
                producer.send(topic, VALUE, partition=number % PARTITIONS)
        cpu: dict[str, list[float]] = defaultdict(list)
        wall: dict[str, list[float]] = defaultdict(list)
        for number in range(rounds + 1):
            for way in ("assign", "subscribe"):
                with self.consumer(protocol if way == "subscribe" else None, f"rate-{number}") as consumer:
                    if way == "assign":
                        consumer.assign([(topic, partition) for partition in range(PARTITIONS)])
                    else:
                        consumer.subscribe([topic])
                    first = consumer.poll_batch(timeout=SECONDS)
                    read, started, busy = len(first), time.perf_counter(), time.process_time()
                    while read < records:
                        for record in consumer.poll_batch(timeout=SECONDS):
                            record.value  # noqa: B018  # touching it makes the bytes
                            read += 1
                    if number:  # the first round warms up
                        cpu[way].append((time.process_time() - busy) / records * 1e6)
                        wall[way].append(records / (time.perf_counter() - started))
        for what, found, unit in (("CPU", cpu, "us a record"), ("rate", wall, "records a second")):
            assign, subscribe = (statistics.median(found[way]) for way in ("assign", "subscribe"))
            print(
                f"{protocol:9} {what:5} assign {assign:12.3f}  subscribe {subscribe:12.3f} {unit:17} "
                f"ratio {subscribe / assign:.3f}",
                flush=True,
            )

    def idle(self, protocol: str, seconds: float) -> None:
        topic = self.topic(f"idle-{protocol}", IDLE_PARTITIONS)
        with self.consumer(protocol, "idle") as consumer:
            consumer.subscribe([topic])
            deadline = time.monotonic() + SECONDS
            while len(consumer.assignment()) < IDLE_PARTITIONS and time.monotonic() < deadline:
                consumer.poll(0.1)
            consumer.poll(2.0)  # positions are found
            started, busy = time.perf_counter(), time.process_time()
            while time.perf_counter() - started < seconds:
                consumer.poll(1.0)
            used = (time.process_time() - busy) / (time.perf_counter() - started)
        print(f"{protocol:9} idle with {IDLE_PARTITIONS} partitions: {used:.2%} of a core", flush=True)

    def rebalance(self, protocol: str, seconds: float) -> None:
        topic = self.topic(f"rebalance-{protocol}", REBALANCED_PARTITIONS)
        ended = threading.Event()
        arrivals: dict[TopicPartition, list[float]] = defaultdict(list)
        producing = threading.Thread(target=self.produce, args=(topic, ended))
        joining = threading.Thread(target=self.join, args=(topic, protocol, ended))
        with self.consumer(protocol, "rebalance") as first:
            first.subscribe([topic])
            while len(first.assignment()) < REBALANCED_PARTITIONS:
                first.poll(0.1)
            producing.start()
            self.watch(first, arrivals, seconds)
            joined = time.perf_counter()
            joining.start()
            self.watch(first, arrivals, seconds)
            kept = first.assignment()
            ended.set()
        producing.join()
        joining.join()
        before = max(gap(arrivals[partition], 0, joined) for partition in kept)
        during = max(gap(arrivals[partition], joined, float("inf")) for partition in kept)
        print(
            f"{protocol:9} longest pause on the {len(kept)} kept partitions: {before * 1e3:.1f} ms before, "
            f"{during * 1e3:.1f} ms while a member joins",
            flush=True,
        )

    def produce(self, topic: str, ended: threading.Event) -> None:
        with Producer(bootstrap_servers=self.servers) as producer:
            while not ended.wait(0.002):
                for partition in range(REBALANCED_PARTITIONS):
                    producer.send(topic, VALUE, partition=partition)

    def join(self, topic: str, protocol: str, ended: threading.Event) -> None:
        with self.consumer(protocol, "rebalance") as second:
            second.subscribe([topic])
            while not ended.is_set():
                second.poll_batch(timeout=0.1)

    def watch(
        self, consumer: Consumer[bytes, bytes], arrivals: dict[TopicPartition, list[float]], seconds: float
    ) -> None:
        until = time.perf_counter() + seconds
        while (now := time.perf_counter()) < until:
            for record in consumer.poll_batch(timeout=0.1):
                arrivals[TopicPartition(record.topic, record.partition)].append(now)


def gap(times: list[float], since: float, until: float) -> float:
    """The longest time between two neighbours of a period."""
    within = [each for each in times if since <= each < until]
    return max((later - earlier for earlier, later in itertools.pairwise(within)), default=float("nan"))


if __name__ == "__main__":
    main()
