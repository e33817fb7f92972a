"""Runs the test suites of kafka-python 2.0.2, 2.3.3 and 3.0.12 on the face, and reports their results beside those on
the original (`make original-suites`).

Suites come with the source distributions, which pip fetches into `.cache` with the originals. Tests of the original's
own connections, sender, accumulator and coordinator have nothing to test in the face: they are told with the rest, and
`REASONS` says why. Names of versions and of files choose.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = {"2.0.2": "2", "2.3.3": "2", "3.0.12": "3"}
"""Releases whose suites are run, and the version of the face that they are pointed at."""
COUNTED = re.compile(r"(\d+) (passed|failed|errors?|skipped)")
SECONDS = 600
PLUGIN = """
import os
if os.environ.get("SUITE_OF") == "face":
    from kafkars.compat import install
    install("kafka", version={version!r})
"""
# The source distributions since 2.1 leave out the file of fixtures; this one is of public names only.
FIXTURES = """
import pytest
from kafka.metrics import Metrics


@pytest.fixture
def metrics():
    made = Metrics()
    yield made
    made.close()
"""
INTERNAL = "tests parts of the original that no documentation names: "
REASONS = {
    "test_admin.py": "2.0.2 refuses NewTopic(name, -1, -1), which 2.3.3 takes: the face follows that",
    "test_api_object_implementation.py": INTERNAL + "requests of kafka.protocol; the engine sends its own",
    "test_client_async.py": INTERNAL + "KafkaClient, whose work is the engine's",
    "test_cluster.py": INTERNAL + "ClusterMetadata, whose work is the engine's",
    "test_conn.py": INTERNAL + "BrokerConnection, whose work is the engine's",
    "test_consumer.py": "it looks at _client, an inner object of the original",
    "test_coordinator.py": INTERNAL + "the coordinator, whose work is the engine's",
    "test_fetcher.py": INTERNAL + "Fetcher, whose work is the engine's",
    "test_object_conversion.py": INTERNAL + "requests made of types for this test",
    "test_package.py": "modules are named after the face, and there is no KafkaClient",
    "test_producer.py": "it counts the original's threads, and tests TransactionManager and SimpleBufferPool, inner objects",
    "test_producer_batch.py": INTERNAL + "ProducerBatch, whose work is the engine's",
    "test_protocol.py": INTERNAL + "requests and messages of kafka.protocol; the engine makes its own",
    "test_record_accumulator.py": INTERNAL + "RecordAccumulator, whose work is the engine's",
    "test_sender.py": INTERNAL + "Sender, whose work is the engine's",
    "net/test_compat.py": INTERNAL + "KafkaNetClient, whose work is the engine's",
    "net/test_connection.py": INTERNAL + "KafkaConnection, whose work is the engine's",
    "net/test_http_connect.py": INTERNAL + "tunnels through a proxy, which the face refuses",
    "net/test_inet.py": INTERNAL + "addresses of sockets; the engine connects",
    "net/test_manager.py": INTERNAL + "KafkaConnectionManager, whose work is the engine's",
    "net/test_selector.py": INTERNAL + "its event loop; the engine has its own",
    "net/test_transport.py": INTERNAL + "sockets, which are the engine's",
    "net/test_wakeup_notifier.py": INTERNAL + "its event loop; the engine has its own",
}


def folder_of(version: str) -> Path:
    """Where the suite and the original of a version are."""
    return ROOT / ".cache" / f"kafka-python-{version}-suite"


def fetch(version: str) -> Path:
    """Gets the suite and the original, where they are not there."""
    folder = folder_of(version)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    if not (folder / "test").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        source = ["--no-deps", "--no-binary", ":all:", "--dest", str(folder), f"kafka-python=={version}"]
        subprocess.run([*pip, "download", *source], check=True)
        (archive,) = folder.glob("*.tar.gz")
        with tarfile.open(archive) as opened:
            for member in opened.getmembers():
                _, _, member.name = member.name.partition("/")
                if member.name.startswith("test/"):
                    opened.extract(member, folder, filter="data")
    if not (folder / "original" / "kafka").is_dir():
        target = ["--no-deps", "--target", str(folder / "original"), f"kafka-python=={version}"]
        subprocess.run([*pip, "install", *target], check=True)
    # Python has a package of this name, too.
    (folder / "test" / "__init__.py").touch()
    fixtures = folder / "test" / "conftest.py"
    if not fixtures.exists() and version != "2.0.2":
        fixtures.write_text(FIXTURES, encoding="utf-8")
    plugin = PLUGIN.format(version=VERSIONS[version])
    (folder / "suite_plugin.py").write_text(plugin, encoding="utf-8")
    return folder


def counted(version: str, side: str, file: Path) -> dict[str, int]:
    """What came of one file of a suite: how many passed, failed, were skipped."""
    folder = folder_of(version)
    paths = [str(folder), str(ROOT / "python"), *([str(folder / "original")] if side == "original" else [])]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "suite_plugin", "-p", "no:cacheprovider"]
    try:
        finished = subprocess.run(
            [*command, "--rootdir", str(folder), "-c", "/dev/null", "-W", "ignore", str(file)],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            cwd=folder,
            env={"PYTHONPATH": ":".join(paths), "SUITE_OF": side, "PATH": "/usr/bin:/bin"},
        )
    except subprocess.TimeoutExpired:
        return {"error": 1}
    found = {kind.rstrip("s"): int(number) for number, kind in COUNTED.findall(finished.stdout)}
    return found or {"error": 1}


def show(version: str, chosen: list[str]) -> bool:
    """Prints a row for each file of a version; gives whether every difference has its reason."""
    total = {"original": 0, "face": 0}
    explained = True
    sys.stdout.write(f"{'kafka-python ' + version:36}{'original':>10}{'face':>6}{'not':>5}  why\n")
    suite = fetch(version) / "test"
    for file in sorted([*suite.glob("test_*.py"), *suite.glob("net/test_*.py")]):
        if chosen and file.name not in chosen:
            continue
        found = {side: counted(version, side, file).get("passed", 0) for side in total}
        for side, number in found.items():
            total[side] += number
        less = found["original"] - found["face"]
        reason = REASONS.get(str(file.relative_to(suite)), "NO REASON IS GIVEN") if less > 0 else ""
        explained &= reason != "NO REASON IS GIVEN"
        row = f"{file.name:36}{found['original']:>10}{found['face']:>6}{max(less, 0):>5}  {reason}"
        sys.stdout.write(row.rstrip() + "\n")
        sys.stdout.flush()
    sys.stdout.write(f"{'all':36}{total['original']:>10}{total['face']:>6}\n\n")
    return explained


def main() -> None:
    """Prints the tables; fails where a difference has no reason."""
    versions = [version for version in VERSIONS if version in sys.argv] or list(VERSIONS)
    files = [argument for argument in sys.argv[1:] if argument.endswith(".py")]
    explained = [show(version, files) for version in versions]
    if not all(explained):
        sys.exit(1)


if __name__ == "__main__":
    main()
