"""Runs the whole pipeline on a Kafka that it starts (`make pipeline`): events, streams, kills if asked for, comparison,
report.
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
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from shared import CLICKS, COUNTS, DEAD  # noqa: E402

from tests.kafka import KafkaCluster  # noqa: E402

CONF = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.showConsoleProgress": "false",
}
RUN_SECONDS = 900


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=int, default=1_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--kills", type=int, default=0, help="how often the driver is killed with SIGKILL")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--master", default="local[2]")
    arguments = parser.parse_args()
    with KafkaCluster() as cluster, tempfile.TemporaryDirectory(prefix="kafkars-pipeline-") as place:
        folder = Path(place) / "clicks"
        for topic in (CLICKS, COUNTS, DEAD):
            cluster.create_topic(topic, partitions=3)
        address = cluster.bootstrap_servers
        amount = ["--rate", str(arguments.rate), "--seconds", str(arguments.seconds), "--seed", str(arguments.seed)]
        subprocess.run([sys.executable, str(HERE / "events.py"), address, *amount], check=True)
        submit = [str(Path(sys.executable).parent / "spark-submit"), "--master", arguments.master]
        for name, value in CONF.items():
            submit += ["--conf", f"{name}={value}"]
        stream = [*submit, str(HERE / "pipeline.py"), address, str(folder)]
        chance = random.Random(arguments.seed)
        for number in range(arguments.kills):
            kill_in_the_middle(stream, folder, chance)
            print(f"driver killed, {number + 1} of {arguments.kills}", flush=True)
        run(stream)
        run([*submit, str(HERE / "recompute.py"), address, str(folder)])
        run([sys.executable, str(HERE / "report.py"), str(folder)])


def kill_in_the_middle(command: list[str], folder: Path, chance: random.Random) -> None:
    """Runs until some micro-batches more are done, and a moment longer."""
    goal = batches(folder) + chance.randint(1, 3)
    # A session of its own: driver, JVM and workers are killed together.
    running = subprocess.Popen(command, env=environment(), start_new_session=True, stderr=subprocess.DEVNULL)
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


def run(command: list[str]) -> None:
    """Runs a program; what Spark logs is shown only if it fails."""
    with tempfile.TemporaryFile() as log:
        ran = subprocess.run(command, env=environment(), stderr=log, timeout=RUN_SECONDS, check=False)
        if ran.returncode:
            log.seek(0)
            sys.stderr.buffer.write(log.read()[-5_000:])
            sys.exit(f"{Path(command[-3]).name} failed with status {ran.returncode}")


def environment() -> dict[str, str]:
    """Which Python runs the source, on the driver and on the executors."""
    return {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": str(HERE),
    }


if __name__ == "__main__":
    main()
