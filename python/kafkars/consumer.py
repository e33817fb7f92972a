"""The synchronous consumer."""

# Made of kafkars/aio/consumer.py by scripts/check_twins.py (`make generate-twins`): change that one.

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from kafkars import _kafkars, _logging
from kafkars._arrow import to_arrow
from kafkars._blocks import synchronous
from kafkars._discreet import discreet
from kafkars.config.consumer import ConsumerConfig
from kafkars.errors import ClosedError, KafkaTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from typing_extensions import Self, Unpack

    from kafkars._kafkars import ArrowBatch, RecordBatch
    from kafkars._typing import ArrowLayout, K, V
    from kafkars.config.client import ClientIdentity
    from kafkars.config.settings import ConsumerSettings
    from kafkars.types import Deserializer


@synchronous
class Consumer(_kafkars.Consumer["K", "V"]):
    """Reads records of topics that it subscribes to with a group, or of partitions that are assigned by hand.

    ```python
    with Consumer(bootstrap_servers="localhost:9092", auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition("orders", 0)])
        for record in consumer:
            print(record.offset, record.value)
    ```

    Fetching goes on in the background; what has arrived is handed over on the spot. Several threads may share a
    consumer: each record goes to one of them.

    Args:
        config: A `ConsumerConfig`, or a mapping of settings, which may use Kafka's dotted names. Type checkers do not
            look into it: say what it makes, as in `Consumer[str, Order](config)`.
        **settings: Fields of `ConsumerConfig`.

    Raises:
        ConfigError: A setting is unknown, missing, contradictory or of the wrong type.
    """

    # No instance dictionary: every call would look there before it finds the native method.
    __slots__ = ("__weakref__", "_identity", "_telemetry")

    _identity: ClientIdentity
    _telemetry: object  # set by kafkars.opentelemetry.instrument() only

    if TYPE_CHECKING:
        # One signature, without overloads: of a wrong setting type checkers name that alone.
        def __new__(  # noqa: D102  editors show what the class says
            cls,
            config: ConsumerConfig | Mapping[str, object] | None = None,
            *,
            key_deserializer: Callable[[bytes], K] | Deserializer[K] | None = None,
            value_deserializer: Callable[[bytes], V] | Deserializer[V] | None = None,
            **settings: Unpack[ConsumerSettings],
        ) -> Self: ...
    else:

        @discreet
        def __new__(cls, config: Any = None, **settings: Any) -> Any:
            """See the class."""
            checked = ConsumerConfig.of(config, settings)
            _logging.start()
            made = super().__new__(cls, checked)
            made._identity = checked.identity()
            return made

    def __del__(self) -> None:
        self._warn_if_unclosed()

    def poll_arrow(
        self,
        max_records: int | None = None,
        timeout: float | None = 1.0,
        *,
        columns: Sequence[str] | None = None,
        layout: ArrowLayout = "native",
    ) -> ArrowBatch:
        """Returns the records that are ready as Arrow columns, without a Python object for each.

        Args:
            max_records: The most records to return; `max_poll_records` by default.
            timeout: Seconds to wait for the first record; None waits without end.
            columns: Which columns, as `RecordBatch.to_arrow` takes them; all by default.
            layout: Which Arrow types, as `RecordBatch.to_arrow` takes them.

        Returns:
            The columns; without rows when there was no record for `timeout` seconds.

        Raises:
            InvalidArgumentError: There is no such column or `layout`, or `max_records` is 0. No record has been taken
                then.
            DeserializationError: A record does not fit into the columns. The position stays before the record's batch.
            KafkaError: As `poll_batch`.
        """
        _kafkars.check_arrow_layout(columns, layout)
        batch = self.poll_batch(max_records, timeout)
        return to_arrow(self, batch, columns, layout)

    def arrow_batches(
        self, max_records: int | None = None, *, columns: Sequence[str] | None = None, layout: ArrowLayout = "native"
    ) -> Iterator[ArrowBatch]:
        """Iterates over batches of records as Arrow columns, until the consumer is closed.

        Args:
            max_records: At most so many records a batch; `max_poll_records` by default.
            columns: Which columns, as `RecordBatch.to_arrow` takes them; all by default.
            layout: Which Arrow types, as `RecordBatch.to_arrow` takes them.

        Raises:
            InvalidArgumentError: There is no such column or `layout`, or `max_records` is 0.
            DeserializationError: As `poll_arrow`.
            KafkaError: As `poll_batch`.
        """
        _kafkars.check_arrow_layout(columns, layout)
        while not self.closed:
            try:
                batch = self.poll_batch(max_records, None)
            except ClosedError:
                return
            if batch:
                yield to_arrow(self, batch, columns, layout)

    def read_until_end(
        self,
        max_records: int | None = None,
        timeout: float | None = 30.0,
    ) -> Iterator[RecordBatch[K, V]]:
        """Iterates over batches of records, from the current positions to the ends that partitions have at the start.

        It reads the partitions that are assigned and not paused; with a subscription it first waits until there are
        any. Records that are written meanwhile may come too. Partitions that are revoked meanwhile are left out. With
        "read_committed", the end is where the oldest open transaction begins.

        Args:
            max_records: At most so many records a batch; `max_poll_records` by default.
            timeout: Longest wait in seconds without any record before the end is reached; None waits without end.

        Raises:
            ValueError: `max_records` is below 1, or `timeout` negative.
            ClientStateError: Nothing is assigned or subscribed.
            ClosedError: The consumer is closed.
            KafkaTimeoutError: For `timeout` seconds nothing came; the message names the partitions that are not read to
                their ends.
            KafkaError: As `poll_batch` and `end_offsets`.
        """
        _kafkars.check_limits(timeout, max_records)
        ends = None
        since = time.monotonic()
        while True:
            assigned = self.assignment()
            unpaused = assigned - self.paused()
            if ends is None and assigned:
                ends = self.end_offsets(unpaused, timeout=timeout) if unpaused else {}
            known = (ends or {}).items()
            until = None if timeout is None else since + timeout
            left = [
                each
                for each, end in known
                if each in unpaused and self.position(each, timeout=_seconds_until(until)) < end
            ]
            if ends is not None and not left:
                return
            batch = self.poll_batch(max_records, READING_STEP)
            if batch:
                yield batch
                since = time.monotonic()
            elif timeout is not None and time.monotonic() - since > timeout:
                where = [f"{each.topic}-{each.partition}" for each in left[:FEW]] or ["no partition was assigned"]
                raise KafkaTimeoutError(f"not read to the end, and no record for {timeout:g} s: {', '.join(where)}")


READING_STEP = 0.1
"""Seconds between two checks whether the end is reached: it may be behind transaction markers, which bring no
record."""

FEW = 5


def _seconds_until(moment: float | None) -> float | None:
    """Returns the seconds that are left until a deadline; None without one."""
    return None if moment is None else max(moment - time.monotonic(), 0)
