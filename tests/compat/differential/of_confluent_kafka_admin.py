"""confluent_kafka.admin: AdminClient in its states, and what its calls are given."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any

from tests.compat.differential.library import Argument, Call, Kind, World
from tests.compat.differential.of_confluent_kafka_values import LIMIT, LONG, OFFSETS, TOPIC, given, one, optional

SECONDS = 4.0


def admin(world: World) -> ModuleType:
    return importlib.import_module(f"{world.module.__name__}.admin")


def new_topic(world: World, **parts: Any) -> Any:
    return admin(world).NewTopic(
        **{"topic": world.unique("made"), "num_partitions": 1, "replication_factor": 1, **parts}
    )


def odd(right: Callable[[World], Any], **more: Callable[[World], Any]) -> dict[str, Callable[[World], Any]]:
    """A list that is none, and so on."""
    return {
        "none": lambda _: None,
        "empty": lambda _: [],
        "text": lambda _: "text",
        "number": lambda _: [1],
        "tuple": lambda world: (right(world),),
        "one": right,
        **more,
    }


def listed(name: str, right: Callable[[World], Any], **more: Callable[[World], Any]) -> Argument:
    return Argument(name, lambda world: [right(world)], odd(right, **more))


def resource(world: World, **parts: Any) -> Any:
    return admin(world).ConfigResource(**{"restype": "topic", "name": world.name("topic"), **parts})


def change(world: World, value: Any, operation: str = "SET") -> Any:
    module = admin(world)
    kind = getattr(module, "AlterConfigOpType", None)
    entry = module.ConfigEntry("retention.ms", value, incremental_operation=getattr(kind, operation))
    return resource(world, incremental_configs=[entry])


def changes(world: World, *entries: tuple[Any, Any, Any]) -> Any:
    """A resource with changes, by names of operations, or what is none."""
    module = admin(world)
    made = [
        module.ConfigEntry(name, value, incremental_operation=getattr(module.AlterConfigOpType, str(kind), kind))
        for name, value, kind in entries
    ]
    return resource(world, incremental_configs=made)


def group(world: World, *partitions: Any) -> Any:
    return world.module.ConsumerGroupTopicPartitions(world.name("group-of-admin"), list(partitions) or None)


def client(world: World, settings: Callable[..., dict[str, Any]]) -> Any:
    return admin(world).AdminClient(settings(world))


def closed(made: Any, times: int = 1) -> Any:
    for _ in range(times):
        close = getattr(made, "close", None)
        close() if close else made.__exit__(None, None, None)
    return made


def left(made: Any) -> Any:
    with suppress(ValueError), made:
        raise ValueError
    return made


def working(made: Any) -> Any:
    made.list_topics(timeout=SECONDS)
    return made


REQUEST = {"request_timeout": lambda _: SECONDS}
OPTIONS = [
    optional(given("request_timeout", 5, none=None, text="5", negative=-1, huge=10**6)),
]
CHECKED = [
    *OPTIONS,
    optional(given("operation_timeout", 5, text="5", negative=-1)),
    optional(given("validate_only", True, text="x", one=1)),
]
AUTHORIZED = optional(given("include_authorized_operations", True, text="x", none=None, one=1))


def rule(world: World, kind_of: str = "AclBinding", **parts: Any) -> Any:
    given = {
        "restype": "topic",
        "name": "orders",
        "resource_pattern_type": "literal",
        "principal": "User:a",
        "host": "*",
        "operation": "read",
        "permission_type": "allow",
        **parts,
    }
    return getattr(admin(world), kind_of)(**given)


def upsertion(world: World, **parts: Any) -> Any:
    module = admin(world)
    mechanism = parts.pop("mechanism", module.ScramMechanism.SCRAM_SHA_256)
    info = parts.pop("info", None) or module.ScramCredentialInfo(mechanism, parts.pop("iterations", 4096))
    return module.UserScramCredentialUpsertion(
        parts.pop("user", "carol"), info, parts.pop("password", b"secret"), **parts
    )


def deletion(world: World, user: Any = "nobody", mechanism: Any = "SCRAM_SHA_512") -> Any:
    module = admin(world)
    return module.UserScramCredentialDeletion(user, getattr(module.ScramMechanism, str(mechanism), mechanism))


def security() -> list[Call]:
    """Access control lists, credentials and elections."""
    unknown = "UNKNOWN"
    return [
        Call(
            "create_acls",
            [
                listed(
                    "acls",
                    rule,
                    twice=lambda world: [rule(world)] * 2,
                    filters=lambda world: [rule(world, "AclBindingFilter")],
                    unknown_type=lambda world: [rule(world, restype=unknown)],
                    unknown_operation=lambda world: [rule(world, operation=unknown)],
                    unknown_pattern=lambda world: [rule(world, resource_pattern_type=unknown)],
                    unknown_permission=lambda world: [rule(world, permission_type=unknown)],
                    nameless=lambda world: [rule(world, name="")],
                    nobody=lambda world: [rule(world, principal="")],
                ),
                *OPTIONS,
            ],
            keeps=True,
        ),
        Call(
            "describe_acls",
            [
                Argument(
                    "acl_binding_filter",
                    lambda world: rule(world, "AclBindingFilter"),
                    odd(
                        lambda world: rule(world, "AclBindingFilter"),
                        rule=rule,
                        any=lambda world: rule(
                            world,
                            "AclBindingFilter",
                            restype="any",
                            name=None,
                            resource_pattern_type="match",
                            principal=None,
                            host=None,
                            operation="any",
                            permission_type="any",
                        ),
                    ),
                ),
                *OPTIONS,
            ],
            keeps=True,
        ),
        Call(
            "delete_acls",
            [
                listed(
                    "acl_binding_filters",
                    lambda world: rule(world, "AclBindingFilter"),
                    twice=lambda world: [rule(world, "AclBindingFilter")] * 2,
                    rules=lambda world: [rule(world)],
                ),
                *OPTIONS,
            ],
            keeps=True,
        ),
        Call(
            "describe_user_scram_credentials",
            [
                optional(
                    Argument(
                        "users",
                        lambda _: ["nobody"],
                        odd(
                            lambda _: "nobody",
                            twice=lambda _: ["nobody"] * 2,
                            nameless=lambda _: [""],
                            nones=lambda _: [None],
                        ),
                    )
                ),
                *OPTIONS,
            ],
            keeps=True,
        ),
        Call(
            "alter_user_scram_credentials",
            [
                listed(
                    "alterations",
                    deletion,
                    few=lambda world: [upsertion(world, iterations=1)],
                    many=lambda world: [upsertion(world, iterations=20000)],
                    zero=lambda world: [upsertion(world, iterations=0)],
                    text_iterations=lambda world: [upsertion(world, iterations="5")],
                    text_password=lambda world: [upsertion(world, password="secret")],  # noqa: S106
                    no_password=lambda world: [upsertion(world, password=None)],
                    empty_password=lambda world: [upsertion(world, password=b"")],
                    empty_salt=lambda world: [upsertion(world, salt=b"")],
                    text_salt=lambda world: [upsertion(world, salt="salt")],
                    no_info=lambda world: [upsertion(world, info="info")],
                    unknown_mechanism=lambda world: [upsertion(world, mechanism=admin(world).ScramMechanism.UNKNOWN)],
                    text_mechanism=lambda world: [upsertion(world, mechanism="SCRAM_SHA_256")],
                    nameless=lambda world: [upsertion(world, user="")],
                    nobody=lambda world: [upsertion(world, user=None)],
                    number_user=lambda world: [upsertion(world, user=1)],
                    base=lambda world: [admin(world).UserScramCredentialAlteration("carol")],
                    nameless_base=lambda world: [admin(world).UserScramCredentialAlteration("")],
                    twice=lambda world: [upsertion(world), deletion(world, "carol")],
                    same_twice=lambda world: [upsertion(world)] * 2,
                    deletes_unknown=lambda world: [deletion(world, mechanism=unknown)],
                    deletes_text=lambda world: [deletion(world, mechanism="SHA")],
                ),
                *OPTIONS,
            ],
            keeps=True,
        ),
        Call(
            "elect_leaders",
            [
                Argument(
                    "election_type",
                    lambda world: world.module.ElectionType.PREFERRED,
                    {
                        "none": lambda _: None,
                        "text": lambda _: "PREFERRED",
                        "number": lambda _: 0,
                        "unclean": lambda world: world.module.ElectionType.UNCLEAN,
                    },
                ),
                optional(
                    Argument(
                        "partitions",
                        lambda world: [one(world, -1001)],
                        odd(
                            lambda world: one(world, -1001),
                            twice=lambda world: [one(world, -1001)] * 2,
                            offset=lambda world: [one(world, 5)],
                            negative=lambda world: [one(world, -1001, -5)],
                            unknown=lambda world: [one(world, -1001, 77)],
                        ),
                    )
                ),
                *OPTIONS,
                optional(given("operation_timeout", 5, text="5", negative=-1)),
            ],
            keeps=True,
        ),
    ]


def kind(uninitialised: Callable[[World, str], Any], settings: Callable[..., dict[str, Any]]) -> Kind:
    """AdminClient."""
    return Kind(
        "AdminClient",
        {
            "uninitialised": lambda world: uninitialised(world, "admin.AdminClient"),
            "fresh": lambda world: client(world, settings),
            "working": lambda world: working(client(world, settings)),
            "closed": lambda world: closed(client(world, settings)),
            "closed twice": lambda world: closed(client(world, settings), 2),
            "left with an exception": lambda world: left(client(world, settings)),
        },
        [
            Call(
                "create_topics",
                [
                    listed(
                        "new_topics",
                        new_topic,
                        twice=lambda world: [new_topic(world, topic=world.name("twice"))] * 2,
                        exists=lambda world: [new_topic(world, topic=world.name("topic"))],
                        bad_name=lambda world: [new_topic(world, topic="not/valid")],
                        both=lambda world: [new_topic(world, replica_assignment=[[0]])],
                        fewer=lambda world: [
                            new_topic(world, num_partitions=3, replication_factor=-1, replica_assignment=[[1]])
                        ],
                        more=lambda world: [new_topic(world, replication_factor=-1, replica_assignment=[[1], [1]])],
                        none_numbered=lambda world: [
                            new_topic(world, num_partitions=3, replication_factor=-1, replica_assignment=[])
                        ],
                        replicas=lambda world: [new_topic(world, replication_factor=7)],
                        configs=lambda world: [new_topic(world, config={"retention.ms": 5})],
                        bad_config=lambda world: [new_topic(world, config={"colour": "red"})],
                        number_config=lambda world: [new_topic(world, config={5: "red"})],
                    ),
                    *CHECKED,
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
                        nones=lambda _: [None],
                    ),
                    *CHECKED[:2],
                ],
                keeps=True,
            ),
            Call(
                "create_partitions",
                [
                    listed(
                        "new_partitions",
                        lambda world: admin(world).NewPartitions(world.name("nowhere"), 3),
                        fewer=lambda world: [admin(world).NewPartitions(world.name("topic"), 1)],
                        zero=lambda world: [admin(world).NewPartitions(world.name("topic"), 0)],
                        negative=lambda world: [admin(world).NewPartitions(world.name("topic"), -1)],
                        twice=lambda world: [admin(world).NewPartitions(world.name("nowhere"), 3)] * 2,
                    ),
                    *CHECKED,
                ],
                keeps=True,
            ),
            Call(
                "describe_topics",
                [
                    Argument(
                        "topics",
                        lambda world: world.module.TopicCollection([world.name("topic")]),
                        odd(
                            lambda world: world.name("topic"),
                            unknown=lambda world: world.module.TopicCollection([world.name("nowhere")]),
                            nobody=lambda world: world.module.TopicCollection([]),
                            nameless=lambda world: world.module.TopicCollection([""]),
                            text_of_names=lambda world: world.module.TopicCollection(world.name("topic")),
                            tuple_of_names=lambda world: world.module.TopicCollection((world.name("topic"),)),
                            nones=lambda world: world.module.TopicCollection([None]),
                        ),
                    ),
                    *OPTIONS,
                    AUTHORIZED,
                ],
                keeps=True,
            ),
            Call(
                "describe_configs",
                [
                    listed(
                        "resources",
                        resource,
                        unknown=lambda world: [resource(world, name=world.name("nowhere"))],
                        twice=lambda world: [resource(world)] * 2,
                        broker=lambda world: [resource(world, restype="broker", name="77")],
                        nones=lambda _: [None],
                        dict=lambda _: {},
                    ),
                    *OPTIONS,
                ],
                keeps=True,
            ),
            Call(
                "alter_configs",
                [
                    listed(
                        "resources",
                        lambda world: resource(world, set_config={"retention.ms": "5000"}),
                        numbers=lambda world: [resource(world, set_config={"retention.ms": 5000})],
                        unknown=lambda world: [
                            resource(world, name=world.name("nowhere"), set_config={"retention.ms": "1"})
                        ],
                        bad=lambda world: [resource(world, set_config={"colour": "red"})],
                        number_name=lambda world: [resource(world, set_config={5: "red"})],
                        nameless=lambda world: [resource(world, set_config={"": "red"})],
                        pairs=lambda world: [resource(world, set_config=["retention.ms"])],
                        nones=lambda _: [None],
                        dict=lambda _: {},
                        nothing=lambda world: [resource(world)],
                    ),
                    *OPTIONS,
                ],
                keeps=True,
            ),
            Call(
                "incremental_alter_configs",
                [
                    listed(
                        "resources",
                        lambda world: change(world, "6000"),
                        numbers=lambda world: [change(world, 6000)],
                        nothing=lambda world: [resource(world)],
                        delete=lambda world: [change(world, None, "DELETE")],
                        null=lambda world: [change(world, None)],
                        nones=lambda _: [None],
                        dict=lambda _: {},
                        twice=lambda world: [change(world, "6000")] * 2,
                        setting_twice=lambda world: [
                            changes(world, ("segment.ms", "5", "SET"), ("segment.ms", None, "DELETE"))
                        ],
                        nameless=lambda world: [changes(world, ("", "5", "SET"))],
                        no_name=lambda world: [changes(world, (None, "5", "SET"))],
                        number_name=lambda world: [changes(world, (5, "5", "SET"))],
                        text_operation=lambda world: [changes(world, ("segment.ms", "5", "set"))],
                        no_operation=lambda world: [changes(world, ("segment.ms", "5", None))],
                        other_operation=lambda world: [
                            changes(world, ("segment.ms", "5", admin(world).ResourceType.TOPIC))
                        ],
                        text_changes=lambda world: [resource(world, incremental_configs="text")],
                        dict_changes=lambda world: [resource(world, incremental_configs={"segment.ms": "5"})],
                        none_change=lambda world: [resource(world, incremental_configs=[None])],
                    ),
                    *OPTIONS,
                ],
                keeps=True,
            ),
            Call(
                "list_consumer_groups",
                [
                    *OPTIONS,
                    optional(given("states", set(), text="x", none=None, numbers={1}, list=[])),
                    optional(given("types", set(), text="x", none=None, numbers={1})),
                ],
                states=("uninitialised", "fresh", "closed", "left with an exception"),
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
                        nones=lambda _: [None],
                    ),
                    *OPTIONS,
                    AUTHORIZED,
                ],
                keeps=True,
            ),
            Call(
                "delete_consumer_groups",
                [
                    listed(
                        "group_ids",
                        lambda world: world.name("nobody"),
                        nameless=lambda _: [""],
                        nones=lambda _: [None],
                        bytes=lambda _: [b"nobody"],
                    ),
                    *OPTIONS,
                ],
                keeps=True,
            ),
            Call(
                "list_consumer_group_offsets",
                [
                    listed(
                        "list_consumer_group_offsets_request",
                        group,
                        two=lambda world: [group(world)] * 2,
                        partition=lambda world: [group(world, one(world, -1001))],
                        offset=lambda world: [group(world, one(world, 5))],
                        negative=lambda world: [group(world, one(world, -1001, -5))],
                        none_partition=lambda world: [group(world, None)],
                    ),
                    *OPTIONS,
                    optional(given("require_stable", True, text="x")),
                ],
                keeps=True,
            ),
            Call(
                "alter_consumer_group_offsets",
                [
                    listed(
                        "alter_consumer_group_offsets_request",
                        lambda world: group(world, one(world, 2)),
                        none_named=lambda world: [group(world)],
                        negative=lambda world: [group(world, one(world, -5))],
                        unknown=lambda world: [group(world, one(world, 1, 77))],
                        none_partition=lambda world: [group(world, None)],
                    ),
                    *OPTIONS,
                ],
                keeps=True,
            ),
            Call(
                "list_offsets",
                [
                    Argument(
                        "topic_partition_offsets",
                        lambda world: {one(world): admin(world).OffsetSpec.latest()},
                        odd(
                            one,
                            nothing=lambda _: {},
                            wrong=lambda world: {one(world): 1},
                            unknown=lambda world: {one(world, partition=77): admin(world).OffsetSpec.latest()},
                            negative=lambda world: {one(world, partition=-5): admin(world).OffsetSpec.latest()},
                            time=lambda world: {one(world): admin(world).OffsetSpec.for_timestamp(1)},
                        ),
                    ),
                    *OPTIONS,
                    optional(given("isolation_level", None, text="x", number=1)),
                ],
                keeps=True,
            ),
            Call(
                "delete_records",
                [Argument("topic_partition_offsets", lambda world: [one(world, 0)], OFFSETS.odd), *OPTIONS],
                keeps=True,
            ),
            *security(),
            Call("describe_cluster", [*OPTIONS, AUTHORIZED], keeps=True),
            Call("list_topics", [optional(TOPIC), LONG], waits=True, keeps=True),
            # Of all groups there are as many as other tests have made.
            Call("list_groups", [given("group", "nobody", number=1), LONG], waits=True, keeps=True),
            Call("poll", [LIMIT], waits=True, keeps=True),
            Call("__enter__", keeps=True),
        ],
        closed,
    )


RULE = ("restype", "name", "resource_pattern_type", "principal", "host", "operation", "permission_type")
KNOWN = {
    "DeletedRecords": ["low_watermark"],
    "ListOffsetsResultInfo": ["offset", "leader_epoch"],
    "ConsumerGroupTopicPartitions": ["group_id", "topic_partitions"],
    "NewTopic": ["topic", "num_partitions", "replication_factor", "replica_assignment", "config"],
    "NewPartitions": ["topic", "new_total_count", "replica_assignment"],
    "ConfigEntry": ["name", "value", "source", "is_read_only", "is_default", "is_sensitive", "is_synonym"],
    "ConfigResource": ["restype", "name", "set_config_dict"],
    "TopicDescription": ["name", "is_internal", "partitions", "authorized_operations"],
    "DescribeClusterResult": ["authorized_operations"],
    "ScramCredentialInfo": ["mechanism", "iterations"],
    "UserScramCredentialsDescription": ["user", "scram_credential_infos"],
    "AclBinding": [*RULE],
    "AclBindingFilter": [*RULE],
}


def describe(value: Any) -> Any:
    """What is compared of the values of this module; settings of a topic differ between the clusters' kinds, not the
    sides."""
    kind_of = type(value).__name__
    if kind_of == "ConfigEntry" or kind_of not in KNOWN:
        return f"a {kind_of}" if kind_of == "ConfigEntry" else None
    return [kind_of, *(getattr(value, name, "missing") for name in KNOWN[kind_of])]
