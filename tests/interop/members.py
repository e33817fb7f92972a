"""Consumers of kafkars and of other libraries as members of a group, behind one set of names."""

from __future__ import annotations

import asyncio
import itertools
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent import futures
from dataclasses import dataclass
from typing import Any, Protocol

import aiokafka
import confluent_kafka
import kafka
from confluent_kafka.admin import AdminClient

from tests.client_api import AsyncApi, SyncApi
from tests.kafka.process import GRACE_SECONDS, SUPERVISE
from tests.support import java_tools
from tests.support.waiting import StuckError

NUMBERS = itertools.count(1)
SECONDS = 60.0
# Long enough not to be missed on a busy machine; nothing here waits for a session to end.
SESSION_MS = 30_000
HEARTBEAT_MS = 500
# Far more than any call of a member that goes on takes.
STUCK_SECONDS = 25.0


class Member(Protocol):
    """A consumer in a group. Nothing is committed unless it is asked for."""

    closed: bool

    def poll(self) -> list[bytes]:
        """Values of what has arrived, after waiting for it a moment."""
        raise NotImplementedError

    def assignment(self) -> set[int]:
        """The partitions of the topic that it has now."""
        raise NotImplementedError

    def commit(self) -> None: ...

    def close(self) -> None:
        """Ends it. A member without a name of its own leaves the group."""


class ConfluentMember:
    closed = False

    def __init__(self, bootstrap: str, group: str, topic: str, instance: str | None = None, **extra: Any) -> None:
        settings = {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": SESSION_MS,
            "heartbeat.interval.ms": HEARTBEAT_MS,
            # New partitions are looked for, and topics that match a pattern.
            "topic.metadata.refresh.interval.ms": 500,
        }
        if extra.get("group.protocol") == "consumer":
            # The broker decides on these.
            del settings["session.timeout.ms"], settings["heartbeat.interval.ms"]
        if instance is not None:
            settings["group.instance.id"] = instance
        self._consumer = confluent_kafka.Consumer({**settings, **extra})
        self._consumer.subscribe([topic])

    def poll(self) -> list[bytes]:
        messages = self._consumer.consume(100, 0.05)
        return [message.value() or b"" for message in messages if message.error() is None]

    def assignment(self) -> set[int]:
        return {partition.partition for partition in self._consumer.assignment()}

    def commit(self) -> None:
        self._consumer.commit(asynchronous=False)

    def close(self) -> None:
        self.closed = True
        self._consumer.close()


def python_settings(bootstrap: str, group: str, instance: str | None) -> dict[str, Any]:
    """Of a member of kafka-python or aiokafka."""
    return {
        "bootstrap_servers": bootstrap,
        "group_id": group,
        "group_instance_id": instance,
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
        "session_timeout_ms": SESSION_MS,
        "heartbeat_interval_ms": HEARTBEAT_MS,
    }


class KafkaPythonMember:
    """Has a thread of its own, so that a call that never ends does not end the tests."""

    closed = False

    def __init__(self, bootstrap: str, group: str, topic: str, instance: str | None = None, **extra: Any) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], futures.Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self._consumer = self._run(
            lambda: kafka.KafkaConsumer(topic, **python_settings(bootstrap, group, instance), **extra)
        )

    def poll(self) -> list[bytes]:
        found = self._run(lambda: self._consumer.poll(timeout_ms=250))
        return [record.value for records in found.values() for record in records]

    def assignment(self) -> set[int]:
        return {partition.partition for partition in self._run(self._consumer.assignment)}

    def commit(self) -> None:
        self._run(self._consumer.commit)

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self._run(lambda: self._consumer.close(autocommit=False))
        self._calls.put(None)
        self._thread.join(SECONDS)

    def _run(self, call: Callable[[], Any]) -> Any:
        done: futures.Future[Any] = futures.Future()
        self._calls.put((call, done))
        try:
            return done.result(STUCK_SECONDS)
        except futures.TimeoutError:
            self.closed = True
            raise StuckError from None

    def _serve(self) -> None:
        while (task := self._calls.get()) is not None:
            call, done = task
            try:
                done.set_result(call())
            except BaseException as error:  # noqa: BLE001  handed to whoever waits
                done.set_exception(error)


class AiokafkaMember:
    """Its loop has a thread of its own, so that its heartbeats go on between calls."""

    closed = False

    def __init__(self, bootstrap: str, group: str, topic: str, instance: str | None = None, **extra: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

        async def start() -> aiokafka.AIOKafkaConsumer:
            settings = python_settings(bootstrap, group, instance)
            consumer = aiokafka.AIOKafkaConsumer(topic, **settings, **extra)
            await consumer.start()
            return consumer

        self._consumer = self._run(start())

    def poll(self) -> list[bytes]:
        found = self._run(self._consumer.getmany(timeout_ms=50))
        return [record.value for records in found.values() for record in records]

    def assignment(self) -> set[int]:
        return {partition.partition for partition in self._consumer.assignment()}

    def commit(self) -> None:
        self._run(self._consumer.commit())

    def close(self) -> None:
        self.closed = True
        self._run(self._consumer.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(SECONDS)
        self._loop.close()

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(SECONDS)


class OurMember:
    """kafkars, sync or asyncio."""

    closed = False
    api: type[SyncApi | AsyncApi] = SyncApi

    def __init__(self, bootstrap: str, group: str, topic: str, instance: str | None = None, **extra: Any) -> None:
        if extra.get("group_protocol") != "consumer":
            extra = {"session_timeout_ms": SESSION_MS, "heartbeat_interval_ms": HEARTBEAT_MS, **extra}
        self._made = self.api()
        self._consumer = self._made.Consumer(
            bootstrap_servers=bootstrap,
            group_id=group,
            group_instance_id=instance,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            **extra,
        )
        self._consumer.subscribe([topic])

    def poll(self) -> list[bytes]:
        return [record.value for record in self._consumer.poll_batch(timeout=0.05)]

    def assignment(self) -> set[int]:
        return {place.partition for place in self._consumer.assignment()}

    def commit(self) -> None:
        self._consumer.commit(timeout=SECONDS)

    def close(self) -> None:
        self.closed = True
        self._consumer.close()
        if isinstance(self._made, AsyncApi):
            self._made.close()


class OurAsyncioMember(OurMember):
    api = AsyncApi


class JavaMember:
    """The console consumer. It commits by itself; what it is assigned, only the coordinator tells."""

    closed = False

    def __init__(self, bootstrap: str, group: str, topic: str, instance: str | None = None, **extra: Any) -> None:
        self._group = group
        self._client_id = f"java-{next(NUMBERS)}"
        self._admin = AdminClient({"bootstrap.servers": bootstrap})
        settings = {"client.id": self._client_id, "auto.offset.reset": "earliest", **extra}
        if extra.get("group.protocol") != "consumer":
            settings |= {"session.timeout.ms": SESSION_MS, "heartbeat.interval.ms": HEARTBEAT_MS}
        if instance is not None:
            settings["group.instance.id"] = instance
        words = [word for name, value in settings.items() for word in ("--command-property", f"{name}={value}")]
        where = ["--bootstrap-server", bootstrap, "--topic", topic, "--group", group]
        # Marks what is a record; warnings come out beside them.
        words += ["--formatter-property", "print.partition=true"]
        line = java_tools.command(java_tools.CONSOLE_CONSUMER, [*where, *words])
        self._process = subprocess.Popen(
            [sys.executable, str(SUPERVISE), str(GRACE_SECONDS), *line],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def poll(self) -> list[bytes]:
        try:
            first = self._lines.get(timeout=0.2)
        except queue.Empty:
            return []
        return [first, *(self._lines.get() for _ in range(self._lines.qsize()))]

    def assignment(self) -> set[int]:
        group = self._admin.describe_consumer_groups([self._group])[self._group].result(SECONDS)
        return {
            place.partition
            for member in group.members
            if member.client_id == self._client_id
            for place in member.assignment.topic_partitions
        }

    def commit(self) -> None:
        """It does so every five seconds, and whenever the group shares anew."""

    def close(self) -> None:
        self.closed = True
        assert self._process.stdin is not None
        assert self._process.stderr is not None
        self._process.stdin.close()
        self._process.wait(SECONDS)
        self._thread.join(SECONDS)
        self._process.stderr.close()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            partition, _, value = line.rstrip(b"\n").partition(b"\t")
            if partition.startswith(b"Partition:"):
                self._lines.put(value)


@dataclass(frozen=True)
class Kind:
    """One library with one way of sharing partitions."""

    name: str
    member: Callable[..., Member]
    extra: tuple[tuple[str, Any], ...] = ()

    def join(self, bootstrap: str, group: str, topic: str, instance: str | None = None) -> Member:
        return self.member(bootstrap, group, topic, instance, **dict(self.extra))

    def __str__(self) -> str:
        return self.name


CONFLUENT_CONSUMER = Kind("confluent-consumer", ConfluentMember, (("group.protocol", "consumer"),))
KINDS = (
    Kind("confluent-range", ConfluentMember, (("partition.assignment.strategy", "range"),)),
    Kind("confluent-cooperative", ConfluentMember, (("partition.assignment.strategy", "cooperative-sticky"),)),
    CONFLUENT_CONSUMER,
    Kind("kafka-python", KafkaPythonMember),
    Kind("aiokafka", AiokafkaMember),
)
