"""`KafkaAdminClient` of kafka-python 2.3.3: its calls, what they are given, and what is compared of their answers."""

from __future__ import annotations

from typing import Any

from tests.compat.differential.library import Argument, Call, Kind, World
from tests.compat.differential.of_kafka_python_values import given, optional, place


def admin(world: World) -> Any:
    return world.module.KafkaAdminClient(bootstrap_servers=world.servers, request_timeout_ms=4000)


def closed(world: World) -> Any:
    made = admin(world)
    made.close()
    return made


def named(world: World, name: str, *arguments: Any, **keywords: Any) -> Any:
    """An object of `kafka.admin`."""
    module = __import__(f"{world.module.__name__}.admin", fromlist=["admin"])
    return getattr(module, name)(*arguments, **keywords)


def settings(world: World, name: str = "source", kind: str = "topic", configs: Any = None) -> Any:
    return named(world, "ConfigResource", kind, world.name(name), configs)


# Once closed, the original looks for a broker for 30 seconds in each call, and then says that it is not ready.
WORKING = ("working",)
LISTS: dict[str, Any] = {
    "none": lambda _: None,
    "empty": lambda _: [],
    "number": lambda _: 1,
    "numbers": lambda _: [1],
    "text": lambda _: "text",
}
NEW_TOPICS = Argument(
    "new_topics",
    lambda world: [named(world, "NewTopic", world.unique("made"), 1, 1)],
    {
        **LISTS,
        "twice": lambda world: [named(world, "NewTopic", "twice", 1, 1)] * 2,
        "known": lambda world: [named(world, "NewTopic", world.name("source"), 1, 1)],
        "no partitions": lambda world: [named(world, "NewTopic", world.unique("made"), 0, 1)],
        "copies": lambda world: [named(world, "NewTopic", world.unique("made"), 1, 99)],
        "bad name": lambda _: [named(_, "NewTopic", "a b", 1, 1)],
        "empty name": lambda _: [named(_, "NewTopic", "", 1, 1)],
        "configs": lambda world: [
            named(world, "NewTopic", world.unique("made"), 1, 1, topic_configs={"nonsense": "1"})
        ],
        "defaults": lambda world: [named(world, "NewTopic", world.unique("made"))],
    },
)
# What cannot be encoded ends the connection of the original, and every later call with it.
TIMEOUT = optional(given("timeout_ms", 3000, none=None))
VALIDATE = optional(given("validate_only", True, none=None))
GROUPS = Argument("group_ids", lambda world: [world.unique("nobody")], {"empty": lambda _: []})
COORDINATOR = optional(given("group_coordinator_id", None))
TOPIC_NAMES = Argument(
    "topics", lambda world: [world.unique("none")], {**LISTS, "known": lambda world: [world.name("topic")]}
)


def rule(world: World, kind_of: str = "ACL", **parts: Any) -> Any:
    module = __import__(f"{world.module.__name__}.admin", fromlist=["admin"])
    pattern = module.ResourcePattern(module.ResourceType.TOPIC, "orders")
    allow, read = module.ACLPermissionType.ALLOW, module.ACLOperation.READ
    given_parts = {"principal": "User:a", "host": "*", "operation": read, "permission_type": allow}
    return getattr(module, kind_of)(**{**given_parts, "resource_pattern": pattern, **parts})


def folders(made: Any) -> Any:
    """Of folders, which are at other places in each run, the names of what is told."""
    (folder, *_) = made.describe_log_dirs().to_object()["log_dirs"]
    return sorted(folder)


def security() -> list[Call]:
    """Rules of access, and elections. The embedded broker of the harness has no authorizer."""
    partitions = Argument(
        "topic_partitions",
        lambda world: {world.name("source"): [0]},
        {
            "none": LISTS["none"],
            "empty": lambda _: {},
            "text": LISTS["text"],
            "unknown": lambda world: {world.name("source"): [77]},
            "nobody": lambda world: {world.name("none"): [0]},
        },
    )
    return [
        Call("describe_acls", [Argument("acl_filter", lambda w: rule(w, "ACLFilter"))], keeps=True, states=WORKING),
        Call(
            "create_acls",
            [Argument("acls", lambda w: [rule(w)], {**LISTS, "filters": lambda w: [rule(w, "ACLFilter")]})],
            keeps=True,
            states=WORKING,
        ),
        Call(
            "delete_acls",
            [Argument("acl_filters", lambda w: [rule(w, "ACLFilter")], {**LISTS, "rules": lambda w: [rule(w)]})],
            keeps=True,
            states=WORKING,
        ),
        Call(
            "perform_leader_election",
            [given("election_type", 0, unclean=1, unknown=7, text="x", none=None), partitions, TIMEOUT],
            keeps=True,
            states=WORKING,
        ),
    ]


def kind() -> Kind:
    """Its states and calls."""
    resources = Argument(
        "config_resources",
        lambda world: [settings(world, configs={"retention.ms": "1000"})],
        {
            **LISTS,
            "unknown": lambda world: [settings(world, "nowhere", configs={"retention.ms": "1"})],
            "unknown setting": lambda world: [settings(world, configs={"nonsense": "1"})],
            "wrong value": lambda world: [settings(world, configs={"retention.ms": "x"})],
            "no settings": lambda world: [settings(world, configs={})],
            "text broker": lambda world: [named(world, "ConfigResource", "broker", "x")],
            "twice": lambda world: [settings(world, configs={"retention.ms": "1000"})] * 2,
        },
    )
    return Kind(
        "KafkaAdminClient",
        {"working": admin, "closed": closed},
        [
            Call("create_topics", [NEW_TOPICS, TIMEOUT, VALIDATE], keeps=True, states=WORKING),
            Call(
                "delete_topics",
                [Argument("topics", TOPIC_NAMES.right, {"empty": LISTS["empty"]}), TIMEOUT],
                keeps=True,
                states=WORKING,
            ),
            Call(
                "create_partitions",
                [
                    Argument(
                        "topic_partitions",
                        lambda world: {world.name("topic"): named(world, "NewPartitions", 1)},
                        {
                            **LISTS,
                            "mapping": lambda _: {},
                            "unknown": lambda world: {world.name("none"): named(world, "NewPartitions", 5)},
                            "count": lambda world: {world.name("topic"): 5},
                            "assignments": lambda world: {
                                world.name("topic"): named(world, "NewPartitions", 3, [[99]])
                            },
                        },
                    ),
                    TIMEOUT,
                    VALIDATE,
                ],
                keeps=True,
                states=WORKING,
            ),
            Call("list_topics", keeps=True, states=WORKING, invoke=lambda made: type(made.list_topics())),
            Call(
                "describe_topics",
                [Argument("topics", lambda world: [world.name("source")])],
                keeps=True,
                waits=True,
                states=WORKING,
            ),
            Call("describe_cluster", keeps=True, states=WORKING),
            Call(
                "describe_configs", [resources, optional(given("include_synonyms", True))], keeps=True, states=WORKING
            ),
            Call("alter_configs", [resources], keeps=True, states=WORKING),
            Call("describe_consumer_groups", [GROUPS, COORDINATOR], keeps=True, states=WORKING),
            Call("list_consumer_groups", [given("broker_ids", [])], keeps=True, states=WORKING, waits=True),
            Call(
                "list_consumer_group_offsets",
                [
                    Argument("group_id", lambda world: world.unique("nobody")),
                    COORDINATOR,
                    optional(
                        Argument(
                            "partitions",
                            lambda world: [place(world)],
                            {"empty": lambda _: [], "tuples": lambda world: [tuple(place(world))]},
                        )
                    ),
                ],
                keeps=True,
                states=WORKING,
            ),
            Call("delete_consumer_groups", [GROUPS, COORDINATOR], keeps=True, states=WORKING),
            Call(
                "delete_records",
                [
                    Argument(
                        "records_to_delete",
                        lambda world: {place(world): 0},
                        {
                            **LISTS,
                            "mapping": lambda _: {},
                            "too many": lambda world: {place(world): 999},
                            "negative": lambda world: {place(world): -7},
                            "unknown partition": lambda world: {place(world, 77): 0},
                        },
                    ),
                    TIMEOUT,
                ],
                keeps=True,
                states=WORKING,
            ),
            *security(),
            Call("describe_log_dirs", keeps=True, states=WORKING, invoke=folders),
            Call("close", states=("working", "closed")),
        ],
        lambda made: made.close(),
    )


HIDDEN = ("error_message", "authorized_operations", "throttle_time_ms", "leader_epoch", "port", "cluster_id")


def plain(value: Any) -> Any:
    """An answer without what brokers and clients word in their own ways, and what differs from run to run."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items() if name not in HIDDEN}
    return [plain(each) for each in value] if isinstance(value, list) else value


def describe(value: Any) -> Any:
    """Answers, and what else is special to administration."""
    if hasattr(value, "to_object") and hasattr(value, "SCHEMA"):
        return [type(value).__name__, plain(value.to_object())]
    if type(value).__name__ == "GroupInformation":
        return [type(value).__name__, *value[:6]]
    if isinstance(value, dict) and any(name in value for name in HIDDEN):
        return plain(value)
    return None
