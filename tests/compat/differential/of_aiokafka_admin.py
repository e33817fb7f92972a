"""aiokafka's administrator, its low-level client and its batches, in their states, and what their calls are given."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import aiokafka

from tests.compat.differential import of_aiokafka_structures as structures
from tests.compat.differential.library import Argument, Call, Kind, World
from tests.compat.differential.of_aiokafka_configs import CHANGES, LOOKED_AT, RESOURCES, changed
from tests.compat.differential.of_aiokafka_objects import UNINITIALISED, uninitialised
from tests.compat.differential.of_aiokafka_values import HEADERS, PARTITIONS, TOPIC, listed, one
from tests.compat.differential.of_confluent_kafka_values import given, optional


def admin(world: World) -> Any:
    return importlib.import_module(f"{world.module.__name__}.admin")


def client(world: World) -> Any:
    return admin(world).AIOKafkaAdminClient(bootstrap_servers=world.servers, request_timeout_ms=500)


async def started(made: Any) -> Any:
    await made.start()
    return made


async def closed(made: Any, times: int = 1) -> Any:
    await made.start()
    for _ in range(times):
        await made.close()
    return made


def new_topic(world: World, **parts: Any) -> Any:
    return admin(world).NewTopic(
        **{"name": world.unique("made"), "num_partitions": 1, "replication_factor": 1, **parts}
    )


TIMEOUT = optional(given("timeout_ms", 1000, none=None, text="1", negative=-5, zero=0))
DRY = optional(given("validate_only", True, none=None, text="x"))
COORDINATOR = optional(given("group_coordinator_id", None, text="x", unknown=77))


def mapped(name: str, right: Callable[[World], Any], **more: Callable[[World], Any]) -> Argument:
    odd: dict[str, Callable[[World], Any]] = {
        "none": lambda _: None,
        "empty": lambda _: {},
        "list": lambda _: [1],
        "number": lambda _: {1: 1},
        **more,
    }
    return Argument(name, right, odd)


def deleted(world: World, offset: Any = 0, **more: Any) -> dict[Any, Any]:
    return {one(world, **more): admin(world).RecordsToDelete(offset)}


async def with_member(made: Any, topic: str, servers: str) -> Any:
    """A group with a member of the original, of which both hear the same bytes."""
    group = f"{topic}-described"
    async with aiokafka.AIOKafkaConsumer(topic, group_id=group, client_id="somebody", bootstrap_servers=servers):
        (answer,) = await made.describe_consumer_groups([group])
    ((*head, members),) = answer.groups
    size = len(topic).to_bytes(2, "big") + topic.encode()
    # Ids of members, and names of topics with their lengths, differ from run to run.
    told = [
        (member[1:3], *(part.replace(size, b"TOPIC") if isinstance(part, bytes) else part for part in member[3:]))
        for member in members
    ]
    return [repr(head), repr(told)]


ADMIN_CALLS = [
    Call("start"),
    Call(
        "create_topics",
        [
            listed(
                "new_topics",
                new_topic,
                exists=lambda world: [new_topic(world, name=world.name("topic"))],
                twice=lambda world: [new_topic(world, name=world.name("twice"))] * 2,
                bad_name=lambda world: [new_topic(world, name="not/valid")],
                no_name=lambda world: [new_topic(world, name=None)],
                replicas=lambda world: [new_topic(world, replication_factor=7)],
                no_partitions=lambda world: [new_topic(world, num_partitions=0)],
                bad_config=lambda world: [new_topic(world, topic_configs={"colour": "red"})],
                numbers=lambda world: [new_topic(world, topic_configs={"retention.ms": 5})],
            ),
            TIMEOUT,
            DRY,
        ],
        keeps=True,
    ),
    Call(
        "delete_topics",
        [
            listed(
                "topics",
                lambda world: world.name("nowhere"),
                twice=lambda world: [world.name("nowhere")] * 2,
                nameless=lambda _: [""],
            ),
            TIMEOUT,
        ],
        keeps=True,
    ),
    Call("list_topics", always={}, states=("fresh", "closed"), keeps=True),
    Call(
        "describe_topics",
        [optional(listed("topics", lambda world: world.name("topic"), twice=lambda w: [w.name("topic")] * 2))],
        states=("fresh", "closed"),
        keeps=True,
    ),
    Call(
        "describe_topics of a list",
        [Argument("topics", lambda world: [world.name("topic")], {"empty": lambda _: [], "number": lambda _: 1})],
        invoke=lambda made, topics: made.describe_topics(topics),
        keeps=True,
    ),
    Call("describe_cluster", keeps=True),
    Call(
        "describe_configs",
        [
            RESOURCES,
            optional(given("include_synonyms", True, none=None)),
        ],
        keeps=True,
    ),
    Call("alter_configs", [CHANGES], keeps=True),
    Call(
        "alter_configs and look",
        [CHANGES, LOOKED_AT],
        invoke=changed,
        states=("working",),
        keeps=True,
    ),
    Call(
        "create_partitions",
        [
            mapped(
                "topic_partitions",
                lambda world: {world.name("nowhere"): admin(world).NewPartitions(3)},
                fewer=lambda world: {world.name("topic"): admin(world).NewPartitions(1)},
                text=lambda world: {world.name("topic"): 3},
            ),
            TIMEOUT,
            DRY,
        ],
        keeps=True,
    ),
    Call(
        "describe_consumer_groups",
        [
            listed(
                "group_ids",
                lambda world: world.name("nobody"),
                nameless=lambda _: [""],
                twice=lambda world: [world.name("nobody")] * 2,
                several=lambda world: [world.name("nobody"), world.name("nobody else")],
            ),
            COORDINATOR,
            optional(given("include_authorized_operations", True)),
        ],
        keeps=True,
    ),
    Call(
        "describe_consumer_groups of a member",
        [
            Argument("topic", lambda world: world.name("topic")),
            Argument("servers", lambda world: world.servers),
        ],
        invoke=with_member,
        states=("working",),
        keeps=True,
    ),
    Call(
        "list_consumer_groups",
        [optional(given("broker_ids", None, text="x", unknown=[77]))],
        states=("fresh", "closed"),
        keeps=True,
    ),
    Call(
        "find_coordinator",
        [
            given("group_id", "group", none=None, number=1, empty=""),
            optional(given("coordinator_type", 1, two=2, text="x")),
        ],
        keeps=True,
    ),
    Call(
        "list_consumer_group_offsets",
        [given("group_id", "group", none=None, number=1, empty=""), COORDINATOR, optional(PARTITIONS)],
        keeps=True,
    ),
    Call(
        "delete_records",
        [
            mapped(
                "records_to_delete",
                deleted,
                high=lambda world: deleted(world, 10**6),
                negative=lambda world: deleted(world, -5),
                unknown=lambda world: deleted(world, partition=77),
                topic=lambda world: deleted(world, topic=world.name("nowhere")),
                numbers=lambda world: {one(world): 1},
            ),
            TIMEOUT,
        ],
        keeps=True,
    ),
    Call("close"),
]


def low_level(world: World) -> Any:
    return importlib.import_module(f"{world.module.__name__}.client").AIOKafkaClient(
        bootstrap_servers=world.servers, request_timeout_ms=500
    )


async def bootstrapped(made: Any) -> Any:
    await made.bootstrap()
    return made


async def ended(made: Any, times: int = 1) -> Any:
    await made.bootstrap()
    for _ in range(times):
        await made.close()
    return made


CLIENT_CALLS = [
    Call("bootstrap"),
    Call("hosts", invoke=lambda made: len(made.hosts), keeps=True),
    Call("get_random_node", invoke=lambda made: made.get_random_node() is not None, keeps=True),
    Call("fetch_all_metadata", keeps=True),
    Call("force_metadata_update", keeps=True),
    Call("add_topic", [TOPIC]),
    Call("set_topics", [listed("topics", lambda world: world.name("topic"))]),
    Call(
        "cluster.topics", invoke=lambda made: made.cluster.topics(exclude_internal_topics=True) is not None, keeps=True
    ),
    Call(
        "cluster.partitions_for_topic",
        [TOPIC],
        invoke=lambda made, topic: made.cluster.partitions_for_topic(topic),
        keeps=True,
    ),
    Call(
        "cluster.available_partitions_for_topic",
        [TOPIC],
        invoke=lambda made, topic: made.cluster.available_partitions_for_topic(topic),
        keeps=True,
    ),
    Call("cluster.brokers", invoke=lambda made: len(made.cluster.brokers()), keeps=True),
    Call("cluster.controller", invoke=lambda made: made.cluster.controller in made.cluster.brokers(), keeps=True),
    Call("cluster.request_update", invoke=lambda made: type(made.cluster.request_update()).__name__, keeps=True),
    Call("ready", invoke=lambda made: made.ready(made.get_random_node()), keeps=True),
    Call("ready, no such broker", invoke=lambda made: made.ready(99), keeps=True),
    Call("coordinator_lookup", invoke=lambda made: made.coordinator_lookup(0, "group"), keeps=True),
    Call(
        "cluster.leader_for_partition",
        [Argument("partition", one)],
        invoke=lambda made, partition: made.cluster.leader_for_partition(partition),
        keeps=True,
    ),
    Call("close"),
]


def builder(world: World, count: int = 0, **more: Any) -> Any:
    """A batch."""
    kind = importlib.import_module(f"{world.module.__name__}.producer.message_accumulator").BatchBuilder
    settings = {"is_transactional": False, "key_serializer": None, "value_serializer": None}
    made = kind(200, 0, **{**settings, **more})
    for _ in range(count):
        made.append(timestamp=1, key=None, value=b"value")
    return made


def is_closed(world: World) -> Any:
    made = builder(world, 1)
    made.close()
    return made


def is_full(world: World) -> Any:
    made = builder(world)
    while made.append(timestamp=1, key=None, value=b"x" * 20) is not None:
        pass
    return made


def with_serializers(world: World) -> Any:
    return builder(world, key_serializer=lambda key: key.encode(), value_serializer=lambda value: value.encode())


BATCH_CALLS = [
    Call(
        "append",
        [
            given("timestamp", 1, none=None, text="1", negative=-5, huge=2**63, fraction=1.5),
            given("key", b"key", none=None, text="key", number=1, empty=b""),
            given("value", b"value", none=None, text="value", number=1, array=bytearray(b"v"), huge=bytes(1000)),
            optional(HEADERS),
        ],
        invoke=lambda made, timestamp, key, value, headers=None: appended(
            made.append(timestamp=timestamp, key=key, value=value, headers=[] if headers is None else headers)
        ),
    ),
    Call("append by place", invoke=lambda made: made.append(1, None, b"value")),
    Call("close", keeps=True),
    Call("size", keeps=True),
    Call("record_count", keeps=True),
    Call("closed", keeps=True),
]


def appended(metadata: Any) -> Any:
    """What appending says."""
    return None if metadata is None else [metadata.offset, metadata.size, min(metadata.timestamp, 2)]


def kinds(local: Callable[..., Any], in_state: Callable[..., Any]) -> Iterator[Kind]:
    """All of them."""
    yield Kind(
        "AIOKafkaAdminClient",
        {
            UNINITIALISED: local(uninitialised("admin.AIOKafkaAdminClient")),
            "fresh": local(client),
            "working": in_state(lambda world: started(client(world))),
            "closed": local(lambda world: closed(client(world))),
            "closed twice": local(lambda world: closed(client(world), 2)),
        },
        ADMIN_CALLS,
        lambda made: made.close(),
    )
    yield Kind(
        "AIOKafkaClient",
        {
            UNINITIALISED: local(uninitialised("client.AIOKafkaClient")),
            "fresh": local(low_level),
            "working": in_state(lambda world: bootstrapped(low_level(world))),
            "closed": local(lambda world: ended(low_level(world))),
            "closed twice": local(lambda world: ended(low_level(world), 2)),
        },
        CLIENT_CALLS,
        lambda made: made.close(),
        lasting=False,
    )
    yield Kind(
        "BatchBuilder",
        {
            "fresh": builder,
            "working": lambda world: builder(world, 2),
            "full": is_full,
            "closed": is_closed,
            "with serializers": with_serializers,
        },
        BATCH_CALLS,
        lambda made: made.close(),
    )
    yield from structures.kinds()


KNOWN = {
    "NewTopic": ["name", "num_partitions", "replication_factor", "replica_assignments", "topic_configs"],
    "NewPartitions": ["total_count", "new_assignments"],
    "RecordsToDelete": ["before_offset"],
    "ConfigResource": ["resource_type", "name", "configs"],
    "ConsumerProtocolMemberMetadata": ["version", "subscription", "user_data"],
    "ConsumerProtocolMemberAssignment": ["version", "assignment", "user_data"],
}


def describe(value: Any) -> Any:
    """What is compared of the values of this module."""
    kind = type(value).__name__
    if hasattr(value, "to_object"):
        # As text: what is compared of other values ends some levels down.
        told = repr(without_texts(value.to_object()))
        whole = type(value).decode(value.encode()).to_object() == value.to_object()
        return ["an answer", kind, value.API_KEY, value.API_VERSION, list(value.SCHEMA.names), whole, told]
    if kind in KNOWN:
        return [kind, *(getattr(value, name, "missing") for name in KNOWN[kind])]
    return None


TEXTS = {"error_message", "throttle_time_ms", "cluster_id"}


def without_texts(value: Any) -> Any:
    """An answer without what brokers word differently."""
    if isinstance(value, dict):
        return {name: without_texts(each) for name, each in value.items() if name not in TEXTS}
    return [without_texts(each) for each in value] if isinstance(value, list | tuple) else value
