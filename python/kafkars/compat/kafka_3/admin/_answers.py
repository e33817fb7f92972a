"""Results of the engine as the dicts of kafka-python 3."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kafkars.admin import ConfigEntry, CreatedTopic
from kafkars.admin import NewTopic as EngineTopic
from kafkars.compat.kafka.admin._answers import code_of
from kafkars.compat.kafka.admin.client import engine_topic
from kafkars.compat.kafka.admin.config_resource import ConfigSourceType, ConfigType
from kafkars.compat.kafka.admin.new_partitions import NewPartitions
from kafkars.compat.kafka.admin.new_topic import NewTopic
from kafkars.compat.kafka.errors import for_code
from kafkars.errors import KafkaError

FIELDS = {
    "name": "name",
    "partition": "partition_index",
    "leader": "leader_id",
    "replicas": "replica_nodes",
    "isr": "isr_nodes",
}
"""Field names of topics in kafka-python 3."""


def id_of(text: str | None) -> str | None:
    """Converts a topic id from Kafka's base64 form to that of `uuid`."""
    return None if text is None else str(uuid.UUID(bytes=base64.urlsafe_b64decode(text + "==")))


def new_topics(given: Any) -> list[EngineTopic]:
    """Converts the topics to create: names, a dict of settings by name, or `NewTopic` objects.

    Raises:
        ValueError: There are no topics, or they are of another type.
    """
    if isinstance(given, Mapping):
        made = [
            NewTopic(
                name,
                options.get("num_partitions", -1),
                options.get("replication_factor", -1),
                options.get("assignments"),
                options.get("configs"),
            )
            for name, options in given.items()
        ]
    else:
        listed = list(given)
        texts, objects = (all(isinstance(each, kind) for each in listed) for kind in (str, NewTopic))
        made = [NewTopic(name) for name in listed] if texts else listed if objects else []
    if not made:
        raise ValueError(f"No valid topics found in new_topics: {given}")
    return [engine_topic(each) for each in made]


def created(name: str, found: CreatedTopic | KafkaError) -> dict[str, Any]:
    """Returns the outcome of creating a topic."""
    code, message = code_of(found)
    made = None if isinstance(found, KafkaError) else found
    row = {
        "name": name,
        "topic_id": id_of(made.topic_id) if made else None,
        "error_code": code,
        "error_message": message,
        "topic_config_error_code": 0,
        "num_partitions": -1 if made is None or made.partitions is None else made.partitions,
        "replication_factor": -1 if made is None or made.replication_factor is None else made.replication_factor,
    }
    configs = made.configs if made else {}
    return {**row, "configs": {key: setting_of_new(each) for key, each in configs.items()}} if configs else row


def setting_of_new(entry: ConfigEntry) -> dict[str, Any]:
    """Returns a setting of a topic that was created."""
    told = setting(entry)
    return {key: told[key] for key in ("value", "read_only", "config_source", "is_sensitive")}


def totals(given: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """Returns new partition counts and brokers by topic, from numbers, dicts or `NewPartitions`."""
    counts: dict[str, int] = {}
    chosen: dict[str, Any] = {}
    for name, wanted in given.items():
        if isinstance(wanted, Mapping):
            counts[name], brokers = wanted["count"], wanted.get("assignments")
        elif isinstance(wanted, NewPartitions):
            counts[name], brokers = wanted.total_count, wanted.new_assignments
        else:
            counts[name], brokers = wanted, None
        if brokers:
            chosen[name] = brokers
    return counts, chosen


def setting(entry: ConfigEntry) -> dict[str, Any]:
    """Returns a setting."""
    return {
        "value": entry.value,
        "read_only": entry.is_read_only,
        "config_source": ConfigSourceType(int(entry.source)).name,
        "is_sensitive": entry.is_sensitive,
        "synonyms": [
            {"name": each.name, "value": each.value, "source": ConfigSourceType(int(each.source)).name}
            for each in entry.synonyms
        ],
        "config_type": ConfigType.build_from(entry.value_type or "UNKNOWN").name,
        "documentation": entry.documentation,
    }


def raise_first(rows: Iterable[Mapping[str, Any]], asked: str) -> None:
    """Raises the first error of a response.

    Raises:
        BrokerResponseError: The error of the first code that is not 0, in its own class.
    """
    for row in rows:
        if row["error_code"]:
            raise for_code(row["error_code"])(f"{asked} failed for {row['name']}: {row['error_message']}")


def as_list(given: str | Sequence[str]) -> list[str]:
    """Returns a list of names, from one or several."""
    return [given] if isinstance(given, str) else list(given)
