"""What calls of kafka-python are given, and its constructors and functions."""

from __future__ import annotations

import importlib
import math
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


def raising(*arguments: Any) -> Any:
    """A callback, or a serializer, that fails."""
    raise ZeroDivisionError(*map(type, arguments))


def struct(world: World, name: str, *arguments: Any) -> Any:
    try:
        structs = importlib.import_module(f"{world.module.__name__}.structs")
    except ModuleNotFoundError:
        # What the face of 3 has in common with that of 2 is there.
        structs = importlib.import_module("kafkars.compat.kafka.structs")
    return getattr(structs, name)(*arguments)


def place(world: World, partition: Any = 0, topic: Any = None) -> Any:
    return struct(world, "TopicPartition", world.name("source") if topic is None else topic, partition)


def position(world: World, offset: Any = 1, metadata: Any = "", epoch: Any = -1) -> Any:
    return struct(world, "OffsetAndMetadata", offset, metadata, epoch)


TOPIC = Argument(
    "topic",
    lambda world: world.name("topic"),
    {
        "none": lambda _: None,
        "number": lambda _: 1,
        "empty": lambda _: "",
        "bytes": lambda _: b"topic",
        "bad name": lambda _: "not/valid",
        "dots": lambda _: "..",
        "long": lambda _: "x" * 300,
    },
)
VALUE = given(
    "value",
    b"value",
    empty=b"",
    none=None,
    number=1,
    text="text",
    array=bytearray(b"v"),
    view=memoryview(b"v"),
    huge=bytes(1_100_000),
)
KEY = given("key", b"key", empty=b"", number=1, text="text", array=bytearray(b"k"))
HEADERS = given(
    "headers",
    [("name", b"value")],
    empty=[],
    none=None,
    mapping={"name": b"value"},
    text="text",
    number=1,
    pairs=[("name",)],
    null=[("name", None)],
    numbers=[("name", 1)],
    lists=[["name", b"value"]],
    bytes=[(b"name", b"value")],
    tuple=(("name", b"value"),),
)
NUMBER = given("partition", 0, negative=-1, unknown=99, huge=2**40, text="0", none=None)
WAIT = given("timeout_ms", 300, zero=0, negative=-1, text="1", none=None, float=0.5, list=[])
LIMIT = given("timeout", 4.0, text="1", list=[])

PARTITION = Argument(
    "partition",
    place,
    {
        "none": lambda _: None,
        "tuple": lambda world: tuple(place(world)),
        "text": lambda _: "text",
        "number": lambda _: 1,
        "not assigned": lambda world: place(world, 1),
        "unknown partition": lambda world: place(world, 77),
        "unknown topic": lambda world: place(world, 0, world.name("nowhere")),
        "negative": lambda world: place(world, -1),
        "text partition": lambda world: place(world, "0"),
    },
)
ODD_PARTITIONS: dict[str, Value] = {
    "none": lambda _: None,
    "empty": lambda _: [],
    "text": lambda _: "text",
    "numbers": lambda _: [1],
    "one": place,
    "tuples": lambda world: [tuple(place(world))],
    "tuple": lambda world: (place(world),),
    "set": lambda world: {place(world)},
    "twice": lambda world: [place(world), place(world)],
}
PARTITIONS = Argument("partitions", lambda world: [place(world)], ODD_PARTITIONS)
IN_TRANSACTION = Argument(
    "offsets",
    lambda world: {place(world): position(world)},
    {
        "empty": lambda _: {},
        "negative": lambda world: {place(world): position(world, -5)},
        "none metadata": lambda world: {place(world): position(world, 1, None)},
        "not assigned": lambda world: {place(world, 1): position(world)},
    },
)
"""What is wrong in other ways ends the original's sender, and the call waits for ever."""
OFFSETS = Argument(
    "offsets",
    lambda world: {place(world): position(world)},
    {
        "none": lambda _: None,
        "empty": lambda _: {},
        "list": lambda world: [place(world)],
        "text": lambda _: "text",
        "numbers": lambda world: {place(world): 1},
        "tuples": lambda world: {tuple(place(world)): position(world)},
        "negative": lambda world: {place(world): position(world, -5)},
        "none offset": lambda world: {place(world): position(world, None)},
        "text offset": lambda world: {place(world): position(world, "1")},
        "none metadata": lambda world: {place(world): position(world, 1, None)},
        "number metadata": lambda world: {place(world): position(world, 1, 7)},
        "not assigned": lambda world: {place(world, 1): position(world)},
    },
)
TIMES = Argument(
    "timestamps",
    lambda world: {place(world): 1},
    {
        "none": lambda _: None,
        "empty": lambda _: {},
        "list": lambda world: [place(world)],
        "negative": lambda world: {place(world): -1},
        "text": lambda world: {place(world): "soon"},
        "float": lambda world: {place(world): 1.5},
        "future": lambda world: {place(world): 10**13},
    },
)


def settings(name: str, **odd: Any) -> Call:
    """A constructor of a client: the broker's address is right, and one setting is odd."""
    arguments = [
        optional(Argument(setting, lambda _, right=right: right, {"odd": lambda _, value=value: value}))
        for setting, (right, value) in odd.items()
    ]
    return Call(name, arguments, always={"bootstrap_servers": lambda world: world.servers})


SHARED: dict[str, tuple[Any, Any]] = {
    "client_id": ("me", ""),
    "api_version": ((2, 5), "2.5"),
    "request_timeout_ms": (20_000, 0),
    "connections_max_idle_ms": (540_000, 1),
    "metadata_max_age_ms": (1000, 0),
    "retry_backoff_ms": (10, 0),
    "reconnect_backoff_ms": (10, 5000),
    "reconnect_backoff_max_ms": (100, 1),
    "security_protocol": ("PLAINTEXT", "nonsense"),
    "sasl_mechanism": ("PLAIN", "nonsense"),
    "metrics_num_samples": (3, 0),
    "receive_buffer_bytes": (65536, 0),
    "send_buffer_bytes": (65536, 0),
    "no_such_setting": (1, None),
}
CONSUMER: dict[str, tuple[Any, Any]] = {
    **SHARED,
    "request_timeout_ms": (50_000, 1),
    "group_id": ("group", ""),
    "group_instance_id": ("one", ""),
    "auto_offset_reset": ("earliest", "nonsense"),
    "enable_auto_commit": (False, "no"),
    "auto_commit_interval_ms": (100, 0),
    "isolation_level": ("read_committed", "nonsense"),
    "fetch_min_bytes": (1, 0),
    "fetch_max_wait_ms": (100, 0),
    "fetch_max_bytes": (1000, 0),
    "max_partition_fetch_bytes": (1000, 0),
    "max_poll_records": (10, 0),
    "max_poll_interval_ms": (10_000, 1),
    "session_timeout_ms": (6000, 1),
    "heartbeat_interval_ms": (1000, 0),
    "consumer_timeout_ms": (100, -1),
    "partition_assignment_strategy": ((), [1]),
    "check_crcs": (False, None),
    "exclude_internal_topics": (False, None),
}
PRODUCER: dict[str, tuple[Any, Any]] = {
    **SHARED,
    "acks": ("all", 2),
    "compression_type": ("gzip", "nonsense"),
    "retries": (0, -1),
    "batch_size": (0, -1),
    "linger_ms": (0, -1),
    "max_block_ms": (1000, 0),
    "max_request_size": (1000, 0),
    "delivery_timeout_ms": (10_000, 0),
    "buffer_memory": (33_554_432, 0),
    "enable_idempotence": (True, "yes"),
    "max_in_flight_requests_per_connection": (1, 0),
    "transactional_id": ("", None),
    "key_serializer": (raising, 1),
    "partitioner": (raising, 1),
}


def functions() -> Sequence[Call]:
    """Constructors, and functions of modules."""
    enums = {
        "ACLOperation": 3,
        "ACLPermissionType": 3,
        "ACLResourcePatternType": 3,
        "ResourceType": 2,
        "ConfigResourceType": 2,
    }
    return [
        settings("KafkaConsumer", **CONSUMER),
        settings("KafkaProducer", **PRODUCER),
        settings("KafkaAdminClient", **SHARED),
        Call("structs.TopicPartition", [given("topic", "t", none=None, number=1), given("partition", 0, text="0")]),
        Call(
            "structs.OffsetAndMetadata",
            [given("offset", 1, text="x"), given("metadata", "", none=None), given("leader_epoch", -1, none=None)],
        ),
        Call("structs.OffsetAndTimestamp", [given("offset", 1), given("timestamp", 1), given("leader_epoch", -1)]),
        Call("structs.BrokerMetadata", [given(name, 1, none=None) for name in ("nodeId", "host", "port", "rack")]),
        Call("partitioner.default.murmur2", [given("data", b"key", empty=b"", array=bytearray(b"key"))]),
        Call("errors.for_code", [given("error_code", 3, unknown=9999, zero=0, negative=-1)]),
        Call(
            "util.ensure_valid_topic_name",
            [replace(TOPIC, right=lambda _: "topic", odd={**TOPIC.odd, "dot": lambda _: "."})],
        ),
        Call("util.crc32", [given("data", b"data", empty=b"", text="data")]),
        Call(
            "admin.NewTopic",
            [
                given("name", "t", none=None, number=1),
                given("num_partitions", 1, none=None),
                given("replication_factor", 1),
                optional(given("replica_assignments", {0: [1]}, none=None)),
                optional(given("topic_configs", {"a": "b"}, none=None)),
            ],
        ),
        Call("admin.NewPartitions", [given("total_count", 2, none=None), optional(given("new_assignments", [[1]]))]),
        Call(
            "admin.ConfigResource",
            [
                given("resource_type", "topic", unknown="x", number=2, none=None),
                given("name", "t"),
                optional(given("configs", {})),
            ],
        ),
        *(Call(f"admin.{name}", [given("value", right, unknown=99, text="x")]) for name, right in enums.items()),
        Call("coordinator.assignors.range.RangePartitionAssignor"),
        Call("future.Future"),
    ]


def numbers(*odd: Any) -> dict[str, Value]:
    """Numbers of a call by their text."""
    return {str(each): lambda _, each=each: each for each in (*odd, math.inf)}
