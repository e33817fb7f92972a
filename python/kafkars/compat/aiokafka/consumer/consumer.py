"""`AIOKafkaConsumer` on kafkars (`aiokafka.consumer.consumer`)."""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
import time
import warnings
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kafkars import _kafkars, aio
from kafkars._discreet import discreet
from kafkars._times import Milliseconds
from kafkars.compat._quiet import quiet
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka._connection import Connection, first_contact, warn_of_loop
from kafkars.compat.aiokafka._coroutine_methods import native
from kafkars.compat.aiokafka.abc import AbstractTokenProvider, ConsumerRebalanceListener
from kafkars.compat.aiokafka.client import EngineClient
from kafkars.compat.aiokafka.consumer import _membership
from kafkars.compat.aiokafka.consumer._commits import Commits, Positions
from kafkars.compat.aiokafka.consumer._membership import Membership, SubscriptionRequest
from kafkars.compat.aiokafka.consumer._standing import Fetched, Standing
from kafkars.compat.aiokafka.consumer.fetcher import AssignedPartitions, Fetcher
from kafkars.compat.aiokafka.consumer.group_coordinator import GroupCoordinator
from kafkars.compat.aiokafka.coordinator._adapter import strategy
from kafkars.compat.aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafkars.compat.aiokafka.errors import translated
from kafkars.compat.aiokafka.structs import OffsetAndMetadata, OffsetAndTimestamp, TopicPartition
from kafkars.compat.aiokafka.util import commit_structure_validate, get_running_loop
from kafkars.config.checks import shown
from kafkars.errors import ClosedError, InvalidArgumentError, NotAssignedError, UnsupportedForMessageFormatError
from kafkars.errors import KafkaError as EngineError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["AIOKafkaConsumer"]

log = logging.getLogger("aiokafka.consumer.group_coordinator")


ISOLATION_LEVELS = ("read_uncommitted", "read_committed")

LONGEST = 10 * 365 * 86_400.0
"""Seconds that stand for no time limit."""

LARGEST = 2**63 - 1
"""The largest offset, and the largest timestamp in milliseconds."""


class SubscriptionError(TypeError, ValueError):
    """An error of both classes: aiokafka documents one and raises the other."""


class NothingAssignedError(errors.IllegalStateError, AssertionError):
    """An error of both classes: aiokafka documents one and raises the other."""


class StoppedWithoutAssignmentError(errors.ConsumerStoppedError, errors.IllegalStateError):
    """What a stopped consumer has assigned is nothing, which is what aiokafka says of its commits."""


class AIOKafkaConsumer(_kafkars.AiokafkaReader):
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

    _closed: bool | None = None
    _source_traceback = None

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
        warn_of_loop(loop)
        connection = Connection(
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
        )
        self._loop = loop or get_running_loop()
        if max_poll_records is not None and not is_count(max_poll_records):
            raise ValueError(f"max_poll_records: expected a positive integer, not {shown(max_poll_records)}")
        self._deserializers = (key_deserializer, value_deserializer)
        self._max_poll_records = max_poll_records
        self._exclude_internal_topics = exclude_internal_topics
        self._request_timeout_ms = request_timeout_ms
        self._metadata_max_age_ms = metadata_max_age_ms
        self._isolation_level = isolation_level
        self._group_id = group_id or None
        self._assignors = strategy(partition_assignment_strategy)
        self._config: dict[str, Any] = {
            **connection.settings(),
            "auto_offset_reset": reset_of(auto_offset_reset),
            "isolation_level": isolation_level,
            "fetch_min_bytes": min(fetch_min_bytes, fetch_max_bytes),
            "fetch_max_bytes": fetch_max_bytes,
            "fetch_max_wait_ms": fetch_max_wait_ms,
            "max_partition_fetch_bytes": max_partition_fetch_bytes,
            "max_poll_interval_ms": max_poll_interval_ms,
            # 0 means whenever there is something to commit; kafkars has 1 ms as its smallest interval.
            "auto_commit_interval_ms": auto_commit_interval_ms or 1,
            "client_rack": client_rack or "",
            "default_api_timeout_ms": request_timeout_ms,
        }
        if self._group_id is not None:
            self._config |= {
                "group_id": self._group_id,
                "group_instance_id": group_instance_id,
                "session_timeout_ms": session_timeout_ms,
                # aiokafka does not compare the two: an interval that would end the session is shortened.
                "heartbeat_interval_ms": min(heartbeat_interval_ms, max(int(session_timeout_ms / 3), 1)),
                "enable_auto_commit": bool(enable_auto_commit),
                "partition_assignment_strategy": self._assignors,
            }
        # What aiokafka keeps of its settings; programs, and tests of programs, read it.
        vars(self).update(
            _auto_commit_interval_ms=auto_commit_interval_ms,
            _auto_offset_reset=auto_offset_reset,
            _check_crcs=check_crcs,
            _client_rack=client_rack,
            _consumer_timeout=consumer_timeout_ms / 1000,
            _enable_auto_commit=enable_auto_commit,
            _fetch_max_bytes=fetch_max_bytes,
            _fetch_max_wait_ms=fetch_max_wait_ms,
            _fetch_min_bytes=fetch_min_bytes,
            _group_instance_id=group_instance_id,
            _heartbeat_interval_ms=heartbeat_interval_ms,
            _key_deserializer=key_deserializer,
            _max_partition_fetch_bytes=max_partition_fetch_bytes,
            _max_poll_interval_ms=max_poll_interval_ms,
            _partition_assignment_strategy=partition_assignment_strategy,
            _rebalance_timeout_ms=session_timeout_ms if rebalance_timeout_ms is None else rebalance_timeout_ms,
            _retry_backoff_ms=retry_backoff_ms,
            _session_timeout_ms=session_timeout_ms,
            _value_deserializer=value_deserializer,
        )
        self._engine: aio.Consumer[Any, Any] | None = None
        self._membership: Membership | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._leaving: asyncio.Task[None] | None = None
        self._requested = SubscriptionRequest(topics) if topics else None
        self._paused_before_start: set[TopicPartition] = set()
        self._last = Standing()
        self._closed = False
        # Private attributes of aiokafka that frameworks use.
        self._coordinator = GroupCoordinator.of(self)
        self._fetcher = Fetcher(self)
        self._subscription = self._fetcher._subscriptions
        self._commits = Commits(session_timeout_ms / 1000)
        self._client = EngineClient(bootstrap_servers, self._config, weakref.ref(self))

    def __del__(self, _warnings: Any = warnings) -> None:
        if self._closed is not False:
            return
        if not self._loop.is_closed():
            for task in self._tasks:
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
        if self._membership is not None or self._closed:
            raise AssertionError("start() was called before, or stop()")
        if self._isolation_level not in ISOLATION_LEVELS:
            raise ValueError(f"isolation_level: {shown(self._isolation_level, ISOLATION_LEVELS)} is not known")
        try:
            engine = await self._connected()
            # Where it was stopped meanwhile nobody would end the wait for partitions.
            if not self._closed:
                await self._start(engine)
        except errors.ProducerClosed:
            # As in aiokafka, who stops a consumer that is being started hears of no error.
            if not self._closed:
                raise

    async def _connected(self) -> aio.Consumer[Any, Any]:
        """Returns the inner consumer once it has reached the cluster, and its topics are there."""
        engine = self._engine
        if engine is None:
            with translated():
                engine = quiet(aio.Consumer(self._config))
            self._engine = engine
        # Not by the consumer's own reads: where this fails, they fail as before start().
        contact = _kafkars.AiokafkaReader()
        contact._open(engine, None, None, None)
        with first_contact(self._config):
            await contact._reach(self._request_timeout_ms / 1000)
        if self._requested is not None:
            with translated():
                await _membership.know(engine, self._requested.topics)
        return engine

    async def _start(self, engine: aio.Consumer[Any, Any]) -> None:
        """Reads with the inner consumer from now on, and waits for partitions."""
        try:
            # Two calls of start() may get here.
            if self._membership is None:
                self._open(engine, *self._deserializers, self._max_poll_records)
                self._membership = Membership(self, engine, has_group=self._group_id is not None)
                self._membership.assignors = tuple(each for each in self._assignors if not isinstance(each, str))
                self._spawn(_membership.serve(weakref.ref(self)))
                self._spawn(_membership.watch(weakref.ref(self._membership), self._metadata_max_age_ms / 1000))
            with translated():
                if self._requested is not None:
                    await self._membership.begin()
                engine.pause(list(self._paused_before_start))
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Commits what was read, where that is automatic, leaves the group and closes. Calling it again does
        nothing.
        """
        if self._closed:
            return
        self._last = self._standing()
        self._closed = True
        self._shut()
        if self._engine is None:
            return
        if self._membership is not None:
            self._membership.stopping = True
            self._membership.forget()
        try:
            await self._last.note_positions(self._engine)
            await self._client.close()
            if self._config.get("enable_auto_commit") and self._last.assignment:
                last = self._positions(self._end)
                await self._coordinator.commit_offsets(AssignedPartitions(self), last)
            await self._end()
        except Exception as error:  # noqa: BLE001  a stop that raises ends the shutdown of other clients
            # As in aiokafka, a failure of the last commit is only logged, and so is what was kept for a read.
            log.error("the last commit failed: %s", error)  # noqa: TRY400  # the cause is in the text
        finally:
            # If it was cancelled, this ends the client at once; after an orderly close it does nothing.
            self._engine.close(0).cancel()
            tasks = [task for task in self._tasks if task is not asyncio.current_task()]
            for task in tasks:
                # An unsubscribe() ends with the client; it may not have been waited for yet.
                if task is not self._leaving:
                    task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _end(self, _: object = None) -> None:
        """Makes the last commit, leaves the group and closes."""
        if self._engine is not None:
            await self._engine.close(self._request_timeout_ms / 1000)

    def _standing(self) -> Standing:
        """Returns what is known without asking anybody."""
        assignment = self.assignment()
        if self._is_to_start():
            return Standing(assignment, frozenset(self._paused_before_start))
        fetched: dict[TopicPartition, Fetched | None] = {}
        for partition in assignment:
            # The group may take it meanwhile.
            with suppress(errors.IllegalStateError):
                fetched[partition] = self._told_by_fetch(partition)
        return Standing(assignment, frozenset(self.paused()), fetched)

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

    # What is read

    def subscribe(
        self,
        topics: Iterable[str] = (),
        pattern: str | re.Pattern[str] | None = None,
        listener: ConsumerRebalanceListener | None = None,
    ) -> None:
        """Reads these topics, or those whose names begin with what the pattern matches, instead of others before.

        Raises:
            TypeError: Neither topics nor a pattern is given, or both, or one of a wrong type.
            ValueError: The pattern is no regular expression.
            IllegalStateError: Partitions are assigned by hand, or the other kind of subscription is there.
        """
        if not (topics or pattern):
            raise SubscriptionError("subscribe() needs topics or a pattern")
        if topics and pattern:
            raise SubscriptionError("subscribe() takes topics or a pattern, not both")
        if listener is not None and not isinstance(listener, ConsumerRebalanceListener):
            raise TypeError(f"listener: expected a ConsumerRebalanceListener, not {listener!r}")
        if pattern is not None:
            try:
                compiled = re.compile(pattern)
            except re.error as error:
                raise ValueError(f"pattern: {pattern!r} is no regular expression: {error}") from error
            self._change(SubscriptionRequest(pattern=compiled, listener=listener))
            return
        if isinstance(topics, str) or not isinstance(topics, Iterable):
            raise TypeError("topics: expected a list of names")
        self._check_kind("topics")
        names = frozenset(topics)
        if not all(isinstance(name, str) for name in names):
            raise TypeError("topics: expected a list of names, and each of them to be text")
        self._change(SubscriptionRequest(names, listener=listener))

    def unsubscribe(self) -> None:
        """Ends reading; the group is left in the background."""
        self._requested = None
        if self._membership is None or self._engine is None or self._closed:
            return
        is_member = self._membership.is_joined
        self._membership.forget()
        if not is_member:
            self._engine.unassign()
            return
        # Paused, so that no fetched record is returned while the group is being left.
        self._membership._pause(self._engine.assignment())
        self._leaving = self._spawn(self._leave(self._engine.unsubscribe()))

    async def _leave(self, left: aio.Call[None]) -> None:
        try:
            await left
        finally:
            self._leaving = None

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Reads these partitions, without the group giving them out.

        Raises:
            IllegalStateError: There is a subscription.
        """
        self._check_kind("partitions")
        self._change(
            SubscriptionRequest(partitions=[TopicPartition(each.topic, each.partition) for each in partitions])
        )

    def _check_kind(self, kind: str) -> None:
        if self._requested is not None and self._requested.kind != kind:
            raise errors.IllegalStateError("topics, a pattern of topics and partitions exclude each other")

    def _change(self, request: SubscriptionRequest) -> None:
        self._check_kind(request.kind)
        if self._membership is None or self._engine is None or self._closed:
            self._requested = request
            self._paused_before_start.clear()
            return
        if request.partitions is not None:
            before = self._engine.assignment()
            with translated():
                self._engine.assign(sorted(request.partitions))
            # As in aiokafka each starts at the committed offset, also partitions that were assigned before.
            kept = sorted(before & self._engine.assignment())
            self._engine.incremental_unassign(kept)
            self._engine.incremental_assign(kept)
            # Only now: if the call fails, everything stays as it was.
            self._requested = request
            self._membership.settle()
            return
        self._requested = request
        if request.pattern is None:
            self._membership.unsettle()
            self._commits.forget()
        self._spawn(self._follow(request))

    async def _follow(self, request: SubscriptionRequest) -> None:
        if self._leaving is not None:
            await asyncio.wait([self._leaving])
        if self._membership is not None and self._requested is request:
            try:
                await self._membership.follow()
            except Exception as error:  # noqa: BLE001  start() raises it, or the next read
                self._failed(error)

    def assignment(self) -> frozenset[TopicPartition]:
        """Returns the assigned partitions; none from `subscribe()` to other topics until those are assigned."""
        if self._closed:
            return self._last.assignment
        by_hand = None if self._requested is None else self._requested.partitions
        if self._engine is None or self._membership is None or self._leaving is not None:
            return by_hand or frozenset()
        return self._engine.assignment() if self._membership.is_settled else frozenset()

    def subscription(self) -> frozenset[str]:
        """Returns the topics that are read: subscribed ones, matches of the pattern, or those of assigned
        partitions.
        """
        if self._requested is None:
            return frozenset()
        if self._requested.partitions is not None:
            return frozenset(partition.topic for partition in self._requested.partitions)
        if self._requested.pattern is None:
            return self._requested.topics
        return frozenset() if self._membership is None else self._membership.topics

    def pause(self, *partitions: TopicPartition) -> None:
        """Returns no records of these partitions until `resume()`."""
        for each in self._named(partitions):
            if self._is_to_start():
                self._paused_before_start.add(each)
            else:
                self._started().pause([each])

    def resume(self, *partitions: TopicPartition) -> None:
        """Undoes `pause()`."""
        for each in self._named(partitions):
            if self._is_to_start():
                self._paused_before_start.discard(each)
            else:
                self._started().resume([each])

    def _named(self, partitions: tuple[TopicPartition, ...]) -> Iterator[TopicPartition]:
        """Yields the partitions up to the first that is not assigned, which is an error: as in aiokafka those before
        count.
        """
        if not all(isinstance(partition, TopicPartition) for partition in partitions):
            raise TypeError("partitions are named by TopicPartition")
        if partitions:
            self._check_any_assigned()
        for partition in partitions:
            self._check_assigned((partition,))
            yield partition

    def paused(self) -> set[TopicPartition]:
        """Returns the paused partitions."""
        if self._closed or self._engine is None or self._membership is None:
            return set(self._last.paused if self._closed else self._paused_before_start)
        return set(self._engine.paused() & self.assignment())

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

    # Positions

    async def position(self, partition: TopicPartition) -> int:
        """Returns the offset of the next record, and waits until it is known.

        Raises:
            IllegalStateError: The partition is not assigned.
        """
        self._check_assigned((partition,))
        if partition in self._last.positions:
            return self._last.positions[partition]
        while (found := await self._position(partition, LONGEST)) is None:
            await self._assigned_again(partition)
        return found

    async def _position(self, partition: TopicPartition, timeout: float) -> int | None:
        """Returns a position; None if the partition is taken away before it is known."""
        with translated():
            try:
                return await self._started().position(partition, timeout=timeout)
            except NotAssignedError:
                return None
            except ClosedError:
                raise errors.ConsumerStoppedError from None

    async def _assigned_again(self, partition: TopicPartition) -> None:
        """Waits for the assignment that follows one that has ended, and fails if there is none with the partition."""
        membership = self._membership
        while membership is not None and self._requested is not None and not self._closed:
            if membership.is_settled and not membership.is_between:
                break
            await membership.change()
        self._check_assigned((partition,))

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Sets the position of a partition.

        Raises:
            ValueError: The offset is no whole number, or negative.
            IllegalStateError: The partition is not assigned.
        """
        if not is_count(offset, least=0):
            raise ValueError(f"offset: expected a whole number that is not negative, not {offset!r}")
        if offset > LARGEST:
            raise ValueError(f"offset: {offset} is more than an offset can be, {LARGEST}")
        self._check_any_assigned()
        self._check_assigned((partition,))
        self._started().seek(partition, int(offset))
        self._commits.forget()

    async def seek_to_beginning(self, *partitions: TopicPartition) -> bool:
        """Sets the positions to the oldest records, of all assigned partitions if none is named.

        Returns:
            False if partitions were taken away meanwhile, or an offset was not known after `request_timeout_ms`.
        """
        found = self._seeking(partitions)
        self._started().seek_to_beginning(found)
        return await self._arrived(found)

    async def seek_to_end(self, *partitions: TopicPartition) -> bool:
        """Sets the positions after the newest records, of all assigned partitions if none is named.

        Returns:
            False if partitions were taken away meanwhile, or an offset was not known after `request_timeout_ms`.
        """
        found = self._seeking(partitions)
        self._started().seek_to_end(found)
        return await self._arrived(found)

    async def seek_to_committed(self, *partitions: TopicPartition) -> dict[TopicPartition, int | None]:
        """Sets the positions to the committed offsets and returns these; None for partitions without one.

        As in aiokafka, a partition with nothing committed, or offset 0, stays where it is.
        """
        found = self._seeking(partitions)
        self._check_group()
        offsets = await self._coordinator.fetch_committed_offsets(found)
        answer: dict[TopicPartition, int | None] = {}
        for partition in found:
            offset = offsets[partition].offset if partition in offsets else None
            answer[partition] = offset
            if offset:
                self.seek(partition, offset)
        return answer

    def _seeking(self, partitions: tuple[TopicPartition, ...]) -> list[TopicPartition]:
        if not all(isinstance(partition, TopicPartition) for partition in partitions):
            raise TypeError("partitions are named by TopicPartition")
        if not partitions:
            found = sorted(self.assignment())
            if not found:
                raise AssertionError("no partition is assigned")
            return found
        self._check_assigned(partitions)
        return list(partitions)

    async def _arrived(self, partitions: list[TopicPartition]) -> bool:
        self._commits.forget()
        membership = self._membership
        before = None if membership is None else membership.changes
        until = time.monotonic() + self._request_timeout_ms / 1000
        try:
            for partition in partitions:
                if await self._position(partition, max(until - time.monotonic(), 0)) is None:
                    return False
        except errors.KafkaTimeoutError:
            return False
        return membership is None or before == membership.changes

    def highwater(self, partition: TopicPartition) -> int | None:
        """Returns the high watermark as of the last fetch; None before the first."""
        found = self._fetched(partition)
        return None if found is None else found[0]

    def last_stable_offset(self, partition: TopicPartition) -> int | None:
        """Returns the last stable offset as of the last fetch; None before the first."""
        found = self._fetched(partition)
        return None if found is None else found[1]

    def last_poll_timestamp(self, partition: TopicPartition) -> int | None:
        """Returns the time of the last fetch response, in milliseconds since 1970; None before the first."""
        found = self._fetched(partition)
        return None if found is None else found[2]

    def _fetched(self, partition: TopicPartition) -> Fetched | None:
        if self._is_to_start() and not self.assignment():
            self._started()
        if partition not in self.assignment():
            raise AssertionError(f"partition {partition} is not assigned")
        if self._is_to_start():
            return None
        return self._last.fetched.get(partition) if self._closed else self._told_by_fetch(partition)

    def _told_by_fetch(self, partition: TopicPartition) -> Fetched | None:
        found = self._last_fetch(partition)
        return None if found is None else (found[0], found[1], int(time.time() * 1000 - found[2]))

    # Commits

    async def commit(
        self, offsets: Mapping[TopicPartition, int | tuple[int, str] | OffsetAndMetadata] | None = None
    ) -> None:
        """Commits offsets, or the positions of all partitions.

        Raises:
            IllegalOperation: There is no group.
            IllegalStateError: A partition is not assigned, or the consumer was stopped.
            CommitFailedError: The group has given the partitions to another member.
            ValueError: There is no offset, or one is no number.
            TypeError: A key is no partition.
        """
        self._check_group()
        if self._closed:
            raise StoppedWithoutAssignmentError
        self._started()
        membership = self._membership
        if self._requested is None or membership is None:
            raise errors.IllegalStateError("nothing is subscribed to or assigned")
        if membership.has_lost or membership.is_between:
            # What was read last is no longer, or not again, this member's.
            raise errors.CommitFailedError
        if not membership.is_settled:
            raise errors.IllegalStateError("no partition is assigned yet")
        if offsets is None:
            checked: Mapping[TopicPartition, OffsetAndMetadata] = self._positions(self._commit_positions)
        else:
            checked = commit_structure_validate(offsets)
            self._check_assigned(checked)
        await self._coordinator.commit_offsets(AssignedPartitions(self), checked)

    def _positions(self, commit: Callable[[Positions], Awaitable[object]]) -> Positions:
        return Positions(self._consumed(), commit)

    async def _commit_positions(self, read: Positions) -> None:
        engine = self._started()
        # The inner consumer knows more of its positions than their offsets. Where somebody has taken his time in
        # between and the program has read on, only what it had read by then is committed.
        if read == self._positions(self._commit_positions):
            await self._commits.positions(engine)
        else:
            await self._commits.offsets(engine, read)

    async def committed(self, partition: TopicPartition) -> int | None:
        """Returns the group's committed offset, from its coordinator; None if there is none.

        Raises:
            IllegalOperation: There is no group.
        """
        self._check_group()
        found = await self._coordinator.fetch_committed_offsets([partition])
        return found[partition].offset if partition in found else None

    # Questions

    async def topics(self) -> set[str]:
        """Returns the names of all topics that are not internal."""
        with translated():
            return set(await self._started().topics()) - _membership.INTERNAL

    def partitions_for_topic(self, topic: str | None) -> set[int] | None:
        """Returns the known partitions of a topic; None if the topic is not known."""
        nothing: dict[str | None, set[int]] = {}
        known = self._known_partitions(topic) if isinstance(topic, str) else nothing.get(topic)
        return None if known is None else set(known)

    async def beginning_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Returns the offsets of the oldest records."""
        with partitions_known():
            return await self._started().beginning_offsets(list(partitions))

    async def end_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Returns the offsets after the newest records; with `read_committed` the last stable offsets."""
        with partitions_known():
            return await self._started().end_offsets(list(partitions))

    async def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Returns for each partition the first record that is not older than a time in ms since 1970, or None.

        Raises:
            ValueError: A time is negative, or too large.
            TypeError: A time is no number.
            KafkaTimeoutError: There is no such partition; aiokafka waits for it until `request_timeout_ms`.
        """
        wanted: dict[TopicPartition | tuple[str, int], int] = {
            partition: Milliseconds(timestamp) for partition, timestamp in timestamps.items()
        }
        for partition, timestamp in timestamps.items():
            if timestamp < 0:
                raise ValueError(f"the time for {partition} is {timestamp}, which is negative")
            if timestamp > LARGEST:
                raise ValueError(
                    f"the time for {partition} is {timestamp}, which is more than a time can be, {LARGEST}"
                )
        with partitions_known():
            found = await self._times(wanted)
        return {
            partition: None if place is None else OffsetAndTimestamp(place.offset, place.timestamp)
            for partition, place in found.items()
        }

    async def _times(self, wanted: Mapping[Any, int]) -> dict[TopicPartition, Any]:
        """Asks for times. A partition whose records have none is answered by None, as in aiokafka."""
        try:
            return await self._started().offsets_for_times(wanted)
        except UnsupportedForMessageFormatError as error:
            partition = partition_of(error)
            if partition is None or partition not in wanted:
                raise
        others = {each: time for each, time in wanted.items() if each != partition}
        return {partition: None, **(await self._times(others) if others else {})}

    # Within

    def _is_to_start(self) -> bool:
        return self._membership is None and not self._closed

    def _started(self) -> aio.Consumer[Any, Any]:
        if self._engine is None or self._is_to_start():
            raise errors.IllegalStateError("the consumer has no connection yet: await consumer.start() first")
        if self._closed:
            raise errors.ConsumerStoppedError
        return self._engine

    def _check_group(self) -> None:
        if self._group_id is None:
            raise errors.IllegalOperation("this call needs the setting group_id")

    def _check_any_assigned(self) -> None:
        if not self.assignment():
            raise NothingAssignedError("no partition is assigned")

    def _check_assigned(self, partitions: Iterable[TopicPartition]) -> None:
        assignment = self.assignment()
        for partition in partitions:
            if partition not in assignment:
                raise errors.IllegalStateError(f"partition {partition} is not assigned")

    def _failed(self, error: BaseException) -> None:
        """Keeps an error of the group for `start()`, or for the next read."""
        if self._membership is None or not self._membership.fail(error):
            self._raise_later(error)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class partitions_known(translated):  # noqa: N801  reads as a phrase
    """As `translated()`, but a partition that does not exist is a time-out, and an error about one has it as its
    argument, as in aiokafka.
    """

    __slots__ = ()

    def of(self, error: BaseException) -> BaseException | None:
        """Returns the error of aiokafka."""
        if isinstance(error, InvalidArgumentError):
            return errors.KafkaTimeoutError(str(error))
        made = super().of(error)
        if isinstance(made, errors.BrokerResponseError) and isinstance(error, EngineError):
            partition = partition_of(error)
            made.args = made.args if partition is None else (partition,)
        return made


def partition_of(error: EngineError) -> TopicPartition | None:
    """Returns the partition that an error is about."""
    if error.topic is None or error.partition is None:
        return None
    return TopicPartition(error.topic, error.partition)


async def next_by_getone(consumer: AIOKafkaConsumer) -> Any:
    """Returns the next record of a loop over a consumer whose `getone()` is not the native one. As in aiokafka, it
    calls that, and ends where the consumer is stopped.
    """
    try:
        return await consumer.getone()
    except errors.ConsumerStoppedError:
        raise StopAsyncIteration from None


def reset_of(word: object) -> str:
    """Returns where reading begins, in whatever case it is written; "none" for what is no such word."""
    lower = word.lower() if isinstance(word, str) else None
    return lower if lower in {"earliest", "latest"} else "none"


def is_count(given: object, *, least: int = 1) -> bool:
    """True if a value is a whole number that is large enough."""
    return isinstance(given, int) and given >= least
