"""What calls of confluent_kafka are given, and its constructors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.compat.differential.library import Argument, Call, Value, World


def given(name: str, right: Any, **odd: Any) -> Argument:
    """An argument of values that can be shared."""
    return Argument(name, lambda _: right, {label: lambda _, value=value: value for label, value in odd.items()})


def optional(argument: Argument) -> Argument:
    """One that calls may leave out."""
    return replace(argument, required=False)


def quiet(*arguments: Any) -> None:
    """A callback that does nothing."""
    del arguments


def one(world: World, offset: int = 0, partition: int = 0, topic: str | None = None) -> Any:
    return world.module.TopicPartition(world.name("source") if topic is None else topic, partition, offset)


TOPIC = Argument(
    "topic",
    lambda world: world.name("topic"),
    {
        "none": lambda _: None,
        "number": lambda _: 1,
        "empty": lambda _: "",
        "bytes": lambda _: b"topic",
        "bad name": lambda _: "not/valid",
        "NUL": lambda _: "a\0b",
        "long": lambda _: "x" * 300,
    },
)
VALUE = given(
    "value", b"value", empty=b"", none=None, number=1, text="text", array=bytearray(b"v"), huge=bytes(1_100_000)
)
LIMIT = given("timeout", 0.3, zero=0, text="1", none=None, list=[])
# What cannot be called is not given: the original says so by a SystemError of some later call. The same with names of
# headers.
CALLBACK = given("callback", quiet, none=None)
LONG = given("timeout", 4.0, text="1", none=None, list=[])
"""Of calls that need the cluster: what a time limit of 0 ends in depends on how fast it is."""
HEADERS = given(
    "headers",
    [("name", b"value")],
    empty=[],
    none=None,
    mapping={"name": "value"},
    text="text",
    number=1,
    pairs=[("name",)],
    null=[("name", None)],
    numbers=[("name", 1)],
)
ASYNCHRONOUS = given("asynchronous", False)

ODD_LISTS: dict[str, Any] = {
    "none": lambda _: None,
    "empty": lambda _: [],
    "text": lambda _: "text",
    "number": lambda _: [1],
    "one": one,
    "tuple": lambda world: (one(world),),
    "twice": lambda world: [one(world), one(world)],
    "unknown topic": lambda world: [one(world, topic=world.name("nowhere"))],
    "unknown topic beside another": lambda world: [one(world, topic=world.name("nowhere")), one(world)],
    "unknown partition": lambda world: [one(world, partition=77)],
    "unknown partition beside another": lambda world: [one(world), one(world, partition=77)],
    "negative partition": lambda world: [one(world, partition=-5)],
    "empty topic": lambda world: [one(world, topic="")],
    "invalid offset": lambda world: [one(world, offset=-1001)],
    "stored offset": lambda world: [one(world, offset=-1000)],
    "end": lambda world: [one(world, offset=-1)],
    "beginning": lambda world: [one(world, offset=-2)],
    "tail": lambda world: [one(world, offset=-2003)],
    "strange offset": lambda world: [one(world, offset=-7)],
    "beyond the end": lambda world: [one(world, offset=1_000_000)],
}
PARTITIONS = Argument("partitions", lambda world: [one(world)], ODD_LISTS)
OFFSETS = Argument("offsets", lambda world: [one(world, 1)], ODD_LISTS)
TIMES = Argument("partitions", lambda world: [one(world, 1)], ODD_LISTS)


def alone(make: Value) -> Value:
    """What a list is made of, by itself."""

    def made(world: World) -> Any:
        found = make(world)
        return found[0] if isinstance(found, list) and found else found

    return made


PARTITION = Argument(
    "partition",
    one,
    {label: alone(make) for label, make in ODD_LISTS.items() if label not in {"tuple", "twice", "one"}},
)


def message(world: World, **parts: Any) -> Any:
    return world.module.Message(topic=world.name("source"), partition=0, offset=1, **parts)


MESSAGE = Argument(
    "message",
    message,
    {
        "none": lambda _: None,
        "number": lambda _: 1,
        "failed": lambda world: message(world, error=world.module.KafkaError(-185)),
        # One without a topic is left out: the original asks the broker for it, never returns, or loses its membership.
        "without offset": lambda world: world.module.Message(topic=world.name("source"), partition=0),
    },
)

TEXT = {"none": None, "number": 1, "empty": ""}
NUMBER = {"none": None, "text": "1", "negative": -5, "huge": 2**40}


def constructors() -> Sequence[Call]:
    """Classes of values, which need no cluster."""
    module = "admin"
    return [
        Call(
            "TopicPartition",
            [
                given("topic", "topic", NUL="a\0b", **TEXT),
                optional(given("partition", 1, **NUMBER)),
                optional(given("offset", 5, **NUMBER)),
                optional(given("metadata", "text", NUL="a\0b", **TEXT)),
                optional(given("leader_epoch", 1, **NUMBER)),
            ],
        ),
        Call(
            "KafkaError",
            [
                given("error", 3, none=None, text="3", unknown=12345),
                optional(given("reason", "text", **TEXT)),
                optional(given("fatal", True, number=1, none=None)),
                optional(given("retriable", True, number=1)),
                optional(given("txn_requires_abort", True, number=1)),
            ],
        ),
        Call(
            "Message",
            [
                optional(given("topic", "topic")),
                optional(given("error", None)),
                optional(given("value", b"v", number=1)),
            ],
        ),
        Call("Uuid", [given("most_significant_bits", 1, text="1"), given("least_significant_bits", 2, text="2")]),
        Call("TopicCollection", [given("topic_names", ["topic"], none=None, text="topic", empty=[])]),
        Call(
            "ConsumerGroupTopicPartitions",
            [given("group_id", "group", **TEXT), optional(given("topic_partitions", [], none=None, text="x"))],
        ),
        Call(
            f"{module}.NewTopic",
            [
                given("topic", "topic", **TEXT),
                optional(given("num_partitions", 1, **NUMBER)),
                optional(given("replication_factor", 1, **NUMBER)),
                optional(given("replica_assignment", [[0]], text="x", empty=[], numbers=[1])),
                optional(given("config", {"retention.ms": "1"}, text="x", numbers={"retention.ms": 1})),
            ],
        ),
        Call(
            f"{module}.NewPartitions",
            [
                given("topic", "topic", **TEXT),
                given("new_total_count", 2, **NUMBER),
                optional(given("replica_assignment", [[0]], text="x", empty=[])),
            ],
        ),
        Call(
            f"{module}.ConfigResource",
            [
                given("restype", "topic", none=None, number=2, unknown="colour", wrong=99),
                given("name", "topic", **TEXT),
                optional(given("set_config", {"a": "b"}, none=None, text="x", numbers={"a": 1})),
                optional(given("incremental_configs", [], none=None, text="x", numbers=[1])),
            ],
        ),
        Call(f"{module}.ConfigEntry", [given("name", "name", **TEXT), given("value", "value", **TEXT)]),
        Call(f"{module}.OffsetSpec.latest"),
        Call(f"{module}.OffsetSpec.for_timestamp", [given("timestamp", 1, none=None, text="1")]),
        Call(
            f"{module}.AclBinding",
            [
                given("restype", 2, none=None, text="topic"),
                given("name", "name", **TEXT),
                given("resource_pattern_type", 3, none=None, text="literal"),
                given("principal", "User:u", **TEXT),
                given("host", "*", **TEXT),
                given("operation", 3, none=None, text="read"),
                given("permission_type", 3, none=None, text="allow"),
            ],
        ),
        Call(
            f"{module}.ScramCredentialInfo",
            [given("mechanism", 1, none=None, text="x"), given("iterations", 4096, **NUMBER)],
        ),
    ]
