"""Applications of frameworks run unchanged on the installed face, and tell what they tell on the original."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.brokers import Broker, leave_out

pytestmark = pytest.mark.frameworks

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PYTHON = ROOT / ".cache" / "frameworks" / "bin" / "python"
SECONDS = 90
NUMBERS = itertools.count(1)

COUNT = 20
LINES = ["a", "b", "c", "d", "e"]
WORDS = "the cat and the dog and the bird".split()
READINGS = [
    ("kitchen", 20, 20),
    ("cellar", 12, 12),
    ("kitchen", 31, 31),
    ("attic", 35, 35),
    ("cellar", 9, 12),
    ("attic", 33, 35),
]
QUIX = {
    "stream": [{"sensor": sensor, "degrees": degrees, "highest": highest} for sensor, degrees, highest in READINGS],
    "alarms": [["kitchen", 31, 0], ["attic", 35, 0], ["attic", 33, 0]],
}

SPAN = [["messaging.destination", "-spans"], ["messaging.system", "kafka"], ["messaging.url", '[""]']]
# The library below, the application, its further arguments, what it tells.
APPLICATIONS: dict[str, tuple[str, str, list[str], Any]] = {
    "faststream": (
        "aiokafka",
        "faststream_orders.py",
        [],
        {
            "priced": [
                {"number": number, "total": 3 * (number + 1), "topic": "-priced", "partition": 0}
                for number in range(COUNT)
            ],
            "lines": LINES,
            "by_hand": LINES,
            "acknowledged": list(range(COUNT)),
        },
    ),
    "faust": (
        "aiokafka",
        "faust_counts.py",
        ["DIRECTORY"],
        {
            "seen": [[word, WORDS[: place + 1].count(word)] for place, word in enumerate(WORDS)],
            "counts": {word: WORDS.count(word) for word in WORDS},
            "offset": len(WORDS) - 1,
        },
    ),
    "quix": ("confluent_kafka", "quix_temperatures.py", ["DIRECTORY"], QUIX),
    "quix-exactly-once": ("confluent_kafka", "quix_temperatures.py", ["DIRECTORY", "exactly-once"], QUIX),
    "bytewax": (
        "confluent_kafka",
        "bytewax_lines.py",
        [],
        sorted([str(number % 3), f"LINE {number}", "-upper", 0] for number in range(10)),
    ),
}
APPLICATIONS |= {
    "kq": (
        "kafka",
        "kq_jobs.py",
        [],
        [
            6,
            0,
            ["failure", ["no"], None, "ValueError", True, True],
            ["success", [0, 10], 10, None, True, True],
            ["success", [1, 1], 2, None, True, True],
            *(["success", [number, 10], number + 10, None, True, True] for number in range(1, 4)),
        ],
    ),
    "kafka-logging-handler": (
        "kafka",
        "logging_handler_lines.py",
        [],
        [
            ["an order failed", "ERROR", "shop", True],
            *([f"order {number}", "INFO", "shop", True] for number in range(7)),
        ],
    ),
    "opentelemetry": (
        "kafka",
        "opentelemetry_spans.py",
        [],
        {
            "hooked": [
                *(["produce", True, count] for count in (1, 1, 1, 2)),
                *(["consume", place] for place in range(4)),
            ],
            "records": [
                *([number, f"value {number}", ["traceparent"]] for number in range(3)),
                [3, "last", ["own", "traceparent"]],
            ],
            "spans": [
                *[["-spans send", "PRODUCER", False, SPAN]] * 4,
                *[["-spans receive", "CONSUMER", True, [SPAN[0], ["messaging.kafka.partition", "0"], *SPAN[1:]]]] * 4,
            ],
        },
    ),
    "elastic-apm": (
        "kafka",
        "elastic_transactions.py",
        [],
        [
            ["value 0", "value 1"],
            2,
            *[["span", "Kafka SEND to -transactions", "messaging", False]] * 2,
            ["transaction", "order", "request", False],
            *[["transaction", "Kafka RECEIVE from -transactions", "messaging", False]] * 2,
            ["span", "Kafka POLL from -transactions", "messaging", True],
            ["transaction", "poll", "job", True],
        ],
    ),
}
# As in requirements.txt.
if sys.version_info >= (3, 13):
    del APPLICATIONS["bytewax"]
if sys.version_info < (3, 11):
    del APPLICATIONS["quix"], APPLICATIONS["quix-exactly-once"]


@pytest.fixture(scope="module", autouse=True)
def environment() -> None:
    if not (PYTHON.parent.parent / ".ready").exists():
        reason = "the frameworks are not installed: make test-frameworks"
        leave_out(reason)


def told(name: str, side: str, broker: Broker, directory: Path) -> Any:
    library, application, arguments, _ = APPLICATIONS[name]
    prefix = f"{name}-{side}-{os.getpid()}-{next(NUMBERS)}"
    arguments = [str(directory) if argument == "DIRECTORY" else argument for argument in arguments]
    program = [str(HERE / "runner.py"), library, side, str(HERE / "applications" / application)]
    run = subprocess.run(
        [str(PYTHON), *program, broker.bootstrap_servers, prefix, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    told_of_trouble = side == "face" and "Traceback" in run.stderr
    assert (run.returncode, told_of_trouble) == (0, False), f"{run.stdout[-2000:]}\n{run.stderr[-4000:]}"
    # Some frameworks speak before and after.
    return next(json.loads(line) for line in run.stdout.splitlines() if line.startswith(("{", "[")))


@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.parametrize("name", APPLICATIONS)
def test_it_runs_on_the_face(name: str, broker: Broker, tmp_path: Path) -> None:
    assert told(name, "face", broker, tmp_path) == APPLICATIONS[name][3]


@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.parametrize("name", APPLICATIONS)
def test_the_original_tells_the_same(name: str, embedded_broker: Broker, tmp_path: Path) -> None:
    assert told(name, "original", embedded_broker, tmp_path) == APPLICATIONS[name][3]
