# ruff: noqa: PYI021  editors show the docstrings of a stub, and there is no other source for them to read
"""The native half. Written by hand; stubtest compares it with the compiled module."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import Context
from datetime import datetime
from re import Pattern
from types import GenericAlias, TracebackType
from typing import Any, Final, Generic, Literal, final, overload

from typing_extensions import Self, disjoint_base

from kafkars._typing import (
    ArrowData,
    ArrowLayout,
    Headers,
    K,
    KeyIn,
    OffsetsIn,
    Partition,
    Partitions,
    Payload,
    T_co,
    V,
    ValueIn,
)
from kafkars.compat.confluent_kafka._handlers import ConsumerHandler, ProducerHandler
from kafkars.config import AdminConfig, ConsumerConfig, ProducerConfig
from kafkars.errors import KafkaError
from kafkars.metrics import AdminMetrics, ConsumerMetrics, ProducerMetrics
from kafkars.types import (
    AppendedRecord,
    ConsumerGroupMetadata,
    ConsumerHealth,
    FlushResult,
    MemoryUsage,
    OffsetAndMetadata,
    OffsetAndTimestamp,
    PartitionInfo,
    TimestampType,
    TopicPartition,
    Watermarks,
)

__version__: Final[str]

@disjoint_base
class Record(Generic[K, V]):
    """A record as it came from a broker."""

    @property
    def topic(self) -> str:
        """Name of the topic."""
    @property
    def partition(self) -> int:
        """Number of the partition."""
    @property
    def offset(self) -> int:
        """Position in the partition."""
    @property
    def timestamp(self) -> int:
        """Milliseconds since 1970; -1 for records that have no time (written in Kafka's oldest format)."""
    @property
    def timestamp_type(self) -> TimestampType:
        """Who set the timestamp."""
    @property
    def key(self) -> K | None:
        """The key as bytes, or None where the record has none."""
    @property
    def value(self) -> V | None:
        """The value as bytes, or None for a tombstone."""
    @property
    def raw_key(self) -> bytes | None:
        """The key as it was stored, whatever deserializer is configured."""
    @property
    def raw_value(self) -> bytes | None:
        """The value as it was stored, whatever deserializer is configured."""
    @property
    def headers(self) -> tuple[tuple[str, bytes | None], ...]:
        """The headers in their order, as pairs of name and value."""
    @property
    def leader_epoch(self) -> int | None:
        """Epoch of the leader that stored the record, or None where the broker did not say."""
    @property
    def serialized_key_size(self) -> int:
        """Bytes of the stored key, or -1 where there is none."""
    @property
    def serialized_value_size(self) -> int:
        """Bytes of the stored value, or -1 where there is none."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    @classmethod
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

@final
class DeserializedRecord(Record[K, V]):
    """A record of a consumer with deserializers."""

    @property
    def key(self) -> K | None:
        """The key as the deserializer made it."""
    @property
    def value(self) -> V | None:
        """The value as the deserializer made it."""
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class RecordBatch(Sequence[Record[K, V]]):
    """Records in the order in which they are to be handled."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Record[K, V]]: ...
    @overload
    def __getitem__(self, index: int, /) -> Record[K, V]: ...
    @overload
    def __getitem__(self, index: slice, /) -> RecordBatch[K, V]: ...
    def raw_keys(self) -> list[bytes | None]:
        """The keys of all records as bytes or None, deserializers left out."""
    def raw_values(self) -> list[bytes | None]:
        """The values of all records as bytes or None, deserializers left out."""
    def to_arrow(self, columns: Sequence[str] | None = None, *, layout: ArrowLayout = "native") -> ArrowBatch:
        """The records as Arrow columns, without a Python object for each.

        Keys and values are the bytes that came; deserializers are left out.

        Args:
            columns: Which columns, in which order: any of `key`, `value` (binary), `topic` (dictionary of text),
                `partition` (int32), `offset` (int64), `timestamp` (ms, UTC), `timestampType` (int32: 0 set by the
                producer, 1 by the broker), `headers` (list of structs of `key` and `value`). All by default.
            layout: "native" for these types; "spark" for those that Spark declares for its Kafka source, to the letter:
                `topic` plain text, `timestamp` in us (-1 ms where a record has none), `headers` null instead of an
                empty list, every field nullable.

        Raises:
            InvalidArgumentError: A name is no column, or `layout` is none.
            DeserializationError: With "spark", a timestamp does not fit into microseconds; `topic`, `partition` and
                `offset` tell which record.
        """
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def by_partition(self) -> dict[TopicPartition, RecordBatch[K, V]]:
        """The same records, one batch for each partition."""
    @classmethod
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

@final
class ArrowBatch:
    """Records as Arrow columns, handed out by the PyCapsule interface.

    What takes Arrow takes it without a copy: `pyarrow.table(batch)`, `polars.DataFrame(batch)`,
    `pandas.DataFrame.from_arrow(batch)`; `duckdb.from_arrow(pyarrow.table(batch))`.
    """

    @property
    def num_rows(self) -> int:
        """How many records there are."""
    @property
    def column_names(self) -> list[str]:
        """Names of the columns, in their order."""
    @property
    def nbytes(self) -> int:
        """Bytes that the columns hold in memory."""
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class ArrowColumn:
    """One Arrow array, handed out by the PyCapsule interface."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

@final
class PayloadDecoder:
    """Makes columns of keys or values: text, JSON or Avro."""

    @staticmethod
    def utf8() -> PayloadDecoder:
        """Decodes UTF-8 into text."""
    @staticmethod
    def json(members: object) -> PayloadDecoder:
        """Decodes JSON objects into a struct of the members that an Arrow schema names.

        Raises:
            InvalidArgumentError: JSON has no values for one of the types.
        """
    @staticmethod
    def avro(schema: str, *, framed: bool) -> PayloadDecoder:
        """Decodes Avro into a struct of the fields of a record's schema.

        Args:
            schema: The schema, as JSON.
            framed: Whether payloads name the schema that they were written with, as a schema registry's serializers do.

        Raises:
            InvalidArgumentError: It is no schema of a record.
        """
    def __arrow_c_schema__(self) -> object: ...
    def unknown_schema_ids(self, batch: ArrowBatch, column: str, rows: int) -> list[int]:
        """Ids in the framing of the first `rows` payloads whose schema is to be added before they are decoded."""
    def add_schema(self, number: int, schema: str | None = None, *, problem: str | None = None) -> None:
        """Adds the schema of an id, or why there is none: payloads that name it are refused with these words."""
    def decode(self, batch: ArrowBatch, column: str, rows: int) -> tuple[ArrowColumn, list[tuple[int, str]]]:
        """Decodes a column's first payloads: null where one is null or cannot be decoded; row and reason of the
        latter.
        """

def _restore_batch(records: list[tuple[Any, ...]]) -> RecordBatch[Any, Any]: ...
def _restore_metadata(parts: tuple[str, int, int, int, bool, int, int]) -> RecordMetadata: ...
def _restore_record(parts: tuple[Any, ...], made: tuple[Any, Any] | None = None) -> Record[Any, Any]: ...
def check_limits(timeout: float | None, max_records: int | None = None) -> None:
    """Fails for limits that are none, of calls that are made in Python.

    Args:
        timeout: Seconds, or None.
        max_records: How many records at most, or None.

    Raises:
        ValueError: `timeout` is negative or NaN, or `max_records` below 1.
    """

def check_arrow_layout(columns: Sequence[str] | None, layout: str) -> None:
    """Fails for a name that is no column of records or no layout: asked before records are taken, which would be lost
    otherwise.
    """

@disjoint_base
class Message(Generic[K, V]):
    """A message of `kafkars.compat.confluent_kafka`: fetched, reported as delivered, or an error."""

    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self: ...
    def __init__(
        self,
        topic: str | None = None,
        partition: int | None = None,
        offset: int | None = None,
        key: Any = None,
        value: Any = None,
        headers: Any = None,
        error: Any = None,
        timestamp: tuple[int, int] | None = None,
        latency: float | None = None,
        leader_epoch: int | None = None,
        delivery_count: int | None = None,
    ) -> None: ...
    def error(self) -> Any:
        """What went wrong, or None for a message that can be used."""
    def topic(self) -> str | None:
        """The topic's name."""
    def partition(self) -> int | None:
        """The partition's number."""
    def offset(self) -> int | None:
        """The position in the partition."""
    def key(self) -> Any:
        """The key, or None."""
    def value(self) -> Any:
        """The value, or None; of an error its text."""
    def deserialized_key(self) -> K | None:
        """The key as a deserializing consumer has made it."""
    def deserialized_value(self) -> V | None:
        """The value as a deserializing consumer has made it."""
    def headers(self) -> Any:
        """Pairs of name and value, or None where there are none. The list is the message's own: what is added to it
        stays, as deserializers do for others.
        """
    def timestamp(self) -> tuple[int, int]:
        """Who set the timestamp (0 not known, 1 the producer, 2 the broker), and milliseconds since 1970."""
    def latency(self) -> float | None:
        """Seconds from `produce()` to the report; None for messages that were consumed."""
    def leader_epoch(self) -> int | None:
        """The epoch of the leader that stored it, or None."""
    def delivery_count(self) -> int | None:
        """How often a share group has delivered it; None elsewhere."""
    def set_topic(self, topic: str | None) -> None:
        """Replaces the topic."""
    def set_key(self, key: Any) -> None:
        """Replaces the key by any object."""
    def set_value(self, value: Any) -> None:
        """Replaces the value by any object."""
    def set_headers(self, headers: Any) -> None:
        """Replaces the headers."""
    def set_error(self, error: Any) -> None:
        """Replaces the error."""
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[type[Message[K, V]], tuple[Any, ...]]: ...

@final
class PendingFlag:
    """Tells a client of `kafkars.compat.confluent_kafka` that something waits to be run on the application's thread."""

    def __new__(cls) -> PendingFlag: ...
    def is_set(self) -> bool:
        """True if something waits."""
    def clear(self) -> None:
        """Whoever calls this runs what waits."""
    def set(self) -> None:
        """Something waits, says any thread."""
    def set_every(self, seconds: float) -> None:
        """Sets it every `seconds` from now on, as long as somebody can see it."""

@disjoint_base
class ConfluentConsumer:
    """The part of `kafkars.compat.confluent_kafka.Consumer` that runs once per message."""

    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self: ...
    def poll(self, timeout: float = -1) -> Message | None:
        """The next message, or None when there was none for `timeout` seconds; -1 waits as long as it takes."""
    def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Message]:
        """Up to `num_messages` messages. Waits until there are as many, or for `timeout` seconds; -1 waits as
        long as it takes.
        """
    def _open_(
        self, engine: BaseConsumer[Any, Any], pending_flag: PendingFlag, handler: ConsumerHandler, partition_ends: bool
    ) -> None: ...
    def _check_(self) -> None: ...
    def _position_(self, topic: str, partition: int) -> tuple[int, int] | None: ...
    def _uncommitted_(self) -> list[tuple[str, int, int, int]]: ...
    def _forget_(self, topic: str | None = None, partition: int = 0) -> None: ...
    def _forget_end_(self, topic: str, partition: int) -> None: ...
    def _seek_to_committed_(self, partitions: list[tuple[str, int]]) -> None: ...
    def _leave_(self) -> None: ...
    def _refused_(self, topics: list[str], timeout: float | None = None) -> list[tuple[str, int]]: ...
    def _own_member_id_(self) -> str | None: ...
    def _find_missing_(self, topics: list[str]) -> None: ...
    def _raise_kept_(self, *, only_interrupts: bool) -> None: ...
    def _has_work_(self) -> bool: ...
    def _take_(self) -> Message | None: ...
    def _take_many_(self, most: int) -> list[Message]: ...
    def _ready_(self, timeout: float) -> Call[bool]: ...
    def _has_change_(self) -> bool: ...
    def _kept_(self, messages: list[Message]) -> list[Message]: ...
    def _hand_back_(self, topic: str, partition: int, offset: int | None = None) -> None: ...
    def _serve_(self) -> Message | None: ...

@disjoint_base
class ConfluentProducer:
    """The part of `kafkars.compat.confluent_kafka.Producer` that runs once per message."""

    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self: ...
    def produce(
        self,
        topic: str,
        value: str | bytes | None = None,
        key: str | bytes | None = None,
        partition: int = -1,
        callback: Callable[[Any, Message], object] | None = None,
        on_delivery: Callable[[Any, Message], object] | None = None,
        timestamp: int = 0,
        headers: dict[str, str | bytes | None] | list[tuple[str, str | bytes | None]] | None = None,
    ) -> None:
        """Takes a message, to be sent from here on by itself. Never waits.

        `callback` and `on_delivery` are the same: what to call with an error or None and the message, in a later
        `poll()` or `flush()`. `timestamp` is in milliseconds since 1970; 0 is now.
        """
    def poll(self, timeout: float = -1) -> int:
        """Runs callbacks, waiting up to `timeout` seconds for one to run; -1 waits as long as it takes. Returns how
        many ran. Within the report of a message no other report is given, and nothing is waited for.
        """
    def flush(self, timeout: float = -1) -> int:
        """Waits until every message has its report, for up to `timeout` seconds; -1 waits as long as it takes. Runs
        callbacks. Returns how many messages are left.

        Within the report of a message the others cannot be given: what is left is told at once, and a call without
        limit raises `KafkaException` with `_STATE`.
        """
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def _open_(
        self,
        engine: BaseProducer[Any, Any],
        pending_flag: PendingFlag,
        handler: ProducerHandler,
        most: int,
        most_bytes: int,
        on_delivery: Callable[[Any, Message], object] | None,
        only_errors: bool,
        message_timeout: float,
    ) -> None: ...
    def _check_(self) -> None: ...
    def _check_not_in_report_(self, name: str) -> None: ...
    def _flushed_(self, timeout: float) -> tuple[int, Exception | None]: ...
    def _commits_(self, commits: bool) -> None: ...
    def _start_closing_(self) -> None: ...
    def _lost_(self, commits: bool) -> int: ...
    def _must_abort_(self) -> bool: ...
    def _forget_lost_(self) -> None: ...

@final
class RecordIterator:
    """Walks a batch once."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> Record[Any, Any]: ...

@final
class RecordMetadata:
    """What the cluster says of a record it has stored."""

    @property
    def topic(self) -> str:
        """Name of the topic."""
    @property
    def partition(self) -> int:
        """Number of the partition that was chosen."""
    @property
    def offset(self) -> int:
        """The record's offset; -1 with `acks=0`, where the broker does not respond."""
    @property
    def timestamp(self) -> int:
        """Milliseconds since 1970: the record's own time, or the broker's where `timestamp_type` says so."""
    @property
    def timestamp_type(self) -> TimestampType:
        """Who set the timestamp."""
    @property
    def serialized_key_size(self) -> int:
        """Bytes of the key, or -1 where the record has none."""
    @property
    def serialized_value_size(self) -> int:
        """Bytes of the value, or -1 for a tombstone."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class DeliveryFuture:
    """The delivery of one record sent by synchronous code."""

    def done(self) -> bool:
        """True if the record was reported as stored or as failed."""
    def result(self, timeout: float | None = None) -> RecordMetadata:
        """Where the record was stored.

        Args:
            timeout: Longest wait in seconds; None waits without end.

        Returns:
            Its `RecordMetadata`.

        Raises:
            KafkaTimeoutError: It was not reported in time.
            KafkaError: Why it was not stored.
        """
    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Why the record was not stored.

        Args:
            timeout: Longest wait in seconds; None waits without end.

        Returns:
            The error, or None where it was stored.

        Raises:
            KafkaTimeoutError: It was not reported in time.
        """
    def add_done_callback(self, function: Callable[[DeliveryFuture], object], /) -> None:
        """Has a function called once the record is reported; at once if it is already.

        Args:
            function: Called as `function(future)`, in `poll()`, `flush()` or `close()` of the producer.

        Raises:
            TypeError: It is no function.
        """

@final
class Deliveries:
    """The deliveries of one call that sent many records: one handle for all, and one for each where asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> DeliveryFuture: ...
    def __iter__(self) -> Iterator[DeliveryFuture]: ...
    def done(self) -> bool:
        """True if every record was reported as stored or as failed."""
    def result(self, timeout: float | None = None) -> list[RecordMetadata]:
        """Where the records were stored, in the order of the call, once all are reported.

        Args:
            timeout: Longest wait in seconds; None waits without end.

        Raises:
            KafkaTimeoutError: Some were not reported in time; they may still be stored.
            KafkaError: Why the first of those that failed was not stored.
        """
    def failures(self, timeout: float | None = None) -> dict[int, KafkaError]:
        """Why records were not stored, by their place in the call, once all are reported; empty where all were.

        Args:
            timeout: Longest wait in seconds; None waits without end.

        Raises:
            KafkaTimeoutError: Some were not reported in time; they may still be stored.
        """

@final
class AsyncDeliveries(Awaitable[list[RecordMetadata]]):
    """The same for asyncio, where it is called `kafkars.aio.Deliveries`."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Future[RecordMetadata]: ...
    def __iter__(self) -> Iterator[Future[RecordMetadata]]: ...
    def __await__(self) -> Generator[Any, Any, list[RecordMetadata]]: ...
    def done(self) -> bool:
        """True if every record was reported as stored or as failed."""
    def failures(self) -> Call[dict[int, KafkaError]]:
        """Awaiting waits until all are reported, and gives why records were not stored, by their place in the call;
        empty where all were.
        """

@final
class BatchBuilder:
    """A batch that the application fills by hand: what `create_batch()` gives and `send_batch()` takes."""

    def append(
        self,
        value: Payload | None = None,
        key: Payload | None = None,
        *,
        timestamp: int | None = None,
        headers: Headers | None = None,
    ) -> AppendedRecord | None:
        """Adds a record. Serializers and interceptors do not run here.

        Args:
            value: Bytes or text; None is a tombstone.
            key: Bytes or text.
            timestamp: Milliseconds since 1970, or a `datetime` with a time zone; the time of the call by default.
            headers: Pairs of name and bytes, text or None; or a mapping.

        Returns:
            Its place, encoded size and timestamp; None where it does not fit any more, or the batch is closed.

        Raises:
            InvalidRecordTimestampError: The timestamp is negative or too large.
        """
    def size(self) -> int:
        """Bytes of the batch as it stands, before compression."""
    def record_count(self) -> int:
        """Records in the batch."""
    def close(self) -> None:
        """Takes no more records. Sending closes as well."""
    @property
    def closed(self) -> bool:
        """True if it takes no more records."""
    def __len__(self) -> int: ...

@disjoint_base
class Future(Awaitable[T_co]):
    """An answer that is there or comes later; a future to asyncio, without a task around it."""

    _asyncio_future_blocking: bool | None
    @property
    def _cancel_message(self) -> Any | None: ...
    def __await__(self) -> Generator[Any, Any, T_co]: ...
    def __next__(self) -> Self: ...
    def throw(
        self,
        kind: type[BaseException] | BaseException,
        value: BaseException | object = None,
        traceback: TracebackType | None = None,
        /,
    ) -> Any:
        """Raises in the awaiting code, as a coroutine does. The future itself goes on."""
    def close(self) -> None:
        """Ends the awaiting, as a coroutine does. The future itself goes on."""
    def done(self) -> bool:
        """True if there is an outcome."""
    def cancelled(self) -> bool:
        """True if it was cancelled."""
    def result(self) -> T_co:
        """The answer. Raises what went wrong, or `asyncio.InvalidStateError` while there is none."""
    def exception(self) -> BaseException | None:
        """What went wrong, or None. Raises `asyncio.InvalidStateError` while there is no outcome."""
    def cancel(self, msg: Any | None = None) -> bool:
        """Gives up waiting. Returns False where there is an outcome already. A record on its way is still sent."""
    def add_done_callback(self, function: Callable[[Self], object], /, *, context: Context | None = None) -> None:
        """Calls `function(future)` on the loop once there is an outcome."""
    def remove_done_callback(self, function: Callable[[Self], object], /) -> int:
        """Forgets a callback. Returns how many times it had been added."""
    def get_loop(self) -> asyncio.AbstractEventLoop:
        """The loop it belongs to: the one that waits for it, or the running one.

        Who asks is about to wait. A loop that is entered again (`nest_asyncio`) then just looks whether the future is
        done, after each of its turns, and adds no callback; so the loop has to be woken from now on.
        """
    def _make_cancelled_error(self) -> asyncio.CancelledError: ...
    @classmethod
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

@final
class Call(Future[T_co], Coroutine[Any, Any, T_co]):
    """A future that stands for a call; `asyncio.create_task` takes it as well."""

    def send(self, value: Any, /) -> Any:
        """Takes one step, as a coroutine does."""

@final
class ClientHandle:
    """What a client knows of its cluster, for faces that show it as objects of their own."""

    def cluster(
        self, version: int
    ) -> (
        tuple[
            int,
            int | None,
            list[tuple[int, str, int, str | None]],
            list[tuple[str, int, bool, list[tuple[int, int, int, list[int], list[int]]]]],
        ]
        | None
    ):
        """The brokers, and the topics that were asked for; None if that is still `version`, which is 0 before anything
        is known. Nothing is asked of the cluster.
        """
    def refresh(self, topics: Sequence[str], timeout: float) -> Call[None]:
        """Asks for the metadata of all topics in use and of these, which may create them. Fails as soon as no address
        has answered.
        """
    def forget(self, topics: Sequence[str]) -> None:
        """Takes topics out of use."""
    def connect(self, node: int, timeout: float) -> Call[None]:
        """Connects to a broker, unless there is a connection."""

@final
class Admin:
    """An administrator of one cluster: what `kafkars.Admin` and `kafkars.aio.Admin` ask through."""

    def __new__(cls, config: AdminConfig) -> Self: ...
    @property
    def closed(self) -> bool: ...
    def metrics(self) -> AdminMetrics: ...
    def _warn_if_unclosed(self, client: object) -> None: ...
    def _never_warn(self) -> None: ...
    def _brokers(self) -> list[tuple[int | None, str, KafkaError | None, int | None, dict[str, Any]]]: ...
    def _api_versions(self) -> dict[int, tuple[int, int]]: ...
    def _client_name(self) -> str: ...
    def _handle(self) -> ClientHandle: ...
    def _watch_brokers(self, flag: PendingFlag) -> None: ...
    def create_topics(
        self,
        topics: Sequence[tuple[Any, ...]],
        validate_only: bool,
        timeout: float | None,
    ) -> AdminRequest: ...
    def delete_topics(self, names: Sequence[str], timeout: float | None) -> AdminRequest: ...
    def create_partitions(
        self, topics: Sequence[tuple[str, int, list[list[int]]]], validate_only: bool, timeout: float | None
    ) -> AdminRequest: ...
    def describe_topics(self, names: Sequence[str] | None, authorized: bool, timeout: float | None) -> AdminRequest: ...
    def describe_configs(
        self,
        resources: Sequence[tuple[int, str]],
        include_synonyms: bool,
        include_documentation: bool,
        timeout: float | None,
    ) -> AdminRequest: ...
    def alter_configs(
        self,
        changes: Sequence[tuple[tuple[int, str], list[tuple[str, int, str | None]]]],
        validate_only: bool,
        timeout: float | None,
    ) -> AdminRequest: ...
    def list_groups(self, states: Sequence[str], types: Sequence[str], timeout: float | None) -> AdminRequest: ...
    def groups_by_broker(self, states: Sequence[str], types: Sequence[str], timeout: float | None) -> AdminRequest: ...
    def groups_of(
        self, brokers: Sequence[int], states: Sequence[str], types: Sequence[str], timeout: float | None
    ) -> AdminRequest: ...
    def describe_groups(self, groups: Sequence[str], authorized: bool, timeout: float | None) -> AdminRequest: ...
    def classic_answers(self, groups: Sequence[str], end: int, timeout: float | None) -> AdminRequest: ...
    def delete_groups(self, groups: Sequence[str], timeout: float | None) -> AdminRequest: ...
    def list_group_offsets(
        self, groups: Sequence[tuple[str, list[tuple[str, int]] | None]], timeout: float | None
    ) -> AdminRequest: ...
    def alter_group_offsets(
        self, group: str, offsets: Sequence[tuple[tuple[str, int], int, int | None, str]], timeout: float | None
    ) -> AdminRequest: ...
    def delete_group_offsets(
        self, group: str, partitions: Sequence[tuple[str, int]], timeout: float | None
    ) -> AdminRequest: ...
    def delete_records(self, before: Sequence[tuple[tuple[str, int], int]], timeout: float | None) -> AdminRequest: ...
    def list_offsets(
        self, wanted: Sequence[tuple[tuple[str, int], int | datetime]], committed_only: bool, timeout: float | None
    ) -> AdminRequest: ...
    def describe_cluster(self, authorized: bool, timeout: float | None) -> AdminRequest: ...
    def find_coordinator(self, key: str, of_transactions: bool, timeout: float | None) -> AdminRequest: ...
    def describe_acls(
        self, of: tuple[int, str | None, int, str | None, str | None, int, int], timeout: float | None
    ) -> AdminRequest: ...
    def create_acls(
        self, acls: Sequence[tuple[int, str, int, str, str, int, int]], timeout: float | None
    ) -> AdminRequest: ...
    def delete_acls(
        self, filters: Sequence[tuple[int, str | None, int, str | None, str | None, int, int]], timeout: float | None
    ) -> AdminRequest: ...
    def describe_user_scram_credentials(self, users: Sequence[str] | None, timeout: float | None) -> AdminRequest: ...
    def alter_user_scram_credentials(
        self,
        alterations: Sequence[tuple[str, int, tuple[int, bytes | None, bytes] | None]],
        timeout: float | None,
    ) -> AdminRequest: ...
    def elect_leaders(
        self, election: int, partitions: Sequence[tuple[str, int]] | None, timeout: float | None
    ) -> AdminRequest: ...
    def alter_partition_reassignments(
        self, wanted: Sequence[tuple[tuple[str, int], Sequence[int] | None]], timeout: float | None
    ) -> AdminRequest: ...
    def list_partition_reassignments(
        self, partitions: Sequence[tuple[str, int]] | None, timeout: float | None
    ) -> AdminRequest: ...
    def describe_log_dirs(
        self, brokers: Sequence[int] | None, partitions: Sequence[tuple[str, int]] | None, timeout: float | None
    ) -> AdminRequest: ...
    def list_transactions(
        self,
        states: Sequence[str],
        producer_ids: Sequence[int],
        open_longer_than_ms: int | None,
        pattern: str | None,
        timeout: float | None,
    ) -> AdminRequest: ...
    def describe_transactions(self, transactional_ids: Sequence[str], timeout: float | None) -> AdminRequest: ...
    def describe_producers(
        self, partitions: Sequence[tuple[str, int]], broker: int | None, timeout: float | None
    ) -> AdminRequest: ...
    def abort_transaction(
        self,
        of: tuple[str, int],
        producer_id: int,
        producer_epoch: int,
        coordinator_epoch: int,
        timeout: float | None,
    ) -> AdminRequest: ...
    def close(self, timeout: float | None) -> AdminRequest: ...

@final
class AdminRequest:
    """A question that has not been asked yet."""

    def wait(self) -> Any: ...
    def start(self) -> Call[Any]: ...

@disjoint_base
class KafkaPythonFuture:
    """The future of `kafkars.compat.kafka.KafkaProducer.send()`, as far as most programs ask."""

    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self: ...
    def get(self, timeout: float | None = None) -> Any:
        """Waits for the outcome and returns the metadata.

        Args:
            timeout: Time limit in seconds; None waits for the outcome, which comes within `delivery_timeout_ms`.

        Raises:
            KafkaTimeoutError: There is no outcome in time; the record is still in flight.
            KafkaError: The record was not stored.
        """
    @property
    def _delivery(self) -> DeliveryFuture: ...
    @property
    def _reporter(self) -> Any: ...
    def _metadata(self) -> Any: ...
    def _become_special(self) -> None: ...

@disjoint_base
class KafkaPythonSender:
    """`send()` of `kafkars.compat.kafka.KafkaProducer`, of what most programs send."""

    _closed: bool
    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self: ...
    def _open(
        self,
        engine: Producer[Any, Any],
        reporter: Any,
        classes: tuple[type[Any], type[Any], type[Any]],
        key: tuple[Callable[..., Any], bool, bool] | None,
        value: tuple[Callable[..., Any], bool, bool] | None,
        is_placed_outside: bool,
    ) -> None: ...
    def send(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        headers: list[tuple[str, bytes]] | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> Any:
        """Appends a record to its partition's batch, which is sent in the background.

        Args:
            topic: The topic.
            value: Bytes, or the argument of `value_serializer`; None is a tombstone, which needs a key.
            key: Bytes, or the argument of `key_serializer`; decides on the partition if none is given.
            headers: Pairs of a name and bytes.
            partition: The partition, or None to let the partitioner choose.
            timestamp_ms: Milliseconds since 1970; the time of the call by default.

        Returns:
            A future of the `RecordMetadata`; failed at once with `MessageSizeTooLargeError` if the record is larger
            than `max_request_size`.

        Raises:
            KafkaTimeoutError: The topic stayed unknown, or the buffer full, for `max_block_ms`.
            AssertionError: The producer is closed, there is neither key nor value, headers are not a list of pairs, the
                partition does not exist, or a serializer returns no bytes. In the face of kafka-python 3 these are, in
                this order, IllegalStateError, ValueError, TypeError, ValueError and TypeError.
            TypeError: The topic is not a `str`.
            ValueError: The topic's name is invalid.
        """
    def _future_of(self, delivery: DeliveryFuture, headers_size: int) -> Any: ...

@disjoint_base
class KafkaPythonReader:
    """The calls of `kafkars.compat.kafka.KafkaConsumer` that run once per record or batch of records."""

    _closed: bool
    _follows: bool
    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self: ...
    def _open(
        self,
        engine: Consumer[Any, Any],
        record_class: type[tuple[Any, ...]],
        key: tuple[Callable[..., Any], bool, bool] | None,
        value: tuple[Callable[..., Any], bool, bool] | None,
    ) -> None: ...
    def _has_something_to_read(self) -> bool: ...
    def _take(
        self, most: int, timeout: float | None, again: bool
    ) -> tuple[dict[TopicPartition, list[Any]], BaseException | None]: ...
    def _next(self, timeout: float | None) -> Any: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Any: ...

@disjoint_base
class AiokafkaReader:
    """The calls of `kafkars.compat.aiokafka.AIOKafkaConsumer` that run once per record or batch of records."""

    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self: ...
    def _open(
        self,
        engine: AsyncConsumer[Any, Any],
        key_deserializer: Callable[[bytes | None], Any] | None,
        value_deserializer: Callable[[bytes | None], Any] | None,
        max_poll_records: int | None,
    ) -> None: ...
    def _shut(self) -> None: ...
    def _raise_later(self, error: BaseException) -> None: ...
    def _reach(self, timeout: float) -> Call[None]: ...
    def _serve(self) -> Call[bool]: ...
    def _waiting(self) -> AbstractContextManager[None]: ...
    def _last_fetch(self, partition: Partition) -> tuple[int, int, float] | None: ...
    def _known_partitions(self, topic: str) -> list[int] | None: ...
    def _consumed(self) -> list[tuple[str, int, int]]: ...
    def getone(self, *partitions: TopicPartition) -> Coroutine[Any, Any, AiokafkaRecord]:
        """The next record, however long it takes; of these partitions where any are named."""
    def getmany(
        self, *partitions: TopicPartition, timeout_ms: float = 0, max_records: int | None = None
    ) -> Coroutine[Any, Any, dict[TopicPartition, list[AiokafkaRecord]]]:
        """What is ready as `{partition: [record]}`, of these partitions where any are named. Waits up to `timeout_ms`
        where nothing is; an empty mapping means that nothing came.
        """
    def __aiter__(self) -> Self: ...
    def __anext__(self) -> Call[AiokafkaRecord]: ...

@final
class CoroutineMethod:
    """A native method with the face of the coroutine function that declares it."""

    def __new__(cls, native: Callable[..., Any], declaration: Callable[..., Coroutine[Any, Any, Any]]) -> Self: ...
    def __call__(self, *arguments: Any, **keywords: Any) -> Any: ...
    def __get__(self, instance: object, _class: type | None = None, /) -> Any: ...

@disjoint_base
class AiokafkaSender:
    """The calls of `kafkars.compat.aiokafka.AIOKafkaProducer` that run once per record."""

    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self: ...
    def _open(
        self,
        engine: AsyncProducer[Any, Any],
        serializers: tuple[Callable[[Any], Any] | None, Callable[[Any], Any] | None],
        acknowledged: bool,
        attributes: dict[str, Any],
        awaited_topics: dict[str, asyncio.Future[None]],
    ) -> None: ...
    def _shut(self) -> None: ...
    def _reach(self, timeout: float) -> Call[None]: ...
    @staticmethod
    def _new_batch(limit: int) -> BatchBuilder: ...
    @staticmethod
    def _bytes_of(part: Any) -> bytes | None: ...
    @staticmethod
    def _checked_headers(headers: Any) -> list[tuple[str, bytes | None]]: ...
    def _send_batch(self, batch: BatchBuilder, topic: str, partition: int) -> Future[Any]: ...
    def _knows(self, topic: str) -> bool: ...
    def _send_bytes(
        self,
        topic: str,
        value: Any,
        key: Any,
        partition: int | None,
        timestamp_ms: int | None,
        headers: Sequence[tuple[str, bytes | None]] | None,
    ) -> Call[asyncio.Future[Any]]: ...
    def send(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] | None = None,
    ) -> Coroutine[Any, Any, asyncio.Future[Any]]:
        """Hands a record to the producer; awaiting waits until there is room for it, and gives the future of its
        delivery. A record of a topic that is not known yet, or of a producer whose methods were replaced, goes by those
        methods.
        """
    def send_and_wait(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Sequence[tuple[str, bytes | None]] | None = None,
    ) -> Coroutine[Any, Any, Any]:
        """Sends a record; awaiting gives its `RecordMetadata`. As in aiokafka, a `send` that a subclass, tracing or the
        object itself has put in the place of the native one is what sends it.
        """

@final
class AiokafkaRecord:
    """A record with attributes that may be changed: `kafkars.compat.aiokafka.ConsumerRecord`."""

    __match_args__: Final = (
        "topic",
        "partition",
        "offset",
        "timestamp",
        "timestamp_type",
        "key",
        "value",
        "checksum",
        "serialized_key_size",
        "serialized_value_size",
        "headers",
    )
    topic: str
    partition: int
    offset: int
    timestamp: int
    timestamp_type: int
    key: Any
    value: Any
    checksum: int | None
    serialized_key_size: int
    serialized_value_size: int
    headers: Sequence[tuple[str, bytes | None]]
    def __new__(
        cls,
        topic: str,
        partition: int,
        offset: int,
        timestamp: int,
        timestamp_type: int,
        key: Any,
        value: Any,
        checksum: int | None,
        serialized_key_size: int,
        serialized_value_size: int,
        headers: Sequence[tuple[str, bytes | None]],
    ) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[type[AiokafkaRecord], tuple[Any, ...]]: ...
    @classmethod
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

@disjoint_base
class BaseConsumer(Generic[K, V]):
    """The calls of consumers that never wait."""

    @property
    def closed(self) -> bool:
        """True if `close()` was called."""
    def _has_ended(self) -> bool: ...
    def _warn_if_unclosed(self) -> None: ...
    def _never_warn(self) -> None: ...
    def assign(self, partitions: Partitions | Mapping[Partition, int | None]) -> None:
        """Reads these partitions from now on, instead of those assigned before.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them. A mapping of partitions to
                offsets says where each begins; the others go on where the group has committed, else by
                `auto_offset_reset`.

        Raises:
            TypeError: What is given names no partition.
            ClientStateError: Topics are subscribed; `unsubscribe()` first.
            ClosedError: The consumer is closed.
        """
    def unassign(self) -> None:
        """Reads nothing from now on. What was handed out is committed where commits are automatic.

        Raises:
            ClosedError: The consumer is closed.
        """
    def incremental_assign(self, partitions: Partitions | Mapping[Partition, int | None]) -> None:
        """Reads these partitions as well.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them.

        Raises:
            TypeError: What is given names no partition.
            ClosedError: The consumer is closed.
        """
    def incremental_unassign(self, partitions: Partitions) -> None:
        """Reads these partitions no longer; the others go on undisturbed.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them.

        Raises:
            TypeError: What is given names no partition.
            ClosedError: The consumer is closed.
        """
    def subscribe(
        self,
        topics: str | Iterable[str] | None = None,
        *,
        pattern: str | Pattern[str] | None = None,
        on_partitions_assigned: Callable[[list[TopicPartition]], object] | None = None,
        on_partitions_revoked: Callable[[list[TopicPartition]], object] | None = None,
        on_partitions_lost: Callable[[list[TopicPartition]], object] | None = None,
    ) -> None:
        """Reads topics as a member of the group; the group assigns their partitions. Calling it again replaces the
        topics and listeners.

        Args:
            topics: A name or several.
            pattern: A regular expression (text or `re.Pattern`) instead: every topic whose whole name it fits, also
                those that are made later.
            on_partitions_assigned: Called with a list of partitions that are new, in a poll, before their first record.
            on_partitions_revoked: Called with a list of those that go, while they still belong to this member: the
                moment to commit.
            on_partitions_lost: Called with a list of those that belong to others already; without it the one above is
                called.

        Raises:
            ClientStateError: The consumer has no group, or partitions are assigned by hand.
            InvalidArgumentError: Neither or both of `topics` and `pattern` are given.
            ClosedError: The consumer is closed.
        """
    def subscription(self) -> frozenset[str]:
        """The topics that are subscribed; with a pattern, those it fits so far.

        Returns:
            Their names.
        """
    def enforce_rebalance(self, reason: str | None = None) -> None:
        """Makes the group assign its partitions anew (KIP-568). With the consumer protocol the broker decides when, and
        this does nothing.

        Args:
            reason: What the broker's log says about it.

        Raises:
            ClientStateError: The consumer has no group.
            ClosedError: The consumer is closed.
        """
    def group_metadata(self) -> ConsumerGroupMetadata:
        """Who this consumer is in its group, for `send_offsets_to_transaction()`.

        Returns:
            Its group, generation, member id and instance id.

        Raises:
            ClientStateError: The consumer has no group.
        """
    def commit_async(
        self,
        offsets: Record[Any, Any] | OffsetsIn | None = None,
        callback: Callable[[dict[TopicPartition, OffsetAndMetadata], KafkaError | None], object] | None = None,
    ) -> None:
        """Commits positions of the group without waiting. Several commits are sent in order, and `close()` waits for
        them.

        Args:
            offsets: As `commit()` takes them.
            callback: Called as `callback(offsets, error)` in a later poll; `error` is None where it went well.

        Raises:
            BufferFullError: 100,000 commits wait for the coordinator already.
            ClientStateError: The consumer has no group.
            ClosedError: The consumer is closed.
        """
    def health(self) -> ConsumerHealth:
        """How the consumer is: what brokers and partitions refuse, since when, and what is being tried.

        Returns:
            A `ConsumerHealth`; nothing is asked of the cluster.
        """
    def memory_usage(self) -> MemoryUsage:
        """What fetched data holds in memory.

        Returns:
            A `MemoryUsage`, in bytes.
        """
    def lags(self) -> dict[TopicPartition, int | None]:
        """`lag()` of every assigned partition.

        Returns:
            Records for each partition, or None where nothing was fetched yet.
        """
    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions that are assigned, by the group or by hand.

        Returns:
            A set of `TopicPartition`.
        """
    def seek(self, partition: Partition, offset: int, *, leader_epoch: int | None = None) -> None:
        """Goes on at an offset of a partition.

        Args:
            partition: A `TopicPartition`, or a pair of topic and number.
            offset: Of the record that comes next, from 0.
            leader_epoch: That of the record before it, where it is known: a log that was cut since is then noticed
                (KIP-320).

        Raises:
            NotAssignedError: The partition is not assigned.
            InvalidArgumentError: The offset is negative.
            ClosedError: The consumer is closed.
        """
    def seek_to_beginning(self, partitions: Partitions | None = None) -> None:
        """Goes on at the oldest records. The offsets are asked for in the background.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them; None for all that are
                assigned.

        Raises:
            NotAssignedError: A partition is not assigned.
            ClosedError: The consumer is closed.
        """
    def seek_to_end(self, partitions: Partitions | None = None) -> None:
        """Goes on after the newest records there are when the answer comes.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them; None for all that are
                assigned.

        Raises:
            NotAssignedError: A partition is not assigned.
            ClosedError: The consumer is closed.
        """
    def seek_to_timestamp(self, timestamp: int | datetime, partitions: Partitions | None = None) -> None:
        """Goes on at the first record that is not older than a time, or at the end.

        Args:
            timestamp: Milliseconds since 1970, or a `datetime` with a time zone. A number that looks like seconds,
                microseconds or nanoseconds is refused.
            partitions: A `TopicPartition` or pair of topic and number, or several of them; None for all that are
                assigned.

        Raises:
            InvalidArgumentError: The timestamp is in another unit.
            NotAssignedError: A partition is not assigned.
            ClosedError: The consumer is closed.
        """
    def pause(self, partitions: Partitions | None = None) -> None:
        """Hands out no records of partitions until `resume()`. A pause ends when a partition is assigned anew.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them; None for all that are
                assigned.

        Raises:
            NotAssignedError: A partition is not assigned.
            ClosedError: The consumer is closed.
        """
    def resume(self, partitions: Partitions | None = None) -> None:
        """Ends a pause.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them; None for all that are
                assigned.

        Raises:
            NotAssignedError: A partition is not assigned.
            ClosedError: The consumer is closed.
        """
    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused.

        Returns:
            A set of `TopicPartition`.
        """
    def _brokers(self) -> list[tuple[int | None, str, KafkaError | None, int | None, dict[str, Any]]]: ...
    def _api_versions(self) -> dict[int, tuple[int, int]]: ...
    def _topics_were_found(self, found: bool) -> None: ...
    def _handle(self) -> ClientHandle: ...
    def _coordinator(self) -> int | None: ...
    def _subscribe_found(
        self,
        topics: Iterable[str],
        *,
        on_partitions_assigned: Callable[[list[TopicPartition]], object] | None,
        on_partitions_revoked: Callable[[list[TopicPartition]], object] | None,
        on_partitions_lost: Callable[[list[TopicPartition]], object] | None,
    ) -> None: ...
    def _keep_positions(self) -> None: ...
    def _client_name(self) -> str: ...
    def _watch_brokers(self, flag: PendingFlag) -> None: ...
    def _finished_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]: ...
    def _end_automatic_commits(self) -> None: ...
    def _leaders(self, topic: str) -> list[tuple[int, int, int]]: ...
    def watermarks(self, partition: Partition) -> Watermarks | None:
        """The range of offsets of a partition as the last fetch told it.

        Args:
            partition: A `TopicPartition`, or a pair of topic and number.

        Returns:
            `Watermarks`, or None before the first fetch.

        Raises:
            NotAssignedError: The partition is not assigned.
        """
    def lag(self, partition: Partition) -> int | None:
        """Records between the position and the end of a partition, as the last fetch told it.

        Args:
            partition: A `TopicPartition`, or a pair of topic and number.

        Returns:
            Their number, or None before the first fetch.

        Raises:
            NotAssignedError: The partition is not assigned.
        """
    def metrics(self) -> ConsumerMetrics:
        """Counters since the consumer was made: `records_consumed`, `bytes_fetched`, `fetches`, `buffered_bytes`,
        `assigned`, and `client` with those of its connections.

        Returns:
            A dict of numbers; nothing is asked of the cluster.
        """
    @classmethod
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

@disjoint_base
class Consumer(BaseConsumer[K, V]):
    """The synchronous consumer."""

    def __new__(cls, config: ConsumerConfig) -> Self: ...
    def poll(self, timeout: float | None = 1.0) -> Record[K, V] | None:
        """The next record, in the order of its partition.

        Args:
            timeout: Seconds to wait for one; None waits without end, 0 takes what is there.

        Returns:
            The record, or None when there was none in time.

        Raises:
            ValueError: `timeout` is negative.
            ClosedError: The consumer is closed.
            MaxPollIntervalExceededError: The member has given up its partitions because it did not poll in time; the
                next poll joins again.
            NoOffsetError: A partition has no valid position, and `auto_offset_reset` is "none".
            CorruptRecordError: A batch is damaged; seek past `offset` to go on.
            ConsumerStuckError: Brokers have not answered for `stuck_timeout_ms`.
            KafkaError: The cluster refuses the client or a topic, such as for want of a permission; the class says
                which.
        """
    def poll_batch(self, max_records: int | None = None, timeout: float | None = 1.0) -> RecordBatch[K, V]:
        """What is ready, at once: the quickest way to read.

        Args:
            max_records: At most so many records; `max_poll_records` by default.
            timeout: Seconds to wait for the first; None waits without end, 0 takes what is there.

        Returns:
            The records; an empty batch when there were none in time.

        Raises:
            ValueError: `max_records` is below 1, or `timeout` negative.
            ClosedError: The consumer is closed.
            MaxPollIntervalExceededError: The member has given up its partitions because it did not poll in time; the
                next poll joins again.
            NoOffsetError: A partition has no valid position, and `auto_offset_reset` is "none".
            CorruptRecordError: A batch is damaged; seek past `offset` to go on.
            ConsumerStuckError: Brokers have not answered for `stuck_timeout_ms`.
            KafkaError: The cluster refuses the client or a topic, such as for want of a permission; the class says
                which.
        """
    def __iter__(self) -> Self: ...
    def __next__(self) -> Record[K, V]: ...
    def position(self, partition: Partition, *, timeout: float | None = None) -> int:
        """The offset of the record that comes next of a partition; asks the cluster where it is not known yet.

        Args:
            partition: A `TopicPartition`, or a pair of topic and number.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            The offset.

        Raises:
            NotAssignedError: The partition is not assigned.
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
        """
    def beginning_offsets(self, partitions: Partitions, *, timeout: float | None = None) -> dict[TopicPartition, int]:
        """Asks for the first offsets of partitions.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            The offset of the oldest record of each.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
            TypeError: What is given names no partition.
        """
    def end_offsets(self, partitions: Partitions, *, timeout: float | None = None) -> dict[TopicPartition, int]:
        """Asks for the ends of partitions.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            The offset after the newest record of each; with `isolation_level="read_committed"`, where the oldest open
            transaction begins.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
            TypeError: What is given names no partition.
        """
    def offsets_for_times(
        self, timestamps: Mapping[Partition, int | datetime], *, timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Asks for the first offsets at or after a time.

        Args:
            timestamps: For each partition ms since 1970, or a `datetime` with a time zone. Numbers that look like
                seconds, microseconds or nanoseconds are refused.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            For each partition `OffsetAndTimestamp` of the first record that is not older, or None where all are.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
            InvalidArgumentError: A timestamp is in another unit.
            TypeError: What is given names no partition.
        """
    def partitions_for(self, topic: str, *, timeout: float | None = None) -> list[PartitionInfo]:
        """The partitions of a topic. A topic that does not exist is not created by this.

        Args:
            topic: Its name.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            A `PartitionInfo` for each, in the order of their numbers.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
        """
    def topics(self, *, timeout: float | None = None) -> list[str]:
        """The names of all topics that the client may see.

        Args:
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            The names.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
        """
    def commit(
        self, offsets: Record[Any, Any] | OffsetsIn | None = None, *, timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """Commits positions of the group, and waits until the coordinator has them.

        Args:
            offsets: The next offset to read, or an `OffsetAndMetadata`, for each partition. None commits what was
                handed out before the latest poll and by it.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            What was committed, by partition; empty where there was nothing to commit.

        Raises:
            CommitFailedError: The partitions belong to another member by now.
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
            ClientStateError: The consumer has no group.
        """
    def committed(
        self, partitions: Partitions, *, require_stable: bool = True, timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """What the group has committed.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them.
            require_stable: Whether to wait where an open transaction has offsets of a partition (KIP-447; brokers
                before 2.5 never do). False tells at once what was committed last.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            `OffsetAndMetadata` for each partition that has a commit; the others are left out.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
            ClientStateError: The consumer has no group.
        """
    def unsubscribe(self, *, timeout: float | None = None) -> None:
        """Gives up the subscription. What was handed out is committed where commits are automatic, listeners run in
        this call, and the member leaves the group.

        Args:
            timeout: Longest wait in seconds for commits and the coordinator; `close_timeout_ms` by default. It is not
                used up where no broker has answered for 1 s. The subscription is given up in any case.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            Exception: What a listener raises, once the rest is done.
        """
    def close(self, timeout: float | None = None) -> None:
        """Commits what was handed out where commits are automatic, leaves the group and stops reading. Calls that wait
        meanwhile end with `ClosedError`, iterations just end. A second call waits for the first.

        Args:
            timeout: Longest wait in seconds for commits and the coordinator; `close_timeout_ms` by default. It is not
                used up where no broker has answered for a while (1 s, or 5 s where there is something to commit), and
                everything is closed in any case.

        Raises:
            KafkaTimeoutError: Commits were not confirmed in time.
            KafkaError: They were refused.
            Exception: What a listener raises, once the rest is done.
        """
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...

@disjoint_base
class AsyncConsumer(BaseConsumer[K, V]):
    """The asyncio consumer."""

    def __new__(cls, config: ConsumerConfig) -> Self: ...
    def poll(self, timeout: float | None = 1.0) -> Call[Record[K, V] | None]:
        """The next record, in the order of its partition.

        Args:
            timeout: Seconds to wait for one; None waits without end, 0 takes what is there.

        Returns:
            The record, or None when there was none in time.

        Raises:
            ValueError: `timeout` is negative.
            ClosedError: The consumer is closed.
            MaxPollIntervalExceededError: The member has given up its partitions because it did not poll in time; the
                next poll joins again.
            NoOffsetError: A partition has no valid position, and `auto_offset_reset` is "none".
            CorruptRecordError: A batch is damaged; seek past `offset` to go on.
            ConsumerStuckError: Brokers have not answered for `stuck_timeout_ms`.
            KafkaError: The cluster refuses the client or a topic, such as for want of a permission; the class says
                which.
        """
    def poll_batch(self, max_records: int | None = None, timeout: float | None = 1.0) -> Call[RecordBatch[K, V]]:
        """What is ready, at once: the quickest way to read.

        Args:
            max_records: At most so many records; `max_poll_records` by default.
            timeout: Seconds to wait for the first; None waits without end, 0 takes what is there.

        Returns:
            The records; an empty batch when there were none in time.

        Raises:
            ValueError: `max_records` is below 1, or `timeout` negative.
            ClosedError: The consumer is closed.
            MaxPollIntervalExceededError: The member has given up its partitions because it did not poll in time; the
                next poll joins again.
            NoOffsetError: A partition has no valid position, and `auto_offset_reset` is "none".
            CorruptRecordError: A batch is damaged; seek past `offset` to go on.
            ConsumerStuckError: Brokers have not answered for `stuck_timeout_ms`.
            KafkaError: The cluster refuses the client or a topic, such as for want of a permission; the class says
                which.
        """
    def __aiter__(self) -> Self: ...
    def __anext__(self) -> Future[Record[K, V]]: ...
    def position(self, partition: Partition, *, timeout: float | None = None) -> Call[int]:
        """The offset of the record that comes next of a partition; asks the cluster where it is not known yet.

        Args:
            partition: A `TopicPartition`, or a pair of topic and number.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            The offset.

        Raises:
            NotAssignedError: The partition is not assigned.
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
        """
    def beginning_offsets(
        self, partitions: Partitions, *, timeout: float | None = None
    ) -> Call[dict[TopicPartition, int]]:
        """Asks for the first offsets of partitions.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            The offset of the oldest record of each.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
            TypeError: What is given names no partition.
        """
    def end_offsets(self, partitions: Partitions, *, timeout: float | None = None) -> Call[dict[TopicPartition, int]]:
        """Asks for the ends of partitions.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            The offset after the newest record of each; with `isolation_level="read_committed"`, where the oldest open
            transaction begins.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
            TypeError: What is given names no partition.
        """
    def offsets_for_times(
        self, timestamps: Mapping[Partition, int | datetime], *, timeout: float | None = None
    ) -> Call[dict[TopicPartition, OffsetAndTimestamp | None]]:
        """Asks for the first offsets at or after a time.

        Args:
            timestamps: For each partition ms since 1970, or a `datetime` with a time zone. Numbers that look like
                seconds, microseconds or nanoseconds are refused.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            For each partition `OffsetAndTimestamp` of the first record that is not older, or None where all are.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
            InvalidArgumentError: A timestamp is in another unit.
            TypeError: What is given names no partition.
        """
    def partitions_for(self, topic: str, *, timeout: float | None = None) -> Call[list[PartitionInfo]]:
        """The partitions of a topic. A topic that does not exist is not created by this.

        Args:
            topic: Its name.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            A `PartitionInfo` for each, in the order of their numbers.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
        """
    def topics(self, *, timeout: float | None = None) -> Call[list[str]]:
        """The names of all topics that the client may see.

        Args:
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            The names.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
        """
    def commit(
        self, offsets: Record[Any, Any] | OffsetsIn | None = None, *, timeout: float | None = None
    ) -> Call[dict[TopicPartition, OffsetAndMetadata]]:
        """Commits positions of the group, and waits until the coordinator has them.

        Args:
            offsets: The next offset to read, or an `OffsetAndMetadata`, for each partition. None commits what was
                handed out before the latest poll and by it.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            What was committed, by partition; empty where there was nothing to commit.

        Raises:
            CommitFailedError: The partitions belong to another member by now.
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
            ClientStateError: The consumer has no group.
        """
    def committed(
        self, partitions: Partitions, *, require_stable: bool = True, timeout: float | None = None
    ) -> Call[dict[TopicPartition, OffsetAndMetadata]]:
        """What the group has committed.

        Args:
            partitions: A `TopicPartition` or pair of topic and number, or several of them.
            require_stable: Whether to wait where an open transaction has offsets of a partition (KIP-447; brokers
                before 2.5 never do). False tells at once what was committed last.
            timeout: Longest wait in seconds; `default_api_timeout_ms` by default.

        Returns:
            `OffsetAndMetadata` for each partition that has a commit; the others are left out.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
            ClientStateError: The consumer has no group.
        """
    def unsubscribe(self, *, timeout: float | None = None) -> Call[None]:
        """Gives up the subscription. What was handed out is committed where commits are automatic, listeners run in
        this call, and the member leaves the group.

        Args:
            timeout: Longest wait in seconds for commits and the coordinator; `close_timeout_ms` by default. It is not
                used up where no broker has answered for 1 s. The subscription is given up in any case.

        Raises:
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            Exception: What a listener raises, once the rest is done.
        """
    def close(self, timeout: float | None = None) -> Call[None]:
        """Commits what was handed out where commits are automatic, leaves the group and stops reading. Calls that wait
        meanwhile end with `ClosedError`, iterations just end. A second call waits for the first.

        Args:
            timeout: Longest wait in seconds for commits and the coordinator; `close_timeout_ms` by default. It is not
                used up where no broker has answered for a while (1 s, or 5 s where there is something to commit), and
                everything is closed in any case.

        Raises:
            KafkaTimeoutError: Commits were not confirmed in time.
            KafkaError: They were refused.
            Exception: What a listener raises, once the rest is done.
        """
    def __aenter__(self) -> Call[Self]: ...
    def __aexit__(self, *exception: object) -> Call[None]: ...

@disjoint_base
class BaseProducer(Generic[KeyIn, ValueIn]):
    """The calls of producers that never wait."""

    @property
    def closed(self) -> bool:
        """True if `close()` was called."""
    def _warn_if_unclosed(self) -> None: ...
    def _never_warn(self) -> None: ...
    @property
    def in_transaction(self) -> bool:
        """True if a transaction is begun and neither committed nor aborted."""
    def _leave_transaction(self) -> bool: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> Literal[True]: ...
    def create_batch(self) -> BatchBuilder:
        """A batch to fill by hand and to send with `send_batch()`.

        Returns:
            A `BatchBuilder` that takes up to `batch_size` bytes before compression.

        Raises:
            ClosedError: The producer is closed.
        """
    def purge(self, *, in_queue: bool = True, in_flight: bool = True) -> int:
        """Gives up records that were not acknowledged; their futures and callbacks get a `PurgedError`. An open
        transaction has to be aborted afterwards.

        Args:
            in_queue: Those that wait to be sent.
            in_flight: Those that were sent and are not answered yet, which may be stored nevertheless.

        Returns:
            How many there were; 0 of a producer that is closed.
        """
    def _brokers(self) -> list[tuple[int | None, str, KafkaError | None, int | None, dict[str, Any]]]: ...
    def _client_name(self) -> str: ...
    def _watch_brokers(self, flag: PendingFlag) -> None: ...
    def _leaders(self, topic: str) -> list[tuple[int, int, int]]: ...
    def _handle(self) -> ClientHandle: ...
    def _transaction_state(self) -> str: ...
    def _transaction_failure(self) -> KafkaError | None: ...
    def _stored_by_partition(self) -> list[tuple[str, int, int, int]]: ...
    def metrics(self) -> ProducerMetrics:
        """Counters since the producer was made: `records_sent`, `records_failed`, `batches_sent`, `bytes_sent`,
        `bytes_uncompressed`, `buffer_used`, and `client` with those of its connections.

        Returns:
            A dict of numbers; nothing is asked of the cluster.
        """
    @classmethod
    def __class_getitem__(cls, item: Any, /) -> GenericAlias: ...

@disjoint_base
class Producer(BaseProducer[KeyIn, ValueIn]):
    """The synchronous producer."""

    def __new__(cls, config: ProducerConfig) -> Self: ...
    def send(
        self,
        topic: str,
        value: ValueIn | None = None,
        key: KeyIn | None = None,
        *,
        partition: int | None = None,
        timestamp: int | datetime | None = None,
        headers: Headers | None = None,
        on_delivery: Callable[[DeliveryFuture], object] | None = None,
    ) -> DeliveryFuture:
        """Hands a record to the producer. It is sent in the background; with a full buffer or an unknown topic the call
        waits, up to `max_block_ms`.

        Args:
            topic: Where the record goes.
            value: Bytes or text, or what `value_serializer` takes. None is a tombstone.
            key: Likewise; records of one key go to one partition, in order.
            partition: The partition's number; by default the partitioner chooses.
            timestamp: Milliseconds since 1970, or a `datetime` with a time zone; the time of the call by default.
            headers: Pairs of name and bytes, text or None; or a mapping.
            on_delivery: Called as `on_delivery(future)` in a later call of `poll()`, `flush()` or `close()`.

        Returns:
            The future of its delivery; `result()` waits for it.

        Raises:
            KafkaTimeoutError: There was no room, or nothing was known of the topic, for `max_block_ms`.
            TypeError: There is no serializer, and a value or key is neither bytes nor text.
            SerializationError: A serializer failed.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
        """
    def send_many(
        self,
        topic: str,
        values: Iterable[ValueIn | None],
        keys: Iterable[KeyIn | None] | None = None,
        *,
        partitions: int | Iterable[int | None] | None = None,
        timestamps: int | datetime | Iterable[int | datetime | None] | None = None,
        headers: Iterable[Headers | None] | None = None,
        timeout: float | None = None,
    ) -> Deliveries:
        """Sends many records of one topic in one call. Where one of them cannot be sent as it is, none is.

        Args:
            topic: Where the records go.
            values: One for each record.
            keys: One for each, or None.
            partitions: One for each, or one number for all.
            timestamps: One for each, or one for all, as `send()` takes them.
            headers: One for each, or None.
            timeout: Longest wait in seconds for room; `max_block_ms` by default.

        Returns:
            A handle for all of their deliveries.

        Raises:
            KafkaTimeoutError: There was no room for all in time; `sent` of the error has the deliveries of those that
                were taken.
            ValueError: The columns differ in length.
            TypeError: There is no serializer, and a value or key is neither bytes nor text.
            SerializationError: A serializer failed.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
        """
    def send_arrow(
        self,
        topic: str,
        data: ArrowData,
        *,
        value: str | None = "value",
        key: str | None = None,
        headers: str | None = None,
        timestamp: str | None = None,
        partition: str | None = None,
        timeout: float | None = None,
    ) -> Deliveries:
        """Sends the rows of an Arrow table without making a Python object of each. Serializers and interceptors do not
        run.

        The rows of a table, which is what has a length, are checked first: if one cannot be sent, none is. A stream
        without a length, such as a `pyarrow.RecordBatchReader`, is sent as it is read. The error's `index` is the row
        that it is about, its `sent` the handle of rows that were taken before a stream or the time ended.

        Args:
            topic: Where the rows go.
            data: A table or record batch of any library with `__arrow_c_stream__` or `__arrow_c_array__`.
            value: Name of the column of values: binary, text, or categories of such; None leaves the part out, and
                so does a null in its row.
            key: Name of that of keys, likewise.
            headers: Name of that of headers, a map or a list of pairs.
            timestamp: Name of that of timestamps: with a time zone, or whole milliseconds.
            partition: Name of that of partitions, whole numbers.
            timeout: Longest wait in seconds for room; `max_block_ms` by default.

        Returns:
            A handle for all of their deliveries.

        Raises:
            KafkaTimeoutError: There was no room for all in time.
            TypeError: What is given is no Arrow data.
            InvalidArgumentError: A column is missing or of the wrong type, or the data breaks Arrow's rules.
            TypeError: There is no serializer, and a value or key is neither bytes nor text.
            SerializationError: A serializer failed.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
        """
    def send_batch(
        self, batch: BatchBuilder, topic: str, *, partition: int, timeout: float | None = None
    ) -> DeliveryFuture:
        """Sends a batch of `create_batch()` to a partition, and closes it. Waits for room as `send()` does.

        Args:
            batch: What was filled.
            topic: Where it goes.
            partition: The partition's number.
            timeout: Longest wait in seconds for room; `max_block_ms` by default.

        Returns:
            The future of its first record; the others follow it.

        Raises:
            KafkaTimeoutError: There was no room in time.
            InvalidArgumentError: The batch is empty.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
        """
    def poll(self, timeout: float | None = 0.0) -> int:
        """Runs callbacks of deliveries on this thread.

        Args:
            timeout: Seconds to wait until one can run; None waits without end.

        Returns:
            How many ran.

        Raises:
            Exception: What a callback raises.
        """
    def flush(self, timeout: float | None = None) -> FlushResult:
        """Sends what is waiting at once, without lingering, and waits until everything sent before the call is
        reported. Runs callbacks meanwhile, and waits for those that another thread runs.

        Args:
            timeout: Longest wait in seconds; None waits without end.

        Returns:
            How many of them are still on their way, or how many of their callbacks have not returned; 0 when all are
            reported, whether stored or failed. `failed` of the number says how many records were not stored since the
            last `flush()`, whether or not their futures and callbacks have told it.

        Raises:
            Exception: The first that a callback raises, once the rest is done.
        """
    def init_transactions(self, timeout: float | None = None) -> None:
        """Gets a producer id for the `transactional_id`; to be called once, before the first transaction. Producers
        that had the id before are fenced, and what they left open is ended.

        Args:
            timeout: Longest wait in seconds; `max_block_ms` by default.

        Raises:
            KafkaTimeoutError: It was not done in time; the same call waits on.
            ProducerFencedError: A newer producer has the same `transactional_id`.
            TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
            KafkaError: The cluster refuses it; the class says why.
        """
    def begin_transaction(self) -> None:
        """Opens a transaction: everything sent from now on is part of it.

        Raises:
            TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
            ClosedError: The producer is closed.
        """
    def send_offsets_to_transaction(
        self, offsets: OffsetsIn, group_metadata: ConsumerGroupMetadata, timeout: float | None = None
    ) -> None:
        """Makes positions of a consumer's group part of the transaction, so that what was read and what was made of it
        are committed together (KIP-447).

        Args:
            offsets: The next offset to read, or an `OffsetAndMetadata`, for each partition.
            group_metadata: What `group_metadata()` of the consumer gives.
            timeout: Longest wait in seconds; `max_block_ms` by default.

        Raises:
            KafkaTimeoutError: It was not done in time; the same call waits on.
            ProducerFencedError: A newer producer has the same `transactional_id`.
            TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
            KafkaError: The cluster refuses it; the class says why.
            CommitFailedError: The consumer is no member of the group any more; abort.
        """
    def commit_transaction(self, timeout: float | None = None) -> None:
        """Ends the transaction once all of its records are stored, so that "read_committed" consumers read them.

        Args:
            timeout: Longest wait in seconds; `max_block_ms` by default.

        Raises:
            KafkaTimeoutError: It was not done in time; the same call waits on.
            ProducerFencedError: A newer producer has the same `transactional_id`.
            TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
            KafkaError: The cluster refuses it; the class says why.
        """
    def abort_transaction(self, timeout: float | None = None) -> None:
        """Ends the transaction so that no "read_committed" consumer reads any of its records. Those that have not left
        are dropped.

        Args:
            timeout: Longest wait in seconds; `max_block_ms` by default.

        Raises:
            KafkaTimeoutError: It was not done in time; the same call waits on.
            ProducerFencedError: A newer producer has the same `transactional_id`.
            TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
            KafkaError: The cluster refuses it; the class says why.
        """
    def _join_left_transaction(self, timeout: float | None = None) -> None: ...
    def partitions_for(self, topic: str, *, timeout: float | None = None) -> list[PartitionInfo]:
        """The partitions of a topic, asked for when they are not known.

        Args:
            topic: Its name.
            timeout: Longest wait in seconds; `max_block_ms` by default.

        Returns:
            A `PartitionInfo` for each, in the order of their numbers.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
        """
    def close(self, timeout: float | None = None) -> FlushResult:
        """Takes no more records, sends what there is, and ends; a transaction that is open is aborted by the cluster.
        While another thread closes, this waits for it. Ctrl+C gives up what there is.

        Args:
            timeout: Longest wait in seconds for what is not acknowledged; `close_timeout_ms` by default. Where there is
                nothing to wait for it ends at once, with or without brokers.

        Returns:
            How many records were given up because they were not acknowledged in time; their futures and callbacks get a
            `ClosedError`. `failed` of the number says how many others were not stored since the last `flush()`.

        Raises:
            Exception: The first that a callback raises, once the rest is done.
        """
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...

@disjoint_base
class AsyncProducer(BaseProducer[KeyIn, ValueIn]):
    """The asyncio producer."""

    def __new__(cls, config: ProducerConfig) -> Self: ...
    def send(
        self,
        topic: str,
        value: ValueIn | None = None,
        key: KeyIn | None = None,
        *,
        partition: int | None = None,
        timestamp: int | datetime | None = None,
        headers: Headers | None = None,
    ) -> Call[RecordMetadata]:
        """Sends a record. It is on its way before the first await, so several calls may be gathered. With a full buffer
        or an unknown topic it waits in order, up to `max_block_ms`.

        Args:
            topic: Where the record goes.
            value: Bytes or text, or what `value_serializer` takes. None is a tombstone.
            key: Likewise; records of one key go to one partition, in order.
            partition: The partition's number; by default the partitioner chooses.
            timestamp: Milliseconds since 1970, or a `datetime` with a time zone; the time of the call by default.
            headers: Pairs of name and bytes, text or None; or a mapping.

        Returns:
            Awaiting gives its `RecordMetadata`. Cancelling ends the waiting; a record that still waits for its topic or
            for room is withdrawn.

        Raises:
            KafkaError: The record was not stored: the class says why (`KafkaTimeoutError` after `delivery_timeout_ms`).
            TypeError: There is no serializer, and a value or key is neither bytes nor text.
            SerializationError: A serializer failed.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
            RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
        """
    def send_nowait(
        self,
        topic: str,
        value: ValueIn | None = None,
        key: KeyIn | None = None,
        *,
        partition: int | None = None,
        timestamp: int | datetime | None = None,
        headers: Headers | None = None,
    ) -> Future[RecordMetadata]:
        """Hands a record to the producer and never waits. Unlike `send()` it may be called where no event loop runs.

        Args:
            topic: Where the record goes.
            value: Bytes or text, or what `value_serializer` takes. None is a tombstone.
            key: Likewise; records of one key go to one partition, in order.
            partition: The partition's number; by default the partitioner chooses.
            timestamp: Milliseconds since 1970, or a `datetime` with a time zone; the time of the call by default.
            headers: Pairs of name and bytes, text or None; or a mapping.

        Returns:
            The future of its delivery, which need not be awaited.

        Raises:
            BufferFullError: It would have to wait for room.
            TypeError: There is no serializer, and a value or key is neither bytes nor text.
            SerializationError: A serializer failed.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
        """
    def enqueue(
        self,
        topic: str,
        value: ValueIn | None = None,
        key: KeyIn | None = None,
        *,
        partition: int | None = None,
        timestamp: int | datetime | None = None,
        headers: Headers | None = None,
    ) -> Call[Future[RecordMetadata]]:
        """Hands a record to the producer; awaiting waits only until there is room for it.

        Args:
            topic: Where the record goes.
            value: Bytes or text, or what `value_serializer` takes. None is a tombstone.
            key: Likewise; records of one key go to one partition, in order.
            partition: The partition's number; by default the partitioner chooses.
            timestamp: Milliseconds since 1970, or a `datetime` with a time zone; the time of the call by default.
            headers: Pairs of name and bytes, text or None; or a mapping.

        Returns:
            Awaiting gives the future of its delivery.

        Raises:
            KafkaTimeoutError: There was no room for `max_block_ms`.
            TypeError: There is no serializer, and a value or key is neither bytes nor text.
            SerializationError: A serializer failed.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
            RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
        """
    def send_many(
        self,
        topic: str,
        values: Iterable[ValueIn | None],
        keys: Iterable[KeyIn | None] | None = None,
        *,
        partitions: int | Iterable[int | None] | None = None,
        timestamps: int | datetime | Iterable[int | datetime | None] | None = None,
        headers: Iterable[Headers | None] | None = None,
        timeout: float | None = None,
    ) -> Call[list[RecordMetadata]]:
        """Sends many records of one topic in one call. Where one of them cannot be sent as it is, none is.

        Args:
            topic: Where the records go.
            values: One for each record.
            keys: One for each, or None.
            partitions: One for each, or one number for all.
            timestamps: One for each, or one for all, as `send()` takes them.
            headers: One for each, or None.
            timeout: Longest wait in seconds for room; `max_block_ms` by default.

        Returns:
            Awaiting gives a list of their `RecordMetadata`.

        Raises:
            KafkaError: Why the first that failed was not stored.
            ValueError: The columns differ in length.
            TypeError: There is no serializer, and a value or key is neither bytes nor text.
            SerializationError: A serializer failed.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
            RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
        """
    def enqueue_many(
        self,
        topic: str,
        values: Iterable[ValueIn | None],
        keys: Iterable[KeyIn | None] | None = None,
        *,
        partitions: int | Iterable[int | None] | None = None,
        timestamps: int | datetime | Iterable[int | datetime | None] | None = None,
        headers: Iterable[Headers | None] | None = None,
        timeout: float | None = None,
    ) -> Call[AsyncDeliveries]:
        """As `send_many()`; awaiting waits only until there is room for all of them.

        Args:
            topic: Where the records go.
            values: One for each record.
            keys: One for each, or None.
            partitions: One for each, or one number for all.
            timestamps: One for each, or one for all, as `send()` takes them.
            headers: One for each, or None.
            timeout: Longest wait in seconds for room; `max_block_ms` by default.

        Returns:
            Awaiting gives their `Deliveries`.

        Raises:
            KafkaTimeoutError: There was no room for all in time; `sent` of the error has the deliveries of those that
                were taken.
            ValueError: The columns differ in length.
            TypeError: There is no serializer, and a value or key is neither bytes nor text.
            SerializationError: A serializer failed.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
            RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
        """
    def send_arrow(
        self,
        topic: str,
        data: ArrowData,
        *,
        value: str | None = "value",
        key: str | None = None,
        headers: str | None = None,
        timestamp: str | None = None,
        partition: str | None = None,
        timeout: float | None = None,
    ) -> Call[list[RecordMetadata]]:
        """Sends the rows of an Arrow table without making a Python object of each. Serializers and interceptors do not
        run.

        The rows of a table, which is what has a length, are checked first, if the topic is known: if one cannot be
        sent, none is. A stream without a length, such as a `pyarrow.RecordBatchReader`, is sent as it is read. The
        error's `index` is the row that it is about, its `sent` the handle of rows that were taken before.

        Args:
            topic: Where the rows go.
            data: A table or record batch of any library with `__arrow_c_stream__` or `__arrow_c_array__`.
            value: Name of the column of values: binary, text, or categories of such; None leaves the part out, and
                so does a null in its row.
            key: Name of that of keys, likewise.
            headers: Name of that of headers, a map or a list of pairs.
            timestamp: Name of that of timestamps: with a time zone, or whole milliseconds.
            partition: Name of that of partitions, whole numbers.
            timeout: Longest wait in seconds for room; `max_block_ms` by default.

        Returns:
            Awaiting gives a list of their `RecordMetadata`.

        Raises:
            KafkaError: Why the first that failed was not stored.
            TypeError: What is given is no Arrow data.
            InvalidArgumentError: A column is missing or of the wrong type, or the data breaks Arrow's rules.
            TypeError: There is no serializer, and a value or key is neither bytes nor text.
            SerializationError: A serializer failed.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
            RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
        """
    def enqueue_arrow(
        self,
        topic: str,
        data: ArrowData,
        *,
        value: str | None = "value",
        key: str | None = None,
        headers: str | None = None,
        timestamp: str | None = None,
        partition: str | None = None,
        timeout: float | None = None,
    ) -> Call[AsyncDeliveries]:
        """As `send_arrow()`; awaiting waits only until there is room for all rows.

        Args:
            topic: Where the rows go.
            data: A table or record batch of any library with `__arrow_c_stream__` or `__arrow_c_array__`.
            value: Name of the column of values: binary, text, or categories of such; None leaves the part out, and
                so does a null in its row.
            key: Name of that of keys, likewise.
            headers: Name of that of headers, a map or a list of pairs.
            timestamp: Name of that of timestamps: with a time zone, or whole milliseconds.
            partition: Name of that of partitions, whole numbers.
            timeout: Longest wait in seconds for room; `max_block_ms` by default.

        Returns:
            Awaiting gives their `Deliveries`.

        Raises:
            KafkaTimeoutError: There was no room for all in time.
            TypeError: What is given is no Arrow data.
            InvalidArgumentError: A column is missing or of the wrong type, or the data breaks Arrow's rules.
            TypeError: There is no serializer, and a value or key is neither bytes nor text.
            SerializationError: A serializer failed.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
            RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
        """
    def send_batch(
        self, batch: BatchBuilder, topic: str, *, partition: int, timeout: float | None = None
    ) -> Call[RecordMetadata]:
        """Sends a batch of `create_batch()` to a partition, and closes it.

        Args:
            batch: What was filled.
            topic: Where it goes.
            partition: The partition's number.
            timeout: Longest wait in seconds for room; `max_block_ms` by default.

        Returns:
            Awaiting gives the metadata of its first record; the others follow it.

        Raises:
            KafkaError: The record was not stored: the class says why (`KafkaTimeoutError` after `delivery_timeout_ms`).
            InvalidArgumentError: The batch is empty.
            RecordTooLargeError: The record is larger than `max_request_size`.
            InvalidPartitionError: The topic has no such partition.
            InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
            TransactionStateError: The producer is transactional, and no transaction is open.
            ClosedError: The producer is closed.
            RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
        """
    def flush(self, timeout: float | None = None) -> Call[FlushResult]:
        """Sends what is waiting at once, without lingering, and waits until everything sent before the call is
        reported.

        Args:
            timeout: Longest wait in seconds; None waits without end.

        Returns:
            Awaiting gives how many records are still on their way; 0 when all are reported, whether stored or failed.
            `failed` of the number says how many records were not stored since the last `flush()`, whether or not
            somebody has awaited them.
        """
    def init_transactions(self, timeout: float | None = None) -> Call[None]:
        """Gets a producer id for the `transactional_id`; to be called once, before the first transaction. Producers
        that had the id before are fenced, and what they left open is ended.

        Args:
            timeout: Longest wait in seconds; `max_block_ms` by default.

        Raises:
            KafkaTimeoutError: It was not done in time; the same call waits on.
            ProducerFencedError: A newer producer has the same `transactional_id`.
            TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
            KafkaError: The cluster refuses it; the class says why.
        """
    def begin_transaction(self) -> Call[None]:
        """Opens a transaction: everything sent from now on is part of it.

        Raises:
            TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
            ClosedError: The producer is closed.
        """
    def send_offsets_to_transaction(
        self, offsets: OffsetsIn, group_metadata: ConsumerGroupMetadata, timeout: float | None = None
    ) -> Call[None]:
        """Makes positions of a consumer's group part of the transaction, so that what was read and what was made of it
        are committed together (KIP-447).

        Args:
            offsets: The next offset to read, or an `OffsetAndMetadata`, for each partition.
            group_metadata: What `group_metadata()` of the consumer gives.
            timeout: Longest wait in seconds; `max_block_ms` by default.

        Raises:
            KafkaTimeoutError: It was not done in time; the same call waits on.
            ProducerFencedError: A newer producer has the same `transactional_id`.
            TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
            KafkaError: The cluster refuses it; the class says why.
            CommitFailedError: The consumer is no member of the group any more; abort.
        """
    def commit_transaction(self, timeout: float | None = None) -> Call[None]:
        """Ends the transaction once all of its records are stored, so that "read_committed" consumers read them.

        Args:
            timeout: Longest wait in seconds; `max_block_ms` by default.

        Raises:
            KafkaTimeoutError: It was not done in time; the same call waits on.
            ProducerFencedError: A newer producer has the same `transactional_id`.
            TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
            KafkaError: The cluster refuses it; the class says why.
        """
    def abort_transaction(self, timeout: float | None = None) -> Call[None]:
        """Ends the transaction so that no "read_committed" consumer reads any of its records. Those that have not left
        are dropped.

        Args:
            timeout: Longest wait in seconds; `max_block_ms` by default.

        Raises:
            KafkaTimeoutError: It was not done in time; the same call waits on.
            ProducerFencedError: A newer producer has the same `transactional_id`.
            TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
            KafkaError: The cluster refuses it; the class says why.
        """
    def _join_left_transaction(self, timeout: float | None = None) -> Call[None]: ...
    def partitions_for(self, topic: str, *, timeout: float | None = None) -> Call[list[PartitionInfo]]:
        """The partitions of a topic, asked for when they are not known.

        Args:
            topic: Its name.
            timeout: Longest wait in seconds; `max_block_ms` by default.

        Returns:
            A `PartitionInfo` for each, in the order of their numbers.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
            KafkaTimeoutError: There was no answer in time; the message says what the last try met.
            KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
                class says which.
        """
    def close(self, timeout: float | None = None) -> Call[FlushResult]:
        """Takes no more records, sends what there is, and ends; a transaction that is open is aborted by the cluster.
        While another task closes, this waits for it.

        Args:
            timeout: Longest wait in seconds for what is not acknowledged; `close_timeout_ms` by default. Where there is
                nothing to wait for it ends at once, with or without brokers.

        Returns:
            Awaiting gives how many records were given up because they were not acknowledged in time; their futures get
            a `ClosedError`. `failed` of the number says how many others were not stored since the last `flush()`.
        """
    def __aenter__(self) -> Call[Self]: ...
    def __aexit__(self, *exception: object) -> Call[None]: ...

@disjoint_base
class EmbeddedBroker:
    """An in-memory Kafka cluster in this process; `kafkars.testing.EmbeddedBroker` is what to use."""

    def __new__(cls, settings: Mapping[str, object]) -> Self: ...
    @property
    def bootstrap_servers(self) -> str:
        """The addresses of the nodes, for `bootstrap_servers`: `host:port,host:port`."""
    @property
    def cluster_id(self) -> str:
        """The cluster's id."""
    @property
    def _is_stopped(self) -> bool: ...
    def _bootstrap_servers_of(self, listener: str) -> str: ...
    def _listeners(self) -> list[tuple[str, str]]: ...
    def _add_user(self, name: str, password: str) -> None: ...
    def _remove_user(self, name: str) -> bool: ...
    def _add_acl(self, rule: tuple[str, str, str, str, str, str, str]) -> None: ...
    def _remove_acl(self, rule: tuple[str, str, str, str, str, str, str]) -> bool: ...
    def _acls(self) -> list[tuple[str, str, str, str, str, str, str]]: ...
    def _create_topic(
        self,
        name: str,
        partitions: int | None,
        replication_factor: int | None,
        configs: Sequence[tuple[str, str]],
    ) -> None: ...
    def topics(self) -> list[str]:
        """The names of the topics, in alphabetical order."""
    def offsets(self, topic: str, partition: int) -> tuple[int, int]:
        """The first and the next offset of a partition.

        Args:
            topic: The topic's name.
            partition: The partition's number.

        Raises:
            InvalidPartitionError: The partition does not exist.
        """
    def leader(self, topic: str, partition: int) -> int:
        """Id of the node that leads a partition; -1 while none can.

        Args:
            topic: The topic's name.
            partition: The partition's number.

        Raises:
            InvalidPartitionError: The partition does not exist.
        """
    def move_leader(self, topic: str, partition: int, node: int) -> None:
        """Makes another node the leader of a partition, with a new leader epoch.

        Args:
            topic: The topic's name.
            partition: The partition's number.
            node: Id of the new leader.

        Raises:
            InvalidPartitionError: The partition does not exist.
            InvalidArgumentError: The node does not exist.
        """
    def _coordinator(self, kind: str, key: str) -> int | None: ...
    def _move_coordinator(self, kind: str, key: str, node: int) -> None: ...
    @property
    def nodes(self) -> list[int]:
        """The ids of all nodes, including those that are stopped."""
    def address(self, node: int) -> str:
        """The address of a node: `host:port`.

        Args:
            node: The node's id; 1 for the first.

        Raises:
            InvalidArgumentError: The node does not exist.
        """
    def node_state(self, node: int) -> Literal["running", "paused", "stopped"]:
        """The state of a node: "running", "paused" or "stopped".

        Args:
            node: The node's id; 1 for the first.

        Raises:
            InvalidArgumentError: The node does not exist.
        """
    def _add_node(self) -> int: ...
    def _steer_node(self, action: str, node: int) -> None: ...
    def cut_connections(self, node: int | None = None) -> None:
        """Closes every connection of one node, or of all; the nodes keep running.

        Args:
            node: The node's id; None for all.

        Raises:
            InvalidArgumentError: The node does not exist.
        """
    def _slow_down(self, node: int | None, latency: float, bytes_per_second: int | None) -> None: ...
    @staticmethod
    def _api_name(name: str) -> str: ...
    def _intercept(self, fault: Mapping[str, object]) -> int: ...
    def _remove_fault(self, number: int) -> bool: ...
    def _fault_hits(self, number: int) -> int: ...
    def clear_faults(self) -> None:
        """Removes all faults."""
    def _requests(self) -> list[SeenRequest]: ...
    def forget_requests(self) -> None:
        """Forgets the requests seen so far."""
    def _wait_for_requests(self, known: int) -> int: ...
    def run_retention(self, topic: str | None = None) -> int:
        """Deletes what retention no longer keeps of a topic, or of all; gives how many offsets are gone."""
    def compact(self, topic: str | None = None) -> int:
        """Compacts a topic, or all; gives how many records are gone."""
    def _set_quota(self, name: str, value: float | None, client_id: str | None) -> None: ...
    def _set_connection_rate(self, value: float | None, address: str | None) -> None: ...
    def _now_ms(self) -> int: ...
    def _advance_clock(self, seconds: float) -> None: ...
    def _freeze_clock(self, frozen: bool) -> None: ...
    def _clock_is_frozen(self) -> bool: ...
    def stop(self) -> None:
        """Ends it; what it held is gone."""
    def __enter__(self) -> Self: ...
    def __exit__(self, *_exception: object) -> None: ...

@final
class CertificateAuthority:
    """An authority for tests; `kafkars.testing.Certificates` is what to use."""

    def __new__(cls, name: str, key: str) -> Self: ...
    @property
    def certificate_pem(self) -> str:
        """Its own certificate."""
    def issue(
        self, name: str, organization: str | None, hosts: Sequence[str], key: str, lifetime_seconds: int
    ) -> MadeCertificate:
        """Signs a certificate."""
    def revoke(self, revoked: Sequence[MadeCertificate]) -> str:
        """Signs a list of revoked certificates."""

@final
class MadeCertificate:
    """A certificate and its key, as PEM."""

    @property
    def certificate_pem(self) -> str: ...
    @property
    def key_pem(self) -> str: ...

@final
class SeenRequest:
    """A request that reached the embedded broker, whatever became of it."""

    @property
    def api(self) -> str:
        """Kafka's name of the API, such as "Produce"."""

    @property
    def version(self) -> int:
        """The version of the API."""

    @property
    def node(self) -> int:
        """The id of the node that received it."""

    @property
    def connection(self) -> int:
        """The number of its connection, from 1 in the order in which connections were accepted."""

    @property
    def correlation_id(self) -> int:
        """The correlation id."""

    @property
    def client_id(self) -> str | None:
        """The client id, if it has one."""

    @property
    def size(self) -> int:
        """Its bytes, header included."""

    @property
    def time(self) -> float:
        """The time when it was read, in seconds since 1970 on the broker's clock."""

    @property
    def fault(self) -> str | None:
        """What was done to it on purpose: an action ("corrupt" for all that damage the answer) or the name of an
        error.
        """

    @property
    def body(self) -> dict[str, Any] | None:
        """Its fields by Kafka's names in snake case, decoded when asked for.

        None when they are not kept: of requests above 64 KiB, of the oldest when all together are above 16 MiB, and of
        APIs that are not served.
        """

@final
class LoopBridge:
    """What an event loop calls when something has happened."""

    def __call__(self) -> None: ...

def close_all(seconds: float) -> int:
    """Closes every producer that is still open, for up to `seconds`, and tells the log of failures that nobody has
    asked about. Returns how many records were given up.
    """

def config_fields() -> dict[str, list[str]]:
    """The settings that are read from each dataclass of `kafkars.config`."""

def error_table() -> list[tuple[int, str, bool]]:
    """Every broker error of the native table: code, name, and whether it is retriable."""

def sticky_assignment(
    topics: Mapping[str, int], members: Mapping[str, tuple[set[str], Sequence[tuple[str, int]], int]]
) -> dict[str, list[tuple[str, int]]]:
    """Gives partitions to members, by their ids.

    Args:
        topics: How many partitions each topic has.
        members: For each member its topics, the partitions it had, and the generation in which it had them.
    """

def partition_of_key(algorithm: str, key: bytes, partitions: int) -> int:
    """The partition of a key. `algorithm` is `murmur2`, `consistent` (CRC-32) or `fnv1a`."""

def runs_of_messages(messages: list[Any], start: int) -> list[tuple[str | None, int | None, int, int, int | None]]:
    """The runs of a list of messages, from a number on. An error has no offset."""

def set_log_level(level: int) -> None:
    """Sets the least severe level that is handed over, and starts collecting."""

def stop_logs() -> None:
    """Ends the wait of the thread that hands lines over."""

def take_logs() -> list[tuple[int, str, str, dict[str, int | float | bool | str], float]]:
    """The lines collected so far: level, logger, message, fields, time."""

def wait_logs(seconds: float) -> bool:
    """Waits up to `seconds` for lines. False once `stop_logs` was called."""

def turn_is_due() -> bool:
    """Counts a call of a face that is a coroutine of Python; true if it should let the loop run before it begins."""

def call_begins() -> None:
    """Notes that a call begins which has let the loop run before: the running task's first one in this turn."""
