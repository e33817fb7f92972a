"""Settings of topics and brokers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from kafkars import admin as engine
from kafkars.admin import ConfigSource
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from kafkars.compat.aiokafka.protocol.admin import AlterConfigsResponse_v1, DescribeConfigsResponse_v2, code_and_message

if TYPE_CHECKING:
    from kafkars.aio import Admin

TYPES: dict[ConfigResourceType, Literal["topic", "broker"]] = {
    ConfigResourceType.TOPIC: "topic",
    ConfigResourceType.BROKER: "broker",
}
# The sources of values that were set for the resource itself.
OWN = {ConfigSource.DYNAMIC_TOPIC_CONFIG, ConfigSource.DYNAMIC_BROKER_CONFIG}


async def describe(
    admin: Admin, resources: Sequence[ConfigResource], include_synonyms: bool
) -> list[DescribeConfigsResponse_v2]:
    """Describes settings: topics in one response and each broker in one of its own, as aiokafka sends the requests."""
    found = await ask(admin, resources, include_synonyms=include_synonyms)
    rows = {resource: row(resource, found[key(resource)]) for resource in resources}
    return [DescribeConfigsResponse_v2(0, [rows[resource] for resource in part]) for part in parts(resources)]


async def alter(admin: Admin, resources: Sequence[ConfigResource]) -> list[AlterConfigsResponse_v1]:
    """Sets the named settings, and resets those that are set but not named to their defaults.

    Kafka's request for that is deprecated (KIP-339). Here it takes two steps, so that concurrent changes survive.
    """
    if any(resource.configs is None for resource in resources):
        # None differs from an empty mapping, which resets all settings.
        raise AttributeError("configs: None is no mapping of settings to values")
    if not resources:
        return [AlterConfigsResponse_v1(0, [])]
    before = await ask(admin, resources, include_synonyms=False)
    changes = {key(resource): change(resource, before[key(resource)]) for resource in resources}
    outcomes = await admin.alter_configs(changes, return_exceptions=True)
    rows = {
        resource: (*code_and_message(outcomes[key(resource)]), int(resource.resource_type), resource.name)
        for resource in resources
    }
    return [AlterConfigsResponse_v1(0, [rows[resource] for resource in part]) for part in parts(resources)]


async def ask(
    admin: Admin, resources: Sequence[ConfigResource], *, include_synonyms: bool
) -> dict[engine.ConfigResource, Any]:
    """Returns every setting of each resource, or its error.

    Raises:
        NodeNotReadyError: There is no such broker.
        ValueError: The name of a broker is no number.
    """
    brokers = {str(broker.id) for broker in (await admin.describe_cluster()).brokers}
    for resource in resources:
        if resource.resource_type is ConfigResourceType.BROKER and str(int(resource.name)) not in brokers:
            raise errors.NodeNotReadyError(f"there is no broker {resource.name}; known: {', '.join(sorted(brokers))}")
    found: dict[engine.ConfigResource, Any] = await admin.describe_configs(
        [key(resource) for resource in resources], include_synonyms=include_synonyms, return_exceptions=True
    )
    return found


def parts(resources: Sequence[ConfigResource]) -> list[list[ConfigResource]]:
    """Splits resources into requests: one for each broker, and one for all topics."""
    brokers = [[resource] for resource in resources if resource.resource_type is ConfigResourceType.BROKER]
    topics = [resource for resource in resources if resource.resource_type is ConfigResourceType.TOPIC]
    return [*brokers, topics] if topics else brokers


def change(resource: ConfigResource, found: Any) -> dict[str, str | None]:
    """Returns the changes: the settings to set and those to reset."""
    wanted = {name: None if value is None else str(value) for name, value in (resource.configs or {}).items()}
    own = [] if isinstance(found, BaseException) else [name for name, entry in found.items() if entry.source in OWN]
    return {**dict.fromkeys(own), **wanted}


def key(resource: ConfigResource) -> engine.ConfigResource:
    """Returns the name that kafkars has for a resource."""
    return engine.ConfigResource(TYPES[resource.resource_type], resource.name)


def row(resource: ConfigResource, found: Any) -> tuple[Any, ...]:
    """Returns a resource with its settings, or with its error."""
    code, message = code_and_message(found)
    head = (code, message or "", int(resource.resource_type), resource.name)
    if code:
        return (*head, [])
    wanted = None if resource.configs is None else resource.configs.keys()
    entries = [entry for name, entry in found.items() if wanted is None or name in wanted]
    return (*head, [setting(entry) for entry in entries])


def setting(entry: engine.ConfigEntry) -> tuple[Any, ...]:
    """Returns a setting as a tuple in aiokafka's order."""
    synonyms = [(synonym.name, synonym.value, int(synonym.source)) for synonym in entry.synonyms]
    return (entry.name, entry.value, entry.is_read_only, int(entry.source), entry.is_sensitive, synonyms)
