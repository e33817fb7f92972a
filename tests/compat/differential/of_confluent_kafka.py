"""confluent_kafka: its clients in their states, and what their calls are given."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from tests.compat.differential import of_confluent_kafka_admin as administrators
from tests.compat.differential import of_confluent_kafka_objects as objects
from tests.compat.differential.library import Argument, Call, Kind, Library, World
from tests.compat.differential.of_confluent_kafka_values import (
    ASYNCHRONOUS,
    CALLBACK,
    HEADERS,
    LIMIT,
    LONG,
    MESSAGE,
    OFFSETS,
    PARTITION,
    PARTITIONS,
    TIMES,
    TOPIC,
    VALUE,
    constructors,
    given,
    optional,
    quiet,
)
from tests.kafka import wire

SECONDS = 4.0
UNIQUE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|-\d+\b")


# --- states


def settings(world: World, **more: Any) -> dict[str, Any]:
    return {"bootstrap.servers": world.servers, **{name.replace("_", "."): value for name, value in more.items()}}


def uninitialised(world: World, name: str) -> Any:
    owner = world.module
    for part in name.split("."):
        owner = __import__(f"{owner.__name__}.{part}", fromlist=["x"]) if part == "admin" else getattr(owner, part)

    def nothing(self: Any, *arguments: Any, **keywords: Any) -> None:
        del self, arguments, keywords

    return type("Uninitialised", (owner,), {"__init__": nothing})()


def producer(world: World, **more: Any) -> Any:
    return world.module.Producer(settings(world, **more))


def working_producer(world: World) -> Any:
    made = producer(world)
    made.list_topics(world.name("topic"), SECONDS)
    made.produce(world.name("topic"), b"value")
    made.flush(SECONDS)
    return made


def in_transaction(world: World) -> Any:
    made = producer(world, transactional_id=world.unique("id"))
    made.init_transactions(SECONDS)
    made.list_topics(world.name("topic"), SECONDS)
    made.begin_transaction()
    made.produce(world.name("topic"), b"value")
    made.flush(SECONDS)
    return made


def fenced_producer(world: World) -> Any:
    name = world.unique("id")
    made, other = (producer(world, transactional_id=name) for _ in range(2))
    made.init_transactions(SECONDS)
    other.init_transactions(SECONDS)
    world.extra["other"] = other
    with suppress(Exception):
        made.begin_transaction()
        made.produce(world.name("topic"), b"value")
        made.commit_transaction(SECONDS)
    return made


def to_be_aborted(world: World) -> Any:
    """One whose commit was refused, because a message of the transaction has failed."""
    made = in_transaction(world)
    with suppress(world.module.KafkaException):
        made.produce("not/valid", b"value")
    with suppress(world.module.KafkaException):
        made.commit_transaction(SECONDS)
    return made


def refused_in_transaction(world: World) -> Any:
    """One of whose transaction the cluster has refused a message."""
    made = in_transaction(world)
    made.produce(world.name("narrow"), bytes(2_000))
    made.flush(SECONDS)
    return made


def closed(made: Any, times: int = 1) -> Any:
    for _ in range(times):
        made.close()
    return made


def left(made: Any) -> Any:
    with suppress(ValueError), made:
        raise ValueError
    return made


def consumer_settings(world: World, **more: Any) -> dict[str, Any]:
    group = more.pop("group", None) or world.unique("group")
    quick = {"auto_offset_reset": "earliest", "session_timeout_ms": 6000, "heartbeat_interval_ms": 100}
    return settings(world, group_id=group, enable_auto_commit=False, **{**quick, **more})


def consumer(world: World, **more: Any) -> Any:
    return world.module.Consumer(consumer_settings(world, **more))


def assigned(world: World) -> Any:
    made = consumer(world)
    made.assign([world.module.TopicPartition(world.name("source"), 0, 0)])
    made.consume(2, SECONDS)
    return made


def subscribed(world: World) -> Any:
    made = consumer(world)
    made.subscribe([world.name("source")])
    made.consume(2, SECONDS)
    return made


def fenced_consumer(world: World) -> Any:
    more = {"group": world.unique("group"), "group_instance_id": "same"}
    made, other = consumer(world, **more), consumer(world, **more)
    world.extra["other"] = other
    made.subscribe([world.name("source")])
    made.consume(1, SECONDS)
    other.subscribe([world.name("source")])
    other.consume(1, SECONDS)
    with suppress(Exception):
        for _ in range(20):
            message = made.poll(0.5)
            if message is not None and message.error() is not None:
                break
    return made


def dispose(made: Any) -> None:
    """Ends a client without waiting for what it has."""
    with suppress(Exception):
        made.purge()
    made.close()


# --- calls


def group_metadata(world: World) -> Any:
    """Of a consumer that reads by assignment."""
    if "metadata" not in world.extra:
        made = consumer(world)
        world.extra["metadata"] = made.consumer_group_metadata()
        made.close()
    return world.extra["metadata"]


AGAIN = [
    Call(
        "__init__",
        [Argument("config", settings, {"unknown": lambda _: {"no.such.property": 1}})],
        states=("fresh", "working"),
        keeps=True,
        invoke=lambda made, config=None: made.__init__(config),
    )
]
"""A client is initialised once."""
CREDENTIALS = Call(
    "set_sasl_credentials",
    [given("username", "user", none=None, number=1, empty=""), given("password", "secret", none=None, number=1)],
    keeps=True,
)


def raising(*arguments: Any) -> None:
    """A callback that fails."""
    raise LookupError(len(arguments))


ODD_CALLBACKS: dict[str, Any] = {"raises": raising, "takes nothing": lambda: None, "returns": lambda *_: 1}
DELIVERED = Call(
    "produce, then flush",
    [Argument("topic", lambda world: world.name("topic")), given("on_delivery", quiet, **ODD_CALLBACKS)],
    states=("fresh", "working", "in a transaction"),
    invoke=lambda made, topic, on_delivery: (made.produce(topic, b"value", on_delivery=on_delivery), made.flush(4.0)),
)
ASSIGNED = Call(
    "subscribe, then consume",
    [Argument("topics", lambda world: [world.name("source")]), given("on_assign", quiet, **ODD_CALLBACKS)],
    states=("fresh",),
    invoke=lambda made, topics, on_assign: (made.subscribe(topics, on_assign=on_assign), made.consume(1, 4.0)),
)
LEAVING = Call("__exit__", [given("exc_type", None), given("exc_value", None), given("exc_traceback", None)])
ASKED = Call("cluster_id", [LONG], waits=True, keeps=True)
PARTITION_NUMBER = given("partition", 0, negative=-5, huge=2**31, text="0", unknown=99, none=None)
PRODUCER = Kind(
    "Producer",
    {
        "uninitialised": lambda world: uninitialised(world, "Producer"),
        "fresh": producer,
        "working": working_producer,
        "in a transaction": in_transaction,
        "to be aborted": to_be_aborted,
        "refused": refused_in_transaction,
        "fatal": fenced_producer,
        "closed": lambda world: closed(producer(world)),
        "closed twice": lambda world: closed(producer(world), 2),
        "left with an exception": lambda world: left(producer(world)),
    },
    [
        Call(
            "produce",
            [
                TOPIC,
                optional(VALUE),
                optional(given("key", b"key", empty=b"", number=1, array=bytearray(b"k"))),
                optional(PARTITION_NUMBER),
                optional(CALLBACK),
                optional(given("on_delivery", quiet)),
                optional(given("timestamp", 1_700_000_000_000, negative=-1, zero=0, text="1", huge=2**63)),
                optional(HEADERS),
            ],
            keeps=True,
        ),
        Call(
            "produce_batch",
            [
                TOPIC,
                given(
                    "messages",
                    [{"value": b"1"}, {"value": b"2", "key": b"k"}],
                    none=None,
                    text="text",
                    empty=[],
                    number=[1],
                    wrong=[{"value": 1}],
                    unknown=[{"value": b"1", "colour": b"red"}],
                    partition=[{"value": b"1", "partition": 99}],
                    nones=[{"value": b"1", **dict.fromkeys(("key", "partition", "headers", "timestamp", "callback"))}],
                    timestamp=[{"value": b"1", "timestamp": 1}],
                ),
                optional(PARTITION_NUMBER),
                optional(CALLBACK),
            ],
            keeps=True,
        ),
        DELIVERED,
        Call("poll", [LIMIT], waits=True, keeps=True),
        Call("flush", [LIMIT], keeps=True),
        Call(
            "purge",
            [
                optional(given("in_queue", True, none=None, text="x")),
                optional(given("in_flight", False)),
                optional(given("blocking", False)),
            ],
            keeps=True,
        ),
        Call("init_transactions", [LONG], waits=True),
        Call("begin_transaction"),
        Call(
            "send_offsets_to_transaction",
            [
                OFFSETS,
                Argument(
                    "group_metadata",
                    group_metadata,
                    {
                        "none": lambda _: None,
                        "number": lambda _: 1,
                        "text": lambda _: "text",
                        "bytes": lambda _: b"text",
                    },
                ),
                LONG,
            ],
        ),
        Call("commit_transaction", [LONG], waits=True),
        Call("abort_transaction", [LONG], waits=True),
        Call("list_topics", [optional(TOPIC), LONG], waits=True, keeps=True),
        Call("__len__", invoke=len, keeps=True),
        Call("__bool__", invoke=bool, keeps=True),
        Call("__enter__", keeps=True),
        *AGAIN,
        CREDENTIALS,
        ASKED,
        LEAVING,
        Call("close"),
    ],
    dispose,
)

WANTED = optional(given("timeout", SECONDS, none=None, text="1"))
CONSUMER = Kind(
    "Consumer",
    {
        "uninitialised": lambda world: uninitialised(world, "Consumer"),
        "fresh": consumer,
        "working": assigned,
        "subscribed": subscribed,
        "fatal": fenced_consumer,
        "closed": lambda world: closed(consumer(world)),
        "closed twice": lambda world: closed(consumer(world), 2),
        "left with an exception": lambda world: left(consumer(world)),
    },
    [
        Call(
            "subscribe",
            [
                Argument(
                    "topics",
                    lambda world: [world.name("source")],
                    {
                        "none": lambda _: None,
                        "text": lambda world: world.name("source"),
                        "empty": lambda _: [],
                        "nameless": lambda _: [""],
                        "number": lambda _: [1],
                        "twice": lambda world: [world.name("source")] * 2,
                        "pattern": lambda world: [f"^{world.name('sou.*')}"],
                        "bad pattern": lambda _: ["^("],
                        "tuple": lambda world: (world.name("source"),),
                    },
                ),
                optional(given("on_assign", quiet, number=1, none=None)),
                optional(given("on_revoke", quiet, number=1, none=None)),
                optional(given("on_lost", quiet, number=1, none=None)),
            ],
        ),
        ASSIGNED,
        Call("unsubscribe"),
        Call("assign", [PARTITIONS]),
        Call("incremental_assign", [PARTITIONS]),
        Call("incremental_unassign", [PARTITIONS]),
        Call("unassign"),
        Call("assignment", keeps=True),
        Call("pause", [PARTITIONS], keeps=True),
        Call("resume", [PARTITIONS], keeps=True),
        Call("seek", [PARTITION]),
        Call("position", [PARTITIONS], keeps=True),
        Call("store_offsets", [optional(MESSAGE), optional(OFFSETS)], keeps=True),
        Call("commit", [optional(MESSAGE), optional(OFFSETS), ASYNCHRONOUS], keeps=True),
        Call("committed", [PARTITIONS, WANTED], always={"timeout": lambda _: SECONDS}, waits=True, keeps=True),
        Call(
            "get_watermark_offsets",
            [PARTITION, WANTED, optional(given("cached", True, none=None))],
            always={"timeout": lambda _: SECONDS},
            keeps=True,
        ),
        Call("offsets_for_times", [TIMES, WANTED], always={"timeout": lambda _: SECONDS}, keeps=True),
        Call("memberid", keeps=True),
        Call("consumer_group_metadata", keeps=True),
        Call("list_topics", [optional(TOPIC), LONG], waits=True, keeps=True),
        Call("poll", [LIMIT], waits=True),
        Call(
            "consume",
            [given("num_messages", 1, zero=0, negative=-1, huge=1_000_001, text="1", none=None), LIMIT],
            waits=True,
        ),
        Call("__enter__", keeps=True),
        *AGAIN,
        CREDENTIALS,
        ASKED,
        LEAVING,
        Call("close"),
    ],
    lambda made: made.close(),
)


# --- comparing


def described(error: Any) -> dict[str, Any]:
    """A KafkaError."""
    flags = {name: getattr(error, name)() for name in ("retriable", "fatal", "txn_requires_abort")}
    return {"error": error.name(), **{name: flag for name, flag in flags.items() if flag}}


def describe(value: Any) -> Any:
    kind = type(value).__name__
    if kind == "KafkaError":
        return described(value)
    if kind == "TopicPartition":
        return [kind, value.topic, value.partition, value.offset, value.metadata, value.leader_epoch, value.error]
    if kind == "Message":
        body = None if value.error() is not None else value.value()
        return [kind, value.error(), value.topic(), value.partition(), value.offset(), body]
    if isinstance(value, bytes):
        return "bytes" if len(value) > 10 else None
    if isinstance(value, str) and UNIQUE.search(value):
        return f"str like {UNIQUE.sub('*', value)!r}"
    return administrators.describe(value)


def fault(problem: BaseException) -> Any:
    if not problem.args:
        return None
    first = problem.args[0]
    return described(first) if type(first).__name__ == "KafkaError" else type(first).__name__


def prepare(world: World) -> None:
    from kafkars import Producer

    address = world.servers.split(",")[0]
    for topic in ("topic", "source"):
        wire.create_topic(address, world.name(topic), 2, 1, {})
    wire.create_topic(address, world.name("narrow"), 1, 1, {"max.message.bytes": "1000"})
    with Producer(bootstrap_servers=world.servers) as writer:
        for number in range(20):
            writer.send(world.name("source"), b"value-%d" % number, partition=0)


LIBRARY = Library(
    name="confluent_kafka",
    face="kafkars.compat.confluent_kafka",
    kinds=[PRODUCER, CONSUMER, administrators.kind(uninitialised, settings), *objects.kinds()],
    functions=[*constructors(), *objects.functions()],
    prepare=prepare,
    describe=describe,
    fault=fault,
)
