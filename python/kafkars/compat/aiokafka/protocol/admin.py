"""Requests and responses of administration (`aiokafka.protocol.admin`).

Fields are those of the versions that aiokafka uses: CreateTopics 3, DeleteTopics 3, CreatePartitions 1,
DescribeConfigs 2, AlterConfigs 1, DescribeGroups 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from kafkars.admin import NewTopic
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka.protocol.api import Response, items
from kafkars.compat.aiokafka.protocol.types import Array, Boolean, Bytes, Int8, Int16, Int32, Schema, String

if TYPE_CHECKING:
    from kafkars.aio import Admin

__all__ = [
    "AlterConfigsResponse_v1",
    "CreatePartitionsResponse_v1",
    "CreateTopicsRequest",
    "CreateTopicsResponse_v3",
    "DeleteTopicsResponse_v3",
    "DescribeConfigsResponse_v2",
    "DescribeGroupsResponse_v2",
]

TOPIC_ERRORS = ("topic_errors", Array(("topic", String()), ("error_code", Int16), ("error_message", String())))
SYNONYMS = Array(("config_name", String()), ("config_value", String()), ("config_source", Int8))
ENTRIES = Array(
    ("config_names", String()),
    ("config_value", String()),
    ("read_only", Boolean),
    ("config_source", Int8),
    ("is_sensitive", Boolean),
    ("config_synonyms", SYNONYMS),
)
RESOURCE = (
    ("error_code", Int16),
    ("error_message", String()),
    ("resource_type", Int8),
    ("resource_name", String()),
)
MEMBERS = Array(
    ("member_id", String()),
    ("client_id", String()),
    ("client_host", String()),
    ("member_metadata", Bytes),
    ("member_assignment", Bytes),
)


class CreateTopicsResponse_v3(Response):  # noqa: N801  the name in aiokafka
    """The outcome for each topic to create."""

    throttle_time_ms: int
    topic_errors: list[tuple[str, int, str | None]]
    API_KEY = 19
    API_VERSION = 3
    SCHEMA: ClassVar[Schema] = Schema(("throttle_time_ms", Int32), TOPIC_ERRORS)


class CreatePartitionsResponse_v1(Response):  # noqa: N801
    """The outcome for each topic to get more partitions."""

    throttle_time_ms: int
    topic_errors: list[tuple[str, int, str | None]]
    API_KEY = 37
    API_VERSION = 1
    SCHEMA: ClassVar[Schema] = Schema(("throttle_time_ms", Int32), TOPIC_ERRORS)


class DeleteTopicsResponse_v3(Response):  # noqa: N801
    """The outcome for each topic to delete."""

    throttle_time_ms: int
    topic_error_codes: list[tuple[str, int]]
    API_KEY = 20
    API_VERSION = 3
    SCHEMA: ClassVar[Schema] = Schema(
        ("throttle_time_ms", Int32), ("topic_error_codes", Array(("topic", String()), ("error_code", Int16)))
    )


class DescribeConfigsResponse_v2(Response):  # noqa: N801
    """Settings of topics and brokers."""

    throttle_time_ms: int
    resources: list[tuple[int, str | None, int, str, list[Any]]]
    API_KEY = 32
    API_VERSION = 2
    SCHEMA: ClassVar[Schema] = Schema(
        ("throttle_time_ms", Int32), ("resources", Array(*RESOURCE, ("config_entries", ENTRIES)))
    )


class AlterConfigsResponse_v1(Response):  # noqa: N801
    """The outcome for each topic or broker whose settings were to change."""

    throttle_time_ms: int
    resources: list[tuple[int, str | None, int, str]]
    API_KEY = 33
    API_VERSION = 1
    SCHEMA: ClassVar[Schema] = Schema(("throttle_time_ms", Int32), ("resources", Array(*RESOURCE)))


class DescribeGroupsResponse_v2(Response):  # noqa: N801
    """Groups with their members."""

    throttle_time_ms: int
    groups: list[tuple[int, str, str, str, str, list[Any]]]
    API_KEY = 15
    API_VERSION = 2
    SCHEMA: ClassVar[Schema] = Schema(
        ("throttle_time_ms", Int32),
        (
            "groups",
            Array(
                ("error_code", Int16),
                ("group", String()),
                ("state", String()),
                ("protocol_type", String()),
                ("protocol", String()),
                ("members", MEMBERS),
            ),
        ),
    )


class CreateTopicsRequest:
    """A request for new topics, for `AIOKafkaClient.send`.

    Args:
        create_topic_requests: Each as `(name, partitions, replicas, [(partition, [broker, ...]), ...], [(setting,
            value), ...])`.
        timeout: Milliseconds.
        validate_only: Only check whether it would work.
    """

    API_KEY = 19

    def __init__(
        self, create_topic_requests: Sequence[tuple[Any, ...]], timeout: int, validate_only: bool = False
    ) -> None:
        self.create_topic_requests = create_topic_requests
        self.timeout = timeout
        self.validate_only = validate_only

    def __class_getitem__(cls, version: int) -> type[CreateTopicsRequest]:
        """Returns one class for every version: kafkars chooses the version that is sent."""
        del version
        return cls

    async def ask(self, admin: Admin) -> CreateTopicsResponse_v3:
        """Sends it.

        Raises:
            KafkaError: There was no answer in time.
        """
        topics = [new_topic(*topic) for topic in self.create_topic_requests]
        outcomes = await admin.create_topics(
            topics, validate_only=self.validate_only, timeout=self.timeout / 1000, return_exceptions=True
        )
        return CreateTopicsResponse_v3(0, topic_errors(outcomes.items()))


def new_topic(
    name: str,
    partitions: int,
    replication_factor: int,
    assignments: Mapping[int, Sequence[int]] | Sequence[tuple[int, Sequence[int]]],
    configs: Mapping[str, str | None] | Sequence[tuple[str, str | None]],
) -> NewTopic:
    """Returns a topic in kafkars' form."""
    places = [list(brokers) for _, brokers in sorted(items(assignments))]  # type: ignore[arg-type]
    # aiokafka's encoder also accepts numbers for texts.
    settings = {name: None if value is None else str(value) for name, value in items(configs)}
    return NewTopic(name, partitions, replication_factor, places, settings)


def topic_errors(outcomes: Iterable[tuple[str, object]]) -> list[tuple[str, int, str | None]]:
    """Returns each topic's error code and text, 0 and None for success.

    Raises:
        KafkaError: Nobody answered about a topic.
    """
    return [(topic, *code_and_message(outcome)) for topic, outcome in outcomes]


def code_and_message(outcome: object) -> tuple[int, str | None]:
    """Returns the broker's error code of a failure and its text; 0 and None for anything else."""
    if not isinstance(outcome, BaseException):
        return 0, None
    code: int | None = getattr(outcome, "code", None)
    if code is None:
        raise errors.of(outcome) or outcome
    return code, str(outcome)
