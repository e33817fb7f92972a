"""confluent_kafka: what clients are given and give back (messages, errors, partitions, ids), and what makes bytes of
values. No broker is asked.
"""

from __future__ import annotations

import copy
import importlib
import operator
import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from tests.compat.differential.library import Argument, Call, Kind, World
from tests.compat.differential.of_confluent_kafka_values import TEXT, given, optional


def nothing(_: Any) -> None:
    """There is nothing to end."""


def of_values(name: str, make: Callable[[World], Any], calls: Sequence[Call]) -> Kind:
    """Objects that a program has in its hands."""
    # A setter that fails may have set something all the same: each call has an object of its own.
    return Kind(name, {"fresh": make}, calls, nothing, lasting=False)


def attributes(*names: str) -> list[Call]:
    """What is read without being called."""
    return [Call(name, keeps=True, invoke=operator.attrgetter(name)) for name in names]


def methods(*names: str) -> list[Call]:
    """What is called without arguments."""
    return [Call(name, keeps=True) for name in names]


def setter(name: str, read: Callable[[Any], Any], *, right: Any, **odd: Any) -> list[Call]:
    """What changes an object, by itself, and with what is there afterwards."""
    argument = given("value", right, **odd)

    def then_read(made: Any, value: Any) -> Any:
        getattr(made, name)(value)
        return read(made)

    return [Call(name, [argument]), Call(f"{name}, then read", [argument], invoke=then_read)]


def attribute_set(name: str, right: Any, **odd: Any) -> Call:
    """Sets an attribute, and reads it."""

    def then_read(made: Any, value: Any) -> Any:
        setattr(made, name, value)
        return getattr(made, name)

    return Call(f"sets {name}", [given("value", right, **odd)], invoke=then_read)


OTHERS = given("other", None, number=3, text="text", list=[])
"""What is no object of the same class."""


def comparisons(*others: tuple[str, Callable[[World], Any]]) -> Iterator[Call]:
    """Each comparison, with what is of the same class and with what is not."""
    argument = Argument("other", OTHERS.right, {**OTHERS.odd, **dict(others)})
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        yield Call(f"__{name}__", [argument], keeps=True, invoke=getattr(operator, name))
    yield Call("__hash__", keeps=True, invoke=lambda made: isinstance(hash(made), int))
    yield Call("__bool__", keeps=True, invoke=bool)


COPIED = [
    Call("copied", keeps=True, invoke=copy.copy),
    Call("copied deeply", keeps=True, invoke=copy.deepcopy),
    Call("pickled", keeps=True, invoke=lambda made: pickle.loads(pickle.dumps(made))),
]


# --- messages and batches


def message(world: World) -> Any:
    return world.module.Message(
        topic="topic",
        partition=1,
        offset=5,
        key=b"key",
        value=b"value",
        headers=[("name", b"value"), ("null", None)],
        timestamp=(1, 1_700_000_000_000),
        latency=0.5,
        leader_epoch=3,
    )


def failed_message(world: World) -> Any:
    return world.module.Message(topic="topic", partition=1, offset=-1001, error=world.module.KafkaError(3, "text"))


MESSAGE = [
    *methods("topic", "partition", "offset", "key", "value", "headers", "timestamp", "latency", "error"),
    *methods("leader_epoch", "delivery_count", "deserialized_key", "deserialized_value"),
    Call("__len__", keeps=True, invoke=len),
    *setter("set_key", lambda made: made.key(), right=b"other", none=None, text="text", number=1),
    *setter("set_value", lambda made: made.value(), right=b"other", none=None, text="text", number=1),
    *setter("set_topic", lambda made: made.topic(), right="other", none=None, number=1, empty=""),
    *setter("set_headers", lambda made: made.headers(), right=[("n", b"v")], none=None, text="text", number=1),
    *setter("set_error", lambda made: made.error(), right=None, text="text", number=1),
    *comparisons(("equal", message), ("failed", failed_message)),
    *COPIED,
]


def batch(world: World) -> Any:
    return world.module.Messages([message(world), failed_message(world)])


MESSAGES = [
    *methods("count", "is_empty", "records"),
    Call("__len__", keeps=True, invoke=len),
    Call("__iter__", keeps=True, invoke=list),
    Call(
        "__getitem__",
        [given("at", 0, last=-1, beyond=2, negative=-3, text="0", none=None, slice=slice(1, None))],
        keeps=True,
        invoke=operator.getitem,
    ),
    Call("__contains__", [OTHERS], keeps=True, invoke=operator.contains),
    Call("reversed", keeps=True, invoke=lambda made: list(reversed(made))),
    Call("sets an item", invoke=lambda made: operator.setitem(made, 0, None)),
    *comparisons(("empty", lambda world: world.module.Messages())),
]


# --- errors, partitions, ids


def error(world: World, *arguments: Any, **more: Any) -> Any:
    return world.module.KafkaError(*(arguments or (3,)), **more)


def error_of_librdkafka(world: World) -> Any:
    return error(world, -185, "text", fatal=True, retriable=True, txn_requires_abort=True)


ERROR = [
    *methods("code", "name", "str", "fatal", "retriable", "txn_requires_abort"),
    Call("__str__", keeps=True, invoke=str),
    Call("__repr__", keeps=True, invoke=repr),
    *comparisons(
        ("equal", error),
        ("code", lambda _: -185),
        ("another", lambda world: error(world, -185)),
        ("fatal", lambda world: error(world, 3, fatal=True)),
    ),
    *COPIED,
]


def partition(world: World, **more: Any) -> Any:
    return world.module.TopicPartition(**{"topic": "topic", "partition": 1, "offset": 5, **more})


PARTITION = [
    *attributes("topic", "partition", "offset", "metadata", "error", "leader_epoch"),
    attribute_set("topic", "other"),
    attribute_set("partition", 2, negative=-5, none=None, text="1", huge=2**40),
    attribute_set("offset", 7, beginning=-2, tail=-2005, none=None, text="1", huge=2**70),
    attribute_set("metadata", "other", none=None, number=1, empty=""),
    attribute_set("leader_epoch", 7, none=None, text="1", negative=-1),
    attribute_set("error", None),
    attribute_set("colour", "red"),
    Call("__str__", keeps=True, invoke=str),
    Call("__repr__", keeps=True, invoke=repr),
    *comparisons(
        ("equal", partition),
        ("offset", lambda world: partition(world, offset=6)),
        ("partition", lambda world: partition(world, partition=0)),
        ("topic", lambda world: partition(world, topic="zopic")),
    ),
    *COPIED,
]


def uuid(world: World, low: int = 2) -> Any:
    return world.module.Uuid(1, low)


UUID = [
    *methods("get_most_significant_bits", "get_least_significant_bits"),
    Call("__str__", keeps=True, invoke=str),
    Call("__repr__", keeps=True, invoke=repr),
    Call("__int__", keeps=True, invoke=int),
    *comparisons(("equal", uuid), ("another", lambda world: uuid(world, 3))),
    *COPIED,
]


# --- bytes of values


def serialization(world: World) -> Any:
    return importlib.import_module(f"{world.module.__name__}.serialization")


def context(world: World) -> Any:
    module = serialization(world)
    return module.SerializationContext("topic", module.MessageField.VALUE, [("name", b"value")])


CONTEXT = optional(Argument("ctx", context, {"none": lambda _: None}))
VALUES: dict[str, dict[str, Any]] = {
    "IntegerSerializer": {"right": 7, "none": None, "text": "7", "negative": -1, "huge": 2**31, "fraction": 1.5},
    "IntegerDeserializer": {"right": bytes(4), "none": None, "short": b"1", "long": bytes(8), "text": "text"},
    "DoubleSerializer": {"right": 1.5, "none": None, "text": "7", "number": 7, "huge": 10**400},
    "DoubleDeserializer": {"right": bytes(8), "none": None, "short": b"1", "long": bytes(16), "text": "text"},
    "StringSerializer": {"right": "größe", "none": None, "number": 7, "bytes": b"bytes", "half": "\ud800"},
    "StringDeserializer": {"right": "größe".encode(), "none": None, "text": "text", "half": b"\xff", "number": 7},
}


def serializers() -> Iterator[Kind]:
    """What makes bytes of values, and values of bytes."""
    for name, values in VALUES.items():
        parameter = "value" if name.endswith("Deserializer") else "obj"
        yield of_values(
            name,
            partial(serializer, name),
            [
                Call("__call__", [given(parameter, **values), CONTEXT], keeps=True),
                Call("set_cluster_id_resolver", [given("resolver", None, number=1)], keeps=True),
                Call("close", keeps=True),
            ],
        )


def serializer(name: str, world: World) -> Any:
    return getattr(serialization(world), name)()


ERRORS = ("KeySerializationError", "ValueSerializationError", "KeyDeserializationError", "ValueDeserializationError")


def failure(name: str, world: World) -> Any:
    return getattr(errors(world), name)(KeyError("x"))


def errors(world: World) -> Any:
    return importlib.import_module(f"{world.module.__name__}.error")


def kinds() -> Iterator[Kind]:
    """Objects of values."""
    yield of_values("Message", message, MESSAGE)
    yield of_values("Message of an error", failed_message, MESSAGE)
    yield of_values("Messages", batch, MESSAGES)
    yield of_values("KafkaError", error, ERROR)
    yield of_values("KafkaError of librdkafka", error_of_librdkafka, ERROR)
    yield of_values("TopicPartition", partition, PARTITION)
    yield of_values("Uuid", uuid, UUID)
    yield from serializers()
    for name in ERRORS:
        yield of_values(name, partial(failure, name), attributes("code", "name", "exception", "kafka_message", "args"))


def functions() -> Iterator[Call]:
    """Functions and constructors."""
    for name in ("murmur2", "fnv1a", "consistent"):
        yield Call(
            name,
            [
                given("key", b"key", none=None, text="key", number=1, array=bytearray(b"key"), empty=b""),
                given("partition_count", 7, zero=0, negative=-1, none=None, text="7", huge=2**40),
            ],
        )
    codec = optional(given("codec", "utf_8", unknown="no such codec", none=None, number=1))
    yield Call("serialization.StringSerializer", [codec])
    yield Call("serialization.StringDeserializer", [codec])
    yield Call(
        "serialization.SerializationContext",
        [given("topic", "topic", **TEXT), given("field", "value", **TEXT), optional(given("headers", [], none=None))],
    )
    for name in ERRORS:
        yield Call(f"error.{name}", [optional(given("exception", None, error=KeyError("x"), text="text"))])
    for name in ("ProduceError", "ConsumeError"):
        yield Call(f"error.{name}", [given("kafka_error", None, text="text")])
