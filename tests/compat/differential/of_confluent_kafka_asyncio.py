"""confluent_kafka.aio: its clients in their states, called as those that wait are."""

from __future__ import annotations

import importlib
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tests.compat.differential import of_aiokafka as loops
from tests.compat.differential import of_confluent_kafka as waiting
from tests.compat.differential.library import Argument, Call, Kind, Library, World
from tests.compat.differential.of_confluent_kafka_values import HEADERS, TOPIC, VALUE, given, optional, quiet

SECONDS = 5.0
"""How long a call may take: longer than the time limits that calls are given."""


def aio(world: World) -> Any:
    return importlib.import_module(f"{world.module.__name__}.aio")


def producer(world: World, **more: Any) -> Any:
    return aio(world).AIOProducer(waiting.settings(world, **more), buffer_timeout=0.05)


async def working_producer(world: World) -> Any:
    made = producer(world)
    await made.list_topics(world.name("topic"), timeout=waiting.SECONDS)
    return made


async def in_transaction(world: World) -> Any:
    made = producer(world, transactional_id=world.unique("id"))
    await made.init_transactions(waiting.SECONDS)
    await made.begin_transaction()
    return made


def consumer(world: World) -> Any:
    return aio(world).AIOConsumer(waiting.consumer_settings(world))


async def assigned(world: World) -> Any:
    made = consumer(world)
    await made.assign([world.module.TopicPartition(world.name("source"), 0, 0)])
    await made.consume(2, waiting.SECONDS)
    return made


async def closed(made: Any) -> Any:
    await made.close()
    return made


async def end(made: Any) -> None:
    """Ends a client without waiting for what it has."""
    with suppress(Exception):
        await made.purge()
    with suppress(Exception):
        await made.close()


def of_the_waiting(kind: Kind, *left_out: str) -> list[Call]:
    """The calls that both have: what is no method, or waits for no answer, is left out."""
    return [
        each for each in kind.calls if each.invoke is None and each.name not in {"__enter__", "__exit__", *left_out}
    ]


SHARED = [
    Call("__aenter__", keeps=True),
    Call("__aexit__", [given("exc_type", None), given("exc_value", None), given("exc_traceback", None)]),
]
# The library never completes the future of a message that its producer refuses, nor any other that is sent with it.
ODD_TOPICS = {label: make for label, make in TOPIC.odd.items() if label in {"none", "bad name"}}
PRODUCED = [
    replace(TOPIC, odd=ODD_TOPICS),
    optional(VALUE),
    optional(given("key", b"key", empty=b"", none=None, text="key", number=1)),
    optional(waiting.PARTITION_NUMBER),
    optional(given("timestamp", 1_700_000_000_000, negative=-1, zero=0, text="1", huge=2**63)),
    optional(given("on_delivery", quiet, none=None)),
    optional(HEADERS),
]
PRODUCER = Kind(
    "aio.AIOProducer",
    {
        "fresh": loops.in_state(producer, SECONDS),
        "working": loops.in_state(working_producer, SECONDS),
        "in a transaction": loops.in_state(in_transaction, SECONDS),
        # What is produced then has a future that the library never completes.
        "closed": loops.local(lambda world: closed(producer(world))),
    },
    [
        Call("produce", PRODUCED, keeps=True),
        Call("__len__", invoke=len, keeps=True, states=("fresh", "closed")),
        *of_the_waiting(waiting.PRODUCER, "produce", "produce_batch"),
        *SHARED,
    ],
    end,
    lasting=False,
)
CONSUMER = Kind(
    "aio.AIOConsumer",
    {
        "fresh": loops.in_state(consumer, SECONDS),
        "working": loops.in_state(assigned, SECONDS),
        "closed": loops.in_state(lambda world: closed(consumer(world)), SECONDS),
    },
    [*of_the_waiting(waiting.CONSUMER, "memberid"), *SHARED],
    end,
    # A call of `close()` that fails has closed it all the same.
    lasting=False,
)


def describe(value: Any) -> Any:
    if isinstance(value, loops.Later):
        return {"later": value.told}
    kind = type(value).__name__
    if kind == "Message":
        # Where a message without a key goes is anybody's guess.
        return [kind, value.error(), value.topic(), bytes(value.value() or b"")]
    found = waiting.describe(value)
    if found is None and isinstance(value, BaseException):
        return ["raised", kind, waiting.fault(value)]
    return found


NUMBERS = {"none": None, "zero": 0, "negative": -1, "text": "1"}


def constructor(name: str, *more: Argument) -> Call:
    """A client made outside of a loop's own calls, but within it."""
    config = Argument("conf", waiting.settings, {"none": lambda _: None, "unknown": lambda _: {"no.such.property": 1}})
    return Call(f"aio.{name}", [config, *more])


LIBRARY = Library(
    name="confluent_kafka",
    face="kafkars.compat.confluent_kafka",
    kinds=[PRODUCER, CONSUMER],
    functions=[
        constructor("AIOProducer", *(optional(given(name, 1, **NUMBERS)) for name in ("max_workers", "batch_size"))),
        constructor("AIOConsumer", optional(given("max_workers", 1, **NUMBERS))),
    ],
    prepare=waiting.prepare,
    describe=describe,
    fault=waiting.fault,
    run=loops.run,
)
