"""Writes down what kafka-python 0.9.5 itself makes: bytes of its requests, what it reads in answers, partitions of
keys.

    python -m tests.compat.kafka_legacy.record FOLDER

FOLDER has the unpacked sources and `six` (`make test-kafka-legacy` makes it: .cache/kafka-python-0.9.5). Modules of the
original are loaded one by one: its package as a whole is no Python of today. What is written is `data/recorded.json`.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.compat.kafka_legacy import calls

FILE = Path(__file__).parent / "data" / "recorded.json"


def load(folder: Path) -> Any:
    """A stand-in for the original's package, which finds its modules."""
    package = ModuleType("kafka")
    package.__path__ = [str(folder / "kafka")]
    sys.modules["kafka"] = package
    sys.path.insert(0, str(folder))
    return package


def main() -> None:
    folder = Path(sys.argv[1])
    if os.environ.get("PYTHONHASHSEED") != calls.HASH_SEED:
        environment = {**os.environ, "PYTHONHASHSEED": calls.HASH_SEED}
        sys.exit(
            subprocess.run([sys.executable, "-m", __spec__.name, str(folder)], env=environment, check=False).returncode
        )
    load(folder)
    recorded = {name: calls.told(call) for name, call in calls.calls(importlib.import_module).items()}
    FILE.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")
    sys.stdout.write(f"{len(recorded)} calls, {hashlib.sha256(FILE.read_bytes()).hexdigest()}\n")


if __name__ == "__main__":
    main()
