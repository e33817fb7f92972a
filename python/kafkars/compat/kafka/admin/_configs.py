"""Descriptions and changes of settings of topics and brokers, for the clients of kafka-python 2 and 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import kafkars
from kafkars import admin as engine
from kafkars.admin import ConfigSource
from kafkars.compat.kafka.admin._answers import code_of, setting
from kafkars.compat.kafka.admin.config_resource import ConfigResource, ConfigResourceType

Found = dict[engine.ConfigResource, Any]

TYPES: dict[ConfigResourceType, Literal["topic", "broker", "broker_logger", "client_metrics", "group"]] = {
    ConfigResourceType.TOPIC: "topic",
    ConfigResourceType.BROKER: "broker",
    ConfigResourceType.BROKER_LOGGER: "broker_logger",
    ConfigResourceType.CLIENT_METRICS: "client_metrics",
    ConfigResourceType.GROUP: "group",
}
OF_BROKERS = {ConfigResourceType.BROKER, ConfigResourceType.BROKER_LOGGER}
OWN = {ConfigSource.DYNAMIC_TOPIC_CONFIG, ConfigSource.DYNAMIC_BROKER_CONFIG}
"""The sources of values that are set on the resource itself."""


def key(resource: ConfigResource) -> engine.ConfigResource:
    """Returns a resource in kafkars' form."""
    return engine.ConfigResource(TYPES[resource.resource_type], str(resource.name))


def check_brokers(
    admin: kafkars.Admin, resources: Sequence[ConfigResource], timeout: float, unknown: type[Exception]
) -> None:
    """Refuses brokers that do not exist: brokers answer for their own settings only.

    Raises:
        ValueError: The name of a broker is not a number.
        Exception: A broker does not exist; the class is `unknown`.
    """
    wanted = [resource.name for resource in resources if resource.resource_type in OF_BROKERS]
    if not wanted:
        return
    if not all(str(name).lstrip("-").isdecimal() for name in wanted):
        raise ValueError("Broker resource names must be an integer or a string represented integer")
    there = {str(broker.id) for broker in admin.describe_cluster(timeout=timeout).brokers}
    for name in wanted:
        if str(name) not in there:
            raise unknown(f"{name}")


def ask(admin: kafkars.Admin, resources: Sequence[ConfigResource], timeout: float, *, synonyms: bool = False) -> Found:
    """Returns the settings of each resource, or its error."""
    found: Found = admin.describe_configs(
        [key(resource) for resource in resources], include_synonyms=synonyms, timeout=timeout, return_exceptions=True
    )
    return found


def row(resource: ConfigResource, found: Any) -> tuple[Any, ...]:
    """Returns a resource with its settings, in the order of `DescribeConfigsResponse_v2`."""
    code, message = code_of(found)
    if code:
        return (code, message, int(resource.resource_type), resource.name, [])
    wanted = resource.configs.keys() if resource.configs else None
    entries = [setting(entry) for name, entry in found.items() if wanted is None or name in wanted]
    return (0, "", int(resource.resource_type), resource.name, entries)


def replaced(resource: ConfigResource, found: Any) -> dict[str, str | None]:
    """Returns the changes that leave a resource with exactly the named settings of its own.

    Kafka's request for that is deprecated (KIP-339). Two steps, so that concurrent changes survive.

    Raises:
        KafkaError: The resource's settings could not be asked for.
    """
    wanted = {name: None if value is None else str(value) for name, value in (resource.configs or {}).items()}
    own = [] if code_of(found)[0] else [name for name, entry in found.items() if entry.source in OWN]
    return {**dict.fromkeys(own), **wanted}
