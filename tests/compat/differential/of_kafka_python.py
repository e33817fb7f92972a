"""kafka-python 2.3.3: its clients in their states, and what their calls are given."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.compat.differential import of_kafka_python_admin as administrators
from tests.compat.differential.library import Argument, Call, Kind, Library, World
from tests.compat.differential.of_kafka_python_values import (
    HEADERS,
    IN_TRANSACTION,
    KEY,
    LIMIT,
    NUMBER,
    OFFSETS,
    PARTITION,
    PARTITIONS,
    TIMES,
    TOPIC,
    VALUE,
    WAIT,
    functions,
    given,
    optional,
    place,
    quiet,
)
from tests.kafka import wire

ORIGINAL = Path(__file__).parents[3] / ".cache" / "kafka-python-2"
SECONDS = 4.0
UNIQUE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|-\d+\b")


# --- states


def producer(world: World, **more: Any) -> Any:
    return world.module.KafkaProducer(bootstrap_servers=world.servers, **{"max_block_ms": 500, **more})


def working_producer(world: World) -> Any:
    made = producer(world)
    made.send(world.name("topic"), b"value").get(SECONDS)
    return made


def in_transaction(world: World) -> Any:
    made = producer(world, transactional_id=world.unique("id"))
    made.init_transactions()
    made.begin_transaction()
    made.send(world.name("topic"), b"value")
    made.flush(SECONDS)
    return made


def fenced_producer(world: World) -> Any:
    name = world.unique("id")
    made, other = (producer(world, transactional_id=name) for _ in range(2))
    made.init_transactions()
    other.init_transactions()
    world.extra["other"] = other
    with suppress(Exception):
        made.begin_transaction()
        made.send(world.name("topic"), b"value").get(SECONDS)
    return made


def closed(made: Any, times: int = 1) -> Any:
    for _ in range(times):
        made.close()
    return made


def consumer(world: World, **more: Any) -> Any:
    quick = {"auto_offset_reset": "earliest", "enable_auto_commit": False, "consumer_timeout_ms": 300}
    return world.module.KafkaConsumer(bootstrap_servers=world.servers, **{**quick, **more})


def in_group(world: World) -> Any:
    return consumer(world, group_id=world.unique("group"), session_timeout_ms=6000, heartbeat_interval_ms=100)


def read(made: Any) -> Any:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and not made.poll(300, max_records=2):
        pass
    return made


def assigned(world: World) -> Any:
    made = consumer(world)
    made.assign([place(world)])
    return read(made)


def assigned_in_group(world: World) -> Any:
    made = in_group(world)
    made.assign([place(world)])
    return read(made)


def subscribed(world: World) -> Any:
    made = in_group(world)
    made.subscribe([world.name("source")])
    return read(made)


# --- calls

# Once closed, the original waits for ever in calls that ask a broker, and takes subscriptions that nobody will carry
# out.
OPEN = ("fresh", "in a group", "assigned", "assigned in a group", "subscribed")
PRODUCER = Kind(
    "KafkaProducer",
    {
        "fresh": producer,
        "working": working_producer,
        "in a transaction": in_transaction,
        "fatal": fenced_producer,
        "closed": lambda world: closed(producer(world)),
    },
    [
        Call(
            "send",
            [
                TOPIC,
                VALUE,
                optional(KEY),
                optional(HEADERS),
                optional(NUMBER),
                optional(given("timestamp_ms", 1_700_000_000_000, negative=-1, zero=0, text="1")),
            ],
            keeps=True,
        ),
        Call("flush", [LIMIT], keeps=True, waits=True),
        Call("partitions_for", [TOPIC], keeps=True),
        Call("metrics", [optional(given("raw", True))], keeps=True),
        Call("bootstrap_connected", keeps=True),
        Call("init_transactions"),
        Call("begin_transaction"),
        Call(
            "send_offsets_to_transaction",
            [IN_TRANSACTION, given("consumer_group_id", "group")],
        ),
        Call("commit_transaction"),
        Call("abort_transaction"),
        Call("close", [optional(given("timeout", 2.0, zero=0, negative=-1, none=None))]),
    ],
    lambda made: made.close(0),
)


def listener(world: World) -> Any:
    base = world.module.ConsumerRebalanceListener
    names = ("on_partitions_revoked", "on_partitions_assigned")
    return type("Listener", (base,), dict.fromkeys(names, quiet))()


TOPICS = Argument(
    "topics",
    lambda world: [world.name("source")],
    {
        "none": lambda _: None,
        "empty": lambda _: [],
        "text": lambda world: world.name("source"),
        "numbers": lambda _: [1],
        "bad names": lambda _: ["a b"],
        "tuple": lambda world: (world.name("source"),),
        "set": lambda world: {world.name("source")},
        "twice": lambda world: [world.name("source")] * 2,
    },
)
PATTERN = given("pattern", "nothing.*", none=None, number=1, bad="(", bytes=b"a", empty="")
WITH_GROUP = ("in a group", "assigned in a group", "subscribed")
CONSUMER = Kind(
    "KafkaConsumer",
    {
        "fresh": consumer,
        "in a group": in_group,
        "assigned": assigned,
        "assigned in a group": assigned_in_group,
        "subscribed": subscribed,
        "closed": lambda world: closed(consumer(world)),
    },
    [
        Call("poll", [optional(WAIT), optional(given("max_records", 2, zero=0, negative=-1, text="1", float=1.5))]),
        Call("__next__", waits=False),
        Call("subscribe", [TOPICS], states=OPEN),
        Call("subscribe", [PATTERN], invoke=lambda made, pattern=None: made.subscribe(pattern=pattern), states=OPEN),
        Call(
            "subscribe",
            [
                Argument(
                    "listener", listener, {"none": lambda _: None, "function": lambda _: quiet, "number": lambda _: 1}
                )
            ],
            always={"topics": lambda world: [world.name("source")]},
            states=OPEN,
        ),
        Call("unsubscribe", states=OPEN),
        Call("assign", [PARTITIONS], states=OPEN),
        Call("assignment", keeps=True),
        Call("subscription", keeps=True),
        Call("paused", keeps=True),
        Call("pause", [PARTITION]),
        Call("resume", [PARTITION]),
        Call("seek", [PARTITION, given("offset", 1, negative=-1, text="1", none=None, float=1.0, huge=2**63)]),
        Call("seek_to_beginning", [PARTITION]),
        Call("seek_to_end", [PARTITION]),
        Call("position", [PARTITION, optional(WAIT)], keeps=True, states=OPEN),
        Call("highwater", [PARTITION], keeps=True),
        Call("commit", [optional(OFFSETS), optional(given("timeout_ms", 3000, text="1"))], states=OPEN),
        Call(
            "commit_async",
            [optional(OFFSETS), optional(given("callback", quiet, none=None))],
            keeps=True,
            states=OPEN,
        ),
        Call(
            "committed",
            [PARTITION, optional(given("metadata", True, none=None)), optional(given("timeout_ms", 3000, text="1"))],
            keeps=True,
            states=OPEN,
        ),
        Call("topics", keeps=True, states=OPEN, invoke=lambda made: type(made.topics())),
        Call("partitions_for_topic", [TOPIC], keeps=True, states=OPEN),
        Call("beginning_offsets", [PARTITIONS], keeps=True, states=OPEN),
        Call("end_offsets", [PARTITIONS], keeps=True, states=OPEN),
        Call("offsets_for_times", [TIMES], keeps=True, states=OPEN),
        Call("metrics", [optional(given("raw", True))], keeps=True),
        Call("bootstrap_connected", keeps=True),
        Call("close", [optional(given("autocommit", False, none=None)), optional(given("timeout_ms", 1000))]),
    ],
    lambda made: made.close(autocommit=False),
)


# --- comparing


def delivered(future: Any) -> Any:
    """What a delivery came to."""
    try:
        return ["FutureRecordMetadata", future.get(8)]
    except Exception as problem:  # noqa: BLE001 - told
        return ["FutureRecordMetadata", type(problem).__name__]


def awaited(future: Any) -> Any:
    """A commit without waiting: a moment is given to it, so that it does not meet the next case."""
    deadline = time.monotonic() + 0.5
    while not future.is_done and time.monotonic() < deadline:
        time.sleep(0.01)
    return "a Future"


def committed(offset: Any) -> Any:
    """What kafka-python knows of the epoch depends on the version that it asks with."""
    return ["offset", *offset[:2]]


def by_time(offset: Any) -> Any:
    """Both sides have topics of their own, whose records are of other times."""
    return ["offset", offset.offset]


DESCRIPTIONS: dict[str, Any] = {
    "ConsumerRecord": lambda it: ["record", it.partition, it.offset, it.key, it.value, it.headers],
    "Future": awaited,
    "FutureRecordMetadata": delivered,
    "OffsetAndMetadata": committed,
    "OffsetAndTimestamp": by_time,
    "RecordMetadata": lambda it: [
        "metadata",
        it.serialized_key_size,
        it.serialized_value_size,
        it.serialized_header_size,
    ],
    "float": repr,
    "type": lambda it: f"class {it.__name__}",
    "ABCMeta": lambda it: f"class {it.__name__}",
    "EnumType": lambda it: f"class {it.__name__}",
    "bytes": lambda it: "bytes" if len(it) > 10 else None,
    "str": lambda it: f"str like {UNIQUE.sub('*', it)!r}" if UNIQUE.search(it) else None,
}


def describe(value: Any) -> Any:
    special = DESCRIPTIONS.get(type(value).__name__)
    if special is not None:
        return special(value)
    if isinstance(value, dict) and any("metrics" in str(name) for name in value):
        return "metrics"
    return administrators.describe(value)


def fault(problem: BaseException) -> Any:
    return type(problem.args[0]).__name__ if problem.args and not isinstance(problem.args[0], str) else None


def prepare(world: World) -> None:
    from kafkars import Producer

    address = world.servers.split(",")[0]
    for topic in ("topic", "source"):
        wire.create_topic(address, world.name(topic), 2, 1, {})
    with Producer(bootstrap_servers=world.servers) as writer:
        for number in range(20):
            writer.send(world.name("source"), b"value-%d" % number, partition=0)


LIBRARY = Library(
    name="kafka",
    face="kafkars.compat.kafka",
    kinds=[PRODUCER, CONSUMER, administrators.kind()],
    functions=functions(),
    prepare=prepare,
    describe=describe,
    fault=fault,
    folder=str(ORIGINAL),
)
