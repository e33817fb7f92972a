"""What `KafkaProducer.send()` gives (`kafka.producer.future`)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkars.compat.kafka.errors import KafkaTimeoutError, of
from kafkars.compat.kafka.future import Future
from kafkars.compat.kafka.structs import TopicPartition
from kafkars.errors import KafkaTimeoutError as EngineTimeoutError

if TYPE_CHECKING:
    from typing_extensions import Self

    from kafkars import DeliveryFuture
    from kafkars.compat.kafka.producer._reporter import Reporter

__all__ = ["FutureRecordMetadata", "RecordMetadata"]


class RecordMetadata(NamedTuple):
    """Where a record was stored."""

    topic: str
    partition: int
    topic_partition: TopicPartition
    offset: int
    timestamp: int
    """Milliseconds since 1970."""
    checksum: int | None
    """None: batches have one checksum for all of their records."""
    serialized_key_size: int
    serialized_value_size: int
    serialized_header_size: int


class FutureRecordMetadata(Future):
    """The delivery of one record.

    Callbacks run on a thread of the producer, which is started when the first one is added.
    """

    def __init__(self, delivery: DeliveryFuture, header_size: int, reporter: Reporter) -> None:
        self._value: RecordMetadata | None = None
        super().__init__()
        self._delivery = delivery
        self._header_size = header_size
        self._reporter = reporter
        self._told: threading.Event | None = None
        self._has_run = False
        self.number = 0
        """Its place among those with callbacks."""

    @classmethod
    def failed_with(cls, error: BaseException) -> FutureRecordMetadata:
        """The outcome of a record that is not sent, because every broker would refuse it."""
        made = cls.__new__(cls)
        made._value = None
        Future.__init__(made)
        made._error = error
        made._told = None
        made._ended = True
        return made

    def get(self, timeout: float | None = None) -> RecordMetadata:
        """The metadata; waits for the broker's word.

        Args:
            timeout: Seconds; None waits until the delivery is decided, which `delivery_timeout_ms` bounds.

        Raises:
            KafkaTimeoutError: There was no word in time; the record is still under way.
            KafkaError: The record was not stored.
        """
        if not self._look(timeout) or not self._has_told(timeout):
            raise KafkaTimeoutError(f"no word of the delivery within {timeout} s")
        if self._error is not None:
            raise self._error
        assert self._value is not None  # noqa: S101  there is one or the other
        return self._value

    # The outcome is looked at when somebody asks for it: most programs ask for few.

    @property
    def is_done(self) -> bool:
        """True if the outcome is known."""
        return self._ended or self._delivery.done()

    @is_done.setter
    def is_done(self, ended: bool) -> None:
        self._ended = ended

    @property
    def value(self) -> RecordMetadata | None:
        """The metadata of a record that was stored."""
        self._look(0)
        return self._value

    @value.setter
    def value(self, value: RecordMetadata | None) -> None:
        self._value = value

    @property
    def exception(self) -> BaseException | None:
        """Why the record was not stored."""
        self._look(0)
        return self._error

    @exception.setter
    def exception(self, error: BaseException | None) -> None:
        self._error = error

    def add_callback(self, f: Callable[..., object], *args: Any, **kwargs: Any) -> Self:
        """Calls `f(*args, metadata, **kwargs)` when the record is stored, at once where it is."""
        self._watch()
        return super().add_callback(f, *args, **kwargs)

    def add_errback(self, f: Callable[..., object], *args: Any, **kwargs: Any) -> Self:
        """Calls `f(*args, error, **kwargs)` when the record is not stored, at once where that is known."""
        self._watch()
        return super().add_errback(f, *args, **kwargs)

    def _watch(self) -> None:
        if self._told is not None or self._ended:
            return
        self._told = threading.Event()
        self._reporter.watch(self, self._delivery)

    def _runs_at_once(self) -> bool:
        # Those of earlier records may still wait for their turn on the producer's thread.
        return self._has_run if self._told is not None else self.is_done

    def _has_told(self, timeout: float | None) -> bool:
        """As in kafka-python, who waits for the outcome gets it after the callbacks. A callback itself does not
        wait.
        """
        return self._told is None or self._reporter.is_here() or self._told.wait(timeout)

    def tell(self) -> None:
        """Runs the callbacks, on the producer's thread."""
        with self._lock:
            self._take()
            self._has_run = True
            waiting, self._callbacks = self._callbacks, []
            failing, self._errbacks = self._errbacks, []
        try:
            if self._error is None:
                self._run(waiting, self._value)
            else:
                self._run(failing, self._error)
        finally:
            if self._told is not None:
                self._told.set()

    def wait_told(self, timeout: float | None) -> bool:
        """Waits until the callbacks have run; False when the time is over."""
        return self._has_told(timeout)

    def _look(self, timeout: float | None) -> bool:
        if self._ended:
            return True
        if timeout != 0:
            try:
                self._delivery.exception(timeout)
            except EngineTimeoutError:
                return False
        elif not self._delivery.done():
            return False
        with self._lock:
            # Who has added callbacks is told by the producer's thread, which then ends this future.
            self._take()
        return True

    def _take(self) -> None:
        if self._ended:
            return
        error = self._delivery.exception(0)
        if error is not None:
            self._error = of(error)
        else:
            found = self._delivery.result(0)
            self._value = RecordMetadata(
                found.topic,
                found.partition,
                TopicPartition(found.topic, found.partition),
                found.offset,
                found.timestamp,
                None,
                found.serialized_key_size,
                found.serialized_value_size,
                self._header_size,
            )
        self._ended = True
