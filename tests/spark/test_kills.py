"""A driver that is killed in the middle of a stream, as often as it may be, loses nothing and doubles nothing."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from kafkars import Consumer, Producer

from tests.brokers import Broker
from tests.spark import session
from tests.spark.logs import excerpt
from tests.spark.standalone import CONF, standalone
from tests.support.waiting import SECONDS, eventually

EVENTS = 30_000
PARTITIONS = 3
PER_TRIGGER = 3_000
BEGIN = 1_700_000_000_000
RUN_SECONDS = 240.0

# As many runs as a test has, each with its own limit.
pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.timeout(6 * RUN_SECONDS)]


class Pipeline:
    """A program that is started again and again on one checkpoint."""

    def __init__(self, folder: Path, broker: Broker, topic: str, *flows: str, sink: str = "", **plan: Any) -> None:
        self.folder = folder
        address = {"kafka.bootstrap.servers": broker.bootstrap_servers}
        options = {"subscribe": topic, "startingOffsets": "earliest", "maxOffsetsPerTrigger": str(PER_TRIGGER)}
        once = {**address, "topic": sink, "kafkars.delivery": "exactly-once"}
        queries = [
            {"flow": flow, "to": "kafkars", "sink": once} if flow == "copy" else {"flow": flow, "to": "parquet"}
            for flow in flows
        ]
        self.plan: dict[str, Any] = {"source": {**address, **options}, "queries": queries, **plan}
        (folder / "spark").mkdir(parents=True)
        self.log = folder / "log"

    def start(self, crash: Mapping[str, Any] | None = None) -> subprocess.Popen[bytes]:
        environment = {**os.environ, **session.environment()}
        if crash is not None:
            from tests.spark.programs.crashing import CRASH  # needs PySpark, which collecting does not

            environment[CRASH] = json.dumps(crash)
        command = [sys.executable, "-m", "tests.spark.programs.pipeline", str(self.folder), json.dumps(self.plan)]
        with self.log.open("ab") as log:
            # A session of its own: driver, JVM and workers are killed together.
            return subprocess.Popen(
                command, cwd=session.ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def batches(self) -> int:
        """How many micro-batches the checkpoints say are done, of the query that has done least."""
        flows = [each["flow"] for each in self.plan["queries"]]
        done = {flow: self.folder.glob(f"checkpoints/{flow}/commits/*") for flow in flows}
        return min(sum(each.name.isdigit() for each in commits) for commits in done.values())

    def run_and_kill(self, chance: random.Random, form: str = "kafkars") -> None:
        """Runs until some batches more are done, and a moment longer."""
        self.plan["form"] = form
        goal = self.batches() + chance.randint(1, 2)
        running = self.start()
        try:
            eventually(lambda: self.batches() >= goal or running.poll() is not None, self.tail(), RUN_SECONDS)
            assert running.poll() is None, f"it ended before it was killed:\n{self.tail()}"
            # Not a wait for something, but the moment of the accident.
            time.sleep(chance.random() * 0.7)
        finally:
            kill(running)

    def run_into_a_kill(self, moment: str, batch: int) -> None:
        """Runs until the copy's sink kills everything, before or after the commit of a batch."""
        # A file for each run: workers are not in the driver's session, and one of the run before may come to its own
        # commit a little later.
        done = self.folder / f"killed-{moment}-{batch}"
        running = self.start({"moment": moment, "batch": batch, "done": str(done)})
        try:
            assert running.wait(RUN_SECONDS) == -signal.SIGKILL, self.tail()
        finally:
            kill(running)
        assert done.exists()

    def run_to_the_end(self, form: str = "kafkars") -> None:
        self.plan["form"] = form
        running = self.start()
        try:
            assert running.wait(RUN_SECONDS) == 0, self.tail()
        finally:
            kill(running)

    def tail(self) -> str:
        return excerpt(self.log.read_text(errors="replace")) if self.log.exists() else "it said nothing"

    def rows(self, flow: str) -> list[dict[str, Any]]:
        """The rows of those files that the sink's log says count."""
        import pyarrow.parquet

        log = self.folder / flow / "_spark_metadata"
        files: dict[str, str] = {}
        names = [each for each in log.iterdir() if each.name[0].isdigit()]
        for name in sorted(names, key=lambda each: (int(each.name.split(".")[0]), each.name)):
            for line in name.read_text().splitlines()[1:]:
                entry = json.loads(line)
                files[entry["path"]] = entry["action"]
        found: list[dict[str, Any]] = []
        for path, action in files.items():
            if action == "add":
                found += pyarrow.parquet.ParquetFile(path.removeprefix("file://")).read().to_pylist()
        return found


def kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def events(kafka_cluster: Broker) -> str:
    """A topic with numbered events, a second of event time for each hundred."""
    topic = kafka_cluster.new_topic(PARTITIONS, {"retention.ms": "-1"}, name="spark-events")
    with Producer(bootstrap_servers=kafka_cluster.bootstrap_servers) as producer:
        for number in range(EVENTS):
            producer.send(
                topic,
                b"%d" % number,
                partition=number % PARTITIONS,
                timestamp=BEGIN + number * 10,
                key=b"%d" % (number % 100),
            )
    return topic


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    return random.Random(f"{request.node.name} {request.config.getoption('--chaos-seed')}")


def check_ids(found: collections.Counter[int]) -> None:
    doubled = [each for each, count in found.items() if count > 1]
    lost = EVENTS - len(found)
    assert (lost, len(doubled)) == (0, 0), f"{lost} lost, {len(doubled)} doubled"


def copied(broker: Broker, topic: str, isolation: str = "read_committed") -> collections.Counter[int]:
    found: collections.Counter[int] = collections.Counter()
    with Consumer(
        bootstrap_servers=broker.bootstrap_servers,
        auto_offset_reset="earliest",
        isolation_level=isolation,
        max_poll_records=5_000,
    ) as consumer:
        partitions = [(topic, info.partition) for info in consumer.partitions_for(topic)]
        consumer.assign(partitions)
        ends = consumer.end_offsets(partitions)
        while any(consumer.position(each, timeout=SECONDS) < end for each, end in ends.items()):
            found.update(int(value or 0) for value in consumer.poll_batch(timeout=0.5).raw_values())
    return found


def test_parquet_and_an_exact_copy_survive_kills_before_and_after_a_commit_and_at_any_moment(
    kafka_cluster: Broker, events: str, tmp_path: Path, chance: random.Random
) -> None:
    sink = kafka_cluster.new_topic(PARTITIONS)
    pipeline = Pipeline(tmp_path / "p", kafka_cluster, events, "raw", "copy", sink=sink)
    for batch, moment in ((1, "before"), (3, "after")):
        pipeline.run_into_a_kill(moment, batch)
    pipeline.run_and_kill(chance)
    pipeline.run_to_the_end()
    check_ids(collections.Counter(row["id"] for row in pipeline.rows("raw")))
    check_ids(copied(kafka_cluster, sink))


@pytest.mark.soak
def test_parquet_and_an_exact_copy_survive_three_kills(
    kafka_cluster: Broker, events: str, tmp_path: Path, chance: random.Random
) -> None:
    sink = kafka_cluster.new_topic(PARTITIONS)
    pipeline = Pipeline(tmp_path / "p", kafka_cluster, events, "raw", "copy", sink=sink)
    for _ in range(3):
        pipeline.run_and_kill(chance)
    pipeline.run_to_the_end()
    check_ids(collections.Counter(row["id"] for row in pipeline.rows("raw")))
    check_ids(copied(kafka_cluster, sink))


@pytest.mark.soak
def test_an_attempt_that_another_has_overtaken_commits_nothing(
    kafka_cluster: Broker, events: str, tmp_path: Path
) -> None:
    from tests.spark.programs.crashing import CRASH  # needs PySpark, which collecting does not

    sink = kafka_cluster.new_topic(PARTITIONS)
    plan = {"moment": "overtaken", "batch": 2, "done": str(tmp_path / "killed")}
    conf = {
        **CONF,
        "spark.executorEnv.PYTHONPATH": session.environment()["PYTHONPATH"],
        f"spark.executorEnv.{CRASH}": json.dumps(plan),
        "spark.speculation": "true",
        "spark.speculation.interval": "50ms",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.3",
        "spark.speculation.minTaskRuntime": "1s",
    }
    # Spark starts the second attempt of a task on a host where the first is not.
    with standalone(tmp_path, ("127.0.0.2", "127.0.0.3")) as master:
        pipeline = Pipeline(tmp_path / "p", kafka_cluster, events, "copy", sink=sink, conf=conf, master=master)
        running = pipeline.start(plan)
        try:
            assert running.wait(RUN_SECONDS) == 0, pipeline.tail()
        finally:
            kill(running)
    told = [json.loads(each.read_text()) for each in sorted(tmp_path.glob("killed*"))]
    # Both attempts had written their rows when the second one committed.
    assert {"first waits", "second has committed"} <= {each["told"] for each in told}, told
    check_ids(copied(kafka_cluster, sink))


@pytest.mark.soak
def test_every_window_that_has_closed_is_right(
    kafka_cluster: Broker, events: str, tmp_path: Path, chance: random.Random
) -> None:
    pipeline = Pipeline(tmp_path / "p", kafka_cluster, events, "windows")
    pipeline.run_and_kill(chance)
    pipeline.run_to_the_end()
    expected: dict[int, list[int]] = {}
    for number in range(EVENTS):
        expected.setdefault((BEGIN + number * 10) // 10_000 * 10, []).append(number)
    found = pipeline.rows("windows")
    assert len({row["start"] for row in found}) == len(found)
    assert len(found) >= len(expected) - 3
    for row in found:
        members = expected[row["start"]]
        assert (row["count"], row["sum"]) == (len(members), sum(members))


@pytest.mark.soak
def test_a_killed_query_of_the_connector_goes_on_here_and_back(
    kafka_cluster: Broker, oracle: str, events: str, tmp_path: Path, chance: random.Random
) -> None:
    pipeline = Pipeline(tmp_path / "p", kafka_cluster, events, "raw")
    pipeline.run_and_kill(chance, oracle)
    pipeline.run_and_kill(chance)
    pipeline.run_to_the_end(oracle)
    check_ids(collections.Counter(row["id"] for row in pipeline.rows("raw")))


@pytest.mark.soak
def test_an_executor_that_is_killed_costs_nothing(
    kafka_cluster: Broker, events: str, tmp_path: Path, chance: random.Random
) -> None:
    sink = kafka_cluster.new_topic(PARTITIONS)
    pipeline = Pipeline(tmp_path / "p", kafka_cluster, events, "copy", sink=sink, master="local-cluster[2,1,1024]")
    running = pipeline.start()
    try:
        for _ in range(2):
            goal = pipeline.batches() + 1
            eventually(lambda goal=goal: pipeline.batches() >= goal, "a batch more", RUN_SECONDS)  # type: ignore[misc]
            executors = executors_of(running.pid)
            assert executors, pipeline.tail()
            os.kill(chance.choice(executors), signal.SIGKILL)
        assert running.wait(RUN_SECONDS) == 0, pipeline.tail()
    finally:
        kill(running)
    check_ids(copied(kafka_cluster, sink))


def executors_of(session_id: int) -> list[int]:
    """The JVMs of executors that a session has."""
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit()
        and b"CoarseGrainedExecutorBackend" in command_of(entry)
        and session_of(entry) == session_id
    ]


def command_of(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def session_of(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[3])
    except OSError:
        return 0
