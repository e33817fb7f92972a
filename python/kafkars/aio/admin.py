"""The asyncio administration client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from kafkars import _kafkars, _logging
from kafkars._blocks import asynchronous
from kafkars._discreet import discreet
from kafkars.admin import _calls, _replica_calls, _security_calls, _transaction_calls
from kafkars.config.admin import AdminConfig

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Mapping

    from typing_extensions import Self, Unpack

    from kafkars.admin.acls import AclBinding, AclBindingFilter
    from kafkars.admin.scram import ScramCredentialInfo, UserScramCredentialDeletion, UserScramCredentialUpsertion
    from kafkars.admin.types import (
        ClusterDescription,
        ConfigChange,
        ConfigEntry,
        ConfigResource,
        CreatedTopic,
        GroupDescription,
        GroupListing,
        ListedOffset,
        LogDirDescription,
        NewTopic,
        OffsetSpec,
        PartitionReassignment,
        ProducerState,
        TopicDescription,
        TransactionDescription,
        TransactionListing,
    )
    from kafkars.config.settings import AdminSettings
    from kafkars.errors import KafkaError
    from kafkars.metrics import AdminMetrics
    from kafkars.types import OffsetAndMetadata, TopicPartition

T = TypeVar("T")


@asynchronous
class Admin:
    """Describes and changes topics, settings, groups and access control of a cluster.

    ```python
    async with Admin(bootstrap_servers="localhost:9092") as admin:
        await admin.create_topics([NewTopic("orders", partitions=3)])
        print(await admin.list_topics())
    ```

    A call about several things does all of them and then raises the first failure; with `return_exceptions=True` it
    returns every failure as the value of the thing that failed. Connections are made at the first call. Several tasks
    may share it.

    Args:
        config: An `AdminConfig`, or a mapping of settings, which may use Kafka's dotted names.
        **settings: Fields of `AdminConfig`.

    Raises:
        ConfigError: A setting is unknown, missing, contradictory or of the wrong type.
    """

    __slots__ = ("__weakref__", "_identity", "_native")

    @discreet
    def __init__(
        self, config: AdminConfig | Mapping[str, object] | None = None, **settings: Unpack[AdminSettings]
    ) -> None:
        """See the class."""
        checked = AdminConfig.of(config, settings)
        _logging.start()
        self._identity = checked.identity()
        self._native = _kafkars.Admin(checked)

    def __del__(self) -> None:
        # A constructor that has raised has made no native client.
        if hasattr(self, "_native"):
            self._native._warn_if_unclosed(self)  # noqa: SLF001  ours

    @overload
    async def create_topics(
        self,
        topics: Iterable[NewTopic],
        *,
        validate_only: bool = False,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[str, CreatedTopic]: ...
    @overload
    async def create_topics(
        self,
        topics: Iterable[NewTopic],
        *,
        validate_only: bool = False,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[str, CreatedTopic | KafkaError]: ...
    async def create_topics(
        self,
        topics: Iterable[NewTopic],
        *,
        validate_only: bool = False,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[str, Any]:
        """Creates topics and waits until the controller has created them; their leaders may take a moment longer.

        Args:
            topics: The topics.
            validate_only: Whether to check only, and change nothing.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Returns:
            The created topics by name; with `return_exceptions` a failure in the place of a topic.

        Raises:
            TopicAlreadyExistsError, InvalidTopicError, InvalidReplicationFactorError, ...: From the first topic that
                failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.create_topics(
                self._native, topics, validate_only=validate_only, timeout=timeout, return_exceptions=return_exceptions
            )
        )

    @overload
    async def delete_topics(
        self, topics: Iterable[str], *, timeout: float | None = None, return_exceptions: Literal[False] = False
    ) -> dict[str, None]: ...
    @overload
    async def delete_topics(
        self, topics: Iterable[str], *, timeout: float | None = None, return_exceptions: bool
    ) -> dict[str, KafkaError | None]: ...
    async def delete_topics(
        self, topics: Iterable[str], *, timeout: float | None = None, return_exceptions: bool = False
    ) -> dict[str, Any]:
        """Deletes topics with all their records.

        Args:
            topics: Their names.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Returns:
            None for each name; the failure in its place with `return_exceptions`.

        Raises:
            UnknownTopicOrPartitionError, ...: From the first topic that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.delete_topics(self._native, topics, timeout=timeout, return_exceptions=return_exceptions)
        )

    @overload
    async def create_partitions(
        self,
        totals: Mapping[str, int],
        *,
        assignments: Mapping[str, Iterable[Iterable[int]]] | None = None,
        validate_only: bool = False,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[str, None]: ...
    @overload
    async def create_partitions(
        self,
        totals: Mapping[str, int],
        *,
        assignments: Mapping[str, Iterable[Iterable[int]]] | None = None,
        validate_only: bool = False,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[str, KafkaError | None]: ...
    async def create_partitions(
        self,
        totals: Mapping[str, int],
        *,
        assignments: Mapping[str, Iterable[Iterable[int]]] | None = None,
        validate_only: bool = False,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[str, Any]:
        """Gives topics more partitions (KIP-195, Kafka 1.0 and newer). Records with keys go to other partitions than
        before.

        Args:
            totals: For each topic the number of partitions that it shall have in all.
            assignments: Ids of the brokers of each new partition; without, the cluster chooses.
            validate_only: Whether to check only, and change nothing.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Returns:
            None for each topic; the failure in its place with `return_exceptions`.

        Raises:
            InvalidPartitionsError, ...: From the first topic that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.create_partitions(
                self._native,
                totals,
                assignments=assignments,
                validate_only=validate_only,
                timeout=timeout,
                return_exceptions=return_exceptions,
            )
        )

    async def list_topics(self, *, include_internal: bool = False, timeout: float | None = None) -> list[str]:
        """Returns the names of all topics that this client may see, sorted.

        Args:
            include_internal: Whether to include topics that Kafka itself uses.
            timeout: Seconds; None for `default_api_timeout_ms`.

        Raises:
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(_calls.list_topics(self._native, include_internal=include_internal, timeout=timeout))

    @overload
    async def describe_topics(
        self,
        topics: Iterable[str] | None = None,
        *,
        include_authorized_operations: bool = False,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[str, TopicDescription]: ...
    @overload
    async def describe_topics(
        self,
        topics: Iterable[str] | None = None,
        *,
        include_authorized_operations: bool = False,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[str, TopicDescription | KafkaError]: ...
    async def describe_topics(
        self,
        topics: Iterable[str] | None = None,
        *,
        include_authorized_operations: bool = False,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[str, Any]:
        """Describes topics: their partitions, leaders and replicas.

        Args:
            topics: Their names; None for all that this client may see.
            include_authorized_operations: Whether to tell the operations that this client is authorized for (KIP-430,
                Kafka 2.3 and newer).
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Raises:
            UnknownTopicOrPartitionError, ...: From the first topic that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.describe_topics(
                self._native,
                topics,
                include_authorized_operations=include_authorized_operations,
                timeout=timeout,
                return_exceptions=return_exceptions,
            )
        )

    @overload
    async def describe_configs(
        self,
        resources: Iterable[ConfigResource | tuple[str, str]],
        *,
        include_synonyms: bool = False,
        include_documentation: bool = False,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[ConfigResource, dict[str, ConfigEntry]]: ...
    @overload
    async def describe_configs(
        self,
        resources: Iterable[ConfigResource | tuple[str, str]],
        *,
        include_synonyms: bool = False,
        include_documentation: bool = False,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[ConfigResource, dict[str, ConfigEntry] | KafkaError]: ...
    async def describe_configs(
        self,
        resources: Iterable[ConfigResource | tuple[str, str]],
        *,
        include_synonyms: bool = False,
        include_documentation: bool = False,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[ConfigResource, Any]:
        """Describes the settings of topics, brokers and groups, by name (KIP-226, Kafka 1.1 and newer).

        Args:
            resources: The topics, brokers and groups, as `("topic", "orders")` or `("broker", "1")`.
            include_synonyms: Whether to tell all sources that have a value for a setting.
            include_documentation: Whether to tell the description of each setting.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Raises:
            UnknownTopicOrPartitionError, ...: From the first resource that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.describe_configs(
                self._native,
                resources,
                include_synonyms=include_synonyms,
                include_documentation=include_documentation,
                timeout=timeout,
                return_exceptions=return_exceptions,
            )
        )

    @overload
    async def alter_configs(
        self,
        changes: Mapping[ConfigResource, Mapping[str, ConfigChange | str | None]],
        *,
        validate_only: bool = False,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[ConfigResource, None]: ...
    @overload
    async def alter_configs(
        self,
        changes: Mapping[ConfigResource, Mapping[str, ConfigChange | str | None]],
        *,
        validate_only: bool = False,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[ConfigResource, KafkaError | None]: ...
    async def alter_configs(
        self,
        changes: Mapping[ConfigResource, Mapping[str, ConfigChange | str | None]],
        *,
        validate_only: bool = False,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[ConfigResource, Any]:
        """Changes settings; those that are not named stay as they are (KIP-339, Kafka 2.3 and newer).

        Args:
            changes: For each resource its settings: a text sets one, None resets it to its default, a
                `ConfigChange` does those and changes lists.
            validate_only: Whether to check only, and change nothing.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Returns:
            None for each resource; the failure in its place with `return_exceptions`.

        Raises:
            InvalidConfigError, ...: From the first resource that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.alter_configs(
                self._native, changes, validate_only=validate_only, timeout=timeout, return_exceptions=return_exceptions
            )
        )

    async def list_groups(
        self, *, states: Iterable[str] = (), types: Iterable[str] = (), timeout: float | None = None
    ) -> list[GroupListing]:
        """Lists the groups of the cluster, in the order of their ids.

        Args:
            states: Only groups in these states, such as "Stable" and "Empty" (KIP-518).
            types: Only groups of these types, such as "classic" and "consumer" (KIP-848).
            timeout: Seconds; None for `default_api_timeout_ms`.

        Raises:
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(_calls.list_groups(self._native, states=states, types=types, timeout=timeout))

    @overload
    async def describe_groups(
        self,
        groups: Iterable[str],
        *,
        include_authorized_operations: bool = False,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[str, GroupDescription]: ...
    @overload
    async def describe_groups(
        self,
        groups: Iterable[str],
        *,
        include_authorized_operations: bool = False,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[str, GroupDescription | KafkaError]: ...
    async def describe_groups(
        self,
        groups: Iterable[str],
        *,
        include_authorized_operations: bool = False,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[str, Any]:
        """Describes groups: their state, their members and the members' partitions.

        Args:
            groups: Their ids.
            include_authorized_operations: Whether to tell the operations that this client is authorized for (KIP-430,
                Kafka 2.3 and newer).
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Raises:
            GroupIdNotFoundError, ...: From the first group that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.describe_groups(
                self._native,
                groups,
                include_authorized_operations=include_authorized_operations,
                timeout=timeout,
                return_exceptions=return_exceptions,
            )
        )

    @overload
    async def delete_groups(
        self, groups: Iterable[str], *, timeout: float | None = None, return_exceptions: Literal[False] = False
    ) -> dict[str, None]: ...
    @overload
    async def delete_groups(
        self, groups: Iterable[str], *, timeout: float | None = None, return_exceptions: bool
    ) -> dict[str, KafkaError | None]: ...
    async def delete_groups(
        self, groups: Iterable[str], *, timeout: float | None = None, return_exceptions: bool = False
    ) -> dict[str, Any]:
        """Deletes groups without members, with their committed offsets (KIP-229, Kafka 1.1 and newer).

        Args:
            groups: Their ids.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Returns:
            None for each group; the failure in its place with `return_exceptions`.

        Raises:
            NonEmptyGroupError, GroupIdNotFoundError, ...: From the first group that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.delete_groups(self._native, groups, timeout=timeout, return_exceptions=return_exceptions)
        )

    @overload
    async def list_group_offsets(
        self,
        groups: Iterable[str] | Mapping[str, Iterable[tuple[str, int]] | None],
        *,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[str, dict[TopicPartition, OffsetAndMetadata]]: ...
    @overload
    async def list_group_offsets(
        self,
        groups: Iterable[str] | Mapping[str, Iterable[tuple[str, int]] | None],
        *,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[str, dict[TopicPartition, OffsetAndMetadata] | KafkaError]: ...
    async def list_group_offsets(
        self,
        groups: Iterable[str] | Mapping[str, Iterable[tuple[str, int]] | None],
        *,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[str, Any]:
        """Returns the committed offsets of groups, in order; partitions without one are left out.

        Args:
            groups: Their ids; or for each the partitions to ask about, None for all.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Raises:
            GroupAuthorizationFailedError, ...: From the first group that failed. A group that does not exist has
                committed nothing.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.list_group_offsets(self._native, groups, timeout=timeout, return_exceptions=return_exceptions)
        )

    @overload
    async def alter_group_offsets(
        self,
        group: str,
        offsets: Mapping[tuple[str, int], int | OffsetAndMetadata],
        *,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[TopicPartition, None]: ...
    @overload
    async def alter_group_offsets(
        self,
        group: str,
        offsets: Mapping[tuple[str, int], int | OffsetAndMetadata],
        *,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[TopicPartition, KafkaError | None]: ...
    async def alter_group_offsets(
        self,
        group: str,
        offsets: Mapping[tuple[str, int], int | OffsetAndMetadata],
        *,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[TopicPartition, Any]:
        """Sets the committed offsets of a group that has no members: it will go on reading there.

        Args:
            group: Its id; a group that does not exist is created.
            offsets: For each partition the next offset to read.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Returns:
            None for each partition; the failure in its place with `return_exceptions`.

        Raises:
            UnknownMemberIdError, ...: From the first partition that failed; this one when the group has members.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.alter_group_offsets(
                self._native, group, offsets, timeout=timeout, return_exceptions=return_exceptions
            )
        )

    @overload
    async def delete_group_offsets(
        self,
        group: str,
        partitions: Iterable[tuple[str, int]],
        *,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[TopicPartition, None]: ...
    @overload
    async def delete_group_offsets(
        self,
        group: str,
        partitions: Iterable[tuple[str, int]],
        *,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[TopicPartition, KafkaError | None]: ...
    async def delete_group_offsets(
        self,
        group: str,
        partitions: Iterable[tuple[str, int]],
        *,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[TopicPartition, Any]:
        """Deletes the committed offsets of a group for some partitions (KIP-496, Kafka 2.4 and newer).

        Args:
            group: Its id.
            partitions: The partitions; their topics must not be subscribed to by members of the group.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Returns:
            None for each partition; the failure in its place with `return_exceptions`.

        Raises:
            GroupSubscribedToTopicError, ...: From the first partition that failed.
            GroupIdNotFoundError: There is no such group.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.delete_group_offsets(
                self._native, group, partitions, timeout=timeout, return_exceptions=return_exceptions
            )
        )

    @overload
    async def delete_records(
        self,
        before: Mapping[tuple[str, int], int],
        *,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[TopicPartition, int]: ...
    @overload
    async def delete_records(
        self,
        before: Mapping[tuple[str, int], int],
        *,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[TopicPartition, int | KafkaError]: ...
    async def delete_records(
        self,
        before: Mapping[tuple[str, int], int],
        *,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[TopicPartition, Any]:
        """Deletes the oldest records of partitions, and returns the first remaining offset of each (KIP-107).

        Args:
            before: For each partition the offset before which all records are deleted; -1 for all records.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Raises:
            OffsetOutOfRangeError, PolicyViolationError, ...: From the first partition that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.delete_records(self._native, before, timeout=timeout, return_exceptions=return_exceptions)
        )

    @overload
    async def list_offsets(
        self,
        wanted: Mapping[tuple[str, int], OffsetSpec | int | dt.datetime],
        *,
        isolation_level: Literal["read_uncommitted", "read_committed"] = "read_uncommitted",
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[TopicPartition, ListedOffset]: ...
    @overload
    async def list_offsets(
        self,
        wanted: Mapping[tuple[str, int], OffsetSpec | int | dt.datetime],
        *,
        isolation_level: Literal["read_uncommitted", "read_committed"] = "read_uncommitted",
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[TopicPartition, ListedOffset | KafkaError]: ...
    async def list_offsets(
        self,
        wanted: Mapping[tuple[str, int], OffsetSpec | int | dt.datetime],
        *,
        isolation_level: Literal["read_uncommitted", "read_committed"] = "read_uncommitted",
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[TopicPartition, Any]:
        """Looks up an offset of each partition.

        Args:
            wanted: For each partition "earliest", "latest", "max_timestamp" (Kafka 3.0 and newer), or a
                timestamp for the first record that is not older: ms since 1970, or a `datetime` with a time zone.
            isolation_level: With "read_committed" "latest" is where the oldest open transaction begins, if any.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Raises:
            UnknownTopicOrPartitionError, ...: From the first partition that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.list_offsets(
                self._native,
                wanted,
                isolation_level=isolation_level,
                timeout=timeout,
                return_exceptions=return_exceptions,
            )
        )

    async def describe_cluster(
        self,
        *,
        include_authorized_operations: bool = False,
        timeout: float | None = None,
    ) -> ClusterDescription:
        """Describes the cluster: its id, its brokers and its controller.

        Args:
            include_authorized_operations: Whether to tell the operations that this client is authorized for (KIP-430,
                Kafka 2.3 and newer).
            timeout: Seconds; None for `default_api_timeout_ms`.

        Raises:
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.describe_cluster(
                self._native, include_authorized_operations=include_authorized_operations, timeout=timeout
            )
        )

    async def find_coordinator(
        self, key: str, *, kind: Literal["group", "transaction"] = "group", timeout: float | None = None
    ) -> int:
        """Returns the id of the broker that coordinates a group, or the transactions of a producer.

        Args:
            key: The group's id or the transactional id; it need not be in use.
            kind: What `key` is.
            timeout: Seconds; None for `default_api_timeout_ms`.

        Raises:
            InvalidArgumentError: `kind` is something else.
            GroupAuthorizationFailedError, TransactionalIdAuthorizationFailedError: This client must not describe it.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(_calls.find_coordinator(self._native, key, kind=kind, timeout=timeout))

    @overload
    async def elect_leaders(
        self,
        election_type: Literal["preferred", "unclean"],
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[TopicPartition, None]: ...
    @overload
    async def elect_leaders(
        self,
        election_type: Literal["preferred", "unclean"],
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[TopicPartition, KafkaError | None]: ...
    async def elect_leaders(
        self,
        election_type: Literal["preferred", "unclean"],
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[TopicPartition, Any]:
        """Elects leaders of partitions (KIP-183, KIP-460; Kafka 2.2 and newer).

        Args:
            election_type: "preferred" makes the first replica of each the leader again; "unclean" (Kafka 2.4 and newer)
                makes any replica that is alive the leader of a partition that has none, which may lose records.
            partitions: The partitions; None for all, of which those that needed an election are returned.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Returns:
            None for each partition whose leader was elected; the failure in its place with `return_exceptions`.

        Raises:
            InvalidArgumentError: `election_type` is something else.
            ElectionNotNeededError, PreferredLeaderNotAvailableError, EligibleLeadersNotAvailableError, ...: From the
                first partition that failed; the first of these if the right replica leads already.
            ClusterAuthorizationFailedError: This client is not authorized for it.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _calls.elect_leaders(
                self._native, election_type, partitions, timeout=timeout, return_exceptions=return_exceptions
            )
        )

    @overload
    async def alter_partition_reassignments(
        self,
        wanted: Mapping[tuple[str, int], Iterable[int] | None],
        *,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[TopicPartition, None]: ...
    @overload
    async def alter_partition_reassignments(
        self,
        wanted: Mapping[tuple[str, int], Iterable[int] | None],
        *,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[TopicPartition, KafkaError | None]: ...
    async def alter_partition_reassignments(
        self,
        wanted: Mapping[tuple[str, int], Iterable[int] | None],
        *,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[TopicPartition, Any]:
        """Starts moves of replicas to other brokers, which go on after the call (KIP-455, Kafka 2.4 and newer).

        Args:
            wanted: For each partition the ids of the brokers that shall have its replicas, the preferred leader first;
                None cancels a move that is under way.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Returns:
            None for each partition; the failure in its place with `return_exceptions`.

        Raises:
            InvalidReplicaAssignmentError, NoReassignmentInProgressError, ...: From the first partition that failed.
            ClusterAuthorizationFailedError: This client is not authorized for it.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _replica_calls.alter_partition_reassignments(
                self._native, wanted, timeout=timeout, return_exceptions=return_exceptions
            )
        )

    async def list_partition_reassignments(
        self,
        partitions: Iterable[tuple[str, int]] | None = None,
        *,
        timeout: float | None = None,
    ) -> dict[TopicPartition, PartitionReassignment]:
        """Lists moves of replicas that are under way (KIP-455, Kafka 2.4 and newer).

        Args:
            partitions: The partitions to ask about; None for all. Those without a move are left out.
            timeout: Seconds; None for `default_api_timeout_ms`.

        Raises:
            ClusterAuthorizationFailedError: This client is not authorized for it.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(_replica_calls.list_partition_reassignments(self._native, partitions, timeout=timeout))

    @overload
    async def describe_log_dirs(
        self,
        brokers: Iterable[int] | None = None,
        *,
        partitions: Iterable[tuple[str, int]] | None = None,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[int, tuple[LogDirDescription, ...]]: ...
    @overload
    async def describe_log_dirs(
        self,
        brokers: Iterable[int] | None = None,
        *,
        partitions: Iterable[tuple[str, int]] | None = None,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[int, tuple[LogDirDescription, ...] | KafkaError]: ...
    async def describe_log_dirs(
        self,
        brokers: Iterable[int] | None = None,
        *,
        partitions: Iterable[tuple[str, int]] | None = None,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[int, Any]:
        """Describes the log directories of brokers, with the size of each replica (KIP-113, Kafka 2.0 and newer).

        Args:
            brokers: Ids of the brokers; None for all.
            partitions: The partitions whose replicas are described; None for all.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures of brokers are values of the result instead of being raised. The failure
                of a single log directory is in its `error`.

        Raises:
            ClusterAuthorizationFailedError: This client is not authorized for it.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time, or there is no such broker.
        """
        return await self._run(
            _replica_calls.describe_log_dirs(
                self._native, brokers, partitions, timeout=timeout, return_exceptions=return_exceptions
            )
        )

    async def list_transactions(
        self,
        *,
        states: Iterable[str] = (),
        producer_ids: Iterable[int] = (),
        open_longer_than_ms: int | None = None,
        pattern: str | None = None,
        timeout: float | None = None,
    ) -> list[TransactionListing]:
        """Lists transactions in the order of their transactional ids (KIP-664, Kafka 3.0 and newer).

        Args:
            states: Only those in these states, such as "Ongoing".
            producer_ids: Only those of these producers.
            open_longer_than_ms: Only those that have been open for longer, in milliseconds; Kafka 3.8 and newer.
            pattern: Only those whose transactional ids match this regular expression (RE2); Kafka 4.1 and newer.
            timeout: Seconds; None for `default_api_timeout_ms`.

        Raises:
            InvalidArgumentError: `open_longer_than_ms` is below 0.
            UnsupportedByBrokerError: The brokers are too old for what is asked.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _transaction_calls.list_transactions(
                self._native,
                states=states,
                producer_ids=producer_ids,
                open_longer_than_ms=open_longer_than_ms,
                pattern=pattern,
                timeout=timeout,
            )
        )

    @overload
    async def describe_transactions(
        self,
        transactional_ids: Iterable[str],
        *,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[str, TransactionDescription]: ...
    @overload
    async def describe_transactions(
        self, transactional_ids: Iterable[str], *, timeout: float | None = None, return_exceptions: bool
    ) -> dict[str, TransactionDescription | KafkaError]: ...
    async def describe_transactions(
        self, transactional_ids: Iterable[str], *, timeout: float | None = None, return_exceptions: bool = False
    ) -> dict[str, Any]:
        """Describes transactions as their coordinators see them (KIP-664, Kafka 3.0 and newer).

        Args:
            transactional_ids: The `transactional_id` of their producers.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Raises:
            TransactionalIdNotFoundError, TransactionalIdAuthorizationFailedError, ...: From the first that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _transaction_calls.describe_transactions(
                self._native, transactional_ids, timeout=timeout, return_exceptions=return_exceptions
            )
        )

    @overload
    async def describe_producers(
        self,
        partitions: Iterable[tuple[str, int]],
        *,
        broker: int | None = None,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[TopicPartition, tuple[ProducerState, ...]]: ...
    @overload
    async def describe_producers(
        self,
        partitions: Iterable[tuple[str, int]],
        *,
        broker: int | None = None,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[TopicPartition, tuple[ProducerState, ...] | KafkaError]: ...
    async def describe_producers(
        self,
        partitions: Iterable[tuple[str, int]],
        *,
        broker: int | None = None,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[TopicPartition, Any]:
        """Describes the idempotent producers of partitions, with their open transactions (KIP-664, Kafka 2.8 and
        newer).

        Args:
            partitions: The partitions.
            broker: Id of the broker to ask, which must have replicas of all of them; None asks each leader.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Raises:
            UnknownTopicOrPartitionError, TopicAuthorizationFailedError, ...: From the first partition that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _transaction_calls.describe_producers(
                self._native, partitions, broker=broker, timeout=timeout, return_exceptions=return_exceptions
            )
        )

    async def abort_transaction(
        self,
        partition: tuple[str, int],
        *,
        producer_id: int,
        producer_epoch: int,
        coordinator_epoch: int = -1,
        timeout: float | None = None,
    ) -> None:
        """Aborts a hanging transaction at one partition, without its coordinator (KIP-664).

        Args:
            partition: The partition; `describe_producers()` shows the transactions that are open there.
            producer_id: The id of the transaction's producer.
            producer_epoch: The epoch of that producer.
            coordinator_epoch: The epoch of the transaction's coordinator; brokers accept -1 in every case.
            timeout: Seconds; None for `default_api_timeout_ms`.

        Raises:
            InvalidProducerEpochError, TransactionCoordinatorFencedError, ...: An epoch is too old.
            ClusterAuthorizationFailedError: This client is not authorized for it.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _transaction_calls.abort_transaction(
                self._native,
                partition,
                producer_id=producer_id,
                producer_epoch=producer_epoch,
                coordinator_epoch=coordinator_epoch,
                timeout=timeout,
            )
        )

    async def describe_acls(
        self,
        of: AclBindingFilter | None = None,
        *,
        timeout: float | None = None,
    ) -> list[AclBinding]:
        """Returns the access control rules that match a filter.

        Args:
            of: The filter; None for all rules.
            timeout: Seconds; None for `default_api_timeout_ms`.

        Raises:
            InvalidArgumentError: A field of the filter has a name that Kafka does not have.
            SecurityDisabledError: The brokers have no authorizer.
            ClusterAuthorizationFailedError: This client must not describe them.
            InvalidRequestError: The brokers do not know a name in the filter.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(_security_calls.describe_acls(self._native, of, timeout=timeout))

    @overload
    async def create_acls(
        self, acls: Iterable[AclBinding], *, timeout: float | None = None, return_exceptions: Literal[False] = False
    ) -> dict[AclBinding, None]: ...
    @overload
    async def create_acls(
        self, acls: Iterable[AclBinding], *, timeout: float | None = None, return_exceptions: bool
    ) -> dict[AclBinding, KafkaError | None]: ...
    async def create_acls(
        self, acls: Iterable[AclBinding], *, timeout: float | None = None, return_exceptions: bool = False
    ) -> dict[AclBinding, Any]:
        """Adds access control rules; a rule that exists already stays as it is.

        Args:
            acls: The rules.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Returns:
            None for each rule; the failure in its place with `return_exceptions`.

        Raises:
            InvalidArgumentError: A field of a rule has a name that Kafka does not have.
            SecurityDisabledError, ClusterAuthorizationFailedError, InvalidRequestError, ...: From the first rule that
                failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _security_calls.create_acls(self._native, acls, timeout=timeout, return_exceptions=return_exceptions)
        )

    @overload
    async def delete_acls(
        self,
        filters: Iterable[AclBindingFilter],
        *,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[AclBindingFilter, dict[AclBinding, None]]: ...
    @overload
    async def delete_acls(
        self, filters: Iterable[AclBindingFilter], *, timeout: float | None = None, return_exceptions: bool
    ) -> dict[AclBindingFilter, dict[AclBinding, KafkaError | None] | KafkaError]: ...
    async def delete_acls(
        self, filters: Iterable[AclBindingFilter], *, timeout: float | None = None, return_exceptions: bool = False
    ) -> dict[AclBindingFilter, Any]:
        """Deletes the access control rules that match filters, and returns them for each filter.

        Args:
            filters: The filters of the rules to delete.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures, of filters and of single rules, are values of the result instead of
                being raised.

        Raises:
            InvalidArgumentError: A field of a filter has a name that Kafka does not have.
            SecurityDisabledError, ClusterAuthorizationFailedError, InvalidRequestError, ...: From the first filter or
                rule that failed.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _security_calls.delete_acls(self._native, filters, timeout=timeout, return_exceptions=return_exceptions)
        )

    @overload
    async def describe_user_scram_credentials(
        self,
        users: Iterable[str] | None = None,
        *,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[str, tuple[ScramCredentialInfo, ...]]: ...
    @overload
    async def describe_user_scram_credentials(
        self, users: Iterable[str] | None = None, *, timeout: float | None = None, return_exceptions: bool
    ) -> dict[str, tuple[ScramCredentialInfo, ...] | KafkaError]: ...
    async def describe_user_scram_credentials(
        self, users: Iterable[str] | None = None, *, timeout: float | None = None, return_exceptions: bool = False
    ) -> dict[str, Any]:
        """Describes the SCRAM credentials of users, without their passwords (KIP-554, Kafka 2.7 and newer).

        Args:
            users: Their names, without `User:`; None for every user that has any.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Raises:
            ResourceNotFoundError, ...: From the first user that failed; this one where a user has no credentials.
            ClusterAuthorizationFailedError: This client is not authorized for it.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _security_calls.describe_user_scram_credentials(
                self._native, users, timeout=timeout, return_exceptions=return_exceptions
            )
        )

    @overload
    async def alter_user_scram_credentials(
        self,
        alterations: Iterable[UserScramCredentialUpsertion | UserScramCredentialDeletion],
        *,
        timeout: float | None = None,
        return_exceptions: Literal[False] = False,
    ) -> dict[str, None]: ...
    @overload
    async def alter_user_scram_credentials(
        self,
        alterations: Iterable[UserScramCredentialUpsertion | UserScramCredentialDeletion],
        *,
        timeout: float | None = None,
        return_exceptions: bool,
    ) -> dict[str, KafkaError | None]: ...
    async def alter_user_scram_credentials(
        self,
        alterations: Iterable[UserScramCredentialUpsertion | UserScramCredentialDeletion],
        *,
        timeout: float | None = None,
        return_exceptions: bool = False,
    ) -> dict[str, Any]:
        """Creates, replaces and deletes SCRAM credentials (KIP-554, Kafka 2.7 and newer). Passwords are hashed here and
        not sent.

        Args:
            alterations: The changes; brokers take at most one for each user in a call.
            timeout: Seconds; None for `default_api_timeout_ms`.
            return_exceptions: Whether failures are values of the result instead of being raised.

        Returns:
            None for each user; the failure in its place with `return_exceptions`.

        Raises:
            InvalidArgumentError: A mechanism is unknown, a password empty, or a number of iterations below 1.
            UnacceptableCredentialError, ResourceNotFoundError, DuplicateResourceError, ...: From the first user that
                failed: too few or too many iterations, nothing to delete, named twice.
            ClusterAuthorizationFailedError: This client is not authorized for it.
            KafkaTimeoutError, BootstrapError: The cluster did not answer in time.
        """
        return await self._run(
            _security_calls.alter_user_scram_credentials(
                self._native, alterations, timeout=timeout, return_exceptions=return_exceptions
            )
        )

    @property
    def closed(self) -> bool:
        """True if `close()` was called."""
        return self._native.closed

    def metrics(self) -> AdminMetrics:
        """Returns what this `Admin` has counted since it was made: `client` has the counters of its connections.

        Returns:
            A dict of numbers; the cluster is not asked.
        """
        return self._native.metrics()

    async def close(self, timeout: float | None = None) -> None:
        """Closes every connection. Calls that wait end with `ClosedError`.

        Args:
            timeout: Longest wait in seconds for connections to close; `close_timeout_ms` by default.

        Raises:
            ValueError: `timeout` is negative.
        """
        await self._native.close(timeout).start()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        await self.close()

    async def _run(self, call: _calls.AdminCall[T]) -> T:
        return call.result(await call.request.start())
