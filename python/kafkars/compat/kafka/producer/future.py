"""The future that `KafkaProducer.send()` returns (`kafka.producer.future`)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from kafkars import _kafkars
from kafkars.compat.kafka.errors import KafkaTimeoutError, of_delivery
from kafkars.compat.kafka.future import Future
from kafkars.compat.kafka.structs import TopicPartition
from kafkars.errors import KafkaTimeoutError as EngineTimeoutError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["FutureRecordMetadata", "RecordMetadata"]


def at_least_none(timeout: float | None) -> float | None:
    """Returns a time limit in seconds: a negative one counts as 0. The wait refuses what is not a number."""
    return 0 if isinstance(timeout, int | float) and timeout < 0 else timeout


class RecordMetadata(NamedTuple):
    """Topic, partition and offset of a stored record.

    Native code fills it field by field (`kafkars-python/src/compat/kafka_python/metadata.rs`).
    """

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


class FutureRecordMetadata(_kafkars.KafkaPythonFuture, Future):
    """The future of one record's delivery.

    Callbacks run on a thread of the producer, which is started when the first one is added, and after `close()` where
    they are added. Producers make these
    without calling `__init__`: what few futures need is made when it is asked for.
    """

    _value: RecordMetadata | None = None
    _error: BaseException | None = None
    _ended = False
    _told: threading.Event | None = None
    _has_run = False
    number = 0
    """The order of this future among those with callbacks."""

    _MADE_LATE: ClassVar[dict[str, Callable[[], Any]]] = {
        "_lock": threading.Lock,
        "_callbacks": list,
        "_errbacks": list,
    }

    def __getattr__(self, name: str) -> Any:
        make = self._MADE_LATE.get(name)
        if make is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        return self.__dict__.setdefault(name, make())

    @classmethod
    def failed_with(cls, error: BaseException) -> FutureRecordMetadata:
        """Returns a failed future, for a record that is not sent because every broker would refuse it."""
        made = cls()
        made._error = error
        made.is_done = True
        return made

    if TYPE_CHECKING:

        def get(self, timeout: float | None = None) -> RecordMetadata:
            """Waits for the outcome and returns the metadata; `timeout` is in seconds, None for ever."""
            ...

    def _get(self, timeout: float | None) -> RecordMetadata:
        """`get()` of a record that was not stored, or that has callbacks."""
        seconds = at_least_none(timeout)
        if not self._look(seconds) or not self._has_told(seconds):
            self._late(timeout)
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]  # there is one or the other

    def _late(self, timeout: float | None) -> None:
        raise KafkaTimeoutError(f"no word of the delivery within {timeout} s")

    # The outcome is read when it is asked for: most programs ask for few.

    @property
    def is_done(self) -> bool:
        """True if the record was stored or has failed."""
        return self._ended or self._delivery.done()

    @is_done.setter
    def is_done(self, ended: bool) -> None:
        self._become_special()
        self._ended = ended

    @property
    def value(self) -> RecordMetadata | None:
        """The metadata of a stored record, else None."""
        self._look(0)
        return self._value

    @value.setter
    def value(self, value: RecordMetadata | None) -> None:
        self._value = value

    @property
    def exception(self) -> BaseException | None:
        """The error of a record that was not stored, else None."""
        self._look(0)
        return self._error

    @exception.setter
    def exception(self, error: BaseException | None) -> None:
        self._error = error

    def add_callback(self, f: Callable[..., object], *args: Any, **kwargs: Any) -> Self:
        """Calls `f(*args, metadata, **kwargs)` when the record is stored, at once if it is already."""
        self._watch()
        return super().add_callback(f, *args, **kwargs)

    def add_errback(self, f: Callable[..., object], *args: Any, **kwargs: Any) -> Self:
        """Calls `f(*args, error, **kwargs)` when the delivery fails, at once if it has failed already."""
        self._watch()
        return super().add_errback(f, *args, **kwargs)

    def _watch(self) -> None:
        # Under the lock: two threads that add a callback at once must not both have it watched. `tell()` takes it, too,
        # and so comes after `_told` is set.
        with self._lock:
            if self._told is not None or self._ended:
                return
            self._become_special()
            # A closed producer has no thread for callbacks: they run in the call that adds them.
            if self._reporter.watch(self, self._delivery):
                self._told = threading.Event()

    def _runs_at_once(self) -> bool:
        # Those of earlier records may still wait for their turn on the producer's thread.
        return self._has_run if self._told is not None else self.is_done

    def _has_told(self, timeout: float | None) -> bool:
        """Waits until the callbacks have run, as `get()` does in kafka-python. A callback itself does not wait."""
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
        """Waits until the callbacks have run; False after the time limit."""
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
            self._error = of_delivery(error)
        else:
            self._value = self._metadata()
        self._ended = True
