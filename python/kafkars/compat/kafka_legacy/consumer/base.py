"""The base of `SimpleConsumer` and `MultiProcessConsumer`: offsets and commits
(`kafka.consumer.base`).
"""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral
from threading import Lock

from kafkars.compat.kafka_legacy.client import KafkaClient
from kafkars.compat.kafka_legacy.common import (
    KafkaError,
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetRequest,
    UnknownTopicOrPartitionError,
    check_error,
)
from kafkars.compat.kafka_legacy.util import ReentrantTimer, kafka_bytestring

__all__ = ["Consumer"]

log = logging.getLogger("kafka.consumer")

AUTO_COMMIT_MSG_COUNT = 100
AUTO_COMMIT_INTERVAL = 5000
FETCH_DEFAULT_BLOCK_TIMEOUT = 1
FETCH_MAX_WAIT_TIME = 100
FETCH_MIN_BYTES = 4096
FETCH_BUFFER_SIZE_BYTES = 4096
MAX_FETCH_BUFFER_SIZE_BYTES = FETCH_BUFFER_SIZE_BYTES * 8
ITER_TIMEOUT_SECONDS = 60
NO_MESSAGES_WAIT_TIME_SECONDS = 0.1
FULL_QUEUE_WAIT_TIME_SECONDS = 0.1
MAX_BACKOFF_SECONDS = 60
NOT_STORED = -1
END_OF_LOG = -1


class Consumer:
    """Tracks the next offset of each partition, in `offsets`, and commits it.

    Args:
        client: The `KafkaClient` for requests and commits.
        group: The group of committed offsets; None for no commits.
        topic: The topic.
        partitions: The partitions; None for all.
        auto_commit: True commits automatically.
        auto_commit_every_n: Messages between automatic commits; None for no such number.
        auto_commit_every_t: Milliseconds between automatic commits; None for no such interval.

    Raises:
        AssertionError: A partition is not a number.
        KafkaError: The topic is unknown, or the cluster does not answer.
    """

    def __init__(
        self,
        client: KafkaClient,
        group: str | bytes | None,
        topic: str | bytes,
        partitions: Sequence[int] | None = None,
        auto_commit: bool = True,
        auto_commit_every_n: int | None = AUTO_COMMIT_MSG_COUNT,
        auto_commit_every_t: float | None = AUTO_COMMIT_INTERVAL,
    ) -> None:
        self.client = client
        self.topic = kafka_bytestring(topic)
        self.group = None if group is None else kafka_bytestring(group)
        self.partition_info = False
        self.offsets: dict[int, int] = {}
        self.commit_lock = Lock()
        self.commit_timer: ReentrantTimer | None = None
        self.count_since_commit = 0
        self.auto_commit = auto_commit
        self.auto_commit_every_n = auto_commit_every_n
        self.auto_commit_every_t = auto_commit_every_t
        self.client.load_metadata_for_topics(topic)
        if partitions is None:
            partitions = self.client.get_partition_ids_for_topic(topic)
        elif not all(isinstance(each, Integral) for each in partitions):
            raise AssertionError(f"partitions are numbers, not {partitions!r}")
        if self.group is None:
            self.offsets = dict.fromkeys(partitions, 0)
        else:
            self.fetch_last_known_offsets(partitions)
        if auto_commit and auto_commit_every_t is not None:
            self.commit_timer = ReentrantTimer(auto_commit_every_t, self.commit)
            self.commit_timer.start()
        self._cleanup_func = _stopper()
        atexit.register(self._cleanup_func, self)

    def provide_partition_info(self) -> None:
        """Returns messages with their partitions from now on: (partition, message)."""
        self.partition_info = True

    def fetch_last_known_offsets(self, partitions: Iterable[int] | None = None) -> None:
        """Sets the positions to the group's committed offsets; to 0 where there is none.

        Args:
            partitions: The partitions; None for all.

        Raises:
            ValueError: The consumer has no group.
            KafkaError: The cluster does not answer, or answers with an error.
        """
        if self.group is None:
            raise ValueError("KafkaClient.group must not be None")
        if partitions is None:
            partitions = self.client.get_partition_ids_for_topic(self.topic)
        requests = [OffsetFetchRequest(self.topic, partition) for partition in partitions]
        for response in self.client.send_offset_fetch_request(self.group, requests, fail_on_error=False):
            try:
                check_error(response)
            except UnknownTopicOrPartitionError:
                # Kafka 0.8.1 said this of partitions without a commit.
                log.debug("nothing is committed for %s", response)
            self.offsets[response.partition] = 0 if response.offset == NOT_STORED else response.offset

    def commit(self, partitions: Iterable[int] | None = None) -> bool | None:
        """Commits the offset of the next message of each partition.

        Args:
            partitions: The partitions; None for all.

        Returns:
            True; False if it failed, which is logged; None if nothing was read since the last commit.
        """
        if self.count_since_commit == 0:
            return None
        with self.commit_lock:
            # Another thread may have done it meanwhile.
            count = self.count_since_commit
            if count == 0:
                return None
            offsets = self.offsets.copy()
            requests = [
                OffsetCommitRequest(self.topic, partition, offsets[partition], None)
                for partition in (offsets if partitions is None else partitions)
            ]
            log.debug("Committing new offsets for %s: %s", self.topic, requests)
            try:
                self.client.send_offset_commit_request(self.group, requests)
            except KafkaError as error:
                log.error("%s saving offsets: %s", type(error).__name__, error)  # noqa: TRY400
                return False
            self.count_since_commit -= count
            return True

    def stop(self) -> None:
        """Stops the automatic commits at intervals, after a last one."""
        if self.commit_timer is not None:
            self.commit_timer.stop()
            self.commit()
        atexit.unregister(self._cleanup_func)

    def pending(self, partitions: Iterable[int] | None = None) -> int:
        """Returns the number of messages from the position to the end of the log.

        Args:
            partitions: The partitions; None for all.

        Raises:
            KafkaError: The cluster does not answer, or answers with an error.
        """
        wanted = list(self.offsets if partitions is None else partitions)
        requests = [OffsetRequest(self.topic, partition, END_OF_LOG, 1) for partition in wanted]
        responses = self.client.send_offset_request(requests)
        return sum(each.offsets[0] - self.offsets[each.partition] for each in responses)

    def _auto_commit(self) -> None:
        """Commits if enough messages were read."""
        every = self.auto_commit_every_n
        if self.auto_commit and every is not None and self.count_since_commit >= every:
            self.commit()


def _stopper() -> Callable[[Consumer], None]:
    """Returns a function that stops a consumer at the program's end; unique, because `atexit` removes equal ones."""
    return lambda consumer: consumer.stop()
