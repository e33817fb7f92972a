"""aiokafka: its clients in their states, and what their calls are given."""

from __future__ import annotations

import asyncio
import importlib
import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.compat.differential import of_aiokafka_admin as administrators
from tests.compat.differential import of_aiokafka_objects as objects
from tests.compat.differential.library import Argument, Call, Kind, Library, World
from tests.compat.differential.of_aiokafka_values import (
    BATCH,
    GROUP,
    HEADERS,
    OFFSETS,
    PARTITION,
    PARTITION_NUMBER,
    PARTITIONS,
    TIMES,
    TIMESTAMP,
    TOPIC,
    VALUE,
    constructors,
    listener,
    one,
)
from tests.compat.differential.of_confluent_kafka_values import given, optional
from tests.kafka import wire

SECONDS = 2.0
"""How long a call may take: what the original asks for ever is told as such."""

UNIQUE = re.compile(r"-\d+\b")

LOCAL_SECONDS = 0.1
"""The same of clients without a connection, whose calls ask nobody."""

limit = SECONDS


@dataclass
class Later:
    """What a future that a call has given says in the end."""

    told: Any


def in_state(make: Callable[[World], Any], seconds: float = SECONDS) -> Callable[[World], Any]:
    """A state, and how long calls in it may take."""

    def made(world: World) -> Any:
        global limit  # noqa: PLW0603  one client at a time
        # Also of what is awaited here, which has begun when the coroutine runs.
        limit = 10 * SECONDS
        return making(world)

    async def making(world: World) -> Any:
        global limit  # noqa: PLW0603  one client at a time
        found = make(world)
        found = await found if asyncio.iscoroutine(found) else found
        limit = seconds
        return found

    return made


def local(make: Callable[[World], Any]) -> Callable[[World], Any]:
    """The state of a client that has no connection."""
    return in_state(make, LOCAL_SECONDS)


def run(make: Callable[[], Any]) -> Any:
    """Calls something in the loop, and waits for what can be awaited: for the call first, then for its future."""
    return loop().run_until_complete(awaited(make))


@cache
def loop() -> asyncio.AbstractEventLoop:
    """The one loop of this process."""
    return asyncio.new_event_loop()


async def awaited(make: Callable[[], Any]) -> Any:
    value = make()
    if not hasattr(value, "__await__"):
        return value
    value = await limited(value)
    if not asyncio.isfuture(value):
        return value
    try:
        return Later(await limited(value))
    except Exception as problem:  # noqa: BLE001 - told
        return Later(problem)


async def limited(value: Any) -> Any:
    try:
        return await asyncio.wait_for(value, limit)
    except TimeoutError as problem:
        raise (StillWaiting() if type(problem) is TimeoutError else problem) from None


class StillWaiting(Exception):  # noqa: N818  told as what it is
    """The call was given up."""


# --- states


def module(world: World, name: str) -> Any:
    return importlib.import_module(f"{world.module.__name__}.{name}")


def producer(world: World, **more: Any) -> Any:
    return world.module.AIOKafkaProducer(
        **{"bootstrap_servers": world.servers, "request_timeout_ms": 500, "linger_ms": 0, **more}
    )


async def working_producer(world: World, **more: Any) -> Any:
    made = producer(world, **more)
    await made.start()
    return made


async def in_transaction(world: World) -> Any:
    made = await working_producer(world, transactional_id=world.unique("id"))
    await made.begin_transaction()
    await made.send_and_wait(world.name("topic"), b"value")
    return made


async def fenced_producer(world: World) -> Any:
    name = world.unique("id")
    made = await working_producer(world, transactional_id=name)
    other = await working_producer(world, transactional_id=name)
    with suppress(Exception):
        await made.begin_transaction()
        await made.send_and_wait(world.name("topic"), b"value")
        await made.commit_transaction()
    await other.stop()
    return made


async def closed(made: Any, times: int = 1) -> Any:
    """Started before."""
    await made.start()
    for _ in range(times):
        await made.stop()
    return made


async def left(made: Any) -> Any:
    with suppress(ValueError):
        async with made:
            raise ValueError
    return made


def consumer(world: World, *topics: str, **more: Any) -> Any:
    settings = {
        "bootstrap_servers": world.servers,
        "group_id": world.unique("group"),
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
        "heartbeat_interval_ms": 100,
        "request_timeout_ms": 500,
        "fetch_max_wait_ms": 100,
        "metadata_max_age_ms": 500,
    }
    return world.module.AIOKafkaConsumer(*topics, **{**settings, **more})


async def started(made: Any) -> Any:
    await made.start()
    return made


async def assigned(world: World, **more: Any) -> Any:
    made = await started(consumer(world, **more))
    made.assign([one(world)])
    await asyncio.wait_for(made.getone(), 2 * SECONDS)
    return made


async def subscribed(world: World) -> Any:
    made = await started(consumer(world, world.name("source")))
    await asyncio.wait_for(made.getone(), 2 * SECONDS)
    return made


async def subscribed_anew(world: World) -> Any:
    """To other topics, whose partitions are not there yet."""
    made = await subscribed(world)
    made.subscribe([world.name("anew")])
    return made


def assigned_only(world: World) -> Any:
    """Not started."""
    made = consumer(world)
    made.assign([one(world)])
    return made


async def closed_after_reading(world: World) -> Any:
    made = await assigned(world)
    await made.stop()
    return made


async def stop(made: Any) -> None:
    """Ends a client; what is open in it does not matter."""
    with suppress(Exception):
        await asyncio.wait_for(made.abort_transaction(), SECONDS)
    with suppress(Exception):
        await asyncio.wait_for(made.stop(), SECONDS)


# --- calls


def start(made: Any) -> Any:
    """Starting takes what it takes."""
    global limit  # noqa: PLW0603  one client at a time
    limit = 10 * SECONDS
    return made.start()


def enter(made: Any) -> Any:
    """The same."""
    global limit  # noqa: PLW0603  one client at a time
    limit = 10 * SECONDS
    return made.__aenter__()


SENT = [TOPIC, VALUE, optional(given("key", b"key", empty=b"", number=1, text="text"))]
SENT += [optional(PARTITION_NUMBER), optional(TIMESTAMP), optional(HEADERS)]


async def send_batch(made: Any, batch: Any, topic: Any, partition: Any) -> Any:
    """Sends a batch of the producer itself, or what is none."""
    if batch == "filled":
        batch = made.create_batch()
        batch.append(timestamp=None, key=None, value=b"value")
    elif batch == "empty":
        batch = made.create_batch()
    return await made.send_batch(batch, topic, partition=partition)


async def transaction(made: Any, *arguments: Any, **keywords: Any) -> Any:
    """All of a transaction."""
    async with made.transaction(*arguments, **keywords):
        return await made.send_and_wait("topic-of-transactions", b"value")


PRODUCER = Kind(
    "AIOKafkaProducer",
    {
        objects.UNINITIALISED: local(objects.uninitialised("AIOKafkaProducer")),
        "fresh": local(producer),
        "working": in_state(working_producer),
        "transactional": in_state(lambda world: working_producer(world, transactional_id=world.unique("id"))),
        "in a transaction": in_state(in_transaction),
        "fatal": in_state(fenced_producer),
        "closed": local(lambda world: closed(producer(world))),
        "closed twice": local(lambda world: closed(producer(world), 2)),
        "left with an exception": local(lambda world: left(producer(world))),
    },
    [
        Call("start", invoke=start),
        Call("send", SENT, keeps=True),
        Call("send_and_wait", SENT, keeps=True),
        Call("partitions_for", [TOPIC], keeps=True),
        Call("create_batch", keeps=True),
        Call("send_batch", [BATCH, TOPIC, PARTITION_NUMBER], keeps=True, invoke=send_batch),
        Call("flush", keeps=True),
        Call("begin_transaction"),
        Call("send_offsets_to_transaction", [OFFSETS, GROUP]),
        Call("commit_transaction"),
        Call("abort_transaction"),
        Call("transaction", keeps=True),
        Call("async with transaction()", invoke=transaction),
        Call("__aenter__", invoke=enter),
        Call("__aexit__", [given("kind", None), given("error", None), given("traceback", None)]),
        Call("stop"),
    ],
    stop,
    # The original asks for ever for a topic once asked for, whatever it is, and its sender ends with some mistakes.
    lasting=False,
)


def several(name: str, **more: Any) -> Callable[[Any, Any], Any]:
    """A call that takes as many partitions as it is given."""
    return lambda made, partitions: getattr(made, name)(*partitions, **more)


async def read_one(made: Any, *partitions: Any) -> Any:
    """Reads one record; where there can be none the wait is short."""
    reading = made.getone(*partitions)
    if made.assignment().issuperset(partitions):
        return await reading
    return await asyncio.wait_for(reading, LOCAL_SECONDS)


async def all_of(made: Any) -> Any:
    """Iterates once."""
    async for record in made:
        return record
    return "ended"


def has_poll_timestamp(made: Any, partition: Any) -> bool:
    """Whether there is one."""
    return made.last_poll_timestamp(partition) is not None


async def own_topics(made: Any) -> bool:
    """Whether topics are among all that others make too."""
    return any(topic.endswith("source") for topic in await made.topics())


CONSUMER = Kind(
    "AIOKafkaConsumer",
    {
        objects.UNINITIALISED: local(objects.uninitialised("AIOKafkaConsumer")),
        "fresh": local(consumer),
        "started": in_state(lambda world: started(consumer(world))),
        "working": in_state(assigned),
        "without group": in_state(lambda world: assigned(world, group_id=None)),
        "subscribed": in_state(subscribed),
        "assigned only": local(assigned_only),
        "closed after reading": in_state(closed_after_reading),
        "closed": local(lambda world: closed(consumer(world))),
        "closed twice": local(lambda world: closed(consumer(world), 2)),
        "left with an exception": local(lambda world: left(consumer(world))),
    },
    [
        Call("start", invoke=start),
        Call(
            "subscribe",
            [
                optional(
                    Argument(
                        "topics",
                        lambda world: [world.name("source")],
                        {
                            "none": lambda _: None,
                            "text": lambda world: world.name("source"),
                            "empty": lambda _: [],
                            "nameless": lambda _: [""],
                            "number": lambda _: [1],
                            "no list": lambda _: 1,
                            "twice": lambda world: [world.name("source")] * 2,
                            "tuple": lambda world: (world.name("source"),),
                            "set": lambda world: {world.name("source")},
                        },
                    )
                ),
                optional(
                    Argument(
                        "pattern",
                        lambda world: f"{world.name('sou')}.*",
                        {
                            "none": lambda _: None,
                            "bad": lambda _: "^(",
                            "number": lambda _: 1,
                            "empty": lambda _: "",
                            "bytes": lambda _: b"x",
                        },
                    )
                ),
                optional(
                    Argument(
                        "listener", listener, {"none": lambda _: None, "number": lambda _: 1, "class": lambda _: object}
                    )
                ),
            ],
        ),
        Call(
            "subscribe with listener",
            [Argument("listener", listener, {"number": lambda _: 1, "none": lambda _: None})],
            invoke=lambda made, listener: made.subscribe(["x"], listener=listener),
        ),
        Call("subscribe to both", invoke=lambda made: made.subscribe(["x"], pattern="x")),
        Call("unsubscribe"),
        Call("assign", [PARTITIONS]),
        Call("assignment", keeps=True),
        Call("subscription", keeps=True),
        Call("pause", [PARTITION]),
        Call("resume", [PARTITION]),
        Call("pause several", [PARTITIONS], invoke=several("pause")),
        Call("resume several", [PARTITIONS], invoke=several("resume")),
        Call("paused", keeps=True),
        Call("position", [PARTITION], keeps=True),
        Call("seek", [PARTITION, given("offset", 5, none=None, text="5", negative=-1, huge=2**63, zero=0, number=1.5)]),
        Call("seek_to_beginning", [PARTITION]),
        Call("seek_to_beginning of several", [PARTITIONS], invoke=several("seek_to_beginning")),
        Call("seek_to_end", [PARTITION]),
        Call("seek_to_end of several", [PARTITIONS], invoke=several("seek_to_end")),
        Call("seek_to_committed", [PARTITION]),
        Call("seek_to_committed of several", [PARTITIONS], invoke=several("seek_to_committed")),
        Call("highwater", [PARTITION], keeps=True),
        Call("last_stable_offset", [PARTITION], keeps=True),
        Call("last_poll_timestamp", [PARTITION], keeps=True, invoke=has_poll_timestamp),
        Call("committed", [PARTITION], keeps=True),
        Call("commit", [optional(OFFSETS)], keeps=True),
        Call("topics", keeps=True, invoke=own_topics),
        Call("partitions_for_topic", [TOPIC], keeps=True),
        Call("beginning_offsets", [PARTITIONS], keeps=True),
        Call("end_offsets", [PARTITIONS], keeps=True),
        Call("offsets_for_times", [TIMES], keeps=True),
        Call("getone", [PARTITION], invoke=read_one),
        Call("getone of several", [PARTITIONS], invoke=lambda made, partitions: read_one(made, *partitions)),
        Call("getmany of one", [PARTITION], invoke=lambda made, place: made.getmany(place, timeout_ms=50)),
        Call("getmany of several", [PARTITIONS], invoke=several("getmany", timeout_ms=50)),
        Call(
            "getmany",
            [
                optional(given("timeout_ms", 50, zero=0, text="1", none=None, negative=-1)),
                optional(given("max_records", 1, zero=0, text="1", none=None, negative=-1)),
            ],
        ),
        Call("async for", invoke=all_of),
        Call("__aiter__", keeps=True),
        Call("__aenter__", invoke=enter),
        Call("__aexit__", [given("kind", None), given("error", None), given("traceback", None)]),
        Call("stop"),
    ],
    stop,
)

SUBSCRIBED_ANEW = Kind(
    "AIOKafkaConsumer",
    {"subscribed anew": in_state(subscribed_anew)},
    CONSUMER.calls,
    stop,
    # A little later it has its partitions.
    lasting=False,
)


# --- comparing


def describe(value: Any) -> Any:
    """What is compared of a value."""
    if isinstance(value, Later):
        return {"later": value.told}
    if isinstance(value, BaseException):
        return ["raised", type(value).__name__, fault(value)]
    if isinstance(value, ssl.SSLContext):
        return "a SSLContext"
    if isinstance(value, str) and UNIQUE.search(value):
        return f"str like {UNIQUE.sub('*', value)!r}"
    parts = PARTS.get(type(value).__name__)
    if parts is not None:
        return [type(value).__name__, *(getattr(value, part) for part in parts)]
    return administrators.describe(value)


# Without a key the partition of a record is anybody's guess, and so is the time of a record without one.
PARTS = {
    "ConsumerRecord": ("topic", "partition", "offset", "key", "value", "timestamp_type"),
    "RecordMetadata": ("topic", "timestamp_type"),
    "OffsetAndTimestamp": ("offset",),
    "OffsetAndMetadata": ("offset", "metadata"),
    "TopicPartition": ("topic", "partition"),
}


def fault(problem: BaseException) -> Any:
    """What programs look at of an error."""
    if not hasattr(problem, "retriable"):
        return None
    return [getattr(problem, name, None) for name in ("errno", "retriable", "invalid_metadata")]


def prepare(world: World) -> None:
    from kafkars import Producer

    address = world.servers.split(",")[0]
    for topic in ("topic", "source"):
        wire.create_topic(address, world.name(topic), 2, 1, {})
    wire.create_topic(address, world.name("anew"), 1, 1, {})
    with Producer(bootstrap_servers=world.servers) as writer:
        for number in range(20):
            writer.send(world.name("source"), b"value-%d" % number, partition=0)
            writer.send(world.name("anew"), b"value-%d" % number, partition=0)


def kinds() -> Iterator[Kind]:
    yield PRODUCER
    yield CONSUMER
    yield SUBSCRIBED_ANEW
    yield from administrators.kinds(local, in_state)
    yield objects.contexts(in_state, lambda world: working_producer(world, transactional_id=world.unique("id")), stop)
    yield from objects.kinds()


LIBRARY = Library(
    name="aiokafka",
    face="kafkars.compat.aiokafka",
    kinds=list(kinds()),
    functions=[*constructors(), *objects.errors()],
    prepare=prepare,
    describe=describe,
    fault=fault,
    run=run,
)
