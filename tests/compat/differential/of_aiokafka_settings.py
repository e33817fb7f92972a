"""aiokafka: every argument of its clients at, below and above its limits, all others at their defaults."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from functools import partial
from typing import Any

import kafkars

from tests.compat.differential.library import Call, Kind, Library, World
from tests.compat.differential.of_aiokafka import fault, run
from tests.compat.differential.of_confluent_kafka_values import given, optional
from tests.kafka import wire

CLIENTS = {
    "AIOKafkaProducer": "aiokafka",
    "AIOKafkaConsumer": "aiokafka",
    "admin.AIOKafkaAdminClient": "aiokafka.admin",
    "client.AIOKafkaClient": "aiokafka.client",
}
WORDS = {
    "acks": [0, 1, -1, "all", "0", "1", 2, -2, None, "ALL", 1.0, True],
    "compression_type": ["gzip", "snappy", "lz4", "zstd", "none", "GZIP", "unknown", 1],
    "security_protocol": ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL", "plaintext", "unknown", 1],
    "sasl_mechanism": ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI", "plain", "unknown", 1],
    "auto_offset_reset": ["earliest", "latest", "none", "EARLIEST", "Latest", "NONE", "unknown", 1],
    "isolation_level": ["read_committed", "read_uncommitted", "READ_COMMITTED", "unknown", 1],
    "bootstrap_servers": ["localhost", "a:1,b:2", ["a:1", "b"], [], "", ("a",), "a:b", ":", 1, "a:70000", "[::1]:5"],
    "api_version": ["auto", "0.9", "2.1.0", (0, 10), "unknown"],
    "partition_assignment_strategy": [(), [], "range", [object], [1]],
    "partitioner": [max, 1, "random"],
}
NUMBERS = [0, 1, -1, 2, 1000, 3000, 10_000, 2**31 - 1, 2**31, 2**63, 1.5, "1", "text", True]
TEXTS = ["text", "", 1, b"bytes"]


def values(name: str, default: Any) -> list[Any]:
    """What is given of an argument, by the kind of its default."""
    if name in WORDS:
        return WORDS[name]
    if isinstance(default, bool):
        return [True, False, None, "yes", 2]
    if isinstance(default, int | float) or name.endswith("_ms") or name == "max_poll_records":
        return NUMBERS
    return TEXTS if "serializer" not in name else [str, 1, "text"]


def constructors() -> Iterator[Call]:
    """Each client with one setting given at a time."""
    for name, module in CLIENTS.items():
        kind = getattr(importlib.import_module(module), name.rpartition(".")[2])
        arguments = []
        for each in inspect.signature(kind).parameters.values():
            if each.kind is inspect.Parameter.KEYWORD_ONLY and each.name != "loop":
                odd = {
                    f"{number} {shown(value)}": value for number, value in enumerate(values(each.name, each.default))
                }
                right = 1 if each.name == "acks" else each.default
                arguments.append(optional(given(each.name, right, **odd, none=None)))
        yield Call(name, arguments)


async def started(world: World, name: str, **settings: Any) -> Any:
    """Makes a client, and starts and ends it; reads, where the setting says from where."""
    kind = getattr(world.module, name)
    group = {"group_id": world.unique("group")} if name == "AIOKafkaConsumer" else {}
    made = kind(**{"bootstrap_servers": world.servers, "request_timeout_ms": 2000, **group, **settings})
    try:
        await made.start()
        if "auto_offset_reset" in settings:
            made.assign([world.module.TopicPartition(world.name("topic"), 0)])
            return "reads the record" if await made.getmany(timeout_ms=1000) else "reads nothing"
        # Something is asked, so that what runs beside has begun before its end.
        await made.topics() if hasattr(made, "topics") else await made.partitions_for(world.name("topic"))
    finally:
        await made.stop()
    return "started"


def starts() -> Iterator[Call]:
    """The same settings, taken to a broker: some are only looked at there."""
    for call in constructors():
        if "." not in call.name:
            several = [each for each in call.arguments if each.name not in {"bootstrap_servers", "security_protocol"}]
            yield Call(call.name, several, invoke=partial(call_started, call.name), keeps=True)


def call_started(name: str, world: World, **settings: Any) -> Any:
    return started(world, name, **settings)


def shown(value: Any) -> str:
    """A value in the name of a case."""
    return "function" if callable(value) else repr(value)


def describe(value: Any) -> Any:
    """A client."""
    return f"a {type(value).__name__}"


def prepare(world: World) -> None:
    """One topic, with a record."""
    wire.create_topic(world.servers.split(",")[0], world.name("topic"), 1, 1, {})
    with kafkars.Producer({"bootstrap_servers": world.servers}) as producer:
        producer.send(world.name("topic"), b"value", partition=0)


LIBRARY = Library(
    name="aiokafka",
    face="kafkars.compat.aiokafka",
    kinds=[Kind("started", {"fresh": lambda world: world}, list(starts()), lambda _: None)],
    functions=list(constructors()),
    prepare=prepare,
    describe=describe,
    fault=fault,
    run=run,
)
