"""Ordinary work with the Java client's command line tools."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tests.interop.work.worker import SECONDS, Record, RefusedError, Stored, Worker
from tests.support.java_shell import JavaShell
from tests.support.java_tools import CONSOLE_PRODUCER, DELETE_RECORDS, SEPARATOR, JavaTools, Printed, ToolFailedError

OFFSETS = "org.apache.kafka.tools.GetOffsetShell"
# The tools tell refusals in words, after the class of Java's exception.
REFUSALS = {
    "TopicExistsException": "TOPIC_ALREADY_EXISTS",
    "InvalidConfigurationException": "INVALID_CONFIG",
}
NOT_BY_THE_TOOLS = "no tool of Kafka's aborts transactions or sends offsets with them"


class JavaWorker(Worker):
    name = "java"
    lacks: ClassVar = {"transaction": NOT_BY_THE_TOOLS, "copy": NOT_BY_THE_TOOLS}

    def __init__(self, bootstrap: str, shell: JavaShell) -> None:
        super().__init__(bootstrap)
        self._tools = JavaTools(bootstrap, shell.run)

    def create_topic(self, topic: str, partitions: int, settings: Mapping[str, str]) -> None:
        given = [word for name, value in settings.items() for word in ("--config", f"{name}={value}")]
        refused(lambda: self._tools.topics("--create", "--topic", topic, "--partitions", str(partitions), *given))

    def topics(self) -> set[str]:
        return set(self._tools.topics("--list").split())

    def partitions(self, topic: str) -> list[int]:
        described = self._tools.topics("--describe", "--topic", topic)
        return [int(number) for number in re.findall(r"Partition: (\d+)\tLeader: \d+", described)]

    def setting(self, topic: str, name: str) -> str:
        described = self._tools.configs("--describe", "--all", "--entity-type", "topics", "--entity-name", topic)
        found = re.search(rf"^  {re.escape(name)}=(\S*) ", described, re.MULTILINE)
        assert found is not None, described
        return found.group(1)

    def change_setting(self, topic: str, name: str, value: str) -> None:
        of = ("--entity-type", "topics", "--entity-name", topic)
        refused(lambda: self._tools.configs("--alter", *of, "--add-config", f"{name}={value}"))

    def add_partitions(self, topic: str, total: int) -> None:
        self._tools.topics("--alter", "--topic", topic, "--partitions", str(total))

    def delete_records(self, topic: str, partition: int, before: int) -> None:
        wanted = {"version": 1, "partitions": [{"topic": topic, "partition": partition, "offset": before}]}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "offsets.json"
            path.write_text(json.dumps(wanted))
            where = ["--bootstrap-server", self.bootstrap, "--offset-json-file", str(path)]
            self._tools.run(DELETE_RECORDS, where)

    def delete_topic(self, topic: str) -> None:
        self._tools.topics("--delete", "--topic", topic)

    def produce(self, topic: str, records: Sequence[Record]) -> None:
        reading = ["parse.key=true", "parse.headers=true", f"key.separator={SEPARATOR}"]
        arguments = ["--bootstrap-server", self.bootstrap, "--topic", topic]
        arguments += [word for each in reading for word in ("--reader-property", each)]
        lines = [f"{printed_headers(record.headers)}\t{record.key}\t{record.value}\n" for record in records]
        self._tools.run(CONSOLE_PRODUCER, arguments, "".join(lines))

    def ends(self, topic: str) -> dict[int, tuple[int, int]]:
        first, following = self._offsets(topic, -2), self._offsets(topic, -1)
        return {partition: (first[partition], following[partition]) for partition in first}

    def offsets_since(self, topic: str, timestamp: int) -> dict[int, int]:
        # The tool leaves out partitions without such a record.
        none = dict.fromkeys(self.partitions(topic), -1)
        return none | self._offsets(topic, timestamp)

    def consume(self, topic: str, count: int, *, committed_only: bool = False) -> list[Stored]:
        isolation = "read_committed" if committed_only else "read_uncommitted"
        found = self._tools.consume(topic, count=count, idle_ms=int(SECONDS * 1000), isolation_level=isolation)
        assert len(found) == count
        return sorted(map(stored, found))

    def consume_in_group(self, topic: str, group: str, count: int) -> list[Stored]:
        # Exactly those records are fetched that are printed: what is fetched is committed at the end.
        found = self._tools.consume(
            topic,
            count=count,
            group=group,
            idle_ms=int(SECONDS * 1000),
            max_poll_records="1",
            auto_offset_reset="earliest",
        )
        assert len(found) == count
        return sorted(map(stored, found))

    def committed(self, topic: str, group: str) -> dict[int, int]:
        described = self._tools.groups("--describe", "--offsets", "--group", group)
        rows = [line.split() for line in described.splitlines()]
        return {int(row[2]): int(row[3]) for row in rows if row[:2] == [group, topic] and row[3] != "-"}

    def set_committed(self, topic: str, group: str, offsets: Mapping[int, int]) -> None:
        for partition, offset in offsets.items():
            to = ("--topic", f"{topic}:{partition}", "--to-offset", str(offset))
            self._tools.groups("--reset-offsets", "--execute", "--group", group, *to)

    def groups(self) -> dict[str, str]:
        rows = [line.split() for line in self._tools.groups("--list", "--state").splitlines()[1:]]
        return {row[0]: row[1] for row in rows if row}

    def delete_group(self, group: str) -> None:
        self._tools.groups("--delete", "--group", group)

    def _offsets(self, topic: str, time: int) -> dict[int, int]:
        where = ["--bootstrap-server", self.bootstrap, "--topic", topic, "--time", str(time)]
        rows = [line.rsplit(":", 2) for line in self._tools.run(OFFSETS, where).splitlines()]
        return {int(partition): int(offset) for _, partition, offset in rows if offset}


def refused(call: Callable[[], Any]) -> None:
    try:
        call()
    except ToolFailedError as failed:
        for name, code in REFUSALS.items():
            if name in str(failed):
                raise RefusedError(code) from failed
        raise


def printed_headers(headers: Sequence[tuple[str, str]]) -> str:
    return ",".join(f"{name}:{value}" for name, value in headers)


def stored(printed: Printed) -> Stored:
    headers = () if printed.headers == "NO_HEADERS" else printed.headers.removeprefix("Headers:").split(",")
    parts = tuple((name, value) for name, value in (each.split(":", 1) for each in headers))
    return Stored(printed.partition, printed.offset, none(printed.key), none(printed.value), parts)


def none(printed: str) -> str | None:
    return None if printed == "null" else printed
