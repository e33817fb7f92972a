"""`AIOKafkaConsumer` on kafkars (`aiokafka.consumer.consumer`)."""

from __future__ import annotations

import asyncio
import logging
import ssl
import warnings
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from kafkars import _kafkars, aio
from kafkars._discreet import discreet
from kafkars.compat._quiet import quiet
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka._connection import check_loop, first_contact, warn_of_loop
from kafkars.compat.aiokafka._coroutine_methods import native
from kafkars.compat.aiokafka._hints import Self
from kafkars.compat.aiokafka._parts import of_parts
from kafkars.compat.aiokafka.abc import AbstractTokenProvider
from kafkars.compat.aiokafka.client import EngineClient
from kafkars.compat.aiokafka.consumer import _membership
from kafkars.compat.aiokafka.consumer._commits import Commits
from kafkars.compat.aiokafka.consumer._lookups import Lookups
from kafkars.compat.aiokafka.consumer._membership import Membership, SubscriptionRequest
from kafkars.compat.aiokafka.consumer._positions import Positioning, is_count
from kafkars.compat.aiokafka.consumer._settings import connection_of, engine_settings, kept, warn_of_reset
from kafkars.compat.aiokafka.consumer._standing import Fetched, Standing
from kafkars.compat.aiokafka.consumer._state import ConsumerState
from kafkars.compat.aiokafka.consumer._subscribing import Subscribing
from kafkars.compat.aiokafka.consumer.fetcher import Fetcher
from kafkars.compat.aiokafka.consumer.group_coordinator import GroupCoordinator
from kafkars.compat.aiokafka.coordinator._adapter import strategy
from kafkars.compat.aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafkars.compat.aiokafka.errors import translated
from kafkars.compat.aiokafka.structs import ConsumerRecord, TopicPartition
from kafkars.compat.aiokafka.util import get_running_loop
from kafkars.config.checks import shown

__all__ = ["AIOKafkaConsumer"]

log = logging.getLogger("aiokafka.consumer.group_coordinator")

ISOLATION_LEVELS = ("read_uncommitted", "read_committed")


@of_parts(Subscribing, Positioning, Lookups, ConsumerState)
class AIOKafkaConsumer(Subscribing, Positioning, Lookups):
    """Reads topics, without or as a member of a group.

    To be made in a coroutine, started before use and stopped at the end, or used in `async with`. Settings are
    aiokafka's; `check_crcs`, `consumer_timeout_ms`, `rebalance_timeout_ms` and `api_version` are accepted and change
    nothing: checksums are always looked at, nothing is polled, and a rebalance waits for `max_poll_interval_ms`.

    Args:
        *topics: Topics to subscribe to; none leaves that to `subscribe()` or `assign()`.

    Raises:
        RuntimeError: No event loop runs.
        ValueError: A setting makes no sense.
    """

    _source_traceback = None
    _auto_offset_reset: object
    _exclude_internal_topics: bool
    _isolation_level: str
    _max_poll_records: int | None

    @discreet
    def __init__(
        self,
        *topics: str,
        loop: asyncio.AbstractEventLoop | None = None,
        bootstrap_servers: str | list[str] = "localhost",
        client_id: str = "aiokafka-0.14.0",
        group_id: str | None = None,
        group_instance_id: str | None = None,
        key_deserializer: Callable[[Any], Any] | None = None,
        value_deserializer: Callable[[Any], Any] | None = None,
        fetch_max_wait_ms: int = 500,
        fetch_max_bytes: int = 52428800,
        fetch_min_bytes: int = 1,
        max_partition_fetch_bytes: int = 1 * 1024 * 1024,
        request_timeout_ms: int = 40 * 1000,
        retry_backoff_ms: int = 100,
        auto_offset_reset: str = "latest",
        enable_auto_commit: bool = True,
        auto_commit_interval_ms: int = 5000,
        check_crcs: bool = True,
        metadata_max_age_ms: int = 5 * 60 * 1000,
        partition_assignment_strategy: Iterable[Any] = (RoundRobinPartitionAssignor,),
        max_poll_interval_ms: int = 300000,
        rebalance_timeout_ms: int | None = None,
        session_timeout_ms: int = 10000,
        heartbeat_interval_ms: int = 3000,
        consumer_timeout_ms: int = 200,
        max_poll_records: int | None = None,
        ssl_context: ssl.SSLContext | None = None,
        security_protocol: str = "PLAINTEXT",
        api_version: str | None = None,
        exclude_internal_topics: bool = True,
        connections_max_idle_ms: int | None = 540000,
        isolation_level: str = "read_uncommitted",
        sasl_mechanism: str = "PLAIN",
        sasl_plain_password: str | None = None,
        sasl_plain_username: str | None = None,
        sasl_kerberos_service_name: str = "kafka",
        sasl_kerberos_domain_name: str | None = None,
        sasl_oauth_token_provider: AbstractTokenProvider | None = None,
        client_rack: str | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in {"self", "topics"}}
        warn_of_loop(loop)
        connection = connection_of(given)
        self._loop = loop or get_running_loop()
        if max_poll_records is not None and not is_count(max_poll_records):
            raise ValueError(f"max_poll_records: expected a positive integer, not {shown(max_poll_records)}")
        self._deserializers_ = (key_deserializer, value_deserializer)
        self._assignors_ = strategy(partition_assignment_strategy)
        self._config_ = {**connection.settings(), **engine_settings(given, self._assignors_)}
        vars(self).update(kept(given))
        self._engine_ = None
        self._membership_ = None
        self._tasks_ = set()
        self._watching_ = []
        self._leaving_ = None
        self._requested_ = SubscriptionRequest(topics) if topics else None
        self._paused_before_start_ = set()
        self._last_ = Standing()
        self._closed = False
        # Private attributes of aiokafka that frameworks use.
        self._coordinator = GroupCoordinator.of(self)
        self._fetcher = Fetcher(self)
        self._subscription = self._fetcher._subscriptions
        self._commits_ = Commits(session_timeout_ms / 1000)
        self._client = EngineClient(bootstrap_servers, self._config_, weakref.ref(self))

    def __del__(self, _warnings: Any = warnings) -> None:
        if self._closed is not False:
            return
        if not self._loop.is_closed():
            for task in self._tasks_:
                task.cancel()
        _warnings.warn(f"Unclosed AIOKafkaConsumer {self!r}", ResourceWarning, stacklevel=2, source=self)
        self._loop.call_exception_handler({"consumer": self, "message": "Unclosed AIOKafkaConsumer"})

    # Life

    async def start(self) -> None:
        """Connects and, if there is a subscription, waits until partitions are assigned.

        Where no broker could be reached or a topic did not come, and where the call was cancelled before, it can be
        made again.

        Raises:
            KafkaConnectionError: No broker can be reached.
            UnknownTopicOrPartitionError: There is no such topic within `request_timeout_ms`.
            ValueError: A setting makes no sense.
        """
        check_loop(self._loop)
        if self._membership_ is not None or self._closed:
            raise AssertionError("start() was called before, or stop()")
        if self._isolation_level not in ISOLATION_LEVELS:
            raise ValueError(f"Incorrect isolation level {self._isolation_level}")
        try:
            engine = await self._connected_()
            # Where it was stopped meanwhile nobody would end the wait for partitions.
            if not self._closed:
                await self._start_(engine)
        except errors.ProducerClosed:
            # As in aiokafka, who stops a consumer that is being started hears of no error.
            if not self._closed:
                raise

    async def _connected_(self) -> aio.Consumer[Any, Any]:
        """Returns the inner consumer once it has reached the cluster, and its topics are there."""
        # A connection may be there at once, and a start() beside this one has begun by then.
        await asyncio.sleep(0)
        engine = self._engine_
        if engine is None:
            with translated():
                engine = quiet(aio.Consumer(self._config_))
            self._engine_ = engine
        # Not by the consumer's own reads: where this fails, they fail as before start().
        contact = _kafkars.AiokafkaReader()
        contact._open(engine, None, None, None)
        with first_contact(self._config_):
            await contact._reach(self._request_timeout_ms / 1000)
        if self._requested_ is not None:
            with translated():
                await _membership.know(engine, self._requested_.topics)
        return engine

    async def _start_(self, engine: aio.Consumer[Any, Any]) -> None:
        """Reads with the inner consumer from now on, and waits for partitions."""
        # Two calls of start() may get here.
        if self._membership_ is None:
            _kafkars.AiokafkaReader._open(self, engine, *self._deserializers_, self._max_poll_records)
            self._membership_ = Membership(self, engine, has_group=self._group_id is not None)
            warn_of_reset(self._auto_offset_reset)
            self._membership_.assignors = tuple(each for each in self._assignors_ if not isinstance(each, str))
            self._watching_ = [
                self._spawn_(_membership.serve(weakref.ref(self))),
                self._spawn_(
                    _membership.watch(weakref.ref(self._membership_), self._config_["metadata_max_age_ms"] / 1000)
                ),
            ]
        if self._requested_ is not None:
            with translated():
                await self._membership_.begin(self)

    async def stop(self) -> None:
        """Commits what was read, where that is automatic, leaves the group and closes. Calling it again does
        nothing.
        """
        if self._closed:
            return
        self._last_ = self._standing_()
        self._closed = True
        _kafkars.AiokafkaReader._shut(self)
        if self._engine_ is None:
            return
        if self._membership_ is not None:
            self._membership_.stop()
        try:
            # As in aiokafka, a commit that a task was made for before is still made.
            await asyncio.sleep(0)
            await self._last_.note_positions(self._engine_)
            await self._client.close()
            await self._commit_last_(self._engine_)
            await self._end_()
        except Exception as error:  # noqa: BLE001  a stop that raises ends the shutdown of other clients
            # So is what was kept for a read.
            log_failure(error)
        finally:
            # If it was cancelled, this ends the client at once; after an orderly close it does nothing.
            self._engine_.close(0).cancel()
            tasks = [task for task in self._tasks_ if task is not asyncio.current_task()]
            # The others end with the client, or with the listener that they run.
            for task in self._watching_:
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _commit_last_(self, engine: aio.Consumer[Any, Any]) -> None:
        """Commits what was read, where that is automatic. Nothing else is then committed: a program, or tracing, that
        has put something in the place of the coordinator's method decides.
        """
        subscription = self._subscription.subscription
        if not self._config_.get("enable_auto_commit") or not self._last_.assignment or subscription is None:
            return
        try:
            await self._coordinator.commit_offsets(subscription.assignment, self._positions_(self._end_))
        except Exception as error:  # noqa: BLE001  the group is left all the same
            log_failure(error)
        engine._end_automatic_commits()

    async def _end_(self, _: object = None) -> None:
        """Makes the last commit, leaves the group and closes."""
        if self._engine_ is not None:
            await self._engine_.close(self._request_timeout_ms / 1000)

    def _standing_(self) -> Standing:
        """Returns what is known without asking anybody."""
        between = self._between_()
        if between is not None:
            return between
        assignment = self._assignment_()
        if self._is_to_start_():
            return Standing(assignment, set(self._paused_before_start_))
        fetched: dict[TopicPartition, Fetched | None] = {}
        for partition in assignment:
            # The group may take it meanwhile.
            with suppress(errors.IllegalStateError):
                fetched[partition] = self._told_by_fetch_(partition)
        return Standing(assignment, self._paused_(), fetched, self._read_to_())

    async def __aenter__(self) -> Self:
        try:
            await self.start()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.stop()

    # Reads

    @native(_kafkars.AiokafkaReader.getone)
    async def getone(self, *partitions: TopicPartition) -> Any:
        """Returns the next `ConsumerRecord`, however long it takes; of these partitions where any are named.

        Raises:
            ConsumerStoppedError: The consumer was stopped, before or meanwhile.
            KafkaError: What the group, a broker or a position has failed with.
        """
        return await super().getone(*partitions)

    @native(_kafkars.AiokafkaReader.getmany)
    async def getmany(
        self, *partitions: TopicPartition, timeout_ms: float = 0, max_records: int | None = None
    ) -> dict[TopicPartition, list[Any]]:
        """Returns what is ready, as `{partition: [ConsumerRecord]}`; of these partitions where any are named.

        Args:
            *partitions: None named: all that are assigned.
            timeout_ms: How long to wait where nothing is ready, in milliseconds. After that the answer is empty.
            max_records: At most so many records in all; None takes `max_poll_records`.

        Raises:
            ConsumerStoppedError: The consumer was stopped.
            ValueError: `max_records` is no positive whole number.
            KafkaError: What the group, a broker or a position has failed with.
        """
        return await super().getmany(*partitions, timeout_ms=timeout_ms, max_records=max_records)

    if TYPE_CHECKING:
        # By the name that programs write in their annotations.
        def __anext__(self) -> aio.Call[ConsumerRecord[Any, Any]]:  # type: ignore[override]
            """Returns the next record, as `getone()`."""


def log_failure(error: Exception) -> None:
    """Says that the last commit has failed: as in aiokafka, that is only logged."""
    log.error("the last commit failed: %s", error)


async def next_by_getone(consumer: AIOKafkaConsumer) -> Any:
    """Returns the next record of a loop over a consumer whose `getone()` is not the native one. As in aiokafka, it
    calls that, and ends where the consumer is stopped.
    """
    try:
        return await consumer.getone()
    except errors.ConsumerStoppedError:
        raise StopAsyncIteration from None
