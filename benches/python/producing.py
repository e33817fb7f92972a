"""What guarantees cost: idempotence, transactions, many topics, sending many at once, and how long a commit takes.

    python -m benches.python.producing [--broker real] [--records 200000] [--rounds 5] [--topics 10000] [--commits 200]

The broker runs in a process of its own. Costs are CPU time of this process, I/O thread included, per record; every
round runs each way once, and what is printed is the median over the rounds of a way's ratio to the first. Commit
latency is wall time, beside confluent-kafka's on the same broker, transactions of one record in turns.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import kafkars
from kafkars import Admin, Producer
from kafkars.admin import NewTopic

from benches.compare.brokers import running

KEY, VALUE = b"k" * 10, b"v" * 100
SECONDS = 60.0
TRANSACTION = 1_000
PER_TOPIC = 100
# What a record with this key and value takes of a batch, at most.
RECORD_BYTES = 130
NAMES = itertools.count()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--broker", choices=["real", "embedded"], default="real")
    options.add_argument("--kafka-version", default="4.3.1")
    options.add_argument("--records", type=int, default=200_000)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--topics", type=int, default=10_000)
    options.add_argument("--commits", type=int, default=200)
    given = options.parse_args()
    print(f"kafkars {kafkars.__version__}, Python {sys.version.split()[0]}, {given.records} records of 110 bytes")
    with running(given.broker, given.kafka_version) as broker:
        print(broker.name)
        bench = Bench(broker.address, given.records, given.rounds)
        bench.compare(
            "idempotence",
            {
                "without": lambda: bench.produce(enable_idempotence=False),
                "with": lambda: bench.produce(enable_idempotence=True),
            },
        )
        bench.compare("transactions", {"plain": bench.produce, f"of {TRANSACTION} records": bench.transactions})
        bench.compare("one call", {"send": bench.produce, "send_many": bench.send_many})
        bench.topics(given.topics)
        bench.commits(given.commits)


class Bench:
    def __init__(self, servers: str, records: int, rounds: int) -> None:
        self.servers = servers
        self.records = records
        self.rounds = rounds
        self.topic = self.create(1)[0]

    def create(self, count: int) -> list[str]:
        names = [f"producing-{os.getpid()}-{next(NAMES)}" for _ in range(count)]
        with Admin(bootstrap_servers=self.servers) as admin:
            for at in range(0, count, 500):
                admin.create_topics([NewTopic(name, 1, 1) for name in names[at : at + 500]], timeout=SECONDS)
        return names

    def compare(self, name: str, ways: dict[str, Callable[[], float]]) -> None:
        """Runs all ways in turns, after a round that does not count."""
        costs: dict[str, list[float]] = {way: [] for way in ways}
        for round_number in range(self.rounds + 1):
            for way, work in ways.items():
                cost = work() / self.records * 1e6
                if round_number:
                    costs[way].append(cost)
        first = next(iter(costs.values()))
        for way, found in costs.items():
            ratio = statistics.median(one / base for one, base in zip(found, first, strict=True))
            print(f"{name + ', ' + way:36}{statistics.median(found):8.3f} us  {ratio:6.3f}", flush=True)

    def producer(self, **settings: Any) -> Producer:
        return Producer(bootstrap_servers=self.servers, **settings)

    def produce(self, **settings: Any) -> float:
        """Records one by one to one topic."""
        with self.producer(**settings) as producer:
            producer.send(self.topic, VALUE, KEY).result(SECONDS)
            send, topic = producer.send, self.topic
            started = time.process_time()
            for _ in range(self.records):
                send(topic, VALUE, KEY)
            assert producer.flush(SECONDS) == 0
            return time.process_time() - started

    def send_many(self) -> float:
        with self.producer() as producer:
            producer.send(self.topic, VALUE, KEY).result(SECONDS)
            values, keys = [VALUE] * TRANSACTION, [KEY] * TRANSACTION
            started = time.process_time()
            for _ in range(self.records // TRANSACTION):
                producer.send_many(self.topic, values, keys)
            assert producer.flush(SECONDS) == 0
            return time.process_time() - started

    def transactions(self) -> float:
        with self.producer(transactional_id=f"bench-{next(NAMES)}") as producer:
            producer.init_transactions(SECONDS)
            send, topic = producer.send, self.topic
            started = time.process_time()
            for _ in range(self.records // TRANSACTION):
                with producer.transaction():
                    for _ in range(TRANSACTION):
                        send(topic, VALUE, KEY)
            return time.process_time() - started

    def topics(self, count: int) -> None:
        """Batches of `PER_TOPIC` records to one topic and to many: a batch to each in turns, and a record to each in
        turns.

        The batches are as large in all ways, as their size alone makes records cheaper. A record to each in turns
        touches the memory of another batch with every record.
        """
        names, one = self.create(count), self.create(1)
        # Room for all of it: back-pressure would send smaller batches.
        memory = max(1 << 25, 2 * count * PER_TOPIC * 150)
        size = PER_TOPIC * RECORD_BYTES
        with self.producer(linger_ms=1_000, buffer_memory=memory, batch_size=size) as producer:
            began = time.process_time()
            for name in [*names, *one]:
                producer.send(name, VALUE)
            assert producer.flush(SECONDS) == 0
            per_topic = (time.process_time() - began) / (count + 1) * 1e6
            print(f"{'topics, the first record of each':36}{per_topic:8.3f} us", flush=True)

            def runs(over: list[str]) -> float:
                started = time.process_time()
                for name in over:
                    for _ in range(PER_TOPIC):
                        producer.send(name, VALUE, KEY)
                return ended(started)

            def turns() -> float:
                started = time.process_time()
                for _ in range(PER_TOPIC):
                    for name in names:
                        producer.send(name, VALUE, KEY)
                return ended(started)

            def ended(started: float) -> float:
                assert producer.flush(SECONDS) == 0
                return (time.process_time() - started) * self.records / (count * PER_TOPIC)

            ways = {
                "1": lambda: runs(one * count),
                f"{count} by batch": lambda: runs(names),
                f"{count} by record": turns,
            }
            self.compare("topics", ways)

    def commits(self, count: int) -> None:
        """Latency of committing a transaction of one record."""
        import confluent_kafka  # noqa: PLC0415  a peer, needed here only

        theirs = confluent_kafka.Producer(
            {"bootstrap.servers": self.servers, "transactional.id": f"bench-{next(NAMES)}", "linger.ms": 0}
        )
        theirs.init_transactions(SECONDS)
        found: dict[str, list[float]] = {"kafkars": [], "confluent": []}
        with self.producer(transactional_id=f"bench-{next(NAMES)}", linger_ms=0) as ours:
            ours.init_transactions(SECONDS)
            for _ in range(count):
                ours.begin_transaction()
                ours.send(self.topic, VALUE, KEY).result(SECONDS)
                started = time.perf_counter()
                ours.commit_transaction(SECONDS)
                found["kafkars"].append(time.perf_counter() - started)
                theirs.begin_transaction()
                theirs.produce(self.topic, VALUE, KEY)
                theirs.flush(SECONDS)
                started = time.perf_counter()
                theirs.commit_transaction(SECONDS)
                found["confluent"].append(time.perf_counter() - started)
        for name, times in found.items():
            cuts = statistics.quantiles(times, n=100)
            print(
                f"{'commit latency, ' + name:36}p50 {cuts[49] * 1e3:7.2f} ms  p99 {cuts[98] * 1e3:7.2f} ms", flush=True
            )


if __name__ == "__main__":
    main()
