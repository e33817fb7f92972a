"""Ordinary work with kcat."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Sequence
from typing import Any, ClassVar

from tests.interop.work.worker import SECONDS, Record, Stored, Worker
from tests.support import kcat

NO_ADMINISTRATION = "kcat does not administrate"


class KcatWorker(Worker):
    name = "kcat"
    lacks: ClassVar = {
        **dict.fromkeys(
            "create_topic setting change_setting add_partitions delete_records delete_topic "
            "committed set_committed groups delete_group".split(),
            NO_ADMINISTRATION,
        ),
        "consume_in_group": "commits what it has read ahead, which is more than it shows",
        "transaction": "can commit transactions and not abort them",
        "copy": "sends no offsets with its transactions",
    }

    def topics(self) -> set[str]:
        return {topic["topic"] for topic in self._metadata()["topics"]}

    def partitions(self, topic: str) -> list[int]:
        (found,) = self._metadata("-t", topic)["topics"]
        return sorted(each["partition"] for each in found["partitions"] if each["leader"] >= 0)

    def produce(self, topic: str, records: Sequence[Record]) -> None:
        # Headers are for all records of a call. librdkafka's own default of the partitioner is another hash than
        # Kafka's.
        for headers, alike in itertools.groupby(records, lambda record: record.headers):
            more = [word for name, value in headers for word in ("-H", f"{name}={value}")]
            lines = "".join(f"{record.key}\t{record.value}\n" for record in alike)
            self._run("-P", "-t", topic, "-K", "\t", *more, "-X", "topic.partitioner=murmur2_random", given=lines)

    def ends(self, topic: str) -> dict[int, tuple[int, int]]:
        first, following = self.offsets_since(topic, -2), self.offsets_since(topic, -1)
        return {partition: (first[partition], following[partition]) for partition in first}

    def offsets_since(self, topic: str, timestamp: int) -> dict[int, int]:
        asked = [word for each in self.partitions(topic) for word in ("-t", f"{topic}:{each}:{timestamp}")]
        # A line for each: "topic [0] offset 12".
        rows = [line.rsplit(" ", 3) for line in self._run("-Q", *asked).splitlines()]
        return {int(partition.strip("[]")): int(offset) for _, partition, _, offset in rows}

    def consume(self, topic: str, count: int, *, committed_only: bool = False) -> list[Stored]:
        isolation = "read_committed" if committed_only else "read_uncommitted"
        where = ["-C", "-t", topic, "-o", "beginning", "-c", str(count), "-X", f"isolation.level={isolation}"]
        return sorted(stored(json.loads(line)) for line in self._run(*where, "-J", "-q").splitlines())

    def _metadata(self, *of: str) -> Any:
        return json.loads(self._run("-L", "-J", *of))

    def _run(self, *arguments: str, given: str = "") -> str:
        start, environment = kcat.command()
        line = [*start, "-b", self.bootstrap, *arguments]
        ran = subprocess.run(
            line, input=given, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert ran.returncode == 0, (
            f"kcat {' '.join(arguments)} ended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}"
        )
        return ran.stdout


def stored(read: dict[str, Any]) -> Stored:
    names, values = read.get("headers", [])[::2], read.get("headers", [])[1::2]
    headers = tuple(zip(names, values, strict=True))
    return Stored(read["partition"], read["offset"], read["key"], read["payload"], headers)
