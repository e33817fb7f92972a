"""`KafkaAdminClient` of kafka-python 2.3 on kafkars (`kafka.admin.client`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from kafkars.admin import NewTopic as EngineTopic
from kafkars.compat.kafka.admin import _answers as answers
from kafkars.compat.kafka.admin import _configs
from kafkars.compat.kafka.admin import _groups as groups
from kafkars.compat.kafka.admin._acls import AclCalls
from kafkars.compat.kafka.admin._elections import ElectionType, by_topic, elect, named_partitions
from kafkars.compat.kafka.admin._not_offered import not_offered
from kafkars.compat.kafka.admin.config_resource import ConfigResource
from kafkars.compat.kafka.admin.new_partitions import NewPartitions
from kafkars.compat.kafka.admin.new_topic import NewTopic
from kafkars.compat.kafka.errors import (
    BrokerResponseError,
    ElectionNotNeededError,
    IllegalArgumentError,
    NodeNotReadyError,
    NoError,
    UnknownTopicOrPartitionError,
    for_code,
)
from kafkars.compat.kafka.protocol.admin import (
    AlterConfigsResponse_v1,
    CreatePartitionsResponse_v1,
    CreateTopicsResponse_v3,
    DeleteTopicsResponse_v3,
    DescribeConfigsResponse_v2,
    DescribeLogDirsResponse_v0,
    ElectLeadersResponse_v1,
)
from kafkars.compat.kafka.structs import GroupInformation, OffsetAndMetadata, TopicPartition

__all__ = ["KafkaAdminClient"]

NEWEST_DESCRIBED = 3
"""The newest version in which kafka-python 2 asks for groups: one that is gone is no error in it."""
FIELDS = {
    "name": "topic",
    "partition": "partition",
    "leader": "leader",
    "replicas": "replicas",
    "isr": "isr",
}
"""Field names of topics in kafka-python 2."""


class KafkaAdminClient(AclCalls):
    """Asks a cluster about its topics, settings and groups, and changes them.

    Answers are those of brokers, as kafka-python 2.3 gives them. Settings are those of kafka-python, which the page on
    moving lists with what becomes of them. May be used by several threads.

    Raises:
        KafkaConfigurationError: A setting is unknown, or settings do not go together.
        NoBrokersAvailable: No broker answers in time.
        ssl.SSLError: A broker's certificate, or ours, was refused.
    """

    # Topics

    def create_topics(
        self, new_topics: Sequence[NewTopic], timeout_ms: float | None = None, validate_only: bool = False
    ) -> CreateTopicsResponse_v3:
        """Creates topics.

        Args:
            new_topics: The topics.
            timeout_ms: Time limit in milliseconds; defaults to `request_timeout_ms`.
            validate_only: True only validates the request.

        Raises:
            BrokerResponseError: The first error of the answer, in its own class: `TopicAlreadyExistsError`,
                `InvalidTopicError`, ...
        """
        asked = [engine_topic(topic) for topic in new_topics]
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.create_topics(
                asked, validate_only=bool(validate_only), timeout=self._seconds(timeout_ms), return_exceptions=True
            )
            rows = [(name, *answers.code_of(outcome)) for name, outcome in found.items()]
        answer = CreateTopicsResponse_v3(0, rows)
        answers.raise_first((code for _, code, _ in rows), f"CreateTopics {[topic.name for topic in asked]}", answer)
        return answer

    def delete_topics(self, topics: Sequence[str], timeout_ms: float | None = None) -> DeleteTopicsResponse_v3:
        """Deletes topics.

        Raises:
            BrokerResponseError: The first error of the answer, in its own class: `UnknownTopicOrPartitionError`, ...
        """
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.delete_topics(
                list(topics), timeout=self._seconds(timeout_ms), return_exceptions=True
            )
            rows = [(name, answers.code_of(outcome)[0]) for name, outcome in found.items()]
        answer = DeleteTopicsResponse_v3(0, rows)
        answers.raise_first((code for _, code in rows), f"DeleteTopics {list(topics)}", answer)
        return answer

    def create_partitions(
        self,
        topic_partitions: Mapping[str, NewPartitions],
        timeout_ms: float | None = None,
        validate_only: bool = False,
    ) -> CreatePartitionsResponse_v1:
        """Adds partitions to topics.

        Raises:
            BrokerResponseError: The first error of the answer, in its own class: `InvalidPartitionsError`, ...
        """
        totals = {name: wanted.total_count for name, wanted in topic_partitions.items()}
        chosen = {name: wanted.new_assignments for name, wanted in topic_partitions.items() if wanted.new_assignments}
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.create_partitions(
                totals,
                assignments=chosen,
                validate_only=bool(validate_only),
                timeout=self._seconds(timeout_ms),
                return_exceptions=True,
            )
            rows = [(name, *answers.code_of(outcome)) for name, outcome in found.items()]
        answer = CreatePartitionsResponse_v1(0, rows)
        answers.raise_first((code for _, code, _ in rows), f"CreatePartitions {totals}", answer)
        return answer

    def list_topics(self) -> list[str]:
        """Returns the names of all topics."""
        with self._asking() as admin:
            return admin.list_topics(include_internal=True, timeout=self._seconds())

    def describe_topics(self, topics: Collection[str] | None = None) -> list[dict[str, Any]]:
        """Returns a dict for each topic, with `error_code`, `topic`, `is_internal`, `partitions` and
        `authorized_operations`.

        Args:
            topics: Names; None for all topics.
        """
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.describe_topics(
                None if topics is None else list(topics),
                include_authorized_operations=True,
                timeout=self._seconds(),
                return_exceptions=True,
            )
            return [answers.topic(name, each, FIELDS) for name, each in found.items()]

    def describe_cluster(self) -> dict[str, Any]:
        """Returns the cluster's id, controller, brokers and `authorized_operations` as a dict."""
        with self._asking() as admin:
            found = admin.describe_cluster(include_authorized_operations=True, timeout=self._seconds())
        brokers = [
            {"node_id": broker.id, "host": broker.host, "port": broker.port, "rack": broker.rack}
            for broker in found.brokers
        ]
        return {
            "throttle_time_ms": 0,
            "brokers": brokers,
            "cluster_id": found.cluster_id,
            "controller_id": -1 if found.controller is None else found.controller,
            "authorized_operations": answers.operations(found.authorized_operations),
        }

    # Settings

    def describe_configs(
        self, config_resources: Sequence[ConfigResource], include_synonyms: bool = False
    ) -> list[DescribeConfigsResponse_v2]:
        """Returns the settings of topics and brokers: a response for each broker, and one for all topics.

        Args:
            config_resources: The resources; their `configs` names the settings, None means all.
            include_synonyms: True includes the other places where a value is set.

        Raises:
            ValueError: The name of a broker is not a number.
            NodeNotReadyError: A broker does not exist.
        """
        with self._asking() as admin:
            seconds = self._seconds()
            _configs.check_brokers(admin, config_resources, seconds, NodeNotReadyError)
            found = _configs.ask(admin, config_resources, seconds, synonyms=bool(include_synonyms))
            rows = [(resource, _configs.row(resource, found[_configs.key(resource)])) for resource in config_resources]
        brokers = [[row] for resource, row in rows if resource.resource_type in _configs.OF_BROKERS]
        others = [row for resource, row in rows if resource.resource_type not in _configs.OF_BROKERS]
        return [DescribeConfigsResponse_v2(0, part) for part in [*brokers, others] if part]

    def alter_configs(self, config_resources: Sequence[ConfigResource]) -> AlterConfigsResponse_v1:
        """Replaces the settings of topics and brokers: those that are not named return to their defaults.

        The response has the error codes.
        """
        with self._asking() as admin:
            seconds = self._seconds()
            _configs.check_brokers(admin, config_resources, seconds, NodeNotReadyError)
            before = _configs.ask(admin, config_resources, seconds)
            changes = {
                _configs.key(resource): _configs.replaced(resource, before[_configs.key(resource)])
                for resource in config_resources
            }
            found: Mapping[Any, Any] = admin.alter_configs(changes, timeout=seconds, return_exceptions=True)
            rows = [
                (*answers.code_of(found[_configs.key(each)]), int(each.resource_type), each.name)
                for each in config_resources
            ]
        return AlterConfigsResponse_v1(0, rows)

    # Groups

    def describe_consumer_groups(
        self,
        group_ids: Sequence[str],
        group_coordinator_id: int | None = None,
        include_authorized_operations: bool = False,
    ) -> list[GroupInformation]:
        """Returns groups with their members.

        Args:
            group_ids: The groups.
            group_coordinator_id: Ignored: the engine finds coordinators by itself.
            include_authorized_operations: Ignored, as in kafka-python: they are always requested.

        Raises:
            BrokerResponseError: A coordinator answered with an error.
        """
        del group_coordinator_id, include_authorized_operations
        with self._asking() as admin:
            found = groups.described(admin, group_ids, newest=NEWEST_DESCRIBED, seconds=self._seconds())
            return [answers.group(name, each) for name, each in found]

    def list_consumer_groups(self, broker_ids: Sequence[int] | None = None) -> list[tuple[str, str]]:
        """Returns the names of groups, each with its protocol type.

        Args:
            broker_ids: The brokers whose groups are wanted; None for all.
        """
        with self._asking() as admin:
            listed = admin.list_groups(timeout=self._seconds())
            if broker_ids is not None:
                wanted = set(broker_ids)
                listed = [each for each in listed if self._coordinator(each.group_id) in wanted]
        return [(each.group_id, each.protocol_type) for each in listed]

    def _coordinator(self, group: str) -> int:
        return self._admin.find_coordinator(group, timeout=self._seconds())

    def list_consumer_group_offsets(
        self,
        group_id: str,
        group_coordinator_id: int | None = None,
        partitions: Iterable[TopicPartition] | None = None,
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """Returns a group's committed offsets; -1 for named partitions without one.

        Args:
            group_id: The group.
            group_coordinator_id: Ignored: the engine finds coordinators by itself.
            partitions: The partitions; None for all with a committed offset.
        """
        del group_coordinator_id
        named = None if partitions is None else [TopicPartition(*each) for each in partitions]
        with self._asking() as admin:
            found = admin.list_group_offsets({group_id: named}, timeout=self._seconds())[group_id]
        committed = {partition: face_offset(place) for partition, place in found.items()}
        nothing = OffsetAndMetadata(-1, "", -1)
        return committed if named is None else {each: committed.get(each, nothing) for each in named}

    def delete_consumer_groups(
        self, group_ids: Sequence[str], group_coordinator_id: int | None = None
    ) -> list[tuple[str, type[BrokerResponseError]]]:
        """Deletes groups with their offsets.

        Args:
            group_ids: The groups.
            group_coordinator_id: Ignored: the engine finds coordinators by itself.

        Returns:
            For each group its error class; `NoError` if it was deleted.
        """
        del group_coordinator_id
        with self._asking() as admin:
            found: Mapping[str, Any] = admin.delete_groups(
                list(group_ids), timeout=self._seconds(), return_exceptions=True
            )
            return [(name, for_code(answers.code_of(each)[0])) for name, each in found.items()]

    # Records

    def delete_records(
        self,
        records_to_delete: Mapping[TopicPartition, int],
        timeout_ms: float | None = None,
        partition_leader_id: int | None = None,
    ) -> dict[TopicPartition, dict[str, int]]:
        """Deletes the records before an offset.

        Args:
            records_to_delete: The offset by partition; -1 for all existing records.
            timeout_ms: Time limit in milliseconds; defaults to `request_timeout_ms`.
            partition_leader_id: Ignored: the engine finds leaders by itself.

        Returns:
            For each partition `partition_index`, `low_watermark` and `error_code`.

        Raises:
            UnknownTopicOrPartitionError: A partition does not exist.
            BrokerResponseError: The error of a partition, in its own class; one error that names all, if several
                failed.
        """
        del partition_leader_id
        with self._asking() as admin:
            before = {(place.topic, place.partition): records_to_delete[place] for place in set(records_to_delete)}
            found: Mapping[TopicPartition, Any] = admin.delete_records(
                before, timeout=self._seconds(timeout_ms), return_exceptions=True
            )
            codes = {place: answers.code_of(outcome)[0] for place, outcome in found.items()}
        failed = {place: for_code(code) for place, code in codes.items() if for_code(code) is not NoError}
        unknown = [place for place, kind in failed.items() if kind is UnknownTopicOrPartitionError]
        if unknown:
            raise UnknownTopicOrPartitionError(
                f"The following partitions are not known: {', '.join(map(str, unknown))}"
            )
        if len(failed) == 1:
            ((place, kind),) = failed.items()
            raise kind(f"Error deleting records from topic {place.topic} partition {place.partition}")
        if failed:
            told = ", ".join(
                f"{place.topic}(partition={place.partition}): {kind.__name__}" for place, kind in failed.items()
            )
            raise several_failed(f"The following errors occured when trying to delete records: {told}")
        return {
            place: {"partition_index": place.partition, "low_watermark": low, "error_code": 0}
            for place, low in found.items()
            if isinstance(low, int)
        }

    # Leaders and log directories

    def perform_leader_election(
        self,
        election_type: int,
        topic_partitions: Mapping[str, Sequence[int]] | None = None,
        timeout_ms: float | None = None,
    ) -> ElectLeadersResponse_v1:
        """Elects leaders.

        Args:
            election_type: 0 elects the preferred replica, 1 any live one (unclean).
            topic_partitions: Partition numbers by topic; None for all.
            timeout_ms: Time limit in milliseconds; defaults to `request_timeout_ms`.

        Raises:
            ValueError: The election type is unknown.
            BrokerResponseError: The first error of the answer, in its own class; ELECTION_NOT_NEEDED is none.
        """
        kind = ElectionType(election_type)
        named = None if topic_partitions is None else dict(topic_partitions.items())
        with self._asking() as admin:
            seconds = self._seconds(timeout_ms)
            wanted = named_partitions(admin, named, seconds)
            rows = elect(admin, kind, wanted, seconds)
        answer = ElectLeadersResponse_v1(0, 0, rows)
        codes = (code for _, each in rows for _, code, _ in each if code != ElectionNotNeededError.errno)
        answers.raise_first(codes, f"ElectLeaders {kind.name} {wanted}", answer)
        return answer

    def describe_log_dirs(self) -> DescribeLogDirsResponse_v0:
        """Returns the log directories of one broker, with the size of each replica."""
        with self._asking() as admin:
            seconds = self._seconds()
            node = admin.describe_cluster(timeout=seconds).brokers[0].id
            found = admin.describe_log_dirs([node], timeout=seconds)[node]
            rows = [
                (
                    answers.code_of(each.error)[0],
                    each.path,
                    [
                        (
                            topic,
                            [(number, replica.size, replica.offset_lag, replica.is_future) for number, replica in some],
                        )
                        for topic, some in by_topic(each.replicas.items())
                    ],
                )
                for each in found
            ]
        return DescribeLogDirsResponse_v0(0, rows)

    # Not offered

    def send_request(self, request: object, node_id: int | None = None) -> NoReturn:
        """Not offered: raises `IncompatibleBrokerVersion`, which is a `NotImplementedError`, too."""
        del request, node_id
        raise not_offered("send_request")

    def send_requests(
        self, requests_and_node_ids: object, response_fn: Callable[[Any], object] = lambda answer: answer
    ) -> NoReturn:
        """Not offered: raises as `send_request()`."""
        del requests_and_node_ids, response_fn
        raise not_offered("send_requests")


def engine_topic(topic: NewTopic) -> EngineTopic:
    """Returns a topic to create in kafkars' form."""
    return EngineTopic(
        topic.name,
        topic.num_partitions,
        topic.replication_factor,
        assignments=in_order(topic.replica_assignments),
        configs={name: None if value is None else str(value) for name, value in topic.topic_configs.items()},
    )


def in_order(assignments: Mapping[int, Sequence[int]]) -> list[Sequence[int]]:
    """Returns the brokers of each partition, sorted by partition.

    Raises:
        IllegalArgumentError: The numbers of the partitions do not begin at 0, or have gaps.
    """
    if sorted(assignments) != list(range(len(assignments))):
        raise IllegalArgumentError(f"replica_assignments: partitions are numbered from 0 on, not {sorted(assignments)}")
    return [assignments[number] for number in range(len(assignments))]


def several_failed(text: str) -> BrokerResponseError:
    """Returns the error of a call in which several partitions failed with different errors."""
    made = BrokerResponseError(text)
    made.errno = -1
    return made


def face_offset(place: Any) -> OffsetAndMetadata:
    """Returns a committed offset in kafka-python's form."""
    return OffsetAndMetadata(place.offset, place.metadata, -1 if place.leader_epoch is None else place.leader_epoch)
