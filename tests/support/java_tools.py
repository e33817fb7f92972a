"""Apache Kafka's own command line tools: the Java client, which is the reference for all others."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.kafka import jars
from tests.kafka.process import java

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# The newest tools speak to every broker from 2.1 on.
VERSION = "4.3.1"
JVM = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
SECONDS = 60.0
# The producer reads keys from lines, so the separator must not be in them.
SEPARATOR = "\t"

CONSOLE_PRODUCER = "org.apache.kafka.tools.ConsoleProducer"
CONSOLE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
CONSOLE_SHARE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleShareConsumer"
TOPICS = "org.apache.kafka.tools.TopicCommand"
CONFIGS = "kafka.admin.ConfigCommand"
CONSUMER_GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
TRANSACTIONS = "org.apache.kafka.tools.TransactionsCommand"
DELETE_RECORDS = "org.apache.kafka.tools.DeleteRecordsCommand"


class ToolFailedError(AssertionError):
    """A tool ended with an error; the message has what it wrote."""


@dataclass(frozen=True)
class Printed:
    """A record as the console consumer prints it. What is absent reads "null"."""

    partition: int
    offset: int
    headers: str
    key: str
    value: str


class JavaTools:
    """The tools, pointed at one cluster. Each runs in a JVM of its own, or in the one that `run` stands for."""

    def __init__(self, bootstrap_servers: str, run: Callable[..., str] | None = None) -> None:
        self.bootstrap_servers = bootstrap_servers
        self.run = run_alone if run is None else run

    def topics(self, *arguments: str) -> str:
        """kafka-topics: `--create`, `--list`, `--describe`, ..."""
        return self.run(TOPICS, ["--bootstrap-server", self.bootstrap_servers, *arguments])

    def configs(self, *arguments: str) -> str:
        """kafka-configs: `--alter`, `--describe`."""
        return self.run(CONFIGS, ["--bootstrap-server", self.bootstrap_servers, *arguments])

    def groups(self, *arguments: str) -> str:
        """kafka-consumer-groups: `--list`, `--describe`, `--reset-offsets`, `--delete`."""
        return self.run(CONSUMER_GROUPS, ["--bootstrap-server", self.bootstrap_servers, *arguments])

    def transactions(self, *arguments: str) -> str:
        """kafka-transactions: `list`, `describe`, `describe-producers`, `abort`, `find-hanging`."""
        return self.run(TRANSACTIONS, ["--bootstrap-server", self.bootstrap_servers, *arguments])

    def produce(self, topic: str, records: Iterable[tuple[str, str]], **settings: str) -> None:
        """kafka-console-producer: sends keys and values, and waits for every acknowledgement."""
        arguments = ["--bootstrap-server", self.bootstrap_servers, "--topic", topic]
        arguments += ["--reader-property", "parse.key=true", "--reader-property", f"key.separator={SEPARATOR}"]
        arguments += properties(settings)
        lines = "".join(f"{key}{SEPARATOR}{value}\n" for key, value in records)
        self.run(CONSOLE_PRODUCER, arguments, lines)

    def consume(
        self,
        topic: str,
        *,
        count: int | None = None,
        partition: int | None = None,
        group: str | None = None,
        idle_ms: int = 10_000,
        **settings: str,
    ) -> list[Printed]:
        """kafka-console-consumer from the beginning: `count` records, or all until none has come for `idle_ms`."""
        arguments = ["--from-beginning", "--timeout-ms", str(idle_ms)]
        if count is not None:
            arguments += ["--max-messages", str(count)]
        if partition is not None:
            arguments += ["--partition", str(partition)]
        if group is not None:
            arguments += ["--group", group]
        if isolation := settings.pop("isolation_level", None):
            arguments += ["--isolation-level", isolation]
        return self._read(CONSOLE_CONSUMER, topic, arguments + properties(settings))

    def share(self, topic: str, *, count: int, group: str, idle_ms: int = 20_000, **settings: str) -> list[Printed]:
        """kafka-console-share-consumer: takes and acknowledges `count` records."""
        arguments = ["--group", group, "--max-messages", str(count), "--timeout-ms", str(idle_ms)]
        return self._read(CONSOLE_SHARE_CONSUMER, topic, arguments + properties(settings))

    def _read(self, tool: str, topic: str, arguments: Sequence[str]) -> list[Printed]:
        shown = [f"print.{part}=true" for part in ("partition", "offset", "headers", "key", "value")]
        shown.append(f"key.separator={SEPARATOR}")
        formatting = [word for each in shown for word in ("--formatter-property", each)]
        where = ["--bootstrap-server", self.bootstrap_servers, "--topic", topic]
        return [printed(line) for line in self.run(tool, [*where, *arguments, *formatting]).splitlines()]


def printed(line: str) -> Printed:
    partition, offset, headers, key, value = line.split(SEPARATOR, 4)
    return Printed(int(partition.removeprefix("Partition:")), int(offset.removeprefix("Offset:")), headers, key, value)


def properties(settings: dict[str, str]) -> list[str]:
    """Keyword arguments as Kafka's dotted names."""
    named = [f"{name.replace('_', '.')}={value}" for name, value in settings.items()]
    return [word for each in named for word in ("--command-property", each)]


def command(tool: str, arguments: Sequence[str]) -> list[str]:
    """The command line of a tool. ConfigCommand is in the broker's jars, the others are in the tools'."""
    line = java(jars.fetch_tools(VERSION), JVM, tool, *arguments)
    path = line.index("-cp") + 1
    line[path] = f"{line[path]}:{jars.fetch(VERSION)}/*"
    return line


def run_alone(tool: str, arguments: Sequence[str], given: str = "") -> str:
    """What a tool writes to standard output."""
    line = command(tool, arguments)
    ran = subprocess.run(line, input=given, capture_output=True, text=True, timeout=SECONDS, check=False)
    if ran.returncode != 0:
        raise ToolFailedError(f"{tool} {' '.join(arguments)} ended with {ran.returncode}:\n{ran.stdout}\n{ran.stderr}")
    return ran.stdout
