"""`KafkaProducer` on kafkars (`kafka.producer.kafka`)."""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import kafkars
from kafkars import _kafkars
from kafkars._discreet import discreet
from kafkars.compat._quiet import quiet
from kafkars.compat.kafka._client_metrics import ClientMetrics
from kafkars.compat.kafka._security import security
from kafkars.compat.kafka._settings import servers
from kafkars.compat.kafka._versions import NEWEST_OF_2, release_of
from kafkars.compat.kafka.errors import (
    BrokerResponseError,
    IllegalStateError,
    KafkaTimeoutError,
    of,
    of_first_contact,
    translated,
)
from kafkars.compat.kafka.producer import _settings
from kafkars.compat.kafka.producer._cluster import ClusterMetadata
from kafkars.compat.kafka.producer._reporter import Reporter
from kafkars.compat.kafka.producer.future import FutureRecordMetadata, RecordMetadata, at_least_none
from kafkars.compat.kafka.serializer import Serializer
from kafkars.compat.kafka.structs import OffsetAndMetadata, TopicPartition
from kafkars.compat.kafka.util import ensure_valid_topic_name
from kafkars.errors import AuthenticationError, CredentialsError, TransactionStateError
from kafkars.errors import KafkaError as EngineError
from kafkars.types import ConsumerGroupMetadata
from kafkars.types import OffsetAndMetadata as EngineOffset

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["KafkaProducer"]

log = logging.getLogger("kafka.producer.kafka")

LONGEST = 10 * 365 * 86_400.0
"""Ten years in seconds, for waits without a limit."""


class KafkaProducer(_kafkars.KafkaPythonSender):
    """Sends records. Thread-safe.

    Settings are those of kafka-python 2.3, which the page on moving lists with what becomes of them.

    Raises:
        AssertionError: A setting is unknown.
        KafkaConfigurationError: Settings contradict each other.
        NoBrokersAvailable: No broker answers within `api_version_auto_timeout_ms`, where `api_version` is not set.
        ssl.SSLError: The broker's certificate or the client's was refused.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = _settings.DEFAULTS
    DEPRECATED_CONFIGS: Sequence[str] = _settings.DEPRECATED
    WRONG_TYPE: ClassVar[type[Exception]] = AssertionError
    """The error class for headers and serialized data of a wrong type."""
    WRONG_VALUE: ClassVar[type[Exception]] = AssertionError
    """The error class for other invalid arguments of `send()`."""
    METRICS: ClassVar[str] = "kafkars.compat.kafka.metrics"
    """The module of its metrics."""
    NEWEST_RELEASE: ClassVar[tuple[int, ...]] = NEWEST_OF_2
    """What `config["api_version"]` is at most."""

    @discreet
    def __init__(self, **configs: Any) -> None:
        self._closed = True
        self.config = self._checked(configs)
        with translated():
            self._engine: kafkars.Producer[Any, Any] = quiet(kafkars.Producer(self._of_engine(configs)))
        self._reporter = Reporter(self._engine, self.config["client_id"])
        self._is_ready_for_transactions = False
        self._partitions_by = self._partitioner()
        self._key_serializer = self.config["key_serializer"]
        self._value_serializer = self.config["value_serializer"]
        try:
            self._metrics = ClientMetrics(self._engine, self.config, self.METRICS, "producer")
            self._reach()
        except BaseException:
            self._engine.close(0)
            raise
        self._open(
            self._engine,
            self._reporter,
            (FutureRecordMetadata, RecordMetadata, TopicPartition),
            self._serializer(self._key_serializer),
            self._serializer(self._value_serializer),
            self._partitions_by is not None,
        )
        self._closed = False

    def _reach(self) -> None:
        """Waits for the first broker's answer, as kafka-python does, and raises if none answers."""
        if self.config["api_version"] is not None:
            return
        reader = quiet(
            kafkars.Consumer(
                bootstrap_servers=servers(self.config["bootstrap_servers"]),
                client_id=self.config["client_id"],
                **security(self.config),
            )
        )
        try:
            reader.topics(timeout=self._first_contact_seconds())
        except (AuthenticationError, CredentialsError) as error:
            # Versions are told before the login, so kafka-python's constructors hear nothing of it; the first call
            # does.
            log.warning("%s", error)
        except EngineError as error:
            raise self._no_contact(error) from error
        finally:
            self.config["api_version"] = release_of(reader._api_versions(), self.NEWEST_RELEASE)
            reader.close(0)

    def _checked(self, configs: Mapping[str, Any]) -> dict[str, Any]:
        return _settings.checked(configs, self.DEFAULT_CONFIG)

    def _of_engine(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return _settings.of_engine(self.config, given)

    def _first_contact_seconds(self) -> float:
        return float(self.config["api_version_auto_timeout_ms"]) / 1000

    def _no_contact(self, error: EngineError) -> BaseException:
        return of_first_contact(error)

    # Life

    def bootstrap_connected(self) -> bool:
        """True if the producer is open: a broker was found when it was created, and others are when needed."""
        return not self._closed

    def close(self, timeout: float | None = None, null_logger: bool = False) -> None:
        """Sends buffered records and closes the producer. Idempotent.

        Args:
            timeout: Seconds; None waits for every record, 0 discards unsent ones. Within a callback it counts as 0.
            null_logger: Ignored: the engine does not log within `close()`.

        Raises:
            AssertionError: The time is negative, or NaN.
            KafkaTimeoutError: Records were discarded and their futures failed; not raised within a callback.
        """
        del null_logger
        if self._closed:
            return
        if timeout is not None and not timeout >= 0:
            raise self.WRONG_VALUE(f"Invalid timeout: {timeout}")
        self._closed = True
        seconds = LONGEST if timeout is None else timeout
        is_in_callback = self._reporter.is_here()
        if is_in_callback:
            seconds = 0
        given_up = 0
        try:
            try:
                with translated():
                    given_up = self._engine.close(seconds)
            finally:
                self._reporter.close(seconds)
        finally:
            self._metrics.close()
            for each in (self._key_serializer, self._value_serializer):
                if hasattr(each, "close"):
                    each.close()
        if given_up and timeout is not None and not is_in_callback:
            raise KafkaTimeoutError(f"{given_up} records were given up after {timeout} s")

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            with contextlib.suppress(KafkaTimeoutError):
                self.close(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        self.close()

    def __str__(self) -> str:
        return (
            f"<KafkaProducer client_id={self.config['client_id']} transactional_id={self.config['transactional_id']}>"
        )

    def _check_open(self) -> None:
        if self._closed:
            raise AssertionError("KafkaProducer already closed!")

    # Sending

    if TYPE_CHECKING:

        def send(
            self,
            topic: str,
            value: Any = None,
            key: Any = None,
            headers: list[tuple[str, bytes]] | None = None,
            partition: int | None = None,
            timestamp_ms: int | None = None,
        ) -> FutureRecordMetadata:
            """Appends a record to its partition's batch, which is sent in the background."""
            ...

    def _partitioner(self) -> Callable[..., int] | None:
        """Returns a partitioner that needs more than the engine's partitioners are told; None if the engine's do."""
        return None

    def _serializer(self, given: Any) -> tuple[Callable[..., Any], bool, bool] | None:
        """Returns the function of a serializer, and whether it takes the topic and the headers, too.

        The function is called for None, too.
        """
        if given is None:
            return None
        return (given.serialize, True, False) if isinstance(given, Serializer) else (given, False, False)

    def _send(
        self,
        topic: str,
        value: Any,
        key: Any,
        headers: list[tuple[str, bytes]] | None,
        partition: int | None,
        timestamp_ms: int | None,
    ) -> FutureRecordMetadata:
        """The rest of `send()`, for arguments that are wrong or unusual."""
        self._check_open()
        if value is None and key is None:
            raise self.WRONG_VALUE("Need at least one: key or value")
        ensure_valid_topic_name(topic)
        raw_key = self._serialized(self._key_serializer, topic, headers, key)
        raw_value = self._serialized(self._value_serializer, topic, headers, value)
        return self._send_serialized(topic, key, raw_key, value, raw_value, headers, partition, timestamp_ms)

    def _send_serialized(
        self,
        topic: str,
        key: Any,
        raw_key: Any,
        value: Any,
        raw_value: Any,
        headers: list[tuple[str, bytes]] | None,
        partition: int | None,
        timestamp_ms: int | None,
    ) -> FutureRecordMetadata:
        """The rest of `send()`, after the serializers."""
        for data in (raw_key, raw_value):
            if data is not None and not isinstance(data, (bytes, bytearray, memoryview)):
                raise self.WRONG_TYPE(f"keys and values are bytes once serialized, not {type(data).__name__}")
        size = -1
        if headers:
            size = self._checked_headers(headers)
        elif headers is not None and not isinstance(headers, list):
            raise self.WRONG_TYPE("headers: expected a list of pairs")
        if partition is not None and partition < 0:
            raise self.WRONG_VALUE("partition must not be negative")
        if partition is None and self._partitions_by is not None:
            partition = self._partitions_by(topic, key, raw_key, value, raw_value)
        try:
            delivery = self._engine.send(
                topic, raw_value, raw_key, partition=partition, timestamp=_moment(timestamp_ms), headers=headers or None
            )
        except EngineError as error:
            return self._refused(error)
        if delivery.done():
            self._raise_at_once(delivery)
        future: FutureRecordMetadata = self._future_of(delivery, size)
        return future

    def _refused(self, error: BaseException) -> FutureRecordMetadata:
        """Returns the future of a record that the engine did not take.

        Raises:
            BaseException: The error, unless it is one that a broker would have answered with.
        """
        if isinstance(error, TransactionStateError):
            raise IllegalStateError(str(error)) from error
        if not isinstance(error, EngineError):
            raise error
        made = of(error)
        # Errors that a broker would raise are outcomes of the future, as in kafka-python.
        if isinstance(made, BrokerResponseError):
            return FutureRecordMetadata.failed_with(made)
        raise made from error

    def _serialized(self, by: Any, topic: str, headers: Any, data: Any) -> Any:
        how = self._serializer(by)
        if how is None:
            return data
        function, takes_topic, takes_headers = how
        if takes_headers:
            return function(topic, headers or [], data)
        return function(topic, data) if takes_topic else function(data)

    def _checked_headers(self, headers: list[tuple[str, bytes]]) -> int:
        """Checks headers as kafka-python does, and returns their size in bytes."""
        pairs: Any = headers
        if not isinstance(pairs, list):
            raise self.WRONG_TYPE("headers: expected a list of pairs")
        size = 0
        for each in pairs:
            if not (
                isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str) and isinstance(each[1], bytes)  # noqa: PLR2004  a pair
            ):
                raise self.WRONG_TYPE(f"headers: expected pairs of text and bytes, not {each!r}")
            size += len(each[0].encode()) + len(each[1])
        return size

    def _raise_at_once(self, delivery: kafkars.DeliveryFuture) -> None:
        """Raises the errors that kafka-python finds before a record is in a batch."""
        error = delivery.exception(0)
        if isinstance(error, kafkars.errors.InvalidPartitionError):
            with translated():
                raise error

    def flush(self, timeout: float | None = None) -> None:
        """Sends all buffered records, and waits until they are stored or have failed, and callbacks have run.

        Errors of records are in their futures.

        Args:
            timeout: Seconds; None waits without a limit.

        Raises:
            KafkaTimeoutError: Records are still undelivered.
        """
        limit = at_least_none(timeout)
        until = None if limit is None else time.monotonic() + limit
        with translated():
            left = self._engine.flush(limit)
        if left:
            raise KafkaTimeoutError(f"{left} records are still under way after {timeout} s")
        if not self._reporter.wait_told(None if until is None else max(until - time.monotonic(), 0)):
            raise KafkaTimeoutError(f"callbacks are still running after {timeout} s")

    def partitions_for(self, topic: str) -> set[int]:
        """Returns the partition numbers of a topic, which brokers may auto-create.

        Raises:
            KafkaTimeoutError: The topic did not become known within `max_block_ms`.
        """
        with translated():
            found = self._engine.partitions_for(topic, timeout=self.config["max_block_ms"] / 1000)
        return {info.partition for info in found}

    @property
    def _metadata(self) -> ClusterMetadata:
        """The cluster, under the name that monitoring agents read."""
        return ClusterMetadata(self._engine, self.config["max_block_ms"] / 1000)

    def metrics(self, raw: bool = False) -> dict[Any, Any] | None:
        """Returns the metrics that the engine counts, by group and name.

        Args:
            raw: True returns `{MetricName: KafkaMetric}`.

        Returns:
            `{group: {name: value}}`; None if `metrics_enabled` is off.
        """
        return self._metrics.told(raw=raw)

    @classmethod
    def max_usable_produce_magic(cls, api_version: tuple[int, ...]) -> int:
        """Returns the newest record format (0, 1 or 2) of a broker version. The engine itself asks each broker."""
        return 2 if api_version >= (0, 11) else 1 if api_version >= (0, 10) else 0

    # Transactions

    def init_transactions(self) -> None:
        """Registers the transactional id and fences older producers with it; required before the first transaction.

        Raises:
            IllegalStateError: There is no `transactional_id`.
            KafkaTimeoutError: The coordinator did not answer within `max_block_ms`.
        """
        self._check_transactional()
        if self._is_ready_for_transactions:
            return
        with translated():
            self._engine.init_transactions(self.config["max_block_ms"] / 1000)
        self._is_ready_for_transactions = True

    def begin_transaction(self) -> None:
        """Begins a transaction."""
        self._check_transactional()
        with translated():
            self._engine.begin_transaction()

    def send_offsets_to_transaction(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata], consumer_group_id: str
    ) -> None:
        """Commits a group's offsets with the transaction."""
        self._check_transactional()
        taken = {
            partition: EngineOffset(place.offset, str(place.metadata or "")) for partition, place in offsets.items()
        }
        with translated():
            self._engine.send_offsets_to_transaction(taken, ConsumerGroupMetadata(consumer_group_id))

    def commit_transaction(self) -> None:
        """Commits the transaction."""
        self._check_transactional()
        with translated():
            self._engine.commit_transaction()

    def abort_transaction(self) -> None:
        """Aborts the transaction."""
        self._check_transactional()
        with translated():
            self._engine.abort_transaction()

    def _check_transactional(self) -> None:
        if not self.config["transactional_id"]:
            raise IllegalStateError("transactions need the setting transactional_id")
        self._check_open()


def _moment(timestamp_ms: Any) -> Any:
    """Returns a timestamp for the engine, which takes what looks like seconds for a mistake unless it is a datetime."""
    if isinstance(timestamp_ms, int) and 10**9 <= timestamp_ms < 10**10:
        return dt.datetime.fromtimestamp(timestamp_ms / 1_000, dt.timezone.utc)
    return timestamp_ms
