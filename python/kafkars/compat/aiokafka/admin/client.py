"""The administration client (`aiokafka.admin.client`).

It follows aiokafka 0.14: calls return brokers' responses, with an error code for each topic or resource, unless that
library raises.
"""

from __future__ import annotations

import asyncio
import ssl
import weakref
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from kafkars._discreet import discreet
from kafkars.aio import Admin
from kafkars.compat._quiet import quiet
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka._connection import Connection, check_loop, first_contact, or_no_contact
from kafkars.compat.aiokafka._hints import Self
from kafkars.compat.aiokafka.abc import AbstractTokenProvider
from kafkars.compat.aiokafka.admin import _configs, _groups
from kafkars.compat.aiokafka.admin.config_resource import ConfigResource
from kafkars.compat.aiokafka.admin.new_partitions import NewPartitions
from kafkars.compat.aiokafka.admin.new_topic import NewTopic
from kafkars.compat.aiokafka.admin.records_to_delete import RecordsToDelete
from kafkars.compat.aiokafka.client import AdministratorClient
from kafkars.compat.aiokafka.protocol.admin import (
    AlterConfigsResponse_v1,
    CreatePartitionsResponse_v1,
    CreateTopicsResponse_v3,
    DeleteTopicsResponse_v3,
    DescribeConfigsResponse_v2,
    DescribeGroupsResponse_v2,
    new_topic,
    topic_errors,
)
from kafkars.compat.aiokafka.protocol.metadata import MetadataRequest
from kafkars.compat.aiokafka.structs import OffsetAndMetadata, TopicPartition
from kafkars.compat.aiokafka.util import get_running_loop

__all__ = ["AIOKafkaAdminClient"]

T = TypeVar("T")

COORDINATORS: dict[int, Literal["group", "transaction"]] = {0: "group", 1: "transaction"}


class AIOKafkaAdminClient:
    """Describes and changes topics, settings and groups of a cluster.

    `await admin.start()`, and `await admin.close()` at the end; `async with` does both. Settings are those that
    `AIOKafkaConsumer` and `AIOKafkaProducer` have of the same names.

    Raises:
        RuntimeError: No event loop runs.
        ValueError: A setting is wrong, or asks for what this version cannot do.
    """

    @discreet
    def __init__(
        self,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
        bootstrap_servers: str | list[str] = "localhost",
        client_id: str = "aiokafka-0.14.0",
        request_timeout_ms: int = 40000,
        connections_max_idle_ms: int | None = 540000,
        retry_backoff_ms: int = 100,
        metadata_max_age_ms: int = 300000,
        security_protocol: str = "PLAINTEXT",
        ssl_context: ssl.SSLContext | None = None,
        api_version: None = None,
        sasl_mechanism: str = "PLAIN",
        sasl_plain_username: str | None = None,
        sasl_plain_password: str | None = None,
        sasl_kerberos_service_name: str = "kafka",
        sasl_kerberos_domain_name: str | None = None,
        sasl_oauth_token_provider: AbstractTokenProvider | None = None,
    ) -> None:
        """See the class."""
        self._config_ = Connection(
            loop=loop,
            bootstrap_servers=bootstrap_servers,
            client_id=client_id,
            metadata_max_age_ms=metadata_max_age_ms,
            request_timeout_ms=request_timeout_ms,
            retry_backoff_ms=retry_backoff_ms,
            connections_max_idle_ms=connections_max_idle_ms,
            security_protocol=security_protocol,
            ssl_context=ssl_context,
            api_version=api_version,
            sasl_mechanism=sasl_mechanism,
            sasl_plain_username=sasl_plain_username,
            sasl_plain_password=sasl_plain_password,
            sasl_kerberos_service_name=sasl_kerberos_service_name,
            sasl_kerberos_domain_name=sasl_kerberos_domain_name,
            sasl_oauth_token_provider=sasl_oauth_token_provider,
        ).settings()
        self._loop_ = loop or get_running_loop()
        self._request_timeout_ms = request_timeout_ms
        self._admin_ = self._made_()
        self._client = AdministratorClient(self._config_, weakref.ref(self))
        self._started = False
        # Tests of programs look at it.
        self._closed = False

    def _made_(self) -> Admin:
        try:
            return quiet(Admin(self._config_, default_api_timeout_ms=self._request_timeout_ms))
        except Exception as error:
            raise errors.of(error) or error from error

    async def start(self) -> None:
        """Finds the cluster. If that fails, it may be tried again.

        Raises:
            KafkaConnectionError: No bootstrap address answers.
        """
        check_loop(self._loop_)
        if self._admin_.closed:
            self._admin_ = self._made_()
        self._started, self._closed = True, False
        try:
            with first_contact(self._config_):
                await or_no_contact(self._config_, self._run_(self._admin_.describe_cluster))
        except errors.KafkaError as error:
            if self._closed:
                # As in aiokafka where brokers can be reached, who closes a client that starts hears of no error.
                return
            self._started = False
            await self._admin_.close()
            raise errors.KafkaConnectionError(str(error)) from error

    async def close(self) -> None:
        """Closes every connection. Calling it again does nothing."""
        self._started, self._closed = False, True
        await self._admin_.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    async def create_topics(
        self, new_topics: Sequence[NewTopic], timeout_ms: int | None = None, validate_only: bool = False
    ) -> CreateTopicsResponse_v3:
        """Creates topics.

        Args:
            new_topics: The topics.
            timeout_ms: Milliseconds; None for `request_timeout_ms`.
            validate_only: Only check whether it would work.

        Returns:
            `topic_errors` with `(topic, error code, error message)` for each.
        """
        topics = [
            new_topic(
                each.name, each.num_partitions, each.replication_factor, each.replica_assignments, each.topic_configs
            )
            for each in new_topics
        ]
        outcomes = await self._run_(
            lambda: self._admin_.create_topics(
                topics, validate_only=bool(validate_only), timeout=seconds(timeout_ms), return_exceptions=True
            )
        )
        # One row for each name, as brokers answer: what is named twice is an invalid request, and is not created.
        return CreateTopicsResponse_v3(0, topic_errors(outcomes.items()))

    async def delete_topics(self, topics: Sequence[str], timeout_ms: int | None = None) -> DeleteTopicsResponse_v3:
        """Deletes topics with all their records.

        Args:
            topics: Their names.
            timeout_ms: Milliseconds; None for `request_timeout_ms`.

        Returns:
            `topic_error_codes` with `(topic, error code)` for each.
        """
        if isinstance(topics, str):
            raise TypeError("topics: expected a list of names, not one name")
        asked = Counter(list(topics))
        wanted = [topic for topic, times in asked.items() if times == 1]
        outcomes = await self._run_(
            lambda: self._admin_.delete_topics(wanted, timeout=seconds(timeout_ms), return_exceptions=True)
        )
        codes = {topic: code for topic, code, _ in topic_errors(outcomes.items())}
        # Brokers do not delete a topic that is named twice: it is an invalid request.
        invalid = errors.InvalidRequestError.errno
        return DeleteTopicsResponse_v3(0, [(topic, codes.get(topic, invalid)) for topic in asked])

    async def list_topics(self) -> list[str]:
        """Returns the names of all topics that this client may see, Kafka's internal ones included."""
        return await self._run_(lambda: self._admin_.list_topics(include_internal=True))

    async def describe_topics(self, topics: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Topics with their partitions, as dictionaries. Unlike with aiokafka, an unknown topic is not created by
        asking.

        Args:
            topics: Their names; None for all.

        Returns:
            For each topic `error_code`, `topic`, `is_internal` and `partitions`.
        """
        described: list[dict[str, Any]] = (await self._metadata_(topics))["topics"]
        return described

    async def describe_cluster(self) -> dict[str, Any]:
        """`brokers`, `cluster_id` and `controller_id`, as a dictionary."""
        found = await self._metadata_([])
        return {name: value for name, value in found.items() if name != "topics"}

    async def describe_configs(
        self, config_resources: Sequence[ConfigResource], include_synonyms: bool = False
    ) -> list[DescribeConfigsResponse_v2]:
        """Settings of topics and brokers: all of them, or those that `configs` of a resource names.

        Args:
            config_resources: Of what.
            include_synonyms: Where else each setting has a value.

        Returns:
            Answers with `resources`: one for each broker, then one for all topics.

        Raises:
            NodeNotReadyError: There is no such broker.
            ValueError: The name of a broker is no number.
        """
        return await self._run_(lambda: _configs.describe(self._admin_, config_resources, include_synonyms))

    async def alter_configs(self, config_resources: Sequence[ConfigResource]) -> list[AlterConfigsResponse_v1]:
        """Sets settings of topics and brokers. Settings that are not named go back to their defaults.

        Args:
            config_resources: What, each with its `configs`. One that has None for a value is refused.

        Returns:
            Answers with `resources`, `(error code, error message, type, name)`: one for topics, also without any, then
            one for each broker.

        Raises:
            NodeNotReadyError: There is no such broker.
            ValueError: The name of a broker is no number.
        """
        return await self._run_(lambda: _configs.alter(self._admin_, config_resources))

    async def create_partitions(
        self, topic_partitions: Mapping[str, NewPartitions], timeout_ms: int | None = None, validate_only: bool = False
    ) -> CreatePartitionsResponse_v1:
        """Gives topics more partitions.

        Args:
            topic_partitions: How many for each topic.
            timeout_ms: Milliseconds; None for `request_timeout_ms`.
            validate_only: Only check whether it would work.

        Returns:
            `topic_errors` with `(topic, 0, None)` for each.

        Raises:
            InvalidPartitionsError, ...: From the first topic that failed.
        """
        totals = {topic: new.total_count for topic, new in topic_partitions.items()}
        places = {topic: new.new_assignments for topic, new in topic_partitions.items() if new.new_assignments}
        made = await self._run_(
            lambda: self._admin_.create_partitions(
                totals, assignments=places, validate_only=bool(validate_only), timeout=seconds(timeout_ms)
            )
        )
        return CreatePartitionsResponse_v1(0, topic_errors(made.items()))

    async def describe_consumer_groups(
        self,
        group_ids: Sequence[str],
        group_coordinator_id: int | None = None,
        include_authorized_operations: bool = False,
    ) -> list[DescribeGroupsResponse_v2]:
        """Groups with their members.

        Args:
            group_ids: Their ids.
            group_coordinator_id: No effect: coordinators are found.
            include_authorized_operations: No effect, as in aiokafka with its version of the request.

        Returns:
            For each coordinator an answer with its `groups`, whose members have the bytes that they and their leader
            have sent. A group that is not there is in state "Dead".

        Raises:
            GroupAuthorizationFailedError, ...: The coordinator of a group is not told.
        """
        del group_coordinator_id, include_authorized_operations
        return await self._run_(lambda: _groups.describe(self._admin_, group_ids))

    async def list_consumer_groups(self, broker_ids: Sequence[int] | None = None) -> list[tuple[Any, ...]]:
        """`(group id, protocol type)` of every group.

        Args:
            broker_ids: Only of groups that these brokers coordinate.

        Raises:
            NodeNotReadyError: One of the brokers cannot be reached, or there is no such broker.
        """
        return await self._run_(lambda: _groups.listed(self._admin_, broker_ids, self._request_timeout_ms / 1000))

    async def find_coordinator(self, group_id: str, coordinator_type: int = 0) -> int:
        """The id of the broker that coordinates a group.

        Args:
            group_id: The group, or a transactional id.
            coordinator_type: 0 for groups, 1 for transactions.

        Raises:
            InvalidRequestError: `coordinator_type` is another number.
        """
        kind = COORDINATORS.get(int(coordinator_type))
        if kind is None:
            raise errors.InvalidRequestError(
                f"coordinator_type: {coordinator_type} is neither 0 (group) nor 1 (transaction)"
            )
        return await self._run_(lambda: self._admin_.find_coordinator(group_id, kind=kind))

    async def list_consumer_group_offsets(
        self,
        group_id: str,
        group_coordinator_id: int | None = None,
        partitions: Sequence[TopicPartition] | None = None,
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """What a group has committed.

        Args:
            group_id: Its id.
            group_coordinator_id: No effect: the coordinator is found.
            partitions: Of which; None for all that have a commit. Those without one have the offset -1.
        """
        del group_coordinator_id
        found = await self._run_(lambda: self._admin_.list_group_offsets({group_id: partitions}))
        committed = {of: OffsetAndMetadata(one.offset, one.metadata) for of, one in found[group_id].items()}
        if partitions is None:
            return committed
        return {TopicPartition(*of): committed.get(of, OffsetAndMetadata(-1, "")) for of in partitions}

    async def delete_records(
        self, records_to_delete: Mapping[TopicPartition, RecordsToDelete], timeout_ms: int | None = None
    ) -> dict[TopicPartition, int]:
        """Deletes the oldest records of partitions.

        Args:
            records_to_delete: Up to where in each.
            timeout_ms: Milliseconds; None for `request_timeout_ms`.

        Returns:
            The first offset that is left in each.

        Raises:
            OffsetOutOfRangeError, UnknownTopicOrPartitionError, ...: From the first partition that failed.
        """
        before: dict[tuple[str, int], int] = {of: records.before_offset for of, records in records_to_delete.items()}
        return await self._run_(lambda: self._admin_.delete_records(before, timeout=seconds(timeout_ms)))

    async def _metadata_(self, topics: Sequence[str] | None) -> dict[str, Any]:
        return (await self._run_(lambda: MetadataRequest(topics).ask(self._admin_))).to_object()

    async def _run_(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Waits for an answer, with the library's errors instead of the engine's.

        Raises:
            NodeNotReadyError: It was not started, or is closed.
            KafkaConnectionError: It was closed meanwhile.
        """
        if not self._started:
            raise errors.NodeNotReadyError("the administrator has no connection: it was not started, or is closed")
        try:
            return await ask()
        except Exception as error:
            translated = errors.of(error)
            if translated is None or translated is error:
                raise
            if isinstance(translated, errors.ProducerClosed):
                # The engine has one error for all clients, and this is no producer.
                translated = errors.KafkaConnectionError("the administrator was closed before the answer was there")
            raise translated from error


def seconds(timeout_ms: int | None) -> float | None:
    """Returns a time limit for kafkars; None for 0, because a broker that is given no time answers all the same."""
    return None if timeout_ms is None or timeout_ms <= 0 else timeout_ms / 1000
