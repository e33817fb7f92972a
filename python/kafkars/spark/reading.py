"""Reading on executors: a range of one partition as Arrow batches. Consumers are kept for the next tasks of the
worker.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from kafkars.config.consumer import ConsumerConfig
from kafkars.consumer import Consumer
from kafkars.errors import (
    KafkaError,
    KafkaTimeoutError,
    LogTruncationError,
    NoOffsetError,
    OffsetOutOfRangeError,
    UnknownTopicOrPartitionError,
)
from kafkars.spark import client_settings
from kafkars.spark.columns import Columns
from kafkars.spark.errors import DataLossError
from kafkars.spark.options import SourceOptions, is_committed
from kafkars.spark.planner import HOW_TO_GO_ON
from kafkars.spark.ranges import OffsetRange
from kafkars.types import TopicPartition

LOG = logging.getLogger("kafkars.spark")

DEFAULTS: Mapping[str, Any] = {
    "allow_auto_create_topics": False,
    "auto_offset_reset": "none",
    "client_id": "kafkars-spark",
    "fetch_buffer_bytes": 16 * 1024 * 1024,
    "max_partition_fetch_bytes": 4 * 1024 * 1024,
}
"""Settings of the consumers, unless options say otherwise."""

KEPT = 4
"""The most idle consumers that a worker keeps."""

KEPT_SECONDS = 60.0
"""A consumer that has been idle for longer is closed at the worker's next task."""

SLICE_SECONDS = 0.05
"""Seconds between two checks, during a wait for records, whether the range ends in offsets without records."""

LOOK_SECONDS = 1.0
"""Seconds without records after which the broker is asked for the end of the log: the range may be gone."""

RENEWALS = 2
"""How often a range is tried anew with a new consumer, when a broker has refused its offset, before anything of it
counts as lost: what a consumer knows may be of a topic that has been made again since."""

BEHIND_SECONDS = 10.0
"""Seconds for which every answer must say that the log ends before the range, before the rest counts as lost: a new
leader tells an older end than the one before until its followers have caught up."""


class PartitionReader:
    """A consumer of one partition, which reads on from its position if the next range begins there."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        own: dict[str, Any] = {**DEFAULTS, **client_settings.part(settings, ConsumerConfig)}
        self._config = client_settings.make(ConsumerConfig, own)
        self._uncommitted = client_settings.make(ConsumerConfig, {**own, "isolation_level": "read_uncommitted"})
        self._consumer: Consumer[bytes, bytes] = Consumer(self._config)
        self.position: tuple[TopicPartition, int] | None = None
        self.idle_since = 0.0
        self._behind_since: float | None = None
        """The time since which every answer has said that the log ends before the range."""

    def close(self) -> None:
        """Closes the connections."""
        self._consumer.close(0)

    def read(  # noqa: C901  one loop, with its ways out
        self, wanted: OffsetRange, columns: Columns, options: SourceOptions
    ) -> Iterator[Any]:
        """Yields the record batches of a range, in order.

        Raises:
            DataLossError: A part of it is gone, and `failOnDataLoss` is true.
            KafkaTimeoutError: Nothing came for `kafkaConsumer.pollTimeoutMs`.
        """
        partition, at = wanted.partition, wanted.start
        if self.position != (partition, at):
            self._consumer.assign({partition: at})
        self.position = None
        heard = time.monotonic()
        look = heard + LOOK_SECONDS
        self._behind_since = None
        renewals = 0
        while at < wanted.end:
            try:
                batch = self._consumer.poll_arrow(
                    min(options.batch_rows, wanted.end - at), SLICE_SECONDS, columns=columns.fetched, layout="spark"
                )
                moved = self._consumer.position(partition)
            except (NoOffsetError, OffsetOutOfRangeError, LogTruncationError) as error:
                # A log that was cut back is another one, wherever it ends by now.
                if renewals < RENEWALS and not isinstance(error, LogTruncationError):
                    renewals += 1
                    self._renew({partition: at})
                    continue
                left = self._after_loss(wanted, at, options, error)
                if left is None:
                    return
                at = left
                continue
            now = time.monotonic()
            if len(batch) > 0:
                rows, last = columns.build(batch, wanted)
                if rows is not None:
                    yield rows
                now = time.monotonic()
                # Records after the range were taken, too, so the next task has to seek.
                if last >= wanted.end:
                    return
            if moved > at:
                at, heard, look = moved, now, now + LOOK_SECONDS
            elif now > look:
                look = now + LOOK_SECONDS
                if self._is_over(wanted, at, options, now - heard):
                    return
        # The consumer's position may be after the end, but then there is no record between them.
        self.position = (partition, wanted.end)

    def _renew(self, positions: Mapping[TopicPartition, int]) -> None:
        """Goes on with a consumer that knows nothing yet: this one's topic may have been made again."""
        self._consumer.close(0)
        self._consumer = Consumer(self._config)
        self._consumer.assign(positions)

    def _after_loss(self, wanted: OffsetRange, at: int, options: SourceOptions, error: Exception) -> int | None:
        """Returns the first remaining offset of the range after a broker has refused one; None if nothing remains."""
        first, end = self._log(wanted.partition, options)
        self._report(wanted, at, f"its log holds [{first}, {end})", options, error)
        on = max(first, at)
        if on >= min(wanted.end, end):
            return None
        self._consumer.assign({wanted.partition: on})
        return on

    def _is_over(self, wanted: OffsetRange, at: int, options: SourceOptions, seconds: float) -> bool:
        """Asks for the end of the log when no records come: true if it has been before the end of the range for a
        while.

        The end that the last fetch told is not used: it may be as old as the previous task.
        """
        try:
            end = self._consumer.end_offsets([wanted.partition], timeout=BEHIND_SECONDS)[wanted.partition]
        except UnknownTopicOrPartitionError:
            end = 0
        except KafkaError as error:
            if not error.retriable:
                raise
            end = wanted.end
        now = time.monotonic()
        # With read_committed a log seems to end where a transaction is open: what is behind that is late, not lost.
        known = self._consumer.watermarks(wanted.partition) if is_committed(options) else None
        is_held = known is not None and end < min(known.high, wanted.end)
        if end >= wanted.end or is_held:
            self._behind_since = None
        else:
            self._behind_since = self._behind_since or now
            if at >= end and now - self._behind_since >= min(BEHIND_SECONDS, options.poll_timeout):
                self._report(wanted, at, f"its log ends at {end}", options, None)
                return True
        if seconds > options.poll_timeout:
            told = [f"{each.operation}: {each.cause}" for each in self._consumer.health().troubles]
            if is_held:
                told.insert(
                    0,
                    f"a transaction is open at offset {end}, and read_committed reads on when it has ended; "
                    "failOnDataLoss leaves nothing of it out",
                )
            troubles = "; ".join(told)
            raise KafkaTimeoutError(
                f"no record of {wanted.partition.topic}-{wanted.partition.partition} from offset {at} in {seconds:.0f} s "
                f"(kafkaConsumer.pollTimeoutMs){f': {troubles}' if troubles else ''}",
                topic=wanted.partition.topic,
                partition=wanted.partition.partition,
                offset=at,
            )
        return False

    def _log(self, partition: TopicPartition, options: SourceOptions) -> tuple[int, int]:
        """Returns where the log begins and ends, also behind an open transaction, which read_committed waits for."""
        first = self._consumer.beginning_offsets([partition])[partition]
        if not is_committed(options):
            return first, self._consumer.end_offsets([partition])[partition]
        with Consumer(self._uncommitted) as consumer:
            return first, consumer.end_offsets([partition])[partition]

    @staticmethod
    def _report(wanted: OffsetRange, at: int, why: str, options: SourceOptions, cause: Exception | None) -> None:
        topic, partition = wanted.partition
        message = f"{topic}-{partition} was to be read from offset {at} to {wanted.end}, but {why}"
        if options.fail_on_data_loss:
            raise DataLossError(f"{message}. {HOW_TO_GO_ON}", topic=topic, partition=partition, offset=at) from cause
        LOG.warning("%s. Some data was lost; failOnDataLoss is false", message)


Key = tuple[tuple[tuple[str, str], ...], TopicPartition]

_idle: OrderedDict[Key, PartitionReader] = OrderedDict()
"""Readers that no task uses, by settings and partition, the most recently used one last. It needs no lock and no care
for forks: a worker runs one task at a time, and is forked before this module is imported."""


def read(wanted: OffsetRange, columns: Columns, options: SourceOptions) -> Iterator[Any]:
    """Yields the record batches of a range, by the reader of an earlier task if there is one."""
    settings = tuple(sorted(options.settings.items()))
    reader = _take(settings, wanted)
    done = False
    try:
        yield from reader.read(wanted, columns, options)
        done = True
    finally:
        if done:
            _keep((settings, wanted.partition), reader)
        else:
            reader.close()


def _take(settings: tuple[tuple[str, str], ...], wanted: OffsetRange) -> PartitionReader:
    now = time.monotonic()
    for key in [key for key, reader in _idle.items() if now - reader.idle_since > KEPT_SECONDS]:
        _idle.pop(key).close()
    found = _idle.pop((settings, wanted.partition), None)
    if found is not None:
        return found
    # A reader of another partition has connections and metadata already.
    if len(_idle) >= KEPT:
        for key in _idle:
            if key[0] == settings:
                return _idle.pop(key)
    return PartitionReader(dict(settings))


def _keep(key: Key, reader: PartitionReader) -> None:
    reader.idle_since = time.monotonic()
    old = _idle.pop(key, None)
    if old is not None:
        old.close()
    _idle[key] = reader
    while len(_idle) > KEPT:
        _idle.popitem(last=False)[1].close()
