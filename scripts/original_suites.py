"""Points the test suite of kafka-python itself at the face, and tells passes beside the original's: `make
original-suites`.

The suite comes with the source distribution, which pip fetches into `.cache`. Tests of the original's own connections,
sender, accumulator and coordinator have nothing to test in the face: they are told with the rest, and `REASONS` says
why.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = "2.3.3"
FOLDER = ROOT / ".cache" / f"kafka-python-{VERSION}-suite"
COUNTED = re.compile(r"(\d+) (passed|failed|errors?|skipped)")
PLUGIN = """
import os
if os.environ.get("SUITE_OF") == "face":
    from kafkars.compat import install
    install("kafka")
"""
INTERNAL = "tests parts of the original that programs do not name: "
REASONS = {
    "test_api_object_implementation.py": INTERNAL + "requests of kafka.protocol; the engine sends its own",
    "test_assignors.py": "it tests the sticky assignor, which is the engine's, and is made of the original's inner objects",
    "test_client_async.py": INTERNAL + "KafkaClient, whose work is the engine's",
    "test_cluster.py": INTERNAL + "ClusterMetadata, whose work is the engine's",
    "test_codec.py": "it calls a function of the original that begins with an underscore",
    "test_conn.py": INTERNAL + "BrokerConnection, whose work is the engine's",
    "test_consumer.py": "it looks at the original's inner objects",
    "test_coordinator.py": INTERNAL + "the coordinator, whose work is the engine's",
    "test_fetcher.py": INTERNAL + "Fetcher, whose work is the engine's",
    "test_metrics.py": INTERNAL + "sensors; the engine counts",
    "test_object_conversion.py": INTERNAL + "requests made of types for this test",
    "test_package.py": "it names KafkaClient, and modules by their names without that of the face",
    "test_partition_movements.py": INTERNAL + "the sticky assignor, whose work is the engine's",
    "test_producer.py": "it replaces the original's inner objects, and names kafka.cluster",
    "test_producer_batch.py": INTERNAL + "ProducerBatch, whose work is the engine's",
    "test_record_accumulator.py": INTERNAL + "RecordAccumulator, whose work is the engine's",
    "test_sender.py": INTERNAL + "Sender, whose work is the engine's",
    "test_subscription_state.py": INTERNAL + "SubscriptionState, whose work is the engine's",
}


def fetched() -> Path:
    """The folder of the suite."""
    if not (FOLDER / "test").is_dir():
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "--dest", str(FOLDER), f"kafka-python=={VERSION}"], check=True)
        (archive,) = FOLDER.glob("*.tar.gz")
        with tarfile.open(archive) as opened:
            for member in opened.getmembers():
                _, _, member.name = member.name.partition("/")
                if member.name.startswith("test/"):
                    opened.extract(member, FOLDER, filter="data")
    # Python has a package of this name, too.
    (FOLDER / "test" / "__init__.py").touch()
    (FOLDER / "suite_plugin.py").write_text(PLUGIN, encoding="utf-8")
    return FOLDER


def counted(side: str, file: Path) -> dict[str, int]:
    """What came of one file of the suite: how many passed, failed, were skipped."""
    original = ROOT / ".cache" / "kafka-python-2"
    paths = [str(FOLDER), str(ROOT / "python"), *([str(original)] if side == "original" else [])]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "suite_plugin", "-p", "no:cacheprovider"]
    finished = subprocess.run(
        [*command, "--rootdir", str(FOLDER), "-c", "/dev/null", "-W", "ignore", str(file)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=FOLDER,
        env={"PYTHONPATH": ":".join(paths), "SUITE_OF": side, "PATH": "/usr/bin:/bin"},
    )
    found = {kind.rstrip("s"): int(number) for number, kind in COUNTED.findall(finished.stdout)}
    return found or {"error": 1}


def main() -> None:
    """Prints a row for each file."""
    total = {"original": 0, "face": 0}
    sys.stdout.write(f"{'':36}{'original':>10}{'face':>6}{'not':>5}  why\n")
    for file in sorted((fetched() / "test").glob("test_*.py")):
        found = {side: counted(side, file) for side in total}
        passes = {side: each.get("passed", 0) for side, each in found.items()}
        for side, number in passes.items():
            total[side] += number
        less = passes["original"] - passes["face"]
        reason = REASONS.get(file.name, "") if less > 0 else ""
        sys.stdout.write(f"{file.name:36}{passes['original']:>10}{passes['face']:>6}{max(less, 0):>5}  {reason}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{'all':36}{total['original']:>10}{total['face']:>6}\n")


if __name__ == "__main__":
    main()
