"""Requests and responses of administration (`aiokafka.protocol.admin`).

Fields are those of the versions that aiokafka uses: CreateTopics 3, DeleteTopics 3, CreatePartitions 1,
DescribeConfigs 2, AlterConfigs 1, DescribeGroups 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from kafkars.admin import NewTopic
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka.protocol.api import Fields, Response, items

if TYPE_CHECKING:
    from kafkars.aio import Admin

__all__ = [
    "AlterConfigsResponse",
    "CreatePartitionsResponse",
    "CreateTopicsRequest",
    "CreateTopicsResponse",
    "DeleteTopicsResponse",
    "DescribeConfigsResponse",
    "DescribeGroupsResponse",
]

TOPIC_ERRORS: Fields = ("topic_errors", ("topic", "error_code", "error_message"))
SYNONYMS = ("config_synonyms", ("config_name", "config_value", "config_source"))
ENTRIES = (
    "config_entries",
    ("config_names", "config_value", "read_only", "config_source", "is_sensitive", SYNONYMS),
)
RESOURCE = ("error_code", "error_message", "resource_type", "resource_name")
MEMBERS = ("members", ("member_id", "client_id", "client_host", "member_metadata", "member_assignment"))


class CreateTopicsResponse(Response):
    """The outcome for each topic to create."""

    throttle_time_ms: int
    topic_errors: list[tuple[str, int, str | None]]
    FIELDS: ClassVar[Fields] = ("throttle_time_ms", TOPIC_ERRORS)


class CreatePartitionsResponse(Response):
    """The outcome for each topic to get more partitions."""

    throttle_time_ms: int
    topic_errors: list[tuple[str, int, str | None]]
    FIELDS: ClassVar[Fields] = ("throttle_time_ms", TOPIC_ERRORS)


class DeleteTopicsResponse(Response):
    """The outcome for each topic to delete."""

    throttle_time_ms: int
    topic_error_codes: list[tuple[str, int]]
    FIELDS: ClassVar[Fields] = ("throttle_time_ms", ("topic_error_codes", ("topic", "error_code")))


class DescribeConfigsResponse(Response):
    """Settings of topics and brokers."""

    throttle_time_ms: int
    resources: list[tuple[int, str | None, int, str, list[Any]]]
    FIELDS: ClassVar[Fields] = ("throttle_time_ms", ("resources", (*RESOURCE, ENTRIES)))


class AlterConfigsResponse(Response):
    """The outcome for each topic or broker whose settings were to change."""

    throttle_time_ms: int
    resources: list[tuple[int, str | None, int, str]]
    FIELDS: ClassVar[Fields] = ("throttle_time_ms", ("resources", RESOURCE))


class DescribeGroupsResponse(Response):
    """Groups with their members."""

    throttle_time_ms: int
    groups: list[tuple[int, str, str, str, str, list[Any]]]
    FIELDS: ClassVar[Fields] = (
        "throttle_time_ms",
        ("groups", ("error_code", "group", "state", "protocol_type", "protocol", MEMBERS)),
    )


class CreateTopicsRequest:
    """A request for new topics, for `AIOKafkaClient.send`.

    Args:
        create_topic_requests: Each as `(name, partitions, replicas, [(partition, [broker, ...]), ...], [(setting,
            value), ...])`.
        timeout: Milliseconds.
        validate_only: Only check whether it would work.
    """

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

    async def ask(self, admin: Admin) -> CreateTopicsResponse:
        """Sends it.

        Raises:
            KafkaError: There was no answer in time.
        """
        topics = [new_topic(*topic) for topic in self.create_topic_requests]
        outcomes = await admin.create_topics(
            topics, validate_only=self.validate_only, timeout=self.timeout / 1000, return_exceptions=True
        )
        return CreateTopicsResponse(0, topic_errors(outcomes.items()))


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
