"""Runs the jobs: a checked run first, then rounds in which every client runs once, in rotating order."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from benches.compare import drivers, topics
from benches.compare.payload import checksum, pool
from benches.compare.task import Task

if TYPE_CHECKING:
    from benches.compare.brokers import Running
    from benches.compare.jobs import Contestant, Job
    from benches.compare.options import Options

WORKER_SECONDS = 600
TOPIC_NUMBERS = itertools.count(1)
# NumPy, which comes with pyarrow, starts threads that spin for a while and would be counted.
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}


class WrongResultError(RuntimeError):
    """A client lost, repeated or changed records, or failed."""


@dataclass
class Series:
    """All rounds of one contestant in one case."""

    contestant: Contestant
    results: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Case:
    """One job with one record size and one codec."""

    job: Job
    size: int
    codec: str
    series: list[Series]

    @property
    def bars(self) -> dict[str, float]:
        """The bars were set for small uncompressed records; elsewhere the codec's own work is most of it."""
        return self.job.bars if (self.size, self.codec) == (100, "none") else {}


def run_case(options: Options, broker: Running, job: Job, size: int, codec: str) -> Case:
    present = [one for one in job.contestants if one.function in drivers.jobs(one.driver)]
    missing = [one.label for one in job.contestants if one not in present]
    if missing:
        print(f"  left out, not there: {', '.join(missing)}")
    case = Case(job, size, codec, [Series(one) for one in present])
    source = filled_topic(options, broker.address, job, size, codec)

    if job.kind == "consume":
        for one in present:
            few = max(1, min(options.records // 10, int(options.records * one.share)))
            measure(task_of(options, broker, case, one, source, few, verify=True))

    for number in range(options.rounds):
        turn = number % len(case.series)
        for series in case.series[turn:] + case.series[:turn]:
            one = series.contestant
            topic = source or new_topic(options, broker.address, f"{job.name}-{one.driver}", job.kind)
            records = options.latency_records if job.kind == "latency" else max(1, int(options.records * one.share))
            task = task_of(options, broker, case, one, topic, records)
            series.results.append(measure(task))
            if job.kind == "produce":
                check_produced(task)
        show_progress(f"  round {number + 1} of {options.rounds}")
    show_progress("")
    return case


def show_progress(text: str) -> None:
    """For a person who waits; a log file gets none of it."""
    if sys.stdout.isatty():
        print(f"{text:<40}", end="\r", flush=True)


def task_of(
    options: Options, broker: Running, case: Case, one: Contestant, topic: str, records: int, *, verify: bool = False
) -> Task:
    task = Task(
        one.driver,
        one.function,
        broker.address,
        topic,
        records,
        partitions=options.partitions,
        size=case.size,
        codec=case.codec,
        verify=verify,
        settings=options.settings,
        tls_bootstrap=broker.tls_address if case.job.tls else "",
        ca=broker.ca if case.job.tls else "",
    )
    if case.job.kind == "latency":
        return replace(task, partitions=1, rate=options.rate, warm_up=options.latency_records // 5)
    return task


def filled_topic(options: Options, bootstrap: str, job: Job, size: int, codec: str) -> str:
    if job.kind != "consume":
        return ""
    topic = new_topic(options, bootstrap, job.name, job.kind)
    topics.fill(bootstrap, topic, options.records, size, codec, options.settings.batch_size)
    return topic


def new_topic(options: Options, bootstrap: str, what: str, kind: str) -> str:
    topic = f"bench-{what}-{next(TOPIC_NUMBERS)}"
    topics.create(bootstrap, topic, 1 if kind == "latency" else options.partitions)
    return topic


def measure(task: Task) -> dict[str, Any]:
    command = [sys.executable, "-m", "benches.compare.worker"]
    try:
        ran = subprocess.run(
            command,
            input=task.to_json(),
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=WORKER_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise WrongResultError(f"{task.driver} {task.job}: not done after {WORKER_SECONDS} s") from error
    if ran.returncode != 0:
        raise WrongResultError(f"{task.driver} {task.job} failed:\n{ran.stderr[-4000:]}")
    result: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    check(task, result)
    if task.rate:
        # The first records pay for what is done once; they were checked like all others.
        result["latencies"] = result["latencies"][task.warm_up :]
    return result


def check(task: Task, result: dict[str, Any]) -> None:
    who = f"{task.driver} {task.job}"
    batch_calls_may_take_more = task.job.startswith("consume-batch")
    if result["records"] < task.records or (result["records"] > task.records and not batch_calls_may_take_more):
        raise WrongResultError(f"{who}: {result['records']} records instead of {task.records}")
    if result["touched"]:
        whole, rest = divmod(result["records"], len(pool(task.size)))
        lengths = [len(key) + len(value) for key, value in pool(task.size)]
        expected = whole * sum(lengths) + sum(lengths[:rest])
        if result["touched"] != expected:
            raise WrongResultError(f"{who}: {result['touched']} bytes of keys and values instead of {expected}")
    # With several partitions only a whole topic has a known sum.
    if result["checksum"] is not None and task.partitions == 1:
        expected = checksum(result["records"], task.size)
        if result["checksum"] != expected:
            raise WrongResultError(f"{who}: checksum {result['checksum']} instead of {expected}")


def check_produced(task: Task) -> None:
    found = topics.read_back(task.bootstrap, task.topic, task.partitions, task.records)
    expected = task.records, checksum(task.records, task.size)
    if found != expected:
        raise WrongResultError(f"{task.driver} {task.job}: topic holds {found} (count, checksum), sent {expected}")
