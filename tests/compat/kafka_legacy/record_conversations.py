"""Writes down what kafka-python 0.9.5 itself tells in `conversations.py`, on a broker that still knows its requests.

    python -m tests.compat.kafka_legacy.record_conversations FOLDER BOOTSTRAP

FOLDER has the unpacked sources (`make test-kafka-legacy` makes it); BOOTSTRAP is what `python -m tests.kafka --version
2.8.2` prints. What is written is `data/conversations.json`.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from pathlib import Path

from tests.brokers import Broker
from tests.compat.kafka_legacy import original
from tests.compat.kafka_legacy.conversations import CONVERSATIONS
from tests.compat.kafka_legacy.talk import PARTITIONS, hold

FILE = Path(__file__).parent / "data" / "conversations.json"


def main() -> None:
    folder, servers = Path(sys.argv[1]).resolve(), sys.argv[2]
    broker = Broker("kafka", servers)
    with tempfile.TemporaryDirectory() as name:
        original.make(folder, Path(name))
        sys.path.insert(0, name)
        told = {
            name: hold(conversation, importlib.import_module, servers, broker.new_topic(partitions=PARTITIONS))
            for name, conversation in CONVERSATIONS.items()
        }
    FILE.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(told)} conversations\n")


if __name__ == "__main__":
    main()
