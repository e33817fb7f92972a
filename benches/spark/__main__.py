"""kafkars.spark beside Spark's own Kafka connector, in turns, warm.

    python -m benches.spark [--records 1000000] [--rounds 3] [--repeats 4] [--ops aggregate,large,parquet,batches,write]
    [--floor]

Each round is a fresh process for each connector; the first run of an operation in it is cold and not counted. Wall
time, and processor time of the JVM and all Python workers, as the kernel counts them. With `--floor` the operations
that read a batch are also done with constants instead of records: less than that no Python source can cost.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict

from kafkars import Producer

from tests.kafka import KafkaCluster
from tests.spark.session import ROOT

OPS = ("aggregate", "large", "parquet", "batches", "write")
FORMS = ("kafkars", "kafka")
FLOOR = "constants"
WITH_FLOOR = ("aggregate", "large")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--ops", default=",".join(OPS))
    parser.add_argument("--floor", action="store_true")
    arguments = parser.parse_args()
    found: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    with KafkaCluster() as cluster, tempfile.TemporaryDirectory() as folder:
        fill(cluster, arguments.records)
        for number in range(arguments.rounds):
            for op in arguments.ops.split(","):
                forms = (*FORMS, FLOOR) if arguments.floor and op in WITH_FLOOR else FORMS
                for form in forms if number % 2 == 0 else reversed(forms):
                    job = {
                        "op": op,
                        "form": form,
                        "address": cluster.bootstrap_servers,
                        "folder": f"{folder}/{number}-{op}-{form}",
                        "records": arguments.records,
                        "repeats": arguments.repeats,
                    }
                    command = [sys.executable, "-m", "benches.spark.worker", json.dumps(job)]
                    output = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
                    found[op, form] += json.loads(output.splitlines()[-1])
    print(
        "| operation | connector | wall s, min / median | CPU s, min / median | batch ms, median | worker MiB | wall, CPU of JVM's |"
    )
    print("|---|---|---|---|---|---|---|")
    for op in arguments.ops.split(","):
        for form in (*FORMS, FLOOR):
            if (op, form) in found:
                print(row(op, form, found))


def row(op: str, form: str, found: dict[tuple[str, str], list[dict[str, float]]]) -> str:
    def both(name: str) -> str:
        values = [run[name] for run in found[op, form]]
        return f"{min(values):.2f} / {statistics.median(values):.2f}"

    def ratio(name: str) -> float:
        ours, theirs = (statistics.median(run[name] for run in found[op, each]) for each in (form, FORMS[1]))
        return ours / theirs

    batch = statistics.median(run["batch"] for run in found[op, form])
    worker = max(run["worker"] for run in found[op, form])
    ratios = f"{ratio('wall'):.2f}, {ratio('cpu'):.2f}" if form != FORMS[1] else ""
    return f"| {op} | {form} | {both('wall')} | {both('cpu')} | {batch:.0f} | {worker:.0f} | {ratios} |"


def fill(cluster: KafkaCluster, records: int) -> None:
    """A topic of small records, zstd, and one of 1 KiB, lz4."""
    for topic, count, size, codec in (("small", records, 100, "zstd"), ("large", records * 3 // 10, 1_000, "lz4")):
        cluster.create_topic(topic)
        # Not one value again and again, which would compress to nothing.
        values = [(b"%016d" % number * (size // 16 + 1))[:size] for number in range(10_000)]
        keys = [b"key-%010d" % number for number in range(10_000)]
        with Producer(
            bootstrap_servers=cluster.bootstrap_servers, compression_type=codec, batch_size=65_536
        ) as producer:
            for _ in range(count // len(values)):
                producer.send_many(topic, values, keys)


if __name__ == "__main__":
    main()
