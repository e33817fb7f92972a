"""Records a second of one node beside Apache Kafka: the same clients, in turns, both brokers running all the time."""

from __future__ import annotations

import argparse
import itertools
import statistics
from typing import Any

from benches.compare import brokers, rounds, topics
from benches.compare.task import Task

NUMBERS = itertools.count(1)
JOBS = [
    ("kafkars", "produce"),
    ("confluent", "produce"),
    ("kafkars", "consume-batch"),
    ("confluent", "consume-batch"),
]
SIZES = (100, 1_000)


def measure(options: argparse.Namespace) -> Any:
    found = []
    with (
        brokers.running("embedded", "") as (embedded, _),
        brokers.running("real", options.kafka_version) as (kafka, version),
    ):
        print(f"throughput beside {version}, {options.records} records a round, records/s (median)")
        for (driver, job), size in itertools.product(JOBS, SIZES):
            found.append(case(options, {"embedded": embedded, "kafka": kafka}, driver, job, size))
    return found


def case(options: argparse.Namespace, addresses: dict[str, str], driver: str, job: str, size: int) -> dict[str, Any]:
    sources = {name: filled(options, address, size) if job != "produce" else "" for name, address in addresses.items()}
    rates: dict[str, list[float]] = {name: [] for name in addresses}
    for number in range(options.rounds):
        order = list(addresses)
        for name in order if number % 2 == 0 else reversed(order):
            topic = sources[name] or new_topic(addresses[name])
            done = rounds.measure(Task(driver, job, addresses[name], topic, options.records, size=size))
            rates[name].append(done["records"] / done["seconds"])
    ratios = [ours / theirs for ours, theirs in zip(rates["embedded"], rates["kafka"], strict=True)]
    ours, theirs = (statistics.median(rates[name]) for name in ("embedded", "kafka"))
    print(
        f"  {driver} {job:<14}{size:>6} B  embedded {ours:>10,.0f}  kafka {theirs:>10,.0f}"
        f"  ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
        flush=True,
    )
    return {"driver": driver, "job": job, "size": size, "rates": rates, "ratios": ratios}


def new_topic(address: str) -> str:
    topic = f"throughput-{next(NUMBERS)}"
    topics.create(address, topic, 1)
    return topic


def filled(options: argparse.Namespace, address: str, size: int) -> str:
    topic = new_topic(address)
    topics.fill(address, topic, options.records, size, "none", 131_072)
    return topic
