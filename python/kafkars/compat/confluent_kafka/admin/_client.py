"""`confluent_kafka.admin.AdminClient`."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import kafkars
from kafkars import errors
from kafkars._discreet import discreet
from kafkars._kafkars import PendingFlag
from kafkars.admin import ConfigChange
from kafkars.admin import NewTopic as EngineTopic
from kafkars.compat._quiet import quiet
from kafkars.compat.confluent_kafka import _cluster
from kafkars.compat.confluent_kafka._arguments import credentials, first_time, offset_and_metadata, seconds
from kafkars.compat.confluent_kafka._arguments import topic as topic_name
from kafkars.compat.confluent_kafka._codes import BROKER
from kafkars.compat.confluent_kafka._config import admin_settings
from kafkars.compat.confluent_kafka._events import events_of
from kafkars.compat.confluent_kafka._model import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    IsolationLevel,
    TopicCollection,
)
from kafkars.compat.confluent_kafka._new_topic import NewPartitions, NewTopic
from kafkars.compat.confluent_kafka._partition import TopicPartition
from kafkars.compat.confluent_kafka._time_limit import TimeLimit
from kafkars.compat.confluent_kafka._translate import refusal, translated
from kafkars.compat.confluent_kafka._trouble import Trouble
from kafkars.compat.confluent_kafka.admin import _answers as answers
from kafkars.compat.confluent_kafka.admin import _arguments as arguments
from kafkars.compat.confluent_kafka.admin._futures import Questions, of_distinct
from kafkars.compat.confluent_kafka.admin._metadata import ClusterMetadata, GroupMetadata
from kafkars.compat.confluent_kafka.admin._resources import AlterConfigOpType, ConfigEntry, ConfigResource
from kafkars.compat.confluent_kafka.admin._results import DeletedRecords, ListOffsetsResultInfo, OffsetSpec
from kafkars.compat.confluent_kafka.admin._security_calls import SecurityCalls
from kafkars.compat.confluent_kafka.error import KafkaError, KafkaException
from kafkars.config.checks import Derived
from kafkars.types import OffsetAndMetadata
from kafkars.types import TopicPartition as Place

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")

Futures = dict[str, "Future[Any]"]

SLICE = 0.05
"""Longest wait in seconds between two checks for errors."""


class AdminClient(SecurityCalls):
    """Describes and changes topics, settings, groups and access control of a cluster.

    Calls return at once: a `concurrent.futures.Future`, or a dict of them by what was asked about. A failure is a
    `KafkaException` of the future. Arguments of the wrong type raise TypeError or ValueError before anything is asked.
    `request_timeout`, in seconds, bounds a call and is `socket.timeout.ms` without; `operation_timeout` is checked and
    part of it.

    Args:
        conf: Properties of librdkafka by their dotted names, and `error_cb`, `stats_cb`, `throttle_cb`, `logger`.
        kwargs: The same by name; they win.

    Raises:
        KafkaException: A property is unknown or cannot be used; the code is `_INVALID_ARG`.
    """

    # For a subclass whose constructor did not call this one. Why names end with an underscore: see `Consumer`.
    _questions_: Questions = Questions()
    _questions_.close()

    @discreet
    def __init__(self, conf: Mapping[str, Any], **kwargs: Any) -> None:
        first_time(self, "_admin_")
        settings = admin_settings((conf,), kwargs)
        self._settings_ = settings
        with translated("Failed to create admin client"), Derived():
            self._admin_ = quiet(
                kafkars.Admin(**{**settings.engine, "default_api_timeout_ms": settings.engine["request_timeout_ms"]})
            )
        self._questions_ = Questions(self._admin_.close)
        # The native object, because `Admin` itself has no events.
        native = self._admin_._native
        self._pending_ = PendingFlag()
        self._trouble_ = Trouble(settings.face, native._brokers, settings.credentials.refused)
        self._events_ = events_of(settings.face, settings.values, native, self._pending_, is_admin=True)
        self._trouble_.watch(native, self._pending_)

    # --- topics

    def create_topics(self, new_topics: list[NewTopic], **kwargs: Any) -> Futures:
        """Creates topics; each future's result is None. Options: `validate_only`, `operation_timeout`,
        `request_timeout`.
        """
        given = arguments.options(kwargs, "operation_timeout", "validate_only")
        topics = arguments.listed(new_topics, NewTopic, "NewTopic")
        asked = [engine_topic(each) for each in topics]
        return self._questions_.ask_each(
            {each.name: each.name for each in asked},
            lambda: self._admin_.create_topics(
                asked, validate_only=bool(given["validate_only"]), timeout=given["timeout"], return_exceptions=True
            ),
        )

    def delete_topics(self, topics: list[str], **kwargs: Any) -> Futures:
        """Deletes topics; each future's result is None. Options: `operation_timeout`, `request_timeout`."""
        given = arguments.options(kwargs, "operation_timeout")
        names = arguments.texts(topics, "topic names")
        distinct, twice = parted(names)

        def ask() -> Mapping[str, Any]:
            done = self._admin_.delete_topics(distinct, timeout=given["timeout"], return_exceptions=True)
            return {**twice, **done}

        return self._questions_.ask_each({each: each for each in names}, ask)

    def create_partitions(self, new_partitions: list[NewPartitions], **kwargs: Any) -> Futures:
        """Gives topics more partitions; each future's result is None. Options: those of `create_topics()`."""
        given = arguments.options(kwargs, "operation_timeout", "validate_only")
        topics = arguments.listed(new_partitions, NewPartitions, "NewPartitions")
        for each in topics:
            arguments.new_partitions(each)
        names, twice = parted([each.topic for each in topics])
        distinct = [each for each in topics if each.topic in names]

        def ask() -> Mapping[str, Any]:
            grown = self._admin_.create_partitions(
                {each.topic: each.new_total_count for each in distinct},
                assignments={each.topic: each.replica_assignment for each in distinct if each.replica_assignment},
                validate_only=bool(given["validate_only"]),
                timeout=given["timeout"],
                return_exceptions=True,
            )
            return {**twice, **grown}

        return self._questions_.ask_each({each.topic: each.topic for each in topics}, ask)

    def describe_topics(self, topics: TopicCollection, **kwargs: Any) -> Futures:
        """Describes topics; each future's result is a `TopicDescription`.

        Options: `include_authorized_operations`, which also asks what we may do with each, and `request_timeout`.
        """
        given = arguments.options(kwargs, "include_authorized_operations")
        if not isinstance(topics, TopicCollection):
            raise TypeError(f"expected a TopicCollection, not {type(topics).__name__}")
        names = topics.topic_names
        if not isinstance(names, list):
            raise TypeError(f"expected a list of topic names, not {type(names).__name__}")
        if not names:
            self._check_()
            return {}
        names = list(arguments.listed(names, str, "topic names"))
        if not all(names):
            raise ValueError("the name of a topic cannot be empty")

        def ask() -> Mapping[str, Any]:
            within = TimeLimit.of(given["timeout"])
            nodes = answers.nodes(self._admin_.describe_cluster(timeout=within.left()))
            found: Mapping[str, Any] = self._admin_.describe_topics(
                names,
                include_authorized_operations=bool(given["include_authorized_operations"]),
                timeout=within.left(),
                return_exceptions=True,
            )
            return {
                name: answers.unless_error(each, lambda each: answers.topic(each, nodes))
                for name, each in found.items()
            }

        return self._questions_.ask_each({each: each for each in names}, of_distinct(names, ask), lambda found: found)

    def list_topics(self, topic: str | None = None, timeout: float = -1) -> ClusterMetadata:
        """The cluster with its topics, or with one. Blocks; a topic that does not exist is there with its `error`.

        Raises:
            KafkaException: The cluster did not answer in time.
        """
        topic_name(topic)
        limit = seconds(timeout)
        self._check_()
        return _cluster.topics_of(self._admin_, self._settings_.engine, topic, limit)

    # --- settings

    def describe_configs(self, resources: list[ConfigResource], **kwargs: Any) -> dict[ConfigResource, Future[Any]]:
        """Settings of resources; each future's result is a dict of `ConfigEntry` by name. Options:
        `request_timeout`.
        """
        given = arguments.options(kwargs)
        asked = keyed(arguments.distinct(resources, ConfigResource, "ConfigResource"))
        return self._questions_.ask_each(
            asked,
            of_brokers(
                asked,
                lambda: self._admin_.describe_configs(
                    list(asked.values()), include_synonyms=True, timeout=given["timeout"], return_exceptions=True
                ),
            ),
            answers.configs,
        )

    def alter_configs(self, resources: list[ConfigResource], **kwargs: Any) -> dict[ConfigResource, Future[Any]]:
        """Gives resources the settings of `set_config` and takes all others that were set back to their defaults.

        Deprecated, as in the library: `incremental_alter_configs()` leaves the others alone. Options: `validate_only`,
        `request_timeout`.
        """
        warnings.warn(
            "alter_configs() is deprecated; call incremental_alter_configs()", DeprecationWarning, stacklevel=2
        )
        given = arguments.options(kwargs, "validate_only")
        asked = keyed(arguments.distinct(resources, ConfigResource, "ConfigResource"))
        wanted = {asked[each]: settings_of(each) for each in resources}

        def ask() -> Mapping[Any, Any]:
            described: Mapping[Any, Any] = self._admin_.describe_configs(
                list(wanted), timeout=given["timeout"], return_exceptions=True
            )
            changes = {
                key: {**answers.overrides(key, found), **values}
                for key, values in wanted.items()
                if not isinstance(found := described[key], errors.KafkaError)
            }
            done: Mapping[Any, Any] = self._admin_.alter_configs(
                changes, validate_only=bool(given["validate_only"]), timeout=given["timeout"], return_exceptions=True
            )
            return {**described, **done}

        return self._questions_.ask_each(asked, of_brokers(asked, ask))

    def incremental_alter_configs(
        self, resources: list[ConfigResource], **kwargs: Any
    ) -> dict[ConfigResource, Future[Any]]:
        """Makes the changes of `incremental_configs`; each future's result is None.

        Options: `validate_only`, `request_timeout`.
        """
        given = arguments.options(kwargs, "validate_only")
        asked = keyed(arguments.listed(resources, ConfigResource, "ConfigResource"))
        changes = {each: changes_of(each) for each in resources}
        # One dict of changes cannot hold a name twice: of an addition and a removal only the latter would be made.
        named = [f"{entry.name} of {each!r}" for each in resources for entry in each.incremental_configs]
        return self._questions_.ask_each(
            asked,
            of_distinct(
                [*resources, *named],
                of_brokers(
                    asked,
                    lambda: self._admin_.alter_configs(
                        {asked[each]: wanted for each, wanted in changes.items()},
                        validate_only=bool(given["validate_only"]),
                        timeout=given["timeout"],
                        return_exceptions=True,
                    ),
                ),
            ),
        )

    # --- groups

    def list_consumer_groups(self, **kwargs: Any) -> Future[Any]:
        """The groups; the future's result is a `ListConsumerGroupsResult`.

        Options: `states`, a set of `ConsumerGroupState`; `types`, a set of `ConsumerGroupType`; `request_timeout`.
        """
        given = arguments.options(kwargs, "states", "types")
        states = answers.names(given["states"], "states", ConsumerGroupState)
        types = answers.names(given["types"], "types", ConsumerGroupType)
        return self._questions_.ask(
            lambda: answers.listings(
                lambda: self._admin_._native.groups_by_broker(states, types, given["timeout"]).wait()
            )
        )

    def describe_consumer_groups(self, group_ids: list[str], **kwargs: Any) -> Futures:
        """Describes groups; each future's result is a `ConsumerGroupDescription`. Options as of `describe_topics()`."""
        given = arguments.options(kwargs, "include_authorized_operations")
        groups = arguments.texts(group_ids, "group ids")

        def ask() -> Mapping[str, Any]:
            within = TimeLimit.of(given["timeout"])
            nodes = answers.nodes(self._admin_.describe_cluster(timeout=within.left()))
            found: Mapping[str, Any] = self._admin_.describe_groups(
                groups,
                include_authorized_operations=bool(given["include_authorized_operations"]),
                timeout=within.left(),
                return_exceptions=True,
            )
            coordinators = {name: _cluster.coordinator_of(self._admin_, name, found[name], within) for name in found}
            return {name: answers.group(name, each, nodes.get(coordinators[name])) for name, each in found.items()}

        return self._questions_.ask_each({each: each for each in groups}, of_distinct(groups, ask), lambda found: found)

    def delete_consumer_groups(self, group_ids: list[str], **kwargs: Any) -> Futures:
        """Deletes groups with their offsets; each future's result is None. Options: `request_timeout`."""
        given = arguments.options(kwargs)
        groups = arguments.texts(group_ids, "group ids", ValueError)
        return self._questions_.ask_each(
            {each: each for each in groups},
            of_distinct(
                groups, lambda: self._admin_.delete_groups(groups, timeout=given["timeout"], return_exceptions=True)
            ),
        )

    def list_consumer_group_offsets(
        self, list_consumer_group_offsets_request: list[ConsumerGroupTopicPartitions], **kwargs: Any
    ) -> Futures:
        """What a group has committed; the future's result is a `ConsumerGroupTopicPartitions`.

        Options: `require_stable`, which is accepted, and `request_timeout`.
        """
        given = arguments.options(kwargs, "require_stable")
        group, wanted = arguments.group_partitions(list_consumer_group_offsets_request, offsets=False)
        places = None if wanted is None else [Place(each.topic, each.partition) for each in wanted]

        def ask() -> Mapping[str, Any]:
            found = self._admin_.list_group_offsets({group: places}, timeout=given["timeout"])
            return {group: answers.committed(group, found[group], places)}

        return self._questions_.ask_each({group: group}, of_distinct(places or (), ask), lambda found: found)

    def alter_consumer_group_offsets(
        self, alter_consumer_group_offsets_request: list[ConsumerGroupTopicPartitions], **kwargs: Any
    ) -> Futures:
        """Commits offsets for a group; the future's result names for each partition its error. Options:
        `request_timeout`.
        """
        given = arguments.options(kwargs)
        group, wanted = arguments.group_partitions(alter_consumer_group_offsets_request, offsets=True)
        named = wanted or []
        offsets: dict[tuple[str, int], int | OffsetAndMetadata] = {
            Place(each.topic, each.partition): offset_and_metadata(each) for each in named
        }

        def ask() -> Mapping[str, Any]:
            found: Mapping[Any, Any] = self._admin_.alter_group_offsets(
                group, offsets, timeout=given["timeout"], return_exceptions=True
            )
            return {group: answers.altered(group, named, found)}

        places = [Place(each.topic, each.partition) for each in named]
        return self._questions_.ask_each({group: group}, of_distinct(places, ask), lambda done: done)

    def list_groups(self, group: str | None = None, timeout: float = -1) -> list[GroupMetadata]:
        """The groups, or one. Blocks.

        Deprecated, as in the library: there are `list_consumer_groups()` and `describe_consumer_groups()`.

        Raises:
            KafkaException: The cluster did not answer in time.
        """
        topic_name(group)
        limit = seconds(timeout)
        self._check_()
        warnings.warn(
            "list_groups() is deprecated; call list_consumer_groups() and describe_consumer_groups()",
            DeprecationWarning,
            stacklevel=2,
        )
        return _cluster.groups_of(self._admin_, group, limit)

    # --- records, cluster

    def list_offsets(
        self, topic_partition_offsets: dict[TopicPartition, OffsetSpec], **kwargs: Any
    ) -> dict[TopicPartition, Future[Any]]:
        """Offsets of partitions; each future's result is a `ListOffsetsResultInfo`.

        Options: `isolation_level`, an `IsolationLevel`; `request_timeout`.
        """
        given = arguments.options(kwargs, "isolation_level")
        if not isinstance(topic_partition_offsets, dict):
            raise TypeError("expected a dict of TopicPartition and OffsetSpec")
        arguments.partitions(topic_partition_offsets, offsets=None)
        for spec in topic_partition_offsets.values():
            if not isinstance(spec, OffsetSpec):
                raise TypeError(f"expected an OffsetSpec, not {spec!r}")
        level = kwargs.get("isolation_level", IsolationLevel.READ_UNCOMMITTED)
        if not isinstance(level, IsolationLevel):
            raise TypeError(f"isolation_level: expected an IsolationLevel, not {level!r}")
        asked: dict[tuple[str, int], Any] = {
            Place(of.topic, of.partition): answers.spec(spec) for of, spec in topic_partition_offsets.items()
        }
        if not asked:
            self._check_()
            return {}
        return self._questions_.ask_each(
            {each: Place(each.topic, each.partition) for each in topic_partition_offsets},
            lambda: self._admin_.list_offsets(
                asked,
                isolation_level="read_committed" if level is IsolationLevel.READ_COMMITTED else "read_uncommitted",
                timeout=given["timeout"],
                return_exceptions=True,
            ),
            lambda found: ListOffsetsResultInfo(
                -1 if found.offset is None else found.offset,
                -1 if found.timestamp is None else found.timestamp,
                found.leader_epoch,
            ),
            unknown="_NOENT",
        )

    def delete_records(
        self, topic_partition_offsets: list[TopicPartition], **kwargs: Any
    ) -> dict[TopicPartition, Future[Any]]:
        """Deletes the records before an offset, before -1 (`OFFSET_END`) all; each future's result is a
        `DeletedRecords`.

        Options: `operation_timeout`, `request_timeout`.
        """
        given = arguments.options(kwargs, "operation_timeout")
        if not isinstance(topic_partition_offsets, list):
            raise TypeError(f"Expected Request to be a list, got '{type(topic_partition_offsets).__name__}'")
        wanted = arguments.partitions(topic_partition_offsets, offsets=None, of="request")
        if not wanted:
            self._check_()
            return {}
        places = [Place(each.topic, each.partition) for each in wanted]
        return self._questions_.ask_each(
            dict(zip(wanted, places, strict=True)),
            of_distinct(
                places,
                lambda: self._admin_.delete_records(
                    {place: each.offset for place, each in zip(places, wanted, strict=True)},
                    timeout=given["timeout"],
                    return_exceptions=True,
                ),
            ),
            DeletedRecords,
            unknown="_NOENT",
        )

    def describe_cluster(self, **kwargs: Any) -> Future[Any]:
        """The cluster; the future's result is a `DescribeClusterResult`. Options as of `describe_topics()`."""
        given = arguments.options(kwargs, "include_authorized_operations")
        return self._questions_.ask(
            lambda: answers.cluster(
                self._admin_.describe_cluster(
                    include_authorized_operations=bool(given["include_authorized_operations"]),
                    timeout=given["timeout"],
                )
            )
        )

    def cluster_id(self, timeout: float = -1) -> str | None:
        """The cluster's id. Blocks.

        Raises:
            KafkaException: The cluster did not answer in time.
        """
        limit = seconds(timeout)
        self._check_()
        with translated("Failed to get cluster id"):
            return self._admin_.describe_cluster(timeout=limit).cluster_id

    # --- life

    def _check_(self, what: str = "Handle") -> None:
        """Raises an error if the client is closed, or was never initialised."""
        if self._questions_.is_closed:
            raise RuntimeError(f"{what} has been closed")

    @discreet
    def set_sasl_credentials(self, username: str, password: str) -> None:
        """Sets the name and the password of later logins."""
        credentials(username, password)
        self._check_()
        self._settings_.credentials.change(username, password)

    def poll(self, timeout: float = -1) -> int:
        """Calls `error_cb`, `stats_cb`, `throttle_cb` and `logger` where there is something to tell them, and waits up
        to `timeout` seconds for that; -1 waits as long as it takes. Futures are completed by themselves.

        Returns:
            How many calls were made.
        """
        limit = seconds(timeout)
        until = None if limit is None else time.monotonic() + limit
        while True:
            self._check_("AdminClient")
            if self._pending_.is_set():
                self._pending_.clear()
                try:
                    told = self._trouble_.look() + self._events_.serve()
                except BaseException:
                    # Others may wait.
                    self._pending_.set()
                    raise
                if told:
                    return told
            left = SLICE if until is None else until - time.monotonic()
            if left <= 0:
                return 0
            time.sleep(min(left, SLICE))

    def __len__(self) -> int:
        # Of a closed client nobody polls.
        return 0 if self._questions_.is_closed else len(self._questions_)

    def close(self) -> None:
        """Ends the client; futures that are open are completed."""
        if not self._questions_.is_closed:
            self._questions_.close()
            self._events_.close()
            self._admin_.close()

    def __enter__(self) -> Self:
        """See `close()`."""
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, exc_traceback: TracebackType | None
    ) -> None:
        """See `close()`; that of a subclass is not called, as in the library."""
        AdminClient.close(self)


def engine_topic(topic: NewTopic) -> EngineTopic:
    """Returns a topic in kafkars' form, if the library takes it."""
    arguments.new_topic(topic)
    return EngineTopic(
        topic.topic,
        partitions=-1 if topic.replica_assignment else topic.num_partitions,
        replication_factor=topic.replication_factor,
        assignments=topic.replica_assignment or (),
        configs=texts_of(topic.config or {}),
    )


def parted(names: list[str]) -> tuple[list[str], dict[str, Any]]:
    """The topics that are named once, and what brokers say of the others."""
    times = Counter(names)
    invalid = KafkaError(BROKER["INVALID_REQUEST"], "Duplicate topic name.")
    return (
        [name for name in times if times[name] == 1],
        {name: KafkaException(invalid) for name in times if times[name] > 1},
    )


def keyed(resources: list[ConfigResource]) -> dict[ConfigResource, Any]:
    """Returns resources by kafkars' names of them."""
    return {each: answers.resource(each) for each in resources}


def of_brokers(asked: Mapping[ConfigResource, Any], ask: Callable[[], T]) -> Callable[[], T]:
    """The same question, whose answer refuses brokers that are named by something else than their number."""

    def checked() -> T:
        for each in asked.values():
            if each.type == "broker" and each.name and not each.name.removeprefix("-").isdigit():
                raise refusal("_INVALID_ARG", "the name of a broker must be its number")
        return ask()

    return checked


def changes_of(resource: ConfigResource) -> dict[str, ConfigChange]:
    """Returns the changes of a resource in kafkars' form, by names of settings."""
    if not resource.incremental_configs:
        raise ValueError(f"{resource!r} has no changes: name some with incremental_configs")
    return dict(map(change, resource.incremental_configs))


def change(entry: Any) -> tuple[str, ConfigChange]:
    """Returns the name of a setting, and its change in kafkars' form."""
    if not isinstance(entry, ConfigEntry):
        raise TypeError(f"expected ConfigEntry, not {type(entry).__name__}")
    if not isinstance(entry.incremental_operation, AlterConfigOpType):
        raise TypeError(f"{entry!r} has no incremental_operation that is an AlterConfigOpType")
    if not isinstance(entry.name, str):
        raise TypeError(f"the name of a setting must be str, not {type(entry.name).__name__}")
    if not entry.name:
        raise ValueError("the name of a setting cannot be empty")
    operation: Any = entry.incremental_operation.name.lower()
    if operation != "delete" and not isinstance(entry.value, str):
        raise TypeError(f"the value of {entry.name} must be str, not {type(entry.value).__name__}")
    return entry.name, ConfigChange(operation, None if entry.value is None else str(entry.value))


def settings_of(resource: ConfigResource) -> dict[str, str]:
    """Returns the settings that `alter_configs()` gives a resource."""
    given: Any = resource.set_config_dict
    if not isinstance(given, dict):
        raise TypeError(f"the settings of {resource!r} must be a dict, not {type(given).__name__}")
    made = texts_of(given)
    if not all(made):
        raise ValueError("the name of a setting cannot be empty")
    return made


def texts_of(given: Mapping[Any, Any]) -> dict[str, str]:
    """Returns settings as texts, which the library makes of names and values of any type."""
    return {str(name): str(value) for name, value in given.items()}
