"""`KafkaConsumer` on kafkars (`kafka.consumer.group`)."""

from __future__ import annotations

import atexit
import contextlib
import logging
import math
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import kafkars
from kafkars import _kafkars
from kafkars._discreet import discreet
from kafkars._times import Milliseconds
from kafkars.compat._quiet import quiet
from kafkars.compat._telling import teller
from kafkars.compat.kafka._client_metrics import ClientMetrics
from kafkars.compat.kafka._versions import NEWEST_OF_2, release_of
from kafkars.compat.kafka.consumer import _settings
from kafkars.compat.kafka.consumer._subscription import INTERNAL, ConsumerSubscription
from kafkars.compat.kafka.consumer.fetcher import ConsumerRecord
from kafkars.compat.kafka.consumer.subscription_state import ConsumerRebalanceListener
from kafkars.compat.kafka.errors import (
    CommitFailedError,
    KafkaError,
    KafkaTimeoutError,
    UnknownTopicIdError,
    UnknownTopicOrPartitionError,
    of_first_contact,
    translated,
)
from kafkars.compat.kafka.errors import of as translated_error
from kafkars.compat.kafka.future import Future
from kafkars.compat.kafka.serializer import Deserializer
from kafkars.compat.kafka.structs import OffsetAndMetadata, OffsetAndTimestamp, TopicPartition
from kafkars.errors import (
    AuthenticationError,
    ClientStateError,
    CredentialsError,
    MaxPollIntervalExceededError,
    RebalanceTimeoutError,
    SessionExpiredError,
)
from kafkars.errors import KafkaError as EngineError
from kafkars.types import OffsetAndMetadata as EngineOffset

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["KafkaConsumer"]

log = logging.getLogger("kafka.consumer.group")

T = TypeVar("T")

SECONDS_BETWEEN_LOOKS = 0.02
"""Seconds that a read without subscription sleeps between looks at a pending commit."""

PLACE_LOST = (MaxPollIntervalExceededError, RebalanceTimeoutError, SessionExpiredError)
"""Errors after which the engine rejoins the group."""

TOPIC_GONE = (UnknownTopicOrPartitionError, UnknownTopicIdError)
"""Failures of a commit that has stored everything but positions in topics that were deleted."""

POSITIONS_OF_GONE = "positions in a topic that was deleted are not committed: %s"
"""kafka-python has given those partitions up by then, so that a commit of all positions is none of them."""

NOTHING_READ: tuple[Any, ...] = (None, ({}, None))
"""What reads return if no record came in time."""

NO_MEMBER = "the consumer subscribes to a pattern that matches no topic yet, and is no member of its group"


_unclosed: weakref.WeakSet[KafkaConsumer] = weakref.WeakSet()


@atexit.register
def _commit_no_more_at_exit() -> None:
    for consumer in list(_unclosed):
        consumer._commit_no_more()


class KafkaConsumer(_kafkars.KafkaPythonReader):
    """Reads topics, alone or as a member of a group.

    Use it from one thread at a time, as with kafka-python. Settings are those of kafka-python 2.3, which the page on
    moving lists with what becomes of them.

    Args:
        *topics: Topics to subscribe to; without any, call `subscribe()` or `assign()`.

    Raises:
        KafkaConfigurationError: A setting is unknown, or settings contradict each other.
        NoBrokersAvailable: No broker answers within `api_version_auto_timeout_ms`, where `api_version` is not set.
        ssl.SSLError: The broker's certificate or the client's was refused.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = _settings.DEFAULTS
    DEFAULT_SESSION_TIMEOUT_MS_0_9 = 30000
    RAISES_OF_LISTENERS: ClassVar[bool] = False
    """True if exceptions of a listener are raised by the call that it runs in."""
    TELLS_LISTENERS_OF_THE_END: ClassVar[bool] = False
    """True if `close()` calls the listener with the revoked partitions."""
    TELLS_LISTENERS_OF_LOSSES: ClassVar[bool] = False
    """True if `on_partitions_lost` of a listener hears of partitions that others may own by now."""
    WRONG_TYPE: ClassVar[type[Exception]] = AssertionError
    """The error class for arguments of a wrong type."""
    METRICS: ClassVar[str] = "kafkars.compat.kafka.metrics"
    """The module of its metrics."""
    SECONDS_WITHOUT_BROKERS: ClassVar[float] = 5.0
    """Seconds for which `close()` tries the last commit and to leave the group, if no broker is connected."""
    NEWEST_RELEASE: ClassVar[tuple[int, ...]] = NEWEST_OF_2
    """The newest release that `config["api_version"]` reports."""
    KEEPS_POSITIONS: ClassVar[bool] = False
    """True if partitions that stay in a rebalance keep their positions and pauses."""
    FORGETS_AT_THE_END: ClassVar[bool] = False
    """True if a closed consumer has no partitions of a subscription any more."""

    @discreet
    def __init__(self, *topics: str, **configs: Any) -> None:
        self._closed = True
        # True once `close()` has begun; until it has ended the rebalance listener may still use the consumer.
        self._is_closing = False
        self._last: frozenset[TopicPartition] = frozenset()
        self._last_paused: frozenset[TopicPartition] = frozenset()
        self._commits_under_way: set[Future] = set()
        self.config = self._checked(configs)
        self._deserializers = (self.config["key_deserializer"], self.config["value_deserializer"])
        self._timed_commits = _settings.timed_commits(self.config)
        settings = self._of_engine()
        with translated():
            self._engine: kafkars.Consumer[bytes, bytes] = quiet(kafkars.Consumer(settings))
        try:
            self._metrics = ClientMetrics(self._engine, self.config, self.METRICS, "consumer")
            self._reach()
            self._subscription = ConsumerSubscription(
                self._engine,
                has_group=self.config["group_id"] is not None,
                hides_internal=bool(self.config["exclude_internal_topics"]),
                max_age=self.config["metadata_max_age_ms"] / 1000,
                raises=self.RAISES_OF_LISTENERS,
                tells_losses=self.TELLS_LISTENERS_OF_LOSSES,
                assignors=settings.get("partition_assignment_strategy", ()),
            )
            if self.KEEPS_POSITIONS:
                self._engine._keep_positions()
            self._open(self._engine, ConsumerRecord, *map(self._deserializer, self._deserializers))
            self._closed = False
            _unclosed.add(self)
            if topics:
                self.subscribe(topics)
        except BaseException:
            self._closed = True
            self._engine.close(0)
            raise

    def _reach(self) -> None:
        """Waits for the first broker's answer, as kafka-python does, and raises if none answers."""
        if self.config["api_version"] is not None:
            return
        try:
            self._engine.topics(timeout=self._first_contact_seconds())
        except (AuthenticationError, CredentialsError) as error:
            # Versions are told before the login, so kafka-python's constructors hear nothing of it; the first call
            # does.
            log.warning("%s", error)
        except EngineError as error:
            raise self._no_contact(error) from error
        self.config["api_version"] = release_of(self._engine._api_versions(), self.NEWEST_RELEASE)

    def _checked(self, configs: Mapping[str, Any]) -> dict[str, Any]:
        return _settings.checked(configs, self.DEFAULT_CONFIG)

    def _of_engine(self) -> dict[str, Any]:
        return _settings.of_engine(self.config)

    def _first_contact_seconds(self) -> float:
        return float(self.config["api_version_auto_timeout_ms"]) / 1000

    def _no_contact(self, error: EngineError) -> BaseException:
        return of_first_contact(error)

    # Life

    def bootstrap_connected(self) -> bool:
        """True if a broker is connected."""
        return not self._closed and self._engine.health().connected

    def close(self, autocommit: bool = True, timeout_ms: float | None = None) -> None:
        """Closes the consumer: commits its positions if commits are automatic, and leaves the group. Idempotent.

        Args:
            autocommit: False commits nothing.
            timeout_ms: Milliseconds for all of it; `request_timeout_ms`, at most 30 s, by default, and a few seconds
                where no broker answers. Less than 0 is 0.
        """
        if self._closed or self._is_closing:
            return
        if self._subscription.topics is None or not self.FORGETS_AT_THE_END:
            self._last, self._last_paused = self._engine.assignment(), self._engine.paused()
        seconds = (
            min(self.config["request_timeout_ms"], 30_000) / 1000 if timeout_ms is None else max(0.0, timeout_ms / 1000)
        )
        if timeout_ms is None and not self._engine.health().connected:
            seconds = min(seconds, self.SECONDS_WITHOUT_BROKERS)
        try:
            self._end(autocommit, seconds)
        except BaseException:
            # The handler of a signal has raised, and the program may not call this again.
            self._end(autocommit, seconds)
            raise
        finally:
            self._closed = True
            self._metrics.close()
            for each in self._deserializers:
                if hasattr(each, "close"):
                    each.close()

    def _end(self, autocommit: bool, seconds: float) -> None:
        """The steps of `close()` before the engine is closed, which can be taken again."""
        if self._engine.closed:
            return
        self._is_closing = True
        self._closed = not self.TELLS_LISTENERS_OF_THE_END
        if not autocommit:
            self._engine._end_automatic_commits()
        elif self._commits_of_itself():
            # Not waited for here: the engine's close() ends it when no broker answers any more, which an open
            # connection does not tell, and the time limit is one for both.
            with contextlib.suppress(EngineError):
                self._engine.commit_async()
        if not self.TELLS_LISTENERS_OF_THE_END:
            self._subscription.fall_silent()
        try:
            self._engine.close(seconds)
        except EngineError as error:
            # As in kafka-python, a failure of the last commit is only logged.
            log.warning("Offset commit failed: %s", error)

    def __del__(self) -> None:
        self._commit_no_more()

    def _commit_no_more(self) -> None:
        """Turns automatic commits off, for consumers that are dropped without `close()`, as in kafka-python."""
        if not self._closed:
            with contextlib.suppress(EngineError):
                self._engine._end_automatic_commits()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        self.close(autocommit=exc_type is None)

    def _check_open(self) -> None:
        if self._closed:
            raise AssertionError("KafkaConsumer is closed")

    # What is read

    def subscribe(
        self,
        topics: Sequence[str] = (),
        pattern: str | None = None,
        listener: ConsumerRebalanceListener | None = None,
    ) -> None:
        """Subscribes to topics, or to all topics whose names begin with a match of the pattern; replaces a former
        subscription.

        Raises:
            AssertionError: Neither topics nor a pattern is given.
            IllegalStateError: Both are given, or there is a subscription of the other kind or a manual assignment.
            TypeError: `topics` is not a list of names, or `listener` not a `ConsumerRebalanceListener`.
        """
        self._check_open()
        with translated():
            self._subscription.subscribe(topics, pattern, listener)
        self._follows = self._subscription.follows or self._timed_commits is not None

    def subscription(self) -> set[str] | None:
        """Returns the subscribed topics; None without a subscription."""
        topics = self._subscription.topics
        return None if topics is None else set(topics)

    def unsubscribe(self) -> None:
        """Commits positions if commits are automatic, leaves the group, and removes subscription or assignment."""
        self._check_open()
        if self._commits_of_itself():
            # The member leaves after it; as at the end, not waited for here.
            with contextlib.suppress(EngineError):
                self._engine.commit_async()
        with translated():
            self._subscription.forget()
        self._follows = False

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Assigns partitions manually, without a group. An empty list is `unsubscribe()`.

        Raises:
            IllegalStateError: There is a subscription.
        """
        self._check_open()
        partitions = list(partitions or ())
        if not partitions:
            self.unsubscribe()
            return
        with translated():
            # No revocation will follow. As in kafka-python, it is not waited for.
            if self._commits_of_itself():
                self._engine.commit_async()
            self._subscription.assign(partitions)
        self._follows = self._timed_commits is not None

    def assignment(self) -> set[TopicPartition]:
        """Returns the assigned partitions."""
        return set(self._last if self._closed else self._engine.assignment())

    def _commits_of_itself(self) -> bool:
        """True if there are positions to commit: before a poll kafka-python has none, where the engine looks them
        up.
        """
        is_automatic = self.config["group_id"] is not None and self.config["enable_auto_commit"]
        return is_automatic and bool(self._engine.assignment()) and self._engine.metrics()["records_consumed"] > 0

    # Reading

    def poll(
        self,
        timeout_ms: float = 0,
        max_records: int | None = None,
        update_offsets: bool = True,
    ) -> dict[TopicPartition, list[ConsumerRecord]]:
        """Returns records by partition; an empty dict if none come in time.

        Args:
            timeout_ms: Milliseconds to wait for the first record.
            max_records: The largest number of records; defaults to `max_poll_records`.
            update_offsets: False keeps the positions, so that the next call returns the same records.
        """
        if timeout_ms < 0:
            raise AssertionError("timeout_ms must not be negative")
        most = self.config["max_poll_records"] if max_records is None else max_records
        if not isinstance(most, int):
            raise self.WRONG_TYPE("max_records must be a whole number")
        if most <= 0:
            raise AssertionError("max_records must be above 0")
        self._check_open()
        with translated():
            self._subscription.follow()
            if self._waits_in_vain(timeout_ms / 1000):
                return {}
            seconds = None if math.isinf(timeout_ms) else timeout_ms / 1000
            found, refused = self._reading(lambda left: self._take(most, left, not update_offsets), seconds)
        if refused is not None and not found:
            raise refused
        return found

    def _reading(self, read: Callable[[float | None], T], seconds: float | None) -> T:
        """Calls `read` until it returns, within `seconds`. Errors after which the engine rejoins the group are logged,
        as in kafka-python.
        """
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            wait = self._commit_in_time(seconds)
            try:
                found = read(wait)
            except PLACE_LOST as error:
                log.warning("%s", error)
            else:
                if wait == seconds or found not in NOTHING_READ:
                    return found
            if until is not None:
                seconds = max(0.0, until - time.monotonic())

    def _commit_in_time(self, seconds: float | None) -> float | None:
        """Makes the automatic commit if it is the face's and is due.

        Returns:
            The seconds to read before the next one, `seconds` at most.
        """
        if self._timed_commits is None:
            return seconds
        if self._timed_commits.is_due() and self._commits_of_itself():
            try:
                self.commit_async()
            except KafkaError as error:
                log.warning("Offset commit failed: %s", error)
        return self._timed_commits.wait(seconds)

    OWN_POLL = poll
    """The face's own `poll()`, which iteration need not call."""

    def _is_no_member_yet(self) -> bool:
        with translated():
            return self._subscription.is_awaited()

    def _waits_in_vain(self, seconds: float) -> bool:
        """Waits for the time limit if there is nothing to read, as kafka-python does."""
        while not self._has_something_to_read():
            if self._commits_under_way:
                # Callbacks run in calls that read; this call fails because nothing is assigned.
                with contextlib.suppress(ClientStateError):
                    self._engine.poll(0)
            if seconds <= 0:
                return True
            age = self.config["metadata_max_age_ms"] / 1000
            nap = min(seconds, SECONDS_BETWEEN_LOOKS if self._commits_under_way else age)
            time.sleep(nap)
            seconds -= nap
            self._subscription.follow()
        return False

    def _deserializer(self, given: Any) -> tuple[Callable[..., Any], bool, bool] | None:
        """Returns the function of a deserializer, and whether it takes the topic and the headers, too.

        The function is called for None, too.
        """
        if given is None:
            return None
        return (given.deserialize, True, False) if isinstance(given, Deserializer) else (given, False, False)

    if TYPE_CHECKING:

        def __next__(self) -> ConsumerRecord: ...

    def __iter__(self) -> Iterator[ConsumerRecord]:  # type: ignore[override]
        is_own = type(self).poll is type(self).OWN_POLL and "poll" not in vars(self)
        return self if is_own else self._polled_one_by_one()

    def _polled_one_by_one(self) -> Iterator[ConsumerRecord]:
        """Iterates over the records of a program's own `poll()`. One record at a time: the current one counts as
        read, and nothing after it.
        """
        limit = self.config["consumer_timeout_ms"]
        while not self._closed:
            found = self.poll(timeout_ms=math.inf if limit < 0 else limit, max_records=1)
            records = [record for those in found.values() for record in those]
            if not records and limit >= 0 and not math.isinf(limit):
                return
            yield from records

    def next_v1(self) -> ConsumerRecord:
        """Returns the next record, like `next()`: a name of kafka-python 2.0."""
        return next(self)

    def next_v2(self) -> ConsumerRecord:
        """Returns the next record, like `next()`: a name of kafka-python 2.0."""
        return next(self)

    def _failed(self, error: BaseException) -> None:
        """Raises the error that iteration got instead of a record."""
        if isinstance(error, PLACE_LOST):
            log.warning("%s", error)
            return
        with translated():
            raise error

    def _next_in_time(self) -> ConsumerRecord:
        """Waits for the next record and returns it.

        Raises:
            StopIteration: No record came within `consumer_timeout_ms`.
        """
        if self._closed:
            raise StopIteration("KafkaConsumer closed")
        limit = self.config["consumer_timeout_ms"]
        with translated():
            self._subscription.follow()
            seconds = math.inf if limit < 0 else limit / 1000
            record = None if self._waits_in_vain(seconds) else self._next_within(seconds)
        if record is None:
            raise StopIteration
        return record

    def _next_within(self, seconds: float) -> ConsumerRecord | None:
        """Returns one record. A wait without a limit looks for new topics from time to time."""
        while True:
            age = self.config["metadata_max_age_ms"] / 1000
            record: ConsumerRecord | None = self._reading(self._next, min(seconds, age))
            seconds -= age
            if record is not None or seconds <= 0:
                return record
            self._subscription.follow()

    def pause(self, *partitions: TopicPartition) -> None:
        """Returns no records of these partitions until `resume()`.

        Raises:
            KeyError: A partition is not assigned.
        """
        if not partitions:
            return
        self._check_partitions(partitions)
        with translated():
            self._engine.pause(self._known(partitions))

    def resume(self, *partitions: TopicPartition) -> None:
        """Resumes paused partitions.

        Raises:
            KeyError: A partition is not assigned.
        """
        if not partitions:
            return
        self._check_partitions(partitions)
        with translated():
            self._engine.resume(self._known(partitions))

    def _known(self, partitions: Sequence[TopicPartition]) -> list[TopicPartition]:
        assigned = self.assignment()
        for partition in partitions:
            if partition not in assigned:
                raise KeyError(partition)
        return list(partitions)

    def paused(self) -> set[TopicPartition]:
        """Returns the paused partitions."""
        return set(self._last_paused if self._closed else self._engine.paused())

    # Positions

    def position(self, partition: TopicPartition, timeout_ms: float | None = None) -> int | None:
        """Returns the offset of the next record; None if it is not known within `timeout_ms` milliseconds."""
        self._check_partitions((partition,))
        self._check_assigned((partition,), "Partition is not assigned")
        try:
            with translated():
                return self._engine.position(partition, timeout=None if timeout_ms is None else timeout_ms / 1000)
        except KafkaTimeoutError:
            if timeout_ms is None:
                raise
            return None

    def highwater(self, partition: TopicPartition) -> int | None:
        """Returns the high watermark of the last fetch: the offset after the newest committed record; None before the
        first fetch.
        """
        self._check_partitions((partition,))
        self._check_assigned((partition,), "Partition is not assigned")
        with translated():
            found = self._engine.watermarks(partition)
        return None if found is None else found.high

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Sets the position; sends no request before the next `poll()`."""
        self._check_partitions((partition,))
        given: Any = offset
        if not isinstance(given, int) or given < 0:
            raise AssertionError("Offset must be >= 0")
        self._check_assigned((partition,), "Unassigned partition")
        with translated():
            self._engine.seek(partition, int(offset))

    def seek_to_beginning(self, *partitions: TopicPartition) -> None:
        """Sets the position to the oldest records; without arguments of all assigned partitions."""
        with translated():
            self._engine.seek_to_beginning(self._seeking(partitions))

    def seek_to_end(self, *partitions: TopicPartition) -> None:
        """Sets the position after the newest records; without arguments of all assigned partitions."""
        with translated():
            self._engine.seek_to_end(self._seeking(partitions))

    def _seeking(self, partitions: tuple[TopicPartition, ...]) -> list[TopicPartition]:
        self._check_partitions(partitions)
        if not partitions:
            found = sorted(self.assignment())
            if not found:
                raise AssertionError("No partitions are currently assigned")
            return found
        self._check_assigned(partitions, "Unassigned partition")
        return list(partitions)

    # Commits

    def commit(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata] | None = None, timeout_ms: float | None = None
    ) -> None:
        """Commits offsets, by default the positions after the returned records, and waits for the coordinator.

        Args:
            offsets: The offsets; None for where every partition stands.
            timeout_ms: Milliseconds. None for `request_timeout_ms`, and as much again for commits before it that are
                not answered yet.
        """
        self._check_group()
        given = engine_offsets(offsets, self.WRONG_TYPE)
        if given and self._is_no_member_yet():
            raise CommitFailedError(NO_MEMBER)
        seconds = None if timeout_ms is None else timeout_ms / 1000
        if seconds is None and self._commits_under_way:
            # It leaves when those before it have their answers, or have none in their time.
            seconds = 2 * self.config["request_timeout_ms"] / 1000
        try:
            with translated():
                self._engine.commit(given, timeout=seconds)
        except TOPIC_GONE as error:
            if offsets is not None:
                raise
            log.warning(POSITIONS_OF_GONE, error)

    def commit_async(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata] | None = None,
        callback: Callable[[Any, Any], object] | None = None,
    ) -> Future:
        """Commits without waiting. A later call of this consumer runs `callback(offsets, None or an exception)`.

        Returns:
            A future of the same outcome.
        """
        self._check_group()
        future = Future()
        told = callback or self.config["default_offset_commit_callback"] or _settings.SILENT

        def outcome(
            committed: Mapping[TopicPartition, EngineOffset], error: EngineError | None
        ) -> tuple[Any, BaseException | None]:
            self._commits_under_way.discard(future)
            said = {partition: face_offset(place) for partition, place in committed.items()}
            failure = None if error is None else translated_error(error)
            if isinstance(failure, TOPIC_GONE) and offsets is None:
                log.warning(POSITIONS_OF_GONE, failure)
                failure = None
            # It is done already where an interrupt has come behind that.
            if not future.is_done:
                future.success(True) if failure is None else future.failure(failure)
            return said if offsets is None else offsets, failure

        given = engine_offsets(offsets, self.WRONG_TYPE)
        if given and self._is_no_member_yet():
            failure = CommitFailedError(NO_MEMBER)
            future.failure(failure)
            told(offsets, failure)
            return future
        self._commits_under_way.add(future)
        try:
            with translated():
                self._engine.commit_async(given, teller(outcome, told))
        except BaseException:
            self._commits_under_way.discard(future)
            raise
        return future

    def committed(
        self,
        partition: TopicPartition,
        metadata: bool = False,
        timeout_ms: float | None = None,
    ) -> int | OffsetAndMetadata | None:
        """Returns the committed offset of a partition; None if there is none.

        Args:
            partition: The partition.
            metadata: True returns an `OffsetAndMetadata` instead of the offset alone.
            timeout_ms: Milliseconds to wait for the coordinator.
        """
        self._check_group()
        self._check_partitions((partition,))
        with translated():
            found = self._engine.committed(
                [partition],
                require_stable=self.config["isolation_level"] == "read_committed",
                timeout=None if timeout_ms is None else timeout_ms / 1000,
            )
        if partition not in found:
            return None
        place = face_offset(found[partition])
        return place if metadata else place.offset

    def _check_group(self) -> None:
        self._check_open()
        if self.config["group_id"] is None:
            raise AssertionError("Requires group_id")

    # Questions

    def topics(self) -> set[str]:
        """Returns the names of all topics but internal ones, as a broker knows them now."""
        self._check_open()
        with translated():
            return set(self._engine.topics()) - INTERNAL

    def partitions_for_topic(self, topic: str) -> set[int]:
        """Returns the partition numbers of a topic; an empty set if it does not exist.

        While no broker is connected, the result is from the last metadata.
        """
        self._check_open()
        if not self._engine.health().connected:
            # What is no name is refused below.
            known = {number for number, _, _ in self._engine._leaders(f"{topic}")}
            if known:
                return known
        with translated():
            if topic not in self._engine.topics():
                return set()
            return {info.partition for info in self._engine.partitions_for(topic)}

    def beginning_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Returns the offset of the oldest record by partition."""
        with translated():
            return self._engine.beginning_offsets(list(partitions))

    def end_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Returns the offset after the newest record by partition; with `read_committed` the last stable offset."""
        with translated():
            return self._engine.end_offsets(list(partitions))

    def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, float]
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Returns for each partition the first record that is not older than a time in milliseconds since 1970, or
        None.

        Raises:
            ValueError: A time is negative, or not a number.
        """
        return self._offsets_for_times(timestamps, None)

    def _offsets_for_times(
        self, timestamps: Mapping[TopicPartition, float], timeout: float | None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        wanted: dict[Any, int] = {partition: Milliseconds(timestamp) for partition, timestamp in timestamps.items()}
        for partition, timestamp in wanted.items():
            if timestamp < 0:
                raise ValueError(f"the time for {partition} is {timestamp}, which is negative")
        with translated():
            found = self._engine.offsets_for_times(wanted, timeout=timeout)
        return {
            partition: None
            if place is None
            else OffsetAndTimestamp(
                place.offset, place.timestamp, -1 if place.leader_epoch is None else place.leader_epoch
            )
            for partition, place in found.items()
        }

    def metrics(self, raw: bool = False) -> dict[Any, Any] | None:
        """Returns the metrics that the engine counts, by group and name.

        Args:
            raw: True returns `{MetricName: KafkaMetric}`.

        Returns:
            `{group: {name: value}}`; None if `metrics_enabled` is off.
        """
        return self._metrics.told(raw=raw)

    # Checks

    def _check_partitions(self, partitions: Sequence[object]) -> None:
        if not all(isinstance(partition, TopicPartition) for partition in partitions):
            raise TypeError("partitions are named by TopicPartition")

    def _check_assigned(self, partitions: Sequence[TopicPartition], text: str) -> None:
        assigned = self.assignment()
        if not all(partition in assigned for partition in partitions):
            raise AssertionError(text)


def engine_offsets(
    offsets: Mapping[TopicPartition, OffsetAndMetadata] | None, wrong: type[Exception] = AssertionError
) -> dict[TopicPartition, EngineOffset] | None:
    """Converts offsets to commit for the engine; `wrong` is the error class for wrong types."""
    if offsets is None:
        return None
    given: Mapping[Any, Any] = offsets
    if not all(isinstance(partition, TopicPartition) for partition in given):
        raise wrong("offsets are given by TopicPartition")
    if not all(isinstance(place, (OffsetAndMetadata, EngineOffset)) for place in given.values()):
        raise wrong("offsets are given as OffsetAndMetadata")
    if not all(isinstance(place.offset, int) for place in given.values()):
        raise ValueError("offsets are whole numbers")
    return {
        partition: EngineOffset(
            place.offset, str(place.metadata or ""), place.leader_epoch if (place.leader_epoch or 0) > 0 else None
        )
        for partition, place in offsets.items()
    }


def face_offset(place: EngineOffset) -> OffsetAndMetadata:
    """Returns a committed offset in kafka-python's form."""
    return OffsetAndMetadata(place.offset, place.metadata, -1 if place.leader_epoch is None else place.leader_epoch)
