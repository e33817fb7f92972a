"""What calls of aiokafka are given, and its constructors and functions."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from tests.compat.differential.library import Argument, Call, World
from tests.compat.differential.of_confluent_kafka_values import given, optional


def one(world: World, partition: Any = 0, topic: Any = None) -> Any:
    return world.module.TopicPartition(world.name("source") if topic is None else topic, partition)


def listed(name: str, right: Callable[[World], Any], **more: Callable[[World], Any]) -> Argument:
    odd: dict[str, Callable[[World], Any]] = {
        "none": lambda _: None,
        "empty": lambda _: [],
        "text": lambda _: "text",
        "number": lambda _: 1,
        "numbers": lambda _: [1],
        "one": right,
        "tuple": lambda world: (right(world),),
        **more,
    }
    return Argument(name, lambda world: [right(world)], odd)


def listener(world: World) -> Any:
    base = importlib.import_module(f"{world.module.__name__}.abc").ConsumerRebalanceListener

    class Listener(base):  # type: ignore[misc]
        def on_partitions_revoked(self, revoked: Any) -> None:
            del revoked

        def on_partitions_assigned(self, assigned: Any) -> None:
            del assigned

    return Listener()


TOPIC = Argument(
    "topic",
    lambda world: world.name("topic"),
    {
        "none": lambda _: None,
        "number": lambda _: 1,
        "empty": lambda _: "",
        "bytes": lambda _: b"topic",
        "list": lambda _: ["topic"],
        "unknown": lambda world: world.name("nowhere"),
        "bad name": lambda _: "not/valid",
        "long": lambda _: "x" * 300,
    },
)
VALUE = given(
    "value", b"value", empty=b"", none=None, number=1, text="text", array=bytearray(b"v"), huge=bytes(1_100_000)
)
PARTITION_NUMBER = given("partition", 0, negative=-5, huge=2**31, text="0", unknown=99, none=None, number=0.0)
TIMESTAMP = given("timestamp_ms", 1_700_000_000_000, negative=-5, zero=0, text="1", huge=2**63, number=1.5)
HEADERS = given(
    "headers",
    [("name", b"value")],
    empty=[],
    none=None,
    mapping={"name": b"value"},
    text="text",
    number=1,
    pairs=[("name",)],
    triples=[("name", b"value", 1)],
    array=[("name", bytearray(b"value"))],
    list=[["name", b"value"]],
    null=[("name", None)],
    numbers=[("name", 1)],
    names=[(1, b"value")],
    tuple=(("name", b"value"),),
)
GROUP = given("group_id", "group", none=None, number=1, empty="", bytes=b"group")
BATCH = given("batch", "filled", none=None, number=1, empty="empty")
ODD_PARTITION: dict[str, Any] = {
    "none": lambda _: None,
    "text": lambda _: "text",
    "number": lambda _: 1,
    "tuple": lambda world: (world.name("source"), 0),
    "not assigned": lambda world: one(world, 1),
    "unknown topic": lambda world: one(world, topic=world.name("nowhere")),
    "unknown partition": lambda world: one(world, 77),
    "negative": lambda world: one(world, -5),
    "no number": lambda world: one(world, "0"),
    "no topic": lambda world: one(world, topic=1),
    "empty topic": lambda world: one(world, topic=""),
}
PARTITION = Argument("partition", one, ODD_PARTITION)


def alone(make: Any) -> Any:
    return lambda world: [make(world)]


PARTITIONS = Argument(
    "partitions",
    lambda world: [one(world)],
    {
        "none": lambda _: None,
        "empty": lambda _: [],
        "text": lambda _: "text",
        "number": lambda _: 1,
        "one": one,
        "tuple": lambda world: (one(world),),
        "set": lambda world: {one(world)},
        "twice": lambda world: [one(world), one(world)],
        **{f"with {label}": alone(make) for label, make in ODD_PARTITION.items()},
    },
)


def by_partition(world: World, value: Any, **more: Any) -> dict[Any, Any]:
    return {one(world, **more): value}


OFFSETS = Argument(
    "offsets",
    lambda world: by_partition(world, 1),
    {
        "none": lambda _: None,
        "empty": lambda _: {},
        "list": lambda world: [one(world)],
        "text": lambda _: "text",
        "text value": lambda world: by_partition(world, "1"),
        "none value": lambda world: by_partition(world, None),
        "pair": lambda world: by_partition(world, (1, "text")),
        "pair of numbers": lambda world: by_partition(world, (1, 1)),
        "text in pair": lambda world: by_partition(world, ("1", "text")),
        "three": lambda world: by_partition(world, (1, "text", 2)),
        "object": lambda world: by_partition(world, world.module.OffsetAndMetadata(1, "text")),
        "negative": lambda world: by_partition(world, -5),
        "huge": lambda world: by_partition(world, 2**63),
        "wrong key": lambda _: {"topic": 1},
        "tuple key": lambda world: {(world.name("source"), 0): 1},
        "not assigned": lambda world: by_partition(world, 1, partition=1),
        "unknown partition": lambda world: by_partition(world, 1, partition=77),
        "unknown topic": lambda world: by_partition(world, 1, topic=world.name("nowhere")),
    },
)
TIMES = Argument(
    "timestamps",
    lambda world: by_partition(world, 1),
    {
        "none": lambda _: None,
        "empty": lambda _: {},
        "list": lambda world: [one(world)],
        "text value": lambda world: by_partition(world, "1"),
        "word": lambda world: by_partition(world, "word"),
        "none value": lambda world: by_partition(world, None),
        "negative": lambda world: by_partition(world, -5),
        "huge": lambda world: by_partition(world, 2**63),
        "future": lambda world: by_partition(world, 2**50),
        "fraction": lambda world: by_partition(world, 1.7),
        "wrong key": lambda _: {"topic": 1},
        "unknown partition": lambda world: by_partition(world, 1, partition=77),
    },
)

TEXT = {"none": None, "number": 1, "empty": ""}
NUMBER = {"none": None, "text": "1", "negative": -5, "huge": 2**40}


def constructors() -> Sequence[Call]:
    """Classes of values and functions, which need no cluster."""
    return [
        Call("TopicPartition", [given("topic", "topic", **TEXT), given("partition", 1, **NUMBER)]),
        Call("OffsetAndMetadata", [given("offset", 1, **NUMBER), given("metadata", "text", **TEXT)]),
        Call("OffsetAndTimestamp", [given("offset", 1, **NUMBER), given("timestamp", 1, **NUMBER)]),
        Call("ConsumerRebalanceListener"),
        Call(
            "ConsumerRecord",
            [
                given(name, value)
                for name, value in [
                    ("topic", "topic"),
                    ("partition", 0),
                    ("offset", 1),
                    ("timestamp", 1),
                    ("timestamp_type", 0),
                    ("key", b"key"),
                    ("value", b"value"),
                    ("checksum", None),
                    ("serialized_key_size", 3),
                    ("serialized_value_size", 5),
                    ("headers", ()),
                ]
            ],
        ),
        Call("structs.BrokerMetadata", [given(name, 1) for name in ("nodeId", "host", "port", "rack")]),
        Call(
            "structs.PartitionMetadata",
            [given(name, 1) for name in ("topic", "partition", "leader", "replicas", "isr", "error")],
        ),
        Call(
            "structs.RecordMetadata",
            [
                given(name, 1)
                for name in (
                    "topic",
                    "partition",
                    "topic_partition",
                    "offset",
                    "timestamp",
                    "timestamp_type",
                    "log_start_offset",
                )
            ],
        ),
        Call("partitioner.murmur2", [given("data", b"key", text="key", none=None, empty=b"", array=bytearray(b"k"))]),
        Call("partitioner.DefaultPartitioner"),
        Call("errors.for_code", [given("error_code", 3, none=None, text="3", unknown=12345, negative=-1, zero=0)]),
        Call(
            "admin.NewTopic",
            [
                given("name", "topic", **TEXT),
                given("num_partitions", 1, **NUMBER, minus=-1),
                given("replication_factor", 1, **NUMBER, minus=-1),
                optional(given("replica_assignments", None, empty={}, places={0: [1]}, text="x")),
                optional(given("topic_configs", {"a": "b"}, none=None, text="x")),
            ],
        ),
        Call("admin.NewPartitions", [given("total_count", 1, **NUMBER), optional(given("new_assignments", [[1]]))]),
        Call("admin.RecordsToDelete", [given("before_offset", 1, **NUMBER)]),
        Call(
            "admin.config_resource.ConfigResource",
            [
                given("resource_type", "topic", none=None, number=2, unknown="colour", upper="BROKER"),
                given("name", "topic", **TEXT),
                optional(given("configs", {"a": "b"}, none=None, text="x")),
            ],
        ),
        Call(
            "helpers.create_ssl_context",
            [
                optional(given("cafile", None, unknown="/no/such/file", number=1)),
                optional(given("capath", None, unknown="/no/such/folder")),
                optional(given("cadata", None, wrong="no certificate", number=1)),
                optional(given("certfile", None, unknown="/no/such/file")),
            ],
        ),
        Call("util.commit_structure_validate", [OFFSETS]),
    ]
