"""Groups, members without partitions, and groups that are gone, as the originals describe them."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from kafkars.compat import kafka_3

from tests.brokers import Broker
from tests.compat.kafka.test_versions import ORIGINALS, ROOT

PROGRAM = """
import sys
library, servers, group = sys.argv[1:4]
if library in {"2", "3"}:
    from kafkars.compat import install
    install("kafka", version=int(library))
else:
    sys.path.insert(0, library)
import kafka
admin = kafka.KafkaAdminClient(bootstrap_servers=servers)
describe = admin.describe_groups if kafka.__version__.startswith("3") else admin.describe_consumer_groups
found = describe([group, group + "-gone"])
# In 3.x a dict, whose order is that in which coordinators answer.
print(sorted(found.items()) if isinstance(found, dict) else found)
print(describe([]))
admin.close()
"""


def described(library: str, broker: Broker, group: str) -> str:
    """What one library prints of a group, and of one that is gone."""
    command = [sys.executable, "-c", PROGRAM, library, broker.bootstrap_servers, group]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT, check=False)
    assert finished.returncode == 0, finished.stderr
    # Operations come in no order: in the originals they are a set.
    return re.sub(r"\['[A-Z_]+'(, '[A-Z_]+')*\]", lambda found: str(sorted(found[0])), finished.stdout)


@pytest.mark.timeout(200)
def test_they_are_described_as_the_originals_do(broker: Broker) -> None:
    topic, other = broker.new_topic(2), broker.new_topic(1)
    group = f"described-{topic}"
    settings: dict[str, Any] = {"bootstrap_servers": broker.bootstrap_servers, "group_id": group}
    members = [kafka_3.KafkaConsumer(topic, other, heartbeat_interval_ms=100, **settings) for _ in range(3)]
    deadline = time.monotonic() + 60
    while sorted(len(each.assignment()) for each in members) != [0, 1, 2]:
        assert time.monotonic() < deadline
        for each in members:
            each.poll(100)
    installed = next((Path(sys.prefix) / "lib").glob("python3*/site-packages"))
    for version, original in ((2, ORIGINALS[2]), (3, installed)):
        expected = described(str(original), broker, group)
        assert expected.count("'client_id'") + expected.count("client_id=") == 3
        assert described(str(version), broker, group) == expected
    for each in members:
        each.close()
