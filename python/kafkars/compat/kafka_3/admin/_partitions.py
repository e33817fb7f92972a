"""Elections, reassignments and log directories, with the answers of kafka-python 3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kafkars.compat.kafka.admin._answers import code_of
from kafkars.compat.kafka.admin._connection import Connection
from kafkars.compat.kafka.admin._elections import ElectionType, by_topic, elect, named_partitions
from kafkars.compat.kafka.errors import ElectionNotNeededError, for_code
from kafkars.compat.kafka.structs import TopicPartition
from kafkars.errors import KafkaError


class ElectLeadersResponse:
    """The outcome of an election by partition."""

    API_KEY = 43
    API_VERSION = 2
    throttle_time_ms = 0
    error_code = 0

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.replica_election_results = [
            row_object(
                {"topic": row["topic"], "partition_result": [row_object(each) for each in row["partition_result"]]}
            )
            for row in rows
        ]
        self._rows = rows

    def to_dict(self) -> dict[str, Any]:
        """Returns the response as a dict."""
        return {
            "throttle_time_ms": self.throttle_time_ms,
            "error_code": self.error_code,
            "replica_election_results": self._rows,
        }

    def __repr__(self) -> str:
        return f"ElectLeadersResponse({self.to_dict()})"


def row_object(row: Mapping[str, Any]) -> Any:
    """Returns a row of a response as an object with attributes."""
    return type("Row", (), dict(row))()


class PartitionCalls(Connection):
    """Calls about leaders, replicas and log directories."""

    def elect_leaders(
        self,
        election_type: ElectionType | int,
        topic_partitions: Mapping[str, Sequence[int]] | Iterable[str] | None = None,
        timeout_ms: float | None = None,
        raise_errors: bool = True,
    ) -> ElectLeadersResponse:
        """Elects leaders.

        Args:
            election_type: 0 elects the preferred replica, 1 any live one (unclean).
            topic_partitions: Partition numbers by topic, or topics; None for all.
            timeout_ms: Time limit in milliseconds; defaults to `request_timeout_ms`.
            raise_errors: False raises no errors of single items; the answer has their codes.

        Raises:
            ValueError: The election type is unknown.
            BrokerResponseError: The first error of the answer, in its own class; ELECTION_NOT_NEEDED is none.
        """
        kind = ElectionType(election_type)
        with self._asking() as admin:
            seconds = self._seconds(timeout_ms)
            wanted = named_partitions(admin, topic_partitions, seconds)
            rows = elect(admin, kind, wanted, seconds)
        answer = ElectLeadersResponse(
            [
                {
                    "topic": topic,
                    "partition_result": [
                        {"partition_id": number, "error_code": code, "error_message": message}
                        for number, code, message in each
                    ],
                }
                for topic, each in rows
            ]
        )
        for _, each in rows:
            for _, code, _ in each:
                if raise_errors and code not in {0, ElectionNotNeededError.errno}:
                    raise for_code(code)(f"ElectLeaders failed with response '{answer}'.")
        return answer

    def alter_partition_reassignments(
        self, reassignments: Mapping[TopicPartition, Sequence[int] | None], timeout_ms: float | None = None
    ) -> dict[TopicPartition, Any]:
        """Begins reassignments of replicas. Returns the error class by partition, None for success.

        Args:
            reassignments: Broker ids by partition; None cancels a running reassignment.
            timeout_ms: Time limit in milliseconds; defaults to `request_timeout_ms`.

        Raises:
            ValueError: The brokers of a partition are empty, or not numbers.
        """
        for place, brokers in reassignments.items():
            if brokers is not None and (not brokers or not all(isinstance(each, int) for each in brokers)):
                raise ValueError(f"Replica list for {place} must be int broker_ids, or None to cancel a reassignment.")
        wanted: dict[tuple[str, int], Any] = {(place[0], place[1]): each for place, each in reassignments.items()}
        with self._asking() as admin:
            found: Mapping[Any, Any] = admin.alter_partition_reassignments(
                wanted, timeout=self._seconds(timeout_ms), return_exceptions=True
            )
            codes = {place: code_of(each)[0] for place, each in found.items()}
        return {TopicPartition(*place): for_code(code) if code else None for place, code in codes.items()}

    def list_partition_reassignments(
        self,
        topic_partitions: Mapping[str, Sequence[int]] | Iterable[TopicPartition] | None = None,
        timeout_ms: float | None = None,
    ) -> dict[TopicPartition, dict[str, list[int]]]:
        """Returns running reassignments, as `replicas`, `adding_replicas` and `removing_replicas`.

        Args:
            topic_partitions: Partition numbers by topic, or partitions; None for all.
            timeout_ms: Time limit in milliseconds; defaults to `request_timeout_ms`.
        """
        if isinstance(topic_partitions, Mapping):
            wanted: list[tuple[str, int]] | None = [
                (topic, number) for topic, each in topic_partitions.items() for number in each
            ]
        else:
            wanted = None if topic_partitions is None else [(each.topic, each.partition) for each in topic_partitions]
        with self._asking() as admin:
            found = admin.list_partition_reassignments(wanted, timeout=self._seconds(timeout_ms))
        return {
            TopicPartition(*place): {name: list(each) for name, each in moves._asdict().items()}
            for place, moves in found.items()
        }

    def describe_log_dirs(
        self,
        topic_partitions: Mapping[str, Sequence[int]] | Iterable[str] | None = None,
        brokers: Iterable[int] | None = None,
    ) -> list[dict[str, Any]]:
        """Returns the log directories of brokers: for each `broker` its `log_dirs`.

        Args:
            topic_partitions: Partition numbers by topic, or topics; None for all.
            brokers: Broker ids; None for all.
        """
        with self._asking() as admin:
            seconds = self._seconds()
            wanted = named_partitions(admin, topic_partitions, seconds)
            found = admin.describe_log_dirs(brokers, partitions=wanted, timeout=seconds)
        return [{"broker": broker, "log_dirs": [log_dir(each) for each in dirs]} for broker, dirs in found.items()]


def log_dir(found: Any) -> dict[str, Any]:
    """Returns a log directory as a dict."""
    topics = [
        {
            "name": topic,
            "partitions": [
                {
                    "partition_index": number,
                    "partition_size": replica.size,
                    "offset_lag": replica.offset_lag,
                    "is_future_key": replica.is_future,
                }
                for number, replica in each
            ],
        }
        for topic, each in by_topic(found.replicas.items())
    ]
    error = found.error if isinstance(found.error, KafkaError) else None
    return {
        "error_code": code_of(error)[0],
        "log_dir": found.path,
        "topics": topics,
        "total_bytes": -1 if found.total_bytes is None else found.total_bytes,
        "usable_bytes": -1 if found.usable_bytes is None else found.usable_bytes,
        "is_cordoned": found.is_cordoned,
    }
