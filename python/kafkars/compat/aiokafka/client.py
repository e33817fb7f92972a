"""aiokafka's low-level client (`aiokafka.client`), as far as programs use it: to fetch metadata of a cluster."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import time
import weakref
from collections.abc import Iterable
from enum import IntEnum
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from kafkars import aio
from kafkars._discreet import discreet
from kafkars.compat._quiet import quiet
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka._connection import Connection, check_loop, first_contact
from kafkars.compat.aiokafka._hints import Self
from kafkars.compat.aiokafka.abc import AbstractTokenProvider
from kafkars.compat.aiokafka.cluster import ClusterMetadata, KnownCluster, Snapshot
from kafkars.compat.aiokafka.conn import collect_hosts
from kafkars.compat.aiokafka.errors import translated
from kafkars.compat.aiokafka.structs import BrokerMetadata, PartitionMetadata
from kafkars.compat.aiokafka.util import get_running_loop

if TYPE_CHECKING:
    from kafkars import _kafkars
    from kafkars.compat.aiokafka.admin.client import AIOKafkaAdminClient
    from kafkars.types import PartitionInfo

__all__ = ["AIOKafkaClient"]

log = logging.getLogger("aiokafka")


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

    Requests of the application's own making (`send`) are not offered: the engine keeps its connections to itself.
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
        self._config_: dict[str, Any] = Connection(
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
        self._admin_: aio.Admin | None = None
        self._begin_()

    def _begin_(self) -> None:
        self._topics: set[Any] = set()
        self._closed_ = False
        self._update_: asyncio.Task[bool] | None = None
        # As in aiokafka it has no brokers before there are real ones.
        self.cluster = KnownCluster(weakref.ref(self), metadata_max_age_ms=self._config_["metadata_max_age_ms"])

    def __repr__(self) -> str:
        return f"<AIOKafkaClient client_id={self._client_id}>"

    @property
    def _client_id(self) -> str:
        return str(self._config_["client_id"])

    @property
    def hosts(self) -> list[tuple[str, int, socket.AddressFamily]]:
        """The bootstrap addresses with their families, in any order."""
        return collect_hosts(self._config_["bootstrap_servers"])

    # Life

    async def bootstrap(self) -> None:
        """Connects and fetches metadata of the brokers.

        Raises:
            KafkaConnectionError: No broker can be reached.
        """
        check_loop(self._loop)
        if self._admin_ is None:
            with translated():
                self._admin_ = quiet(aio.Admin(self._config_))
            self._closed_ = False
        try:
            with first_contact(self._config_), translated():
                await self._connected_().refresh([], self._seconds_())
        except errors.KafkaError:
            # As in aiokafka where brokers can be reached, who closes a client that is being started hears of no error.
            if not self._closed_:
                raise

    async def close(self) -> None:
        """Closes the connections. Calling it again does nothing."""
        self._closed_ = True
        if self._update_ is not None:
            self._update_.cancel()
            await asyncio.wait([self._update_])
        admin, self._admin_ = self._admin_, None
        if admin is not None:
            await admin.close()

    async def __aenter__(self) -> Self:
        await self.bootstrap()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()

    # Metadata

    async def fetch_all_metadata(self) -> ClusterMetadata:
        """Fetches metadata of all brokers and topics, which `cluster` does not take over."""
        made = ClusterMetadata(metadata_max_age_ms=self._config_["metadata_max_age_ms"])
        made.take(await self._everything_())
        return made

    def force_metadata_update(self) -> asyncio.Future[bool]:
        """Begins to fetch metadata of the topics in use, or of all if there are none.

        Returns:
            A future of True, or of False if no broker has answered.

        Raises:
            IllegalStateError: The client is not connected.
        """
        self._connected_()
        if self._update_ is None or self._update_.done():
            self._update_ = asyncio.get_running_loop().create_task(self._updated_())
        return answered(self._update_)

    def add_topic(self, topic: str | None) -> asyncio.Future[bool]:
        """Takes a topic into use, and begins to fetch its metadata, which may create it. With None it does nothing.

        Returns:
            As `force_metadata_update()`; a future of True for a topic in use.
        """
        if topic is None or topic in self._topics:
            return done(topic is not None)
        self._topics = self._topics | {topic}
        return self.force_metadata_update()

    def set_topics(self, topics: Iterable[str]) -> asyncio.Future[bool]:
        """Takes these topics into use in place of others, and begins to fetch their metadata, which may create them.

        Returns:
            As `force_metadata_update()`; a future of True if all of them are in use.

        Raises:
            AssertionError: A single name is given instead of a list.
        """
        if isinstance(topics, str):
            raise AssertionError("topics: expected a list of names, not one name")  # noqa: TRY004  as in aiokafka
        wanted = set(topics)
        is_new = not wanted or not wanted <= self._topics
        self._leave_(self._topics - wanted)
        self._topics = wanted
        return self.force_metadata_update() if is_new else done(True)

    async def _wait_on_metadata(self, topic: str) -> set[int]:
        """Returns the partitions of a topic, whose metadata is fetched if it is not known.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic within `request_timeout_ms`.
            TopicAuthorizationFailedError: This client may not describe it.
        """
        deadline = time.monotonic() + self._seconds_()
        while (known := self.cluster.partitions_for_topic(topic)) is None:
            if topic in self.cluster.unauthorized_topics:
                raise errors.TopicAuthorizationFailedError(topic)
            if time.monotonic() > deadline:
                raise errors.UnknownTopicOrPartitionError
            self._topics = self._topics | {topic}
            # Brokers are asked at the pace of the engine.
            await self.force_metadata_update()
        return known

    async def _updated_(self) -> bool:
        """Fetches metadata, once more if other topics are in use by then."""
        while True:
            topics = self._topics
            try:
                with translated():
                    await self._refresh_(topics)
            except errors.KafkaError as problem:
                log.error("Unable to update metadata: %s", problem)  # noqa: TRY400  the cause is in the text
                return False
            if topics == self._topics:
                self.cluster.tell()
                return True

    async def _refresh_(self, topics: set[Any]) -> None:
        # No topic has a name that is no text.
        names = sorted(topic for topic in topics if isinstance(topic, str))
        await self._connected_().refresh(names, self._seconds_())
        is_of_all = not topics and not self._has_others_()
        self.cluster.take_all((await self._everything_()).partitions if is_of_all else {})

    def _leave_(self, topics: set[Any]) -> None:
        """Takes topics out of use."""
        handle = self._handle_()
        if handle is not None:
            handle.forget([topic for topic in topics if isinstance(topic, str)])

    def _has_others_(self) -> bool:
        """True if topics are in use that nobody has named to this client."""
        return False

    async def _everything_(self) -> Snapshot:
        admin = self._administrator_()
        with translated():
            described = await admin.describe_cluster(timeout=self._seconds_())
            topics = await admin.describe_topics(timeout=self._seconds_())
        brokers: dict[int | str, BrokerMetadata] = {
            node.id: BrokerMetadata(node.id, node.host, node.port, node.rack) for node in described.brokers
        }
        return Snapshot(
            brokers,
            {
                topic.name: {part.partition: metadata(topic.name, part) for part in topic.partitions}
                for topic in topics.values()
            },
            None if described.controller is None else brokers.get(described.controller),
            frozenset(topic.name for topic in topics.values() if topic.is_internal),
        )

    # Brokers

    def get_random_node(self) -> int | str | None:
        """Returns the id of any broker; None if none is known."""
        import random  # noqa: PLC0415  only here

        nodes = [broker.nodeId for broker in self.cluster.brokers()]
        return random.choice(nodes) if nodes else None  # noqa: S311  spreads load, protects nothing

    async def ready(self, node_id: int, *, group: ConnectionGroup = ConnectionGroup.DEFAULT) -> bool:
        """Connects to a broker, and returns False if that is not possible or there is no such broker."""
        del group
        handle = self._handle_()
        if handle is None or not isinstance(node_id, int):
            return False
        try:
            with translated():
                await handle.connect(node_id, self._seconds_())
        except errors.KafkaError as problem:
            log.error("Unable to connect to node %s: %s", node_id, problem)  # noqa: TRY400  the cause is in the text
            return False
        return True

    async def send(self, node_id: int, request: object, *, group: ConnectionGroup = ConnectionGroup.DEFAULT) -> object:
        """Sends one of the requests that `aiokafka.protocol` has here; others are not offered.

        Raises:
            NodeNotReadyError: The broker cannot be connected to, or there is no such broker.
        """
        admin = self._administrator_()
        if not await self.ready(node_id, group=group):
            raise errors.NodeNotReadyError(f"broker {node_id!r} cannot be connected to, or there is no such broker")
        ask = getattr(request, "ask", None)
        if ask is None:
            raise refused(f"send({node_id}, {request!r}, group={group!r})")
        with translated():
            return await ask(admin)

    async def coordinator_lookup(self, coordinator_type: CoordinationType, coordinator_key: str) -> int:
        """Returns the id of the broker that coordinates a group, or the transactions of a producer."""
        kind: Literal["group", "transaction"] = "group" if coordinator_type == CoordinationType.GROUP else "transaction"
        with translated():
            return await self._administrator_().find_coordinator(coordinator_key, kind=kind)

    # Within

    def _handle_(self) -> _kafkars.ClientHandle | None:
        return None if self._admin_ is None else self._admin_._native._handle()

    def _administrator_(self) -> aio.Admin:
        if self._admin_ is None:
            raise not_connected()
        return self._admin_

    def _connected_(self) -> _kafkars.ClientHandle:
        handle = self._handle_()
        if handle is None:
            raise not_connected()
        return handle

    def _seconds_(self) -> float:
        return float(self._config_["request_timeout_ms"]) / 1000


class EngineClient(AIOKafkaClient):
    """The `client` of consumers and producers: it tells what their engine knows, and shares its connections.

    What the engine does not do it asks by an administrator of its own, which connects when it is first used and is
    closed with the owner.

    Args:
        config: The engine's settings.
        owner: A consumer or producer, which has an `_engine_` once it has started.
    """

    def __init__(self, bootstrap_servers: str | list[str], config: dict[str, Any], owner: weakref.ref[Any]) -> None:
        """Made by consumers and producers, with what they were given."""
        self._bootstrap_servers = bootstrap_servers
        self._config_ = {name: value for name, value in config.items() if name in SHARED or name.startswith(SECURITY)}
        self._owner = owner
        self._engine_handle: _kafkars.ClientHandle | None = None
        self._admin_ = None
        self._begin_()

    async def bootstrap(self) -> None:
        """Fetches metadata of the brokers; the owner connects."""
        with translated():
            await self._connected_().refresh([], self._seconds_())

    def _leave_(self, topics: set[Any]) -> None:
        """Does nothing: the owner may use them."""

    def _has_others_(self) -> bool:
        return self.cluster.used()

    def _administrator_(self) -> aio.Admin:
        if self._closed_:
            raise not_connected()
        if self._admin_ is None:
            with translated():
                self._admin_ = quiet(aio.Admin(self._config_))
        return self._admin_

    def _handle_(self) -> _kafkars.ClientHandle | None:
        if self._engine_handle is None:
            engine = getattr(self._owner(), "_engine_", None)
            self._engine_handle = None if engine is None else engine._handle()
        return self._engine_handle

    def _connected_(self) -> _kafkars.ClientHandle:
        if self._closed_:
            raise not_connected()
        return super()._connected_()


class AdministratorClient(AIOKafkaClient):
    """The `_client` of an administrator: it tells what that knows, and asks by it.

    Args:
        config: The administrator's settings.
        owner: An `AIOKafkaAdminClient`.
    """

    def __init__(self, config: dict[str, Any], owner: weakref.ref[AIOKafkaAdminClient]) -> None:
        self._config_ = config
        self._owner = owner
        self._begin_()

    async def bootstrap(self) -> None:
        """Fetches metadata of the brokers; the owner connects."""
        with translated():
            await self._connected_().refresh([], self._seconds_())

    async def close(self) -> None:
        """Closes the administrator. Calling it again does nothing."""
        owner = self._owner()
        if owner is not None:
            await owner.close()

    def _administrator_(self) -> aio.Admin:
        owner = self._owner()
        if owner is None or owner._admin_.closed:
            raise not_connected()
        return owner._admin_

    def _handle_(self) -> _kafkars.ClientHandle | None:
        owner = self._owner()
        return None if owner is None or owner._admin_.closed else owner._admin_._native._handle()


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


def metadata(topic: str, partition: PartitionInfo) -> PartitionMetadata:
    """Returns a partition as an administrator describes it."""
    leader = -1 if partition.leader is None else partition.leader
    replicas, in_sync = list(partition.replicas), list(partition.in_sync_replicas)
    return PartitionMetadata(topic, partition.partition, leader, replicas, in_sync, 0)


def done(outcome: bool) -> asyncio.Future[bool]:
    """Returns a future that has ended."""
    future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
    future.set_result(outcome)
    return future


def answered(task: asyncio.Task[bool]) -> asyncio.Future[bool]:
    """Returns a future of what a task answers, which outlives it: nothing cancels the task, and of one that is
    cancelled, because the client is closed, maybe before its first step, the answer is False.
    """
    future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def answer(ended: asyncio.Task[bool]) -> None:
        error = None if ended.cancelled() else ended.exception()
        if future.done():
            return
        if error is None:
            future.set_result(not ended.cancelled() and ended.result())
        else:
            future.set_exception(error)

    task.add_done_callback(answer)
    return future


def not_connected() -> errors.IllegalStateError:
    """Returns the error of a client that has no connection."""
    return errors.IllegalStateError("the client has no connection: await client.bootstrap() first")


def refused(call: str) -> NotImplementedError:
    """Returns the error for requests of the application's own making."""
    return NotImplementedError(
        f"AIOKafkaClient.{call} is not offered: kafkars keeps its connections to itself; use AIOKafkaAdminClient, "
        "AIOKafkaConsumer or AIOKafkaProducer for what the request is to do"
    )
