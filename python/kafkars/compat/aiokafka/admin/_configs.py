"""Settings of topics and brokers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from kafkars import admin as engine
from kafkars.admin import ConfigSource
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka.admin._brokers import check_brokers
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
    """Describes settings: each broker in a response of its own and all topics in one, as aiokafka sends the
    requests.
    """
    # What is no mapping is heard of before anybody is asked.
    wanted = {resource: [str(name) for name in resource.configs.keys()] for resource in resources if resource.configs}  # noqa: SIM118
    brokers, topics = parts(resources)
    found = await ask(admin, resources, include_synonyms=include_synonyms)
    asked = [*brokers.values(), topics] if topics else brokers.values()
    return [
        DescribeConfigsResponse_v2(0, [row(each, found[key(each)], wanted.get(each)) for each in part])
        for part in asked
    ]


async def alter(admin: Admin, resources: Sequence[ConfigResource]) -> list[AlterConfigsResponse_v1]:
    """Sets the named settings, and resets those that are set but not named to their defaults: topics in the first
    response, which is there without topics, too, and each broker in one of its own.

    Kafka's request for that is deprecated (KIP-339). Here it takes two steps, so that concurrent changes survive.
    """
    brokers, topics = parts(resources)
    # None differs from an empty mapping, which resets all settings.
    wanted = {resource: dict(resource.configs.items()) for resource in resources}  # type: ignore[union-attr]
    before = await ask(admin, resources, include_synonyms=False)
    changes = {
        key(resource): change(settings, before[key(resource)])
        for resource, settings in wanted.items()
        if not refused(settings)
    }
    outcomes = await admin.alter_configs(changes, return_exceptions=True) if changes else {}

    def outcome(resource: ConfigResource) -> tuple[Any, ...]:
        code, text = refused(wanted[resource]) or code_and_message(outcomes[key(resource)])
        return code, text, int(resource.resource_type), key(resource).name

    return [
        AlterConfigsResponse_v1(0, [outcome(resource) for resource in part]) for part in (topics, *brokers.values())
    ]


async def ask(
    admin: Admin, resources: Sequence[ConfigResource], *, include_synonyms: bool
) -> dict[engine.ConfigResource, Any]:
    """Returns every setting of each resource, or its error.

    Raises:
        NodeNotReadyError: There is no such broker.
    """
    if not resources:
        return {}
    brokers, _ = parts(resources)
    if brokers:
        await check_brokers(admin, brokers)
    found: dict[engine.ConfigResource, Any] = await admin.describe_configs(
        list(dict.fromkeys(map(key, resources))), include_synonyms=include_synonyms, return_exceptions=True
    )
    return found


def parts(resources: Sequence[ConfigResource]) -> tuple[dict[int, list[ConfigResource]], list[ConfigResource]]:
    """Splits resources into those of each broker, by its number, and all topics.

    Raises:
        TypeError, ValueError: The name of a broker is no number.
    """
    brokers: dict[int, list[ConfigResource]] = {}
    topics = []
    for resource in resources:
        if resource.resource_type is ConfigResourceType.BROKER:
            brokers.setdefault(int(resource.name), []).append(resource)
        else:
            topics.append(resource)
    return brokers, topics


def change(wanted: Mapping[Any, Any], found: Any) -> dict[str, str | None]:
    """Returns the changes: the settings to set and those to reset.

    Raises:
        KafkaError: The settings could not be asked for.
    """
    own = [] if code_and_message(found)[0] else [name for name, entry in found.items() if entry.source in OWN]
    return {**dict.fromkeys(own), **{as_sent(name): as_sent(value) for name, value in wanted.items()}}


def refused(wanted: Mapping[Any, Any]) -> tuple[int, str] | None:
    """Returns the code and the text by which brokers refuse settings of None; None where there are none.

    Brokers look for these first. The engine's request takes None for a setting to reset.
    """
    nothing = [str(name) for name, value in wanted.items() if value is None]
    if not nothing:
        return None
    text = f"None is no value of {', '.join(nothing)}; what is not named goes back to its default"
    return errors.InvalidRequestError.errno, text


def key(resource: ConfigResource) -> engine.ConfigResource:
    """Returns the name that kafkars has for a resource."""
    return engine.ConfigResource(TYPES[resource.resource_type], as_sent(resource.name))


def as_sent(value: object) -> str:
    """Returns the text that aiokafka's encoder makes of a name or a value, such as the number of a broker.

    Raises:
        TypeError: It is None.
    """
    if value is None:
        raise TypeError("expected text, not None")
    return str(value)


def row(resource: ConfigResource, found: Any, wanted: Sequence[str] | None) -> tuple[Any, ...]:
    """Returns a resource with its settings, or those of them that are wanted, or with its error."""
    code, message = code_and_message(found)
    head = (code, message or "", int(resource.resource_type), key(resource).name)
    if code:
        return (*head, [])
    return (*head, [setting(entry) for name, entry in found.items() if wanted is None or name in wanted])


def setting(entry: engine.ConfigEntry) -> tuple[Any, ...]:
    """Returns a setting as a tuple in aiokafka's order."""
    synonyms = [(synonym.name, synonym.value, int(synonym.source)) for synonym in entry.synonyms]
    return (entry.name, entry.value, entry.is_read_only, int(entry.source), entry.is_sensitive, synonyms)
