"""`KafkaAdminClient` of kafka-python 3 over the engine (`kafka.admin.client`)."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from kafkars._times import Milliseconds
from kafkars.admin import ConfigChange
from kafkars.compat.kafka.admin import _answers as older
from kafkars.compat.kafka.admin import _configs, _settings
from kafkars.compat.kafka.admin import _groups as groups
from kafkars.compat.kafka.admin.client import KafkaAdminClient as Older
from kafkars.compat.kafka.admin.client import face_offset
from kafkars.compat.kafka.admin.config_resource import (
    AlterConfigOp,
    ConfigFilterType,
    ConfigResource,
    ConfigSourceType,
)
from kafkars.compat.kafka.errors import KafkaTimeoutError, UnknownBrokerIdError, for_code
from kafkars.compat.kafka.structs import OffsetAndMetadata, OffsetAndTimestamp, TopicPartition
from kafkars.compat.kafka_3._restated import shared_settings, without
from kafkars.compat.kafka_3.admin import _answers as answers
from kafkars.compat.kafka_3.admin import _members as members
from kafkars.compat.kafka_3.admin._acls import AclCalls
from kafkars.compat.kafka_3.admin._groups import GroupState, GroupType
from kafkars.compat.kafka_3.admin._not_offered import NotOffered
from kafkars.compat.kafka_3.admin._partitions import PartitionCalls
from kafkars.compat.kafka_3.admin._transactions import TransactionCalls
from kafkars.compat.kafka_3.admin._users import UserCalls
from kafkars.compat.kafka_3.consumer.group import no_contact
from kafkars.compat.kafka_3.protocol.consumer import IsolationLevel, OffsetSpec, OffsetTimestamp
from kafkars.compat.kafka_3.version import __version__
from kafkars.errors import KafkaError as EngineError
from kafkars.types import OffsetAndMetadata as EngineOffset

__all__ = ["KafkaAdminClient"]

NEWEST_DESCRIBED = 6
"""The newest version in which kafka-python 3 asks for groups."""
SPECS: dict[int, Any] = {
    OffsetSpec.LATEST: "latest",
    OffsetSpec.EARLIEST: "earliest",
    OffsetSpec.MAX_TIMESTAMP: "max_timestamp",
}


class CreatePartitionsResponse:
    """The outcome by topic of adding partitions.

    Args:
        results: For each topic `name`, `error_code` and `error_message`.
    """

    throttle_time_ms = 0

    def __init__(self, results: list[dict[str, Any]]) -> None:
        self.results = [type("CreatePartitionsTopicResult", (), dict(row))() for row in results]
        self._rows = results

    def to_dict(self) -> dict[str, Any]:
        """Returns the response as a dict."""
        return {"throttle_time_ms": self.throttle_time_ms, "results": self._rows}

    def __repr__(self) -> str:
        return f"CreatePartitionsResponse({self.to_dict()})"


class KafkaAdminClient(AclCalls, UserCalls, PartitionCalls, TransactionCalls, NotOffered):
    """Asks a cluster about its topics, settings and groups, and changes them. Answers are dicts, as kafka-python
    3 gives them.

    Raises:
        KafkaConfigurationError: A setting is unknown, or settings contradict each other.
        KafkaTimeoutError: No broker answers within `bootstrap_timeout_ms`.
    """

    TELLS_RELEASE = False
    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = {
        **without(_settings.DEFAULTS, "api_version_auto_timeout_ms"),
        **shared_settings(__version__),
    }

    def _first_contact_seconds(self) -> float:
        return float(self.config["bootstrap_timeout_ms"]) / 1000

    def _no_contact(self, error: EngineError) -> BaseException:
        return no_contact(super()._no_contact(error))

    list_topics = Older.list_topics
    delete_records = Older.delete_records

    # Topics

    def create_topics(
        self,
        new_topics: Any,
        timeout_ms: float | None = None,
        validate_only: bool = False,
        raise_errors: bool = True,
        wait_for_metadata: bool = False,
    ) -> dict[str, Any]:
        """Creates topics.

        Args:
            new_topics: Names, a dict of `num_partitions`, `replication_factor`, `assignments` and `configs` by name, or
                `NewTopic` objects.
            timeout_ms: Time limit in milliseconds; defaults to `request_timeout_ms`.
            validate_only: True only validates the request.
            raise_errors: False raises no errors of single items; the answer has their codes.
            wait_for_metadata: True waits until every partition has a leader.

        Raises:
            ValueError: There are no topics, or `validate_only` and `wait_for_metadata` are both true.
            BrokerResponseError: The first error of the answer, in its own class.
        """
        if validate_only and wait_for_metadata:
            raise ValueError("validate_only and wait_for_metadata are mutually exclusive")
        asked = answers.new_topics(new_topics)
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.create_topics(
                asked, validate_only=validate_only, timeout=self._seconds(timeout_ms), return_exceptions=True
            )
            rows = [answers.created(name, each) for name, each in found.items()]
        if raise_errors:
            answers.raise_first(rows, "create_topics()")
        if wait_for_metadata:
            self.wait_for_topics([topic.name for topic in asked])
        return {"topics": rows}

    def wait_for_topics(self, topic_names: Iterable[str], timeout_ms: float = 10000) -> None:
        """Waits until every partition of the topics has a leader.

        Raises:
            KafkaTimeoutError: A partition has no leader after `timeout_ms` milliseconds.
        """
        names = list(topic_names)
        deadline = time.monotonic() + timeout_ms / 1000
        while waiting := [row["name"] for row in self.describe_topics(names) if not is_ready(row)]:
            if time.monotonic() >= deadline:
                raise KafkaTimeoutError(f"topics not ready after {timeout_ms} ms: {', '.join(waiting)}")
            time.sleep(0.1)

    def delete_topics(
        self, topics: Iterable[str], timeout_ms: float | None = None, raise_errors: bool = True
    ) -> dict[str, Any]:
        """Deletes topics, by their names.

        Raises:
            BrokerResponseError: The first error of the answer, in its own class.
        """
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.delete_topics(
                list(topics), timeout=self._seconds(timeout_ms), return_exceptions=True
            )
            # Topics are deleted by their names.
            rows = [{**coded(name, each), "topic_id": None} for name, each in found.items()]
        if raise_errors:
            answers.raise_first(rows, "delete_topics()")
        return {"topics": rows}

    def create_partitions(
        self,
        topic_partitions: Mapping[str, Any],
        timeout_ms: float | None = None,
        validate_only: bool = False,
        raise_errors: bool = True,
    ) -> CreatePartitionsResponse:
        """Adds partitions to topics.

        Args:
            topic_partitions: New partition counts by topic: a number, a dict of `count` and `assignments`, or
                `NewPartitions`.
            timeout_ms: Time limit in milliseconds; defaults to `request_timeout_ms`.
            validate_only: True only validates the request.
            raise_errors: False raises no errors of single items; the answer has their codes.

        Raises:
            BrokerResponseError: The first error of the answer, in its own class.
        """
        totals, chosen = answers.totals(topic_partitions)
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.create_partitions(
                totals,
                assignments=chosen,
                validate_only=validate_only,
                timeout=self._seconds(timeout_ms),
                return_exceptions=True,
            )
            rows = [coded(name, each) for name, each in found.items()]
        if raise_errors:
            answers.raise_first(rows, "create_partitions()")
        return CreatePartitionsResponse(rows)

    def describe_topics(self, topics: Collection[str] | None = None) -> list[dict[str, Any]]:
        """Returns a dict for each topic, with the operations that are authorized for the client."""
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.describe_topics(
                None if topics is None else list(topics),
                include_authorized_operations=True,
                timeout=self._seconds(),
                return_exceptions=True,
            )
            rows = []
            for name, each in found.items():
                row = older.topic(name, each, answers.FIELDS)
                code, named = row.pop("error_code"), row.pop("name")
                topic_id = None if isinstance(each, EngineError) else answers.id_of(each.topic_id)
                rows.append({"error_code": code, "name": named, "topic_id": topic_id, **row})
            return rows

    def describe_topic_partitions(
        self, topics: Sequence[str], response_partition_limit: int = 2000, cursor: object = None
    ) -> dict[str, Any]:
        """Returns topics as `describe_topics()` does, in one page: `next_cursor` is always None."""
        del response_partition_limit, cursor
        return {"topics": self.describe_topics(topics), "next_cursor": None}

    def describe_cluster(self) -> dict[str, Any]:
        """Returns the cluster's id, controller, brokers and authorized operations."""
        with self._asking() as admin:
            found = admin.describe_cluster(include_authorized_operations=True, timeout=self._seconds())
        brokers = [
            {"broker_id": each.id, "host": each.host, "port": each.port, "rack": each.rack, "is_fenced": False}
            for each in found.brokers
        ]
        return {
            "cluster_id": found.cluster_id,
            "controller_id": -1 if found.controller is None else found.controller,
            "brokers": brokers,
            "authorized_operations": older.operations(found.authorized_operations),
        }

    # Settings

    def describe_configs(
        self,
        config_resources: Sequence[ConfigResource],
        include_synonyms: bool = False,
        config_filter: ConfigFilterType | str = "modified",
    ) -> dict[str, dict[str, dict[str, Any]]]:
        """Returns settings by resource type, resource name and setting name.

        Args:
            config_resources: The resources; their `configs` names the settings, None means all.
            include_synonyms: True includes the other places where a value is set.
            config_filter: "modified" (set on the resource itself), "dynamic", "all", "default" or
                "static".

        Raises:
            ValueError: The name of a broker is not a number.
            UnknownBrokerIdError: A broker does not exist.
        """
        wanted = ConfigFilterType.build_from(config_filter)
        found: dict[str, dict[str, dict[str, Any]]] = {}
        for resource, entries in self._entries(config_resources, synonyms=include_synonyms):
            shown = {
                name: answers.setting(entry)
                for name, entry in entries.items()
                if (not resource.configs or name in resource.configs)
                and not (wanted is ConfigFilterType.DYNAMIC and entry.is_read_only)
                and not wanted.should_skip(ConfigSourceType(int(entry.source)))
            }
            found.setdefault(resource.resource_type.name.lower(), {})[resource.name] = shown
        return found

    def _entries(
        self, resources: Sequence[ConfigResource], *, synonyms: bool = False
    ) -> list[tuple[ConfigResource, Mapping[str, Any]]]:
        """Returns the settings of resources; none for a resource that does not exist."""
        with self._asking() as admin:
            seconds = self._seconds()
            _configs.check_brokers(admin, resources, seconds, UnknownBrokerIdError)
            found = _configs.ask(admin, resources, seconds, synonyms=synonyms)
        told = [(resource, found[_configs.key(resource)]) for resource in resources]
        return [(resource, {} if isinstance(each, EngineError) else each) for resource, each in told]

    def alter_configs(
        self,
        config_resources: Sequence[ConfigResource],
        validate_only: bool = False,
        raise_on_unknown: bool = True,
        incremental: bool | None = None,
    ) -> dict[str, dict[str, str]]:
        """Changes settings to values, or by pairs of an `AlterConfigOp` and a value. Other settings keep their values.

        Args:
            config_resources: The resources with their changes.
            validate_only: True only validates the request.
            raise_on_unknown: True refuses unknown settings.
            incremental: Ignored: the engine always changes single settings (KIP-339).

        Returns:
            "OK" or the error, by type and name.

        Raises:
            ValueError: A setting is unknown.
            TypeError: `configs` is not a dict.
        """
        del incremental
        if raise_on_unknown:
            self._refuse_unknown(config_resources)
        return self._change({each: changes(each.configs) for each in config_resources}, validate_only)

    def reset_configs(
        self,
        config_resources: Sequence[ConfigResource],
        validate_only: bool = False,
        raise_on_unknown: bool = True,
        incremental: bool | None = None,
    ) -> dict[str, dict[str, str]]:
        """Resets the named settings to their defaults, or all that are set if none is named. Otherwise as
        `alter_configs()`.
        """
        del incremental
        if raise_on_unknown:
            self._refuse_unknown(config_resources)
        modified = dict(self._entries(config_resources))
        wanted = {
            each: dict.fromkeys(
                each.configs or [name for name, entry in modified[each].items() if entry.source in _configs.OWN]
            )
            for each in config_resources
        }
        return self._change(wanted, validate_only)

    def _refuse_unknown(self, resources: Sequence[ConfigResource]) -> None:
        for resource, entries in self._entries(resources):
            known = {name for name, entry in entries.items() if not entry.is_read_only}
            if unknown := set(resource.configs or ()) - known:
                raise ValueError(f"Unrecognized configs: {unknown}")

    def _change(
        self, wanted: Mapping[ConfigResource, Mapping[str, Any]], validate_only: bool
    ) -> dict[str, dict[str, str]]:
        with self._asking() as admin:
            found: Mapping[Any, Any] = admin.alter_configs(
                {_configs.key(resource): each for resource, each in wanted.items()},
                validate_only=validate_only,
                timeout=self._seconds(),
                return_exceptions=True,
            )
        told: dict[str, dict[str, str]] = {}
        for resource in wanted:
            code, message = older.code_of(found[_configs.key(resource)])
            outcome = str(for_code(code)(message)) if code else "OK"
            told.setdefault(resource.resource_type.name.lower(), {})[resource.name] = outcome
        return told

    # Groups

    def describe_groups(
        self,
        group_ids: Sequence[str],
        group_coordinator_id: int | None = None,
        include_authorized_operations: bool = False,
    ) -> dict[str, dict[str, Any]]:
        """Returns groups with their members, by group id."""
        del group_coordinator_id, include_authorized_operations
        with self._asking() as admin:
            found = groups.described(admin, group_ids, newest=NEWEST_DESCRIBED, seconds=self._seconds())
            return {name: members.group(name, each) for name, each in found}

    def list_groups(
        self,
        broker_ids: Sequence[int] | None = None,
        states_filter: Sequence[str] | None = None,
        types_filter: Sequence[str] | None = None,
    ) -> list[dict[str, Any]]:
        """Returns groups, each with `group_id`, `protocol_type`, `group_state` and `group_type`.

        Args:
            broker_ids: The brokers whose groups are wanted; None for all.
            states_filter: Only groups in these states.
            types_filter: Only groups of these types.
        """
        with self._asking() as admin:
            listed = admin.list_groups(
                states=[GroupState.value_for(each) for each in states_filter or ()],
                types=[GroupType.value_for(each) for each in types_filter or ()],
                timeout=self._seconds(),
            )
            if broker_ids is not None:
                wanted = set(broker_ids)
                listed = [each for each in listed if admin.find_coordinator(each.group_id) in wanted]
        return [
            {
                "group_id": each.group_id,
                "protocol_type": each.protocol_type,
                "group_state": each.state or "",
                "group_type": (each.group_type or "").lower(),
            }
            for each in listed
        ]

    def list_group_offsets(self, group_specs: Any) -> dict[str, dict[TopicPartition, OffsetAndMetadata]]:
        """Returns the committed offsets of groups.

        Args:
            group_specs: A group id, several, or partitions by group id, with None for all partitions.

        Raises:
            ValueError: `group_specs` is empty.
        """
        specs = group_specs if isinstance(group_specs, Mapping) else dict.fromkeys(answers.as_list(group_specs))
        if not specs:
            raise ValueError("Empty group_specs!")
        named = {name: None if wanted is None else [tuple(each) for each in wanted] for name, wanted in specs.items()}
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.list_group_offsets(named, timeout=self._seconds())
        nothing = OffsetAndMetadata(-1, "", -1)
        told = {}
        for name, wanted in named.items():
            committed = {place: face_offset(each) for place, each in found[name].items()}
            places = committed if wanted is None else [TopicPartition(*each) for each in wanted]
            told[name] = {place: committed.get(place, nothing) for place in places}
        return told

    def delete_groups(self, group_ids: Sequence[str], group_coordinator_id: int | None = None) -> dict[str, str]:
        """Deletes groups with their offsets. Returns "OK" or the error class's name by group."""
        del group_coordinator_id
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.delete_groups(
                list(group_ids), timeout=self._seconds(), return_exceptions=True
            )
        codes = {name: older.code_of(each)[0] for name, each in found.items()}
        return {name: for_code(code).__name__ if code else "OK" for name, code in codes.items()}

    def alter_group_offsets(
        self,
        group_id: str,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        group_coordinator_id: int | None = None,
    ) -> dict[TopicPartition, type[Any]]:
        """Commits offsets for a group without members. Returns the error class by partition, `NoError` for
        success.
        """
        del group_coordinator_id
        if not offsets:
            return {}
        wanted: dict[tuple[str, int], int | EngineOffset] = {
            place: EngineOffset(
                each.offset, each.metadata or "", each.leader_epoch if (each.leader_epoch or -1) >= 0 else None
            )
            for place, each in offsets.items()
        }
        with self._asking() as admin:
            found: Mapping[TopicPartition, Any] = admin.alter_group_offsets(
                group_id, wanted, timeout=self._seconds(), return_exceptions=True
            )
        return {place: for_code(older.code_of(each)[0]) for place, each in found.items()}

    def reset_group_offsets(
        self, group_id: str, offset_specs: Mapping[TopicPartition, Any], group_coordinator_id: int | None = None
    ) -> dict[TopicPartition, dict[str, Any]]:
        """Commits offsets for a group without members, limited to offsets that partitions have.

        Args:
            group_id: The group.
            offset_specs: By partition an `OffsetSpec`, an `OffsetTimestamp`, or an offset.
            group_coordinator_id: Ignored: the engine finds coordinators by itself.

        Returns:
            For each partition `error`, a class, and `offset`, the committed offset.

        Raises:
            TypeError: An offset is of another type.
        """
        if not offset_specs:
            return {}
        for place, spec in offset_specs.items():
            if not isinstance(spec, int):
                raise TypeError(f"Unsupported reset target for {place}: {spec!r}")
        looked_up = {
            place: spec for place, spec in offset_specs.items() if isinstance(spec, (OffsetSpec, OffsetTimestamp))
        }
        found = self.list_partition_offsets(looked_up) if looked_up else {}
        first = self.list_partition_offsets(dict.fromkeys(offset_specs, OffsetSpec.EARLIEST))
        last = self.list_partition_offsets(dict.fromkeys(offset_specs, OffsetSpec.LATEST))
        committed = self.list_group_offsets({group_id: list(offset_specs)})[group_id]
        wanted = {}
        for place, spec in offset_specs.items():
            raw = found[place].offset if place in found else int(spec)
            high = last[place].offset
            within = high if raw < 0 or raw > high else max(raw, first[place].offset)
            wanted[place] = committed[place]._replace(offset=within)
        outcome = self.alter_group_offsets(group_id, wanted, group_coordinator_id)
        return {place: {"error": kind, "offset": wanted[place].offset} for place, kind in outcome.items()}

    def delete_group_offsets(
        self, group_id: str, partitions: Iterable[TopicPartition], group_coordinator_id: int | None = None
    ) -> dict[TopicPartition, type[Any]]:
        """Deletes committed offsets of a group. Returns the error class by partition, `NoError` for success.

        Raises:
            KafkaError: No offset of the group can be deleted.
        """
        del group_coordinator_id
        named = list(partitions)
        if not named:
            return {}
        with self._asking() as admin:
            found: Mapping[TopicPartition, Any] = admin.delete_group_offsets(
                group_id, named, timeout=self._seconds(), return_exceptions=True
            )
        return {place: for_code(older.code_of(each)[0]) for place, each in found.items()}

    # Offsets

    def list_partition_offsets(
        self,
        topic_partition_specs: Mapping[TopicPartition, Any],
        isolation_level: IsolationLevel | str = IsolationLevel.READ_UNCOMMITTED,
        timeout_ms: float | None = None,
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """Returns the offset of each partition by `OffsetSpec` or `OffsetTimestamp`.

        Raises:
            UnknownTopicOrPartitionError: A partition does not exist.
            ValueError: The engine does not know a spec.
        """
        level = IsolationLevel.build_from(isolation_level)
        wanted: dict[tuple[str, int], Any] = {
            place: SPECS.get(int(spec), Milliseconds(spec)) for place, spec in topic_partition_specs.items()
        }
        with self._asking() as admin:
            found = admin.list_offsets(
                wanted,
                isolation_level="read_committed" if level is IsolationLevel.READ_COMMITTED else "read_uncommitted",
                timeout=self._seconds(timeout_ms),
            )
        return {
            place: OffsetAndTimestamp(*(-1 if part is None else part for part in each)) for place, each in found.items()
        }


def is_ready(row: Mapping[str, Any]) -> bool:
    """True if a topic has partitions, and each of them a leader."""
    partitions = row["partitions"]
    return not row["error_code"] and bool(partitions) and all(each["leader_id"] >= 0 for each in partitions)


def coded(name: str, found: object) -> dict[str, Any]:
    """Returns the name of an outcome with its error code and message."""
    code, message = older.code_of(found)
    return {"name": name, "error_code": code, "error_message": message}


def changes(configs: Any) -> dict[str, Any]:
    """Converts changes of settings for the engine.

    Raises:
        TypeError: `configs` is not a dict.
    """
    if configs and not isinstance(configs, Mapping):
        raise TypeError(
            "alter_configs requires configs as a dict of {key: (op, value)} or {key: value} (interpreted as SET)"
        )
    made: dict[str, Any] = {}
    for name, wanted in (configs or {}).items():
        op, value = wanted if isinstance(wanted, tuple) else (AlterConfigOp.SET, wanted)
        kind = AlterConfigOp.build_from(op)
        text = None if kind is AlterConfigOp.DELETE or value is None else str(value)
        made[name] = ConfigChange(kind.name.lower(), text)  # type: ignore[arg-type]
    return made
