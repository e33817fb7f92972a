"""What calls about settings of topics and brokers are given."""

from __future__ import annotations

import importlib
from typing import Any

from tests.compat.differential.library import Argument, World
from tests.compat.differential.of_aiokafka_values import listed


def resource(world: World, **parts: Any) -> Any:
    made = importlib.import_module(f"{world.module.__name__}.admin.config_resource").ConfigResource
    return made(**{"resource_type": "topic", "name": world.name("topic"), **parts})


SOME = {"retention.ms": None}
OF_BROKERS = {"log.retention.hours": None}


def broker(world: World, name: Any, **parts: Any) -> Any:
    return resource(world, name=name, **{"resource_type": "broker", "configs": OF_BROKERS, **parts})


def by_enum(world: World) -> Any:
    kinds = importlib.import_module(f"{world.module.__name__}.admin.config_resource").ConfigResourceType
    return broker(world, 1, resource_type=kinds.BROKER)


RESOURCES = listed(
    "config_resources",
    lambda world: resource(world, configs=SOME),
    unknown=lambda world: [resource(world, name=world.name("nowhere"))],
    all_by_none=lambda world: [resource(world)],
    all_by_empty=lambda world: [resource(world, configs={})],
    all_by_no_names=lambda world: [resource(world, configs=[])],
    names=lambda world: [resource(world, configs=["retention.ms"])],
    name_as_number=lambda world: [resource(world, configs={1: None})],
    unknown_setting=lambda world: [resource(world, configs={"colour": None})],
    topic_as_number=lambda world: [resource(world, name=5, configs=SOME)],
    topic_as_none=lambda world: [resource(world, name=None, configs=SOME)],
    same_twice=lambda world: [
        resource(world, configs=SOME),
        resource(world, configs={"cleanup.policy": 1}),
    ],
    broker=lambda world: [broker(world, "77")],
    no_number=lambda world: [broker(world, "x")],
    nameless=lambda world: [broker(world, "")],
    broker_as_none=lambda world: [broker(world, None)],
    broker_as_number=lambda world: [broker(world, 1)],
    broker_as_text=lambda world: [broker(world, "1")],
    broker_as_fraction=lambda world: [broker(world, 1.0)],
    broker_as_truth=lambda world: [broker(world, True)],
    broker_as_bytes=lambda world: [broker(world, b"1")],
    broker_by_enum=lambda world: [by_enum(world)],
    broker_and_topics=lambda world: [
        resource(world, configs=SOME),
        broker(world, 1),
        resource(world, configs={"cleanup.policy": None}),
        broker(world, "1", configs={"log.cleaner.threads": None}),
    ],
)
CHANGES = listed(
    "config_resources",
    lambda world: resource(world, configs={"retention.ms": "5000"}),
    figures=lambda world: [resource(world, configs={"retention.ms": 5000})],
    fraction=lambda world: [resource(world, configs={"retention.ms": 5.5})],
    of_none=lambda world: [resource(world, configs={"retention.ms": None})],
    of_none_beside=lambda world: [resource(world, configs={"retention.ms": "7000", "cleanup.policy": None})],
    unknown_of_none=lambda world: [resource(world, configs={"colour": None})],
    back=lambda world: [resource(world, configs={})],
    unknown=lambda world: [resource(world, name=world.name("nowhere"), configs={"retention.ms": "1"})],
    unknown_topic_of_none=lambda world: [resource(world, name=world.name("nowhere"), configs={"retention.ms": None})],
    bad=lambda world: [resource(world, configs={"colour": "red"})],
    setting_as_number=lambda world: [resource(world, configs={1: "red"})],
    setting_as_none=lambda world: [resource(world, configs={None: "red"})],
    topic_as_number=lambda world: [resource(world, name=5, configs={"retention.ms": "5000"})],
    topic_as_none=lambda world: [resource(world, name=None, configs={"retention.ms": "5000"})],
    nothing=lambda world: [resource(world)],
    names=lambda world: [resource(world, configs=["retention.ms"])],
    broker=lambda world: [broker(world, "77", configs={})],
    broker_as_number=lambda world: [broker(world, 1, configs={"log.cleaner.threads": 1})],
    broker_as_text=lambda world: [broker(world, "1", configs={"log.cleaner.threads": "1"})],
    broker_of_none=lambda world: [broker(world, 1, configs={"log.cleaner.threads": None})],
    broker_as_none=lambda world: [broker(world, None, configs={})],
    broker_and_topic=lambda world: [broker(world, 1, configs={}), resource(world, configs={"retention.ms": "6000"})],
)


async def changed(made: Any, config_resources: Any, looked_at: Any) -> Any:
    """What changing settings answers, and what a topic has after it."""
    try:
        answered = await made.alter_configs(config_resources)
    except Exception as problem:  # noqa: BLE001 - told
        answered = problem
    return [answered, await made.describe_configs([looked_at])]


LOOKED_AT = Argument("looked_at", lambda world: resource(world, configs={"retention.ms": None, "cleanup.policy": None}))
