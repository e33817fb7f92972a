"""`AIOKafkaProducer` on kafkars (`aiokafka.producer.producer`)."""

from __future__ import annotations

import asyncio
import operator
import ssl
import warnings
import weakref
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from kafkars import _kafkars, aio
from kafkars._discreet import discreet
from kafkars.compat._quiet import quiet
from kafkars.compat._turns import turn
from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka._connection import Connection, check_loop, first_contact, warn_of_loop
from kafkars.compat.aiokafka._coroutine_methods import native
from kafkars.compat.aiokafka._hints import Self
from kafkars.compat.aiokafka.abc import AbstractTokenProvider
from kafkars.compat.aiokafka.client import EngineClient
from kafkars.compat.aiokafka.errors import translated
from kafkars.compat.aiokafka.partitioner import DefaultPartitioner
from kafkars.compat.aiokafka.producer._known_topics import KnownTopics
from kafkars.compat.aiokafka.producer.message_accumulator import BatchBuilder
from kafkars.compat.aiokafka.producer.sender import Sender
from kafkars.compat.aiokafka.producer.transaction_manager import TransactionManager, TransactionState
from kafkars.compat.aiokafka.structs import OffsetAndMetadata, RecordMetadata, TopicPartition
from kafkars.compat.aiokafka.util import commit_structure_validate, get_running_loop
from kafkars.config.checks import parsed, shown
from kafkars.types import ConsumerGroupMetadata
from kafkars.types import OffsetAndMetadata as EngineOffset

if TYPE_CHECKING:
    from kafkars.aio import Call

__all__ = ["AIOKafkaProducer"]

_missing = object()
_DEFAULT_PARTITIONER = DefaultPartitioner()

CODECS = ("gzip", "snappy", "lz4", "zstd")

LONGEST = 10 * 365 * 86_400.0
"""Seconds that stand for no time limit."""

LARGEST_BATCH = 1 << 30
"""Bytes: sizes in the protocol are int32, and half of their range is kept for what surrounds a batch."""

BUFFER_MEMORY = 33_554_432
"""Bytes of records that may wait to be sent, or the largest record if that is larger."""

LONGEST_DELIVERY_MS = 7 * 86_400_000
"""The time limit of idempotent batches, a week: in aiokafka they do not expire with `request_timeout_ms`."""


class WrongStateError(errors.IllegalOperation, AssertionError):
    """A call of a transaction out of order, in both classes: aiokafka documents one and raises the other."""


class AIOKafkaProducer(_kafkars.AiokafkaSender):
    """Sends records.

    To be made in a coroutine, started before use and stopped at the end, or used in `async with`. Settings are
    aiokafka's; `api_version` is accepted and changes nothing.

    Raises:
        RuntimeError: No event loop runs.
        ValueError: A setting makes no sense.
    """

    _PRODUCER_CLIENT_ID_SEQUENCE = 0
    _closed: bool | None = None
    _source_traceback = None

    @discreet
    def __init__(
        self,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
        bootstrap_servers: str | list[str] = "localhost",
        client_id: str | None = None,
        metadata_max_age_ms: int = 300000,
        request_timeout_ms: int = 40000,
        api_version: str | None = None,
        acks: Any = _missing,
        key_serializer: Callable[[Any], Any] | None = None,
        value_serializer: Callable[[Any], Any] | None = None,
        compression_type: str | None = None,
        max_batch_size: int = 16384,
        partitioner: Callable[..., int] = _DEFAULT_PARTITIONER,
        max_request_size: int = 1048576,
        linger_ms: float = 0,
        retry_backoff_ms: int = 100,
        security_protocol: str = "PLAINTEXT",
        ssl_context: ssl.SSLContext | None = None,
        connections_max_idle_ms: int | None = 540000,
        enable_idempotence: bool = False,
        transactional_id: str | None = None,
        transaction_timeout_ms: int = 60000,
        sasl_mechanism: str = "PLAIN",
        sasl_plain_password: str | None = None,
        sasl_plain_username: str | None = None,
        sasl_kerberos_service_name: str = "kafka",
        sasl_kerberos_domain_name: str | None = None,
        sasl_oauth_token_provider: AbstractTokenProvider | None = None,
        send_backoff_ms: int | None = None,
    ) -> None:
        if send_backoff_ms is not None:
            warnings.warn(
                "send_backoff_ms has no effect: nothing waits between two sends", DeprecationWarning, stacklevel=3
            )
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
        is_idempotent = bool(enable_idempotence) or transactional_id is not None
        if acks is _missing:
            acks = -1 if is_idempotent else 1
        if acks not in {0, 1, -1, "all"}:
            raise ValueError(f"acks: expected 0, 1, -1 or 'all', not {shown(acks, ('all',))}")
        if is_idempotent and acks not in {-1, "all"}:
            raise ValueError(f"acks={acks!r}: idempotence needs acks='all'")
        if compression_type is not None and compression_type not in CODECS:
            raise ValueError(
                f"compression_type: expected 'gzip', 'snappy', 'lz4', 'zstd' or None, not {shown(compression_type, CODECS)}"
            )
        if client_id is None:
            AIOKafkaProducer._PRODUCER_CLIENT_ID_SEQUENCE += 1
            client_id = f"aiokafka-producer-{AIOKafkaProducer._PRODUCER_CLIENT_ID_SEQUENCE}"
        self._serializers_ = (key_serializer, value_serializer)
        self._request_timeout_ms = request_timeout_ms
        self._transactional_id_ = transactional_id
        self._acknowledged_ = acks != 0
        self._max_batch_size_ = max_batch_size
        # Programs, and tests of programs, read these two.
        self._max_request_size = max_request_size
        self._compression_type = compression_type
        self._config_: dict[str, Any] = {
            **connection.settings(),
            "client_id": client_id,
            "acks": int(acks) if acks != "all" else "all",
            "compression_type": compression_type or "none",
            "batch_size": within(max_batch_size),
            "max_request_size": within(max_request_size),
            "buffer_memory": max(BUFFER_MEMORY, within(max_request_size)),
            "linger_ms": linger_ms / 1,
            "max_block_ms": request_timeout_ms,
            "delivery_timeout_ms": (LONGEST_DELIVERY_MS if is_idempotent else request_timeout_ms + linger_ms),
            "enable_idempotence": is_idempotent,
            # Without sequence numbers on batches only one request at a time keeps their order.
            "max_in_flight_requests_per_connection": 5 if is_idempotent else 1,
            "transactional_id": transactional_id,
            "transaction_timeout_ms": transaction_timeout_ms,
            "partitioner": "murmur2_random" if type(partitioner) is DefaultPartitioner else chosen_by(partitioner),
        }
        self._partitioner = partitioner
        self.client = EngineClient(bootstrap_servers, self._config_, weakref.ref(self))
        self._sender = Sender()
        self._txn_manager = (
            TransactionManager(self, transactional_id, transaction_timeout_ms) if is_idempotent else None
        )
        self._engine_: aio.Producer[Any, Any] | None = None
        self._ending_: Call[None] | None = None
        # The group of the offsets in the transaction, of which later calls may hear.
        self._group_of_offsets_: str | None = None
        self._closing_: Awaitable[int] | None = None
        self._known_topics_ = KnownTopics()
        self._has_started_ = False
        # Stops once those have sent that tasks were made for before.
        self._is_shut_ = False
        self._closed = False

    def __del__(self, _warnings: Any = warnings) -> None:
        if self._closed is not False:
            return
        _warnings.warn(f"Unclosed AIOKafkaProducer {self!r}", ResourceWarning, stacklevel=2, source=self)
        self._loop.call_exception_handler({"producer": self, "message": "Unclosed AIOKafkaProducer"})

    @property
    def _key_serializer(self) -> Any:
        """The key's serializer. OpenTelemetry's instrumentation reads this and the next attribute."""
        return self._serializers_[0]

    @property
    def _value_serializer(self) -> Any:
        return self._serializers_[1]

    @property
    def _metadata(self) -> Any:
        return self.client.cluster

    # Life

    async def start(self) -> None:
        """Connects; with a `transactional_id` also ends what a producer of the same id has left open.

        After an error or a cancellation it can be called again.

        Raises:
            KafkaConnectionError: No broker can be reached.
        """
        check_loop(self._loop)
        if self._has_started_ or self._closed:
            return
        engine = self._engine_
        if engine is None:
            with translated():
                engine = quiet(aio.Producer(self._config_))
            self._engine_ = engine
            awaited = self._known_topics_.awaited
            _kafkars.AiokafkaSender._open(self, engine, self._serializers_, self._acknowledged_, vars(self), awaited)
        try:
            with first_contact(self._config_):
                await _kafkars.AiokafkaSender._reach(self, self._request_timeout_ms / 1000)
            if self._transactional_id_ is not None:
                # As in aiokafka, only an answer of the coordinator ends this: without it nothing could be sent.
                with translated(None, self._transactional_id_):
                    await engine.init_transactions(LONGEST)
        except errors.ProducerClosed:
            # As in aiokafka where brokers can be reached, who stops a producer that is being started hears of no error.
            if not self._closed:
                raise
        if self._closing_ is not None:
            return
        self._has_started_ = True
        self._sender.start()

    async def flush(self) -> None:
        """Waits until everything sent so far is stored or has failed."""
        if self._engine_ is not None and not self._closed:
            with translated():
                await self._engine_.flush()

    async def stop(self) -> None:
        """Waits for what was sent, and closes. Calling it again does nothing. As in aiokafka, cancelling gives up the
        wait only: what was sent is still delivered, within twice `request_timeout_ms`.
        """
        if self._closed:
            return
        self._closed = True
        if self._engine_ is None:
            self._shut_off_()
            await self.client.close()
            return
        try:
            try:
                # As in aiokafka those still send that tasks were made for before.
                await asyncio.sleep(0)
            finally:
                # Begun before anything else is waited for, and also where the wait is given up: then the shield alone
                # waits, and its exception is nobody's.
                self._shut_off_()
                self._closing_ = self._close_(self._engine_, 2 * self._request_timeout_ms / 1000)
                closed = asyncio.shield(self._closing_)
                closed.add_done_callback(lambda done: done.cancelled() or done.exception())
            await self.client.close()
            with translated():
                await closed
        finally:
            self._sender.close()

    def _close_(self, engine: aio.Producer[Any, Any], time_limit: float) -> Awaitable[int]:
        """Begins to close. What is open of a transaction is sent first, as in aiokafka; the engine gives it up, because
        nobody commits it any more.
        """
        if self._transactional_id_ is None or not engine.in_transaction or self._is_ending_():
            return engine.close(time_limit)
        end = self._loop.time() + time_limit
        flushed = engine.flush(time_limit)

        async def close() -> int:
            try:
                await flushed
            finally:
                given_up = await engine.close(max(0.0, end - self._loop.time()))
            return given_up

        return asyncio.ensure_future(close())

    def _shut_off_(self) -> None:
        self._is_shut_ = True
        _kafkars.AiokafkaSender._shut(self)

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

    # Sending

    @native(_kafkars.AiokafkaSender.send)
    async def send(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] | None = None,
    ) -> asyncio.Future[RecordMetadata]:
        """Hands a record to the producer. Awaiting this waits until there is room for it.

        Args:
            topic: Where to send it.
            value: Bytes, or what `value_serializer` takes; None deletes the key in a compacted topic.
            key: Bytes, or what `key_serializer` takes. Equal keys go to the same partition.
            partition: The partition; None lets `partitioner` choose.
            timestamp_ms: Milliseconds since 1970; None is now.
            headers: Pairs of text and bytes.

        Returns:
            A future of its `RecordMetadata`, or of None with `acks=0`.

        Raises:
            ProducerClosed: The producer was stopped.
            AssertionError: There are neither key nor value, or there is no such partition.
            UnknownTopicOrPartitionError: There is no such topic, after `request_timeout_ms`.
            MessageSizeTooLargeError: The record is larger than `max_request_size`.
            KafkaTimeoutError: There was no room for `request_timeout_ms`.
            IllegalOperation: The producer has a `transactional_id`, and no transaction is open.
        """
        return await super().send(topic, value, key, partition, timestamp_ms, headers)

    @native(_kafkars.AiokafkaSender.send_and_wait)
    async def send_and_wait(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] | None = None,
    ) -> RecordMetadata:
        """Sends a record as `send()` does, and waits until it is stored.

        Returns:
            Its `RecordMetadata`, or None with `acks=0`.

        Raises:
            KafkaError: What `send()` raises, or why the record was not stored.
        """
        result: RecordMetadata = await super().send_and_wait(topic, value, key, partition, timestamp_ms, headers)
        return result

    async def partitions_for(self, topic: str) -> set[int]:
        """Returns the partitions of a topic, whose metadata is fetched if it is not known.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
        """
        with translated():
            return {info.partition for info in await self._started_().partitions_for(topic)}

    def create_batch(self) -> BatchBuilder:
        """Makes an empty batch to fill by hand, of at most `max_batch_size` bytes."""
        key, value = self._serializers_
        return BatchBuilder(
            self._max_batch_size_,
            0,
            is_transactional=self._transactional_id_ is not None,
            key_serializer=key,
            value_serializer=value,
        )

    async def send_batch(
        self, batch: BatchBuilder, topic: str, *, partition: int | None
    ) -> asyncio.Future[RecordMetadata]:
        """Sends a batch to a partition, and closes it.

        Returns:
            A future of the metadata of its first record; the others follow it.

        Raises:
            ProducerClosed: The producer was stopped.
            AssertionError: There is no such partition.
            UnknownTopicOrPartitionError: There is no such topic.
        """
        self._check_open_()
        if _kafkars.turn_is_due():
            await turn()
        await self._known_topics_.wait(self, topic)
        # As in aiokafka also without a partition, chosen as for a record without a key; FastStream relies on it.
        number = self._partition(topic, partition, None, None, None, None)
        self._check_in_transaction_()
        batch.close()
        future: asyncio.Future[RecordMetadata] = asyncio.ensure_future(
            _kafkars.AiokafkaSender._send_batch(self, batch._native, topic, number)
        )
        if self._txn_manager is not None and self._txn_manager.state is TransactionState.ABORTABLE_ERROR:
            # As send() does, it raises what the transaction has failed with: futures of batches are often thrown away.
            await future
        return future

    def _serialize(self, key: Any, value: Any, headers: Any) -> tuple[Any, Any]:
        """Returns key and value of a record as they are sent; programs replace it."""
        del headers
        for_key, for_value = self._serializers_
        return key if for_key is None else for_key(key), value if for_value is None else for_value(value)

    def _partition(
        self,
        topic: str,
        partition: int | None,
        key: Any,
        value: Any,
        serialized_key: bytes | None,
        serialized_value: bytes | None,
    ) -> int:
        """Returns the partition for a record, by the metadata of `client`. Faust calls it; programs replace it."""
        del key, value, serialized_value
        everyone = sorted(self.client.cluster.partitions_for_topic(topic) or ())
        if partition is not None:
            try:
                partition = operator.index(partition)
            except TypeError:
                raise TypeError(f"partition: expected a number, not {shown(partition)}") from None
            if partition not in everyone:
                raise AssertionError(f"partition {partition} of {topic!r} does not exist, as far as is known")
            return partition
        available = sorted(self.client.cluster.available_partitions_for_topic(topic) or everyone)
        return self._partitioner(serialized_key, everyone, available)

    # Transactions

    def transaction(self) -> TransactionContext:
        """Returns a transaction for one `async with` block: committed when it ends, aborted when it raises."""
        return TransactionContext(self)

    async def begin_transaction(self) -> None:
        """Opens a transaction: everything sent from now on is part of it.

        Raises:
            IllegalOperation: There is no `transactional_id`, or a transaction is open.
        """
        self._ensure_transactional()
        # As in aiokafka, a task that is cancelled in its first step has begun none.
        await asyncio.sleep(0)
        with self._in_order_():
            await self._started_().begin_transaction()

    async def commit_transaction(self) -> None:
        """Commits the transaction; its records can be read with `read_committed` from then on.

        Raises:
            IllegalOperation: There is no `transactional_id`, or no transaction is open.
            ProducerFenced: Another producer uses the `transactional_id`, or the transaction was open for too long.
        """
        self._ensure_transactional()
        await self._end_(self._started_().commit_transaction)

    async def abort_transaction(self) -> None:
        """Aborts the transaction; its records are never read with `read_committed`.

        Raises:
            IllegalOperation: There is no `transactional_id`, or no transaction is open.
        """
        self._ensure_transactional()
        await self._end_(self._started_().abort_transaction)

    async def _end_(self, step: Callable[[float], Call[None]]) -> None:
        """Ends the transaction. As in aiokafka, cancelling gives up the wait, not the commit or abort itself; and until
        then no other call ends it.
        """
        if self._is_ending_():
            raise WrongStateError("the transaction is being ended by an earlier call")
        with self._in_order_():
            self._ending_ = step(LONGEST)
            # Where there is nothing to end, too, who is cancelled hears of it.
            await asyncio.sleep(0)
            await asyncio.shield(self._ending_)

    def _is_ending_(self) -> bool:
        return self._ending_ is not None and not self._ending_.done()

    async def send_offsets_to_transaction(
        self, offsets: Mapping[TopicPartition, int | tuple[int, str] | OffsetAndMetadata], group_id: str
    ) -> None:
        """Adds committed offsets of a group to the transaction.

        Raises:
            IllegalOperation: There is no `transactional_id`, or no transaction is open.
            ValueError: There are no offsets, or no group is named.
        """
        self._ensure_transactional()
        engine = self._started_()
        if not engine.in_transaction:
            raise WrongStateError("no transaction is open")
        if not group_id or not isinstance(group_id, str):
            raise ValueError(group_id)
        checked = commit_structure_validate(offsets)
        self._group_of_offsets_ = group_id
        with self._in_order_():
            await engine.send_offsets_to_transaction(
                {partition: EngineOffset(offset, metadata) for partition, (offset, metadata) in checked.items()},
                ConsumerGroupMetadata(group_id),
                LONGEST,
            )

    # Within

    def _ensure_transactional(self) -> None:
        if self._transactional_id_ is None:
            raise errors.IllegalOperation("this call needs the setting transactional_id")

    def _in_order_(self) -> in_order:
        return in_order(self._group_of_offsets_, self._transactional_id_)

    def _started_(self) -> aio.Producer[Any, Any]:
        self._check_open_()
        if self._engine_ is None:
            raise errors.IllegalStateError("the producer has no connection yet: await producer.start() first")
        return self._engine_

    def _check_open_(self) -> None:
        if self._is_shut_:
            raise errors.ProducerClosed

    def _check_in_transaction_(self) -> None:
        if self._transactional_id_ is not None and (not self._started_().in_transaction or self._is_ending_()):
            raise errors.IllegalOperation("records of this producer are sent in transactions, and none is open")


HOOKS = (AIOKafkaProducer._serialize, AIOKafkaProducer._partition)
"""What aiokafka calls for every record. The native `send()` does without where a program has not replaced them."""


def within(size: Any) -> int:
    """Returns a size within kafkars' limits: aiokafka has none of its own.

    Raises:
        ValueError: It is no number. What it is may be a secret in the wrong place and is not quoted, as `int` would.
    """
    found = parsed(int, size) if isinstance(size, str | bytes | bytearray) else int(size)
    if found is None:
        raise ValueError(f"expected a number of bytes, not {shown(size)}")
    return min(max(found, 1), LARGEST_BATCH)


class TransactionContext:
    """One transaction: what `AIOKafkaProducer.transaction()` returns."""

    def __init__(self, producer: AIOKafkaProducer) -> None:
        self._producer = producer

    async def __aenter__(self) -> Self:
        await self._producer.begin_transaction()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        engine = self._producer._started_()
        if exc_type is None:
            await self._producer.commit_transaction()
        elif engine.in_transaction:
            try:
                await self._producer.abort_transaction()
            except (errors.KafkaError, errors.IllegalOperation):
                # The block's own exception is raised; the next call raises what has prevented the abort.
                return


class in_order(translated):  # noqa: N801  reads as a phrase
    """As `translated()`, for calls of a transaction."""

    __slots__ = ()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            super().__exit__(kind, error, traceback)
        except errors.IllegalOperation as made:
            raise WrongStateError(*made.args) from error


def chosen_by(partitioner: Callable[..., int]) -> Callable[[bytes | None, int], int]:
    """Returns a partitioner of aiokafka as kafkars calls it."""

    def choose(key: bytes | None, count: int) -> int:
        everything: Iterable[int] = range(count)
        return partitioner(key, list(everything), list(everything))

    return choose
