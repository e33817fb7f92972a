"""Runs the whole pipeline on a Kafka that it starts (`make pipeline`): events, streams, kills if asked for, comparison,
report. With `--cluster` on a standalone cluster too, whose executors have this package from a packed environment.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

import environment  # noqa: E402
from shared import CLICKS, COUNTS, DEAD  # noqa: E402

from tests.kafka import KafkaCluster  # noqa: E402
from tests.spark.standalone import CONF as CLUSTER_CONF  # noqa: E402
from tests.spark.standalone import standalone  # noqa: E402

CONF = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.showConsoleProgress": "false",
}
RUN_SECONDS = 900


class Spark(NamedTuple):
    """How programs are handed to Spark."""

    master: str
    folder: Path
    """Where the driver runs: what a relative path of its Python begins at."""
    python: str
    """The Python of the executors."""
    conf: dict[str, str]

    def submit(self, program: str, *arguments: str) -> list[str]:
        """The command that runs a program."""
        command = [str(Path(sys.executable).parent / "spark-submit"), "--master", self.master]
        for name, value in {**CONF, **self.conf}.items():
            command += ["--conf", f"{name}={value}"]
        return [*command, str(HERE / program), *arguments]

    def variables(self) -> dict[str, str]:
        """Which Python runs the source, on the driver and on the executors."""
        found = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {
            **os.environ,
            "PYSPARK_PYTHON": self.python,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join(found),
        }


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=int, default=1_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--kills", type=int, default=0, help="how often the driver is killed with SIGKILL")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--cluster", action="store_true", help="on a master and two workers that it starts")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kafkars-pipeline-") as place, KafkaCluster() as cluster:
        folder = Path(place) / "clicks"
        for topic in (CLICKS, COUNTS, DEAD):
            cluster.create_topic(topic, partitions=3)
        address = cluster.bootstrap_servers
        amount = ["--rate", str(arguments.rate), "--seconds", str(arguments.seconds), "--seed", str(arguments.seed)]
        subprocess.run([sys.executable, str(HERE / "events.py"), address, *amount], check=True)
        chance = random.Random(arguments.seed)
        with started(Path(place), arguments.master, cluster=arguments.cluster) as spark:
            for number in range(arguments.kills):
                kill_in_the_middle(spark, address, folder, chance)
                print(f"driver killed, {number + 1} of {arguments.kills}", flush=True)
            run(spark, spark.submit("pipeline.py", address, str(folder)))
            run(spark, spark.submit("recompute.py", address, str(folder)))
            run(spark, [sys.executable, str(HERE / "report.py"), str(folder)])


@contextmanager
def started(folder: Path, master: str, *, cluster: bool) -> Iterator[Spark]:
    """A Spark to run programs on."""
    if not cluster:
        yield Spark(master, folder, sys.executable, {})
        return
    archive = environment.pack(folder)
    conf = {**CLUSTER_CONF, "spark.archives": f"{archive}#{environment.NAME}"}
    with standalone(folder) as address:
        print(f"two workers at {address}, with {archive.stat().st_size >> 20} MiB of environment", flush=True)
        yield Spark(address, folder, environment.PYTHON, conf)


def kill_in_the_middle(spark: Spark, address: str, folder: Path, chance: random.Random) -> None:
    """Runs the streams until some micro-batches more are done, and a moment longer."""
    goal = batches(folder) + chance.randint(1, 3)
    command = spark.submit("pipeline.py", address, str(folder))
    # A session of its own: driver, JVM and workers are killed together.
    running = subprocess.Popen(
        command, cwd=spark.folder, env=spark.variables(), start_new_session=True, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + RUN_SECONDS
    while batches(folder) < goal and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(chance.random())
    try:
        os.killpg(running.pid, signal.SIGKILL)
    except ProcessLookupError:
        print("it had ended already")
    running.wait()


def batches(folder: Path) -> int:
    """How many micro-batches of all queries are done."""
    return sum(each.name.isdigit() for each in folder.glob("checkpoints/*/commits/*"))


def run(spark: Spark, command: list[str]) -> None:
    """Runs a program; what Spark logs is shown only if it fails."""
    with tempfile.TemporaryFile() as log:
        ran = subprocess.run(
            command, cwd=spark.folder, env=spark.variables(), stderr=log, timeout=RUN_SECONDS, check=False
        )
        if ran.returncode:
            log.seek(0)
            sys.stderr.buffer.write(log.read()[-5_000:])
            sys.exit(f"{' '.join(command[-3:])} failed with status {ran.returncode}")


if __name__ == "__main__":
    main()
