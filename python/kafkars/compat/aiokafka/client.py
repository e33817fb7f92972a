"""aiokafka's low-level client (`aiokafka.client`), as far as programs use it: to fetch metadata of a cluster."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from kafkars import aio
from kafkars._discreet import discreet
from kafkars.compat._quiet import quiet
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka._connection import Connection, first_contact, or_no_contact
from kafkars.compat.aiokafka.abc import AbstractTokenProvider
from kafkars.compat.aiokafka.cluster import ClusterMetadata, KnownCluster
from kafkars.compat.aiokafka.errors import translated
from kafkars.compat.aiokafka.structs import BrokerMetadata, PartitionMetadata
from kafkars.compat.aiokafka.util import get_running_loop

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["AIOKafkaClient"]


class ConnectionGroup(IntEnum):
    """Purposes of connections; kafkars has its own."""

    DEFAULT = 0
    COORDINATION = 1


class CoordinationType(IntEnum):
    """Kinds of coordinators."""

    GROUP = 0
    TRANSACTION = 1


class AIOKafkaClient:
    """Fetches metadata of a cluster: `bootstrap()`, `cluster`, `fetch_all_metadata()`, `close()`.

    Requests of the application's own making (`send`, `ready`, `coordinator_lookup`) are not offered: the engine keeps
    its connections to itself.
    """

    @discreet
    def __init__(
        self,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
        bootstrap_servers: str | list[str] = "localhost",
        client_id: str = "aiokafka-0.14.0",
        metadata_max_age_ms: int = 300000,
        request_timeout_ms: int = 40000,
        retry_backoff_ms: int = 100,
        ssl_context: ssl.SSLContext | None = None,
        security_protocol: str = "PLAINTEXT",
        api_version: str | None = None,
        connections_max_idle_ms: int | None = 540000,
        sasl_mechanism: str = "PLAIN",
        sasl_plain_username: str | None = None,
        sasl_plain_password: str | None = None,
        sasl_kerberos_service_name: str = "kafka",
        sasl_kerberos_domain_name: str | None = None,
        sasl_oauth_token_provider: AbstractTokenProvider | None = None,
    ) -> None:
        self._loop = loop or get_running_loop()
        self._bootstrap_servers = bootstrap_servers
        """What was given; OpenTelemetry's instrumentation reads this and the next two attributes."""
        self._config: dict[str, Any] = Connection(
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
        self._admin: aio.Admin | None = None
        self._topics: set[str] = set()
        self.cluster = ClusterMetadata(
            bootstrap_servers=self._config["bootstrap_servers"],
            metadata_max_age_ms=metadata_max_age_ms,
            retry_backoff_ms=retry_backoff_ms,
        )

    @property
    def _client_id(self) -> str:
        return str(self._config["client_id"])

    async def _wait_on_metadata(self, topic: str) -> set[int]:
        """Returns the partitions of a topic, whose metadata is fetched if it is not known."""
        if self.cluster.partitions_for_topic(topic) is None:
            await self.fetch_all_metadata()
        return set(self.cluster.partitions_for_topic(topic) or ())

    @property
    def hosts(self) -> list[tuple[str, int]]:
        """The bootstrap addresses."""
        pairs = (address.rpartition(":") for address in self._config["bootstrap_servers"])
        return [(host.strip("[]"), int(port)) for host, _, port in pairs]

    async def bootstrap(self) -> None:
        """Connects and fetches metadata.

        Raises:
            KafkaConnectionError: No broker can be reached.
        """
        with translated():
            self._admin = quiet(aio.Admin(self._config))
        with first_contact(self._config):
            await or_no_contact(self._config, self.fetch_all_metadata())

    async def fetch_all_metadata(self) -> ClusterMetadata:
        """Fetches metadata of all brokers and topics."""
        if self._admin is None:
            raise errors.IllegalStateError("the client has no connection yet: await client.bootstrap() first")
        with translated():
            described = await self._admin.describe_cluster()
            topics = await self._admin.describe_topics()
        self.cluster.take(
            [
                PartitionMetadata(
                    topic.name,
                    partition.partition,
                    -1 if partition.leader is None else partition.leader,
                    list(partition.replicas),
                    list(partition.in_sync_replicas),
                    None,
                )
                for topic in topics.values()
                for partition in topic.partitions
            ],
            [BrokerMetadata(node.id, node.host, node.port, node.rack) for node in described.brokers],
        )
        return self.cluster

    async def force_metadata_update(self) -> bool:
        """Fetches metadata again."""
        await self.fetch_all_metadata()
        return True

    async def add_topic(self, topic: str | None) -> bool:
        """Fetches metadata, here of all topics; with None it does nothing."""
        if topic is None:
            return False
        self._topics.add(topic)
        return await self.force_metadata_update()

    async def set_topics(self, topics: Iterable[str]) -> bool:
        """Fetches metadata, here of all topics.

        Raises:
            AssertionError: A single name is given instead of a list.
        """
        if isinstance(topics, str):
            raise AssertionError("topics: expected a list of names, not one name")  # noqa: TRY004  as in aiokafka
        self._topics = set(topics)
        return await self.force_metadata_update()

    def get_random_node(self) -> int | str | None:
        """Returns the id of any broker; None if none is known."""
        nodes = [broker.nodeId for broker in self.cluster.brokers()]
        import random  # noqa: PLC0415  only here

        return random.choice(nodes) if nodes else None  # noqa: S311  spreads load, protects nothing

    async def ready(self, node_id: int, *, group: ConnectionGroup = ConnectionGroup.DEFAULT) -> bool:
        """Not offered."""
        raise refused(f"ready({node_id}, group={group!r})")

    async def send(self, node_id: int, request: object, *, group: ConnectionGroup = ConnectionGroup.DEFAULT) -> object:
        """Sends one of the requests that `aiokafka.protocol` has here; others are not offered."""
        ask = getattr(request, "ask", None)
        if ask is None:
            raise refused(f"send({node_id}, {request!r}, group={group!r})")
        if self._admin is None:
            raise errors.IllegalStateError("the client has no connection yet: await client.bootstrap() first")
        with translated():
            return await ask(self._admin)

    async def coordinator_lookup(self, coordinator_type: CoordinationType, coordinator_key: str) -> int:
        """Not offered."""
        raise refused(f"coordinator_lookup({coordinator_type!r}, {coordinator_key!r})")

    async def close(self) -> None:
        """Closes the connections. Calling it again does nothing."""
        admin, self._admin = self._admin, None
        if admin is not None:
            await admin.close()

    async def __aenter__(self) -> Self:
        await self.bootstrap()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()


class EngineClient(AIOKafkaClient):
    """The `client` of consumers and producers: it fetches metadata of the same cluster by a connection of its own.

    It connects when it is first used, and is closed with its owner.
    """

    def __init__(
        self,
        bootstrap_servers: str | list[str],
        config: dict[str, Any],
        known: Callable[[str], Iterable[int] | None],
    ) -> None:
        """Made by consumers and producers, with what they were given and the topics that they know."""
        self._bootstrap_servers = bootstrap_servers
        self._config = {name: value for name, value in config.items() if name in SHARED or name.startswith(SECURITY)}
        self._admin = None
        self._topics = set()
        self.cluster = KnownCluster(known, **{name: self._config[name] for name in SHARED if name in self._config})

    async def bootstrap(self) -> None:
        """Connects, unless it is connected."""
        if self._admin is None:
            with translated():
                self._admin = quiet(aio.Admin(self._config))

    async def fetch_all_metadata(self) -> ClusterMetadata:
        """Fetches metadata of all brokers and topics."""
        await self.bootstrap()
        return await super().fetch_all_metadata()

    async def send(self, node_id: int, request: object, *, group: ConnectionGroup = ConnectionGroup.DEFAULT) -> object:
        """Sends one of the requests that `aiokafka.protocol` has here; others are not offered."""
        await self.bootstrap()
        return await super().send(node_id, request, group=group)


# The settings that the administration client has, too.
SHARED = (
    "bootstrap_servers",
    "client_id",
    "metadata_max_age_ms",
    "request_timeout_ms",
    "retry_backoff_ms",
    "retry_backoff_max_ms",
    "connections_max_idle_ms",
)
SECURITY = ("security_", "ssl_", "sasl_")


def refused(call: str) -> NotImplementedError:
    """Returns the error for requests of the application's own making."""
    return NotImplementedError(
        f"AIOKafkaClient.{call} is not offered: kafkars keeps its connections to itself; use AIOKafkaAdminClient, "
        "AIOKafkaConsumer or AIOKafkaProducer for what the request is to do"
    )
