"""A consumer of one topic, without a group that assigns partitions (`kafka.consumer.simple`)."""

from __future__ import annotations

import logging
import queue
import sys
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

from kafkars.compat.kafka_legacy.client import KafkaClient
from kafkars.compat.kafka_legacy.common import (
    ConsumerFetchSizeTooSmall,
    ConsumerNoMoreData,
    FailedPayloadsError,
    FetchRequest,
    FetchResponse,
    KafkaError,
    NotLeaderForPartitionError,
    OffsetAndMessage,
    OffsetOutOfRangeError,
    OffsetRequest,
    UnknownTopicOrPartitionError,
    check_error,
)
from kafkars.compat.kafka_legacy.consumer.base import (
    AUTO_COMMIT_INTERVAL,
    AUTO_COMMIT_MSG_COUNT,
    FETCH_BUFFER_SIZE_BYTES,
    FETCH_DEFAULT_BLOCK_TIMEOUT,
    FETCH_MAX_WAIT_TIME,
    FETCH_MIN_BYTES,
    ITER_TIMEOUT_SECONDS,
    MAX_FETCH_BUFFER_SIZE_BYTES,
    NO_MESSAGES_WAIT_TIME_SECONDS,
    Consumer,
)

__all__ = ["FetchContext", "SimpleConsumer"]

log = logging.getLogger("kafka.consumer.simple")

FROM_BEGINNING = 0
FROM_HERE = 1
FROM_END = 2
TIMES = {FROM_BEGINNING: -2, FROM_END: -1}
LEAST_WAIT = 0.001
"""The shortest wait in seconds: fetches count in milliseconds."""
POLICIES = {"smallest": -2, "largest": -1}


class FetchContext:
    """Sets whether and how long fetches of a `with` block wait.

    Args:
        consumer: The consumer.
        block: True waits for a message.
        timeout: Time limit in seconds; None for a second.
    """

    def __init__(self, consumer: SimpleConsumer, block: bool, timeout: float | None) -> None:
        self.consumer = consumer
        self.block = block
        self.timeout = (timeout or FETCH_DEFAULT_BLOCK_TIMEOUT) * 1000
        self.orig_fetch_max_wait_time = consumer.fetch_max_wait_time
        self.orig_fetch_min_bytes = consumer.fetch_min_bytes

    def __enter__(self) -> None:
        """Sets the consumer's wait."""
        self.orig_fetch_max_wait_time = self.consumer.fetch_max_wait_time
        self.orig_fetch_min_bytes = self.consumer.fetch_min_bytes
        if self.block:
            self.consumer.fetch_max_wait_time = self.timeout
            self.consumer.fetch_min_bytes = 1
        else:
            self.consumer.fetch_min_bytes = 0

    def __exit__(
        self,
        type: type[BaseException] | None,  # noqa: A002  its name in the original
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Restores the consumer's previous wait."""
        self.consumer.fetch_max_wait_time = self.orig_fetch_max_wait_time
        self.consumer.fetch_min_bytes = self.orig_fetch_min_bytes


class SimpleConsumer(Consumer):
    """Reads all partitions of a topic, or some. `offsets` has the next offset to return of each.

    Args:
        client: The `KafkaClient`.
        group: The group of committed offsets; None for no commits.
        topic: The topic.
        auto_commit: True commits automatically.
        partitions: The partitions; None for all.
        auto_commit_every_n: Messages between automatic commits; None for no such number.
        auto_commit_every_t: Milliseconds between automatic commits; None for no such interval.
        fetch_size_bytes: The bytes that a fetch waits for if the call does not wait for a message.
        buffer_size: The size limit of a fetch for each partition, in bytes. It doubles for a larger message.
        max_buffer_size: The upper limit of `buffer_size`; None for none.
        iter_timeout: Seconds without a message after which an iteration ends; None for never.
        auto_offset_reset: The new position if one is not in the log: "largest", "smallest", or anything else for
            an error.

    Raises:
        ValueError: `buffer_size` is more than `max_buffer_size`.
        AssertionError, KafkaError: As `kafka.consumer.base.Consumer`.
    """

    def __init__(
        self,
        client: KafkaClient,
        group: str | bytes | None,
        topic: str | bytes,
        auto_commit: bool = True,
        partitions: Sequence[int] | None = None,
        auto_commit_every_n: int | None = AUTO_COMMIT_MSG_COUNT,
        auto_commit_every_t: float | None = AUTO_COMMIT_INTERVAL,
        fetch_size_bytes: int = FETCH_MIN_BYTES,
        buffer_size: int = FETCH_BUFFER_SIZE_BYTES,
        max_buffer_size: int | None = MAX_FETCH_BUFFER_SIZE_BYTES,
        iter_timeout: float | None = None,
        auto_offset_reset: str | None = "largest",
    ) -> None:
        if max_buffer_size is not None and buffer_size > max_buffer_size:
            raise ValueError(f"buffer_size ({buffer_size}) is greater than max_buffer_size ({max_buffer_size})")
        super().__init__(
            client,
            group,
            topic,
            partitions=partitions,
            auto_commit=auto_commit,
            auto_commit_every_n=auto_commit_every_n,
            auto_commit_every_t=auto_commit_every_t,
        )
        self.buffer_size = buffer_size
        self.max_buffer_size = max_buffer_size
        self.fetch_max_wait_time: float = FETCH_MAX_WAIT_TIME
        self.fetch_min_bytes = fetch_size_bytes
        # The offsets of the next fetch, after the messages in the queue.
        self.fetch_offsets = self.offsets.copy()
        self.iter_timeout = iter_timeout
        self.auto_offset_reset = auto_offset_reset
        self.queue: queue.SimpleQueue[tuple[int, OffsetAndMessage]] = queue.SimpleQueue()

    def __repr__(self) -> str:
        return f"<SimpleConsumer group={self.group!r}, topic={self.topic!r}, partitions={self.offsets.keys()}>"

    def __iter__(self) -> Iterator[Any]:
        """Iterates over messages until none has come for `iter_timeout` seconds."""
        timeout = ITER_TIMEOUT_SECONDS if self.iter_timeout is None else self.iter_timeout
        while True:
            message = self.get_message(True, timeout)
            if message is not None:
                yield message
            elif self.iter_timeout is None:
                time.sleep(NO_MESSAGES_WAIT_TIME_SECONDS)
            else:
                return

    def reset_partition_offset(self, partition: int) -> int | None:
        """Sets the position of a partition by `auto_offset_reset`.

        Args:
            partition: The partition.

        Returns:
            The next offset; None if the cluster does not answer.

        Raises:
            OffsetOutOfRangeError: `auto_offset_reset` names none; or else the exception that is being handled.
        """
        time_of = POLICIES.get(self.auto_offset_reset or "")
        if time_of is None:
            # The exception that is being handled says more.
            if sys.exc_info()[1] is not None:
                raise  # noqa: PLE0704
            raise OffsetOutOfRangeError(
                "Cannot reset partition offsets without a valid auto_offset_reset setting (largest|smallest)"
            )
        log.info("Resetting topic-partition offset to %s for %s:%s", self.auto_offset_reset, self.topic, partition)
        try:
            (response,) = self.client.send_offset_request([OffsetRequest(self.topic, partition, time_of, 1)])
        except KafkaError as error:
            log.error("%s sending offset request for %s:%s", type(error).__name__, self.topic, partition)  # noqa: TRY400
            return None
        offset: int = response.offsets[0]
        self.offsets[partition] = self.fetch_offsets[partition] = offset
        return offset

    def seek(self, offset: int, whence: int | None = None, partition: int | None = None) -> None:
        """Sets the position.

        Args:
            offset: The offset; or the distance from `whence`, divided among all partitions if that is 0 or 2.
            whence: None for an absolute offset, 0 from the beginning, 1 from the position, 2 from the end.
            partition: The partition; None for all.

        Raises:
            ValueError: `whence` is invalid.
            KafkaError: The beginning or end of the log cannot be looked up.
        """
        partitions = list(self.offsets) if partition is None else [partition]
        if whence is None:
            self.offsets.update(dict.fromkeys(partitions, offset))
        elif whence == FROM_HERE:
            self.offsets.update({each: self.offsets[each] + offset for each in partitions})
        elif whence in TIMES:
            share, rest = divmod(offset, len(partitions))
            deltas = {each: share + (number < rest) for number, each in enumerate(partitions)}
            requests = [OffsetRequest(self.topic, each, TIMES[whence], 1) for each in partitions]
            for response in self.client.send_offset_request(requests):
                self.offsets[response.partition] = response.offsets[0] + deltas[response.partition]
        else:
            # By %d: what is not a number is a TypeError, as in the original.
            raise ValueError("Unexpected value for `whence`, %d" % whence)  # noqa: UP031
        self.fetch_offsets = self.offsets.copy()
        self.count_since_commit += 1
        if self.auto_commit:
            self.commit()
        self.queue = queue.SimpleQueue()

    def get_messages(self, count: int = 1, block: bool | int = True, timeout: float | None = 0.1) -> list[Any]:
        """Returns messages.

        Args:
            count: The largest number of messages.
            block: True waits for `count` messages; a number waits for so many.
            timeout: Time limit in seconds; None for none.
        """
        end = None if timeout is None else time.monotonic() + timeout
        messages: list[Any] = []
        offsets: dict[int, int] = {}
        while len(messages) < count:
            wait = block is True or (block is not False and block > len(messages))
            left = None if end is None else end - time.monotonic()
            try:
                found = self._get_message(wait, left, get_partition_info=True, update_offset=False)
            except BaseException:
                # The call returns nothing, so that the messages it took are read again.
                self.fetch_offsets = self.offsets.copy()
                self.queue = queue.SimpleQueue()
                raise
            if found is None:
                if wait and (end is None or time.monotonic() <= end):
                    continue
                break
            partition, message = found
            messages.append(found if self.partition_info else message)
            offsets[partition] = message.offset + 1
        self.offsets.update(offsets)
        self.count_since_commit += len(messages)
        self._auto_commit()
        return messages

    def get_message(
        self, block: bool = True, timeout: float | None = 0.1, get_partition_info: bool | None = None
    ) -> Any:
        """Returns the next message, or None.

        Args:
            block: True waits for a message.
            timeout: Time limit in seconds; None for none.
            get_partition_info: True returns (partition, message); None follows `provide_partition_info()`.
        """
        return self._get_message(block, timeout, get_partition_info)

    def _get_message(
        self,
        block: bool = True,
        timeout: float | None = 0.1,
        get_partition_info: bool | None = None,
        update_offset: bool = True,
    ) -> Any:
        if self.queue.empty():
            self._wait(block, timeout)
        try:
            partition, message = self.queue.get_nowait()
        except queue.Empty:
            return None
        if update_offset:
            self.offsets[partition] = message.offset + 1
            self.count_since_commit += 1
            self._auto_commit()
        with_partition = self.partition_info if get_partition_info is None else get_partition_info
        return (partition, message) if with_partition else message

    def _wait(self, block: bool, timeout: float | None) -> None:
        """Fetches, and with `block` repeats that until there is a message."""
        end = None if timeout is None else time.monotonic() + timeout
        left = timeout
        while self.queue.empty():
            with FetchContext(self, block, left):
                self._fetch()
            left = None if end is None else end - time.monotonic()
            if not block or (left is not None and left <= LEAST_WAIT):
                break

    def _fetch(self) -> None:
        """Fetches all partitions once, and again those whose response was an error or had no whole message."""
        sizes = dict.fromkeys(self.fetch_offsets, self.buffer_size)
        failed: set[int] = set()
        while sizes:
            requests = [
                FetchRequest(self.topic, partition, self.fetch_offsets[partition], size)
                for partition, size in sizes.items()
            ]
            # If messages of other partitions have come, the repeated fetch does not wait.
            waits = self.queue.empty()
            responses = self.client.send_fetch_request(
                requests,
                max_wait_time=int(self.fetch_max_wait_time) if waits else 0,
                min_bytes=self.fetch_min_bytes if waits else 0,
                fail_on_error=False,
            )
            again: dict[int, int] = {}
            for request, response in zip(requests, responses, strict=False):
                size = self._take(request, response)
                if size is not None:
                    again[request.partition] = size
            lost = {
                request.partition
                for request, response in zip(requests, responses, strict=False)
                if isinstance(response, FailedPayloadsError)
            }
            if lost:
                time.sleep(NO_MESSAGES_WAIT_TIME_SECONDS)
            # A broker that fails twice is asked by the next call, so that this one ends.
            sizes = {partition: size for partition, size in again.items() if partition not in lost & failed}
            failed |= lost

    def _take(self, request: FetchRequest, response: FetchResponse | FailedPayloadsError) -> int | None:
        """Puts the messages of a response into the queue; returns the size of the next fetch if the partition
        must be fetched again.
        """
        partition = request.partition
        try:
            check_error(response)
        except UnknownTopicOrPartitionError:
            log.error("UnknownTopicOrPartitionError for %s:%d", self.topic, partition)  # noqa: TRY400
            self.client.reset_topic_metadata(self.topic)
            raise
        except NotLeaderForPartitionError:
            log.error("NotLeaderForPartitionError for %s:%d", self.topic, partition)  # noqa: TRY400
            self.client.reset_topic_metadata(self.topic)
            return None
        except OffsetOutOfRangeError:
            log.warning("OffsetOutOfRangeError for %s:%d. Resetting partition offset...", self.topic, partition)
            self.reset_partition_offset(partition)
            return request.max_bytes
        except FailedPayloadsError:
            log.warning("FailedPayloadsError for %s:%d", self.topic, partition)
            return request.max_bytes
        try:
            for message in response.messages:  # type: ignore[union-attr]
                if message.offset >= self.fetch_offsets[partition]:
                    self.queue.put((partition, message))
                    self.fetch_offsets[partition] = message.offset + 1
        except ConsumerFetchSizeTooSmall:
            return self._larger(request.max_bytes)
        except ConsumerNoMoreData as error:
            log.debug("Iteration was ended by %r", error)
        return None

    def _larger(self, size: int) -> int:
        """Returns twice the size.

        Raises:
            ConsumerFetchSizeTooSmall: The limit is reached.
        """
        if self.max_buffer_size is None:
            return size * 2
        if size >= self.max_buffer_size:
            log.error("Max fetch size %d too small", self.max_buffer_size)
            raise ConsumerFetchSizeTooSmall(
                f"a message of {self.topic!r} is larger than max_buffer_size={self.max_buffer_size}"
            )
        larger = min(size * 2, self.max_buffer_size)
        log.warning("Fetch size too small, increase to %d (2x) and retry", larger)
        return larger
