"""The consumer of several topics, which commits messages that were marked as done (`kafka.consumer.kafka`)."""

from __future__ import annotations

import logging
import random
import sys
import time
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, NamedTuple

from kafkars.compat.kafka_legacy.client import KafkaClient
from kafkars.compat.kafka_legacy.common import (
    ConsumerTimeout,
    FailedPayloadsError,
    FetchRequest,
    FetchResponse,
    KafkaConfigurationError,
    KafkaMessage,
    KafkaUnavailableError,
    NotLeaderForPartitionError,
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetOutOfRangeError,
    OffsetRequest,
    RequestTimedOutError,
    UnknownTopicOrPartitionError,
    check_error,
)
from kafkars.compat.kafka_legacy.consumer._auto_commit import AutoCommit
from kafkars.compat.kafka_legacy.consumer._settings import (
    DEFAULT_CONSUMER_CONFIG,
    DEPRECATED_CONFIG_KEYS,
    complete,
)
from kafkars.compat.kafka_legacy.consumer._topics import places
from kafkars.compat.kafka_legacy.util import kafka_bytestring

__all__ = ["DEFAULT_CONSUMER_CONFIG", "DEPRECATED_CONFIG_KEYS", "KafkaConsumer", "OffsetsStruct"]

logger = logging.getLogger("kafka.consumer.kafka")

NOT_STORED = -1
TIMES = {"largest": -1, "smallest": -2}


class OffsetsStruct(NamedTuple):
    """The offsets of a consumer, each by (topic, partition)."""

    fetch: dict[tuple[bytes, int], int]
    highwater: dict[tuple[bytes, int], int | None]
    commit: dict[tuple[bytes, int], int | None]
    task_done: dict[tuple[bytes, int], int | None]


class KafkaConsumer:
    """Reads topics, all of their partitions or the named ones.

    No group assigns partitions: `group_id` is only the name under which offsets are committed, and only those of
    messages that `task_done()` was called with.

    Args:
        *topics: The topics or partitions; see `set_topic_partitions()`.
        **configs: Settings; see `configure()`.

    Raises:
        KafkaConfigurationError: A setting is unknown, missing or wrong.
        UnknownTopicOrPartitionError: A topic or partition does not exist.
        KafkaUnavailableError: No broker answers.
    """

    DEFAULT_CONFIG = deepcopy(DEFAULT_CONSUMER_CONFIG)

    def __init__(self, *topics: Any, **configs: Any) -> None:
        self.configure(**configs)
        self.set_topic_partitions(*topics)

    def __repr__(self) -> str:
        read = "|".join(f"{topic.decode()}-{partition}" for topic, partition in self._topics)
        return f"<{type(self).__name__} topics=({read})>"

    def configure(self, **configs: Any) -> None:
        """Reconfigures the consumer.

        Args:
            **configs: bootstrap_servers: addresses of some brokers, as a list or comma-separated; client_id; group_id:
                the group of committed offsets; fetch_message_max_bytes, fetch_min_bytes, fetch_wait_max_ms: the size
                limit of a partition, and how many bytes are waited for how long; refresh_leader_backoff_ms: the pause
                after a failure; socket_timeout_ms; auto_offset_reset: "largest", "smallest", or anything else for an
                error; deserializer_class: a function that converts values; auto_commit_enable, auto_commit_interval_ms,
                auto_commit_interval_messages: whether and when messages that are done are committed;
                consumer_timeout_ms: the time without a message after which `ConsumerTimeout` is raised, -1 for never.

        Raises:
            KafkaConfigurationError: A setting is unknown or missing.
            KafkaUnavailableError: No broker answers.
        """
        self._config = complete(self.DEFAULT_CONFIG, configs)
        self._auto_commit = AutoCommit(
            self._config["auto_commit_enable"],
            self._config["auto_commit_interval_ms"],
            self._config["auto_commit_interval_messages"],
        )
        self._topics: list[tuple[bytes, int]] = []
        self._offsets = OffsetsStruct({}, {}, {}, {})
        self._msg_iter: Iterator[KafkaMessage] | None = None
        self._client = KafkaClient(
            self._config["bootstrap_servers"],
            client_id=self._config["client_id"],
            timeout=self._config["socket_timeout_ms"] / 1000.0,
        )

    def set_topic_partitions(self, *topics: Any) -> None:
        """Sets the topics or partitions to read, in place of the previous ones.

        Args:
            *topics: Each a topic's name; (topic, partition) or (topic, partition, offset); or a dictionary of topics
                with a partition or a list of them, or of (topic, partition) with offsets. Without an offset, reading
                starts at the group's committed offset, or else by `auto_offset_reset`.

        Raises:
            UnknownTopicOrPartitionError: A topic or partition does not exist.
            KafkaConfigurationError: An argument is of another form.
        """
        self._client.load_metadata_for_topics()
        self._topics = []
        self._offsets = OffsetsStruct({}, {}, {}, {})
        self._msg_iter = None
        for topic, partition, offset in places(topics, self._client.get_partition_ids_for_topic):
            self._check_known(topic, partition)
            self._topics.append((topic, partition))
            if offset is not None:
                self._offsets.fetch[topic, partition] = offset
        for each in self._topics:
            stored = self._stored(*each) if self._config["group_id"] else None
            self._offsets.commit[each] = stored
            self._offsets.highwater[each] = None
            self._offsets.task_done[each] = None
            if each not in self._offsets.fetch:
                self._offsets.fetch[each] = self._reset_partition_offset(each) if stored is None else stored

    def close(self) -> None:
        """Closes the connections, without a commit."""
        self._client.close()

    def __iter__(self) -> KafkaConsumer:
        """Returns the consumer itself."""
        return self

    def __next__(self) -> KafkaMessage:
        """Returns the same as `next()`."""
        return self.next()

    def next(self) -> KafkaMessage:
        """Waits for the next message and returns it.

        Raises:
            ConsumerTimeout: No message came for `consumer_timeout_ms`.
            KafkaConfigurationError: No topics are set.
        """
        limit = self._timeout_at()
        while True:
            if self._msg_iter is None:
                self._msg_iter = self.fetch_messages()
            message = next(self._msg_iter, None)
            if message is not None:
                return message
            self._msg_iter = None
            self._check_timeout(limit)

    def fetch_messages(self) -> Iterator[KafkaMessage]:
        """Iterates over the messages of one fetch of all partitions; there may be none.

        Raises:
            KafkaConfigurationError: No topics are set.
            OffsetOutOfRangeError: A position is not in the log, and `auto_offset_reset` names no other one.
            ConsumerFetchSizeTooSmall: A message is larger than `fetch_message_max_bytes`.
        """
        if not self._topics:
            raise KafkaConfigurationError("No topics or partitions configured")
        most = self._config["fetch_message_max_bytes"]
        responses = self._client.send_fetch_request(
            [FetchRequest(*each, self._offsets.fetch[each], most) for each in self._topics],
            max_wait_time=self._config["fetch_wait_max_ms"],
            min_bytes=self._config["fetch_min_bytes"],
            fail_on_error=False,
        )
        limit = self._timeout_at()
        for response in responses:
            if isinstance(response, FailedPayloadsError):
                logger.warning("FailedPayloadsError attempting to fetch data")
                self._refresh_metadata(limit)
            elif self._is_fine(response, limit):
                yield from self._given_out(response)

    def get_partition_offsets(
        self, topic: str | bytes, partition: int, request_time_ms: int, max_num_offsets: int
    ) -> tuple[int, ...]:
        """Returns offsets of a log.

        Args:
            topic: The topic.
            partition: The partition.
            request_time_ms: -1 for the end, -2 for the beginning, or milliseconds since 1970.
            max_num_offsets: The limit of the number of offsets.

        Raises:
            KafkaError: The cluster does not answer, or answers with an error.
        """
        request = OffsetRequest(kafka_bytestring(topic), partition, request_time_ms, max_num_offsets)
        (response,) = self._client.send_offset_request([request])
        check_error(response)
        offsets: tuple[int, ...] = response.offsets
        return offsets

    def offsets(self, group: str | None = None) -> dict[Any, Any]:
        """Returns the offsets of the partitions.

        Args:
            group: "fetch": the next offset to return; "highwater": the end of the log; "commit": the
                committed offset; "task_done": the last one that is done. None returns all, by these names.
        """
        if not group:
            return {name: self.offsets(name) for name in ("fetch", "commit", "task_done", "highwater")}
        return dict(getattr(self._offsets, group))

    def task_done(self, message: KafkaMessage) -> bool:
        """Marks a message, and all before it in its partition, as done, so that they may be committed.

        Args:
            message: A message of this consumer.

        Returns:
            False if the partition is not one of the consumer's, else True.
        """
        place = (message.topic, message.partition)
        if place not in self._offsets.task_done:
            logger.warning("Unrecognized topic/partition in task_done message: %s:%s", *place)
            return False
        done, committed = self._offsets.task_done[place], self._offsets.commit[place]
        if done is not None and message.offset != done + 1:
            logger.warning("Marking task_done on a non-continuous offset: %d != %d + 1", message.offset, done)
        if committed is not None and message.offset + 1 <= committed:
            logger.warning(
                "Marking task_done on a previously committed offset?: %d (+1) <= %d", message.offset, committed
            )
        self._offsets.task_done[place] = message.offset
        if self._auto_commit.is_due():
            self.commit()
        return True

    def commit(self) -> bool:
        """Commits the offsets of messages that are done.

        Returns:
            True if there was anything new.

        Raises:
            KafkaConfigurationError: There is no `group_id`.
            KafkaError: The commit failed.
        """
        group = self._config["group_id"]
        if not group:
            logger.warning("Cannot commit without a group_id!")
            raise KafkaConfigurationError("Attempted to commit offsets without a configured consumer group (group_id)")
        done = {place: offset + 1 for place, offset in self._offsets.task_done.items() if offset is not None}
        new = {place: offset for place, offset in done.items() if offset != self._offsets.commit[place]}
        if not new:
            logger.info("No new offsets found to commit in group %s", group)
            return False
        logger.info("committing consumer offsets to group %s", group)
        requests = [OffsetCommitRequest(*place, offset, b"") for place, offset in new.items()]
        responses = self._client.send_offset_commit_request(kafka_bytestring(group), requests, fail_on_error=False)
        for response in responses:
            check_error(response)
            place = (response.topic, response.partition)
            self._offsets.commit[place] = new[place]
        self._auto_commit.reset()
        return True

    def _given_out(self, response: FetchResponse) -> Iterator[KafkaMessage]:
        place = (response.topic, response.partition)
        self._offsets.highwater[place] = response.highwaterMark
        deserialize = self._config["deserializer_class"]
        for offset, message in response.messages:
            made = KafkaMessage(*place, offset, message.key, deserialize(message.value))
            if offset < self._offsets.fetch[place]:
                logger.debug("message offset less than fetched offset skipping: %s", made)
                continue
            # Not before: what cannot be deserialized is given out again.
            self._offsets.fetch[place] = offset + 1
            yield made

    def _is_fine(self, response: FetchResponse, limit: float | None) -> bool:
        """True if a response has messages; otherwise handles its error."""
        place = (response.topic, response.partition)
        try:
            check_error(response)
        except OffsetOutOfRangeError:
            logger.warning(
                "OffsetOutOfRange: topic %s, partition %d, offset %d (Highwatermark: %d)",
                *place,
                self._offsets.fetch[place],
                response.highwaterMark,
            )
            self._offsets.fetch[place] = self._reset_partition_offset(place)
        except NotLeaderForPartitionError:
            logger.warning("NotLeaderForPartitionError for %s - %d. Metadata may be out of date", *place)
            self._refresh_metadata(limit)
        except RequestTimedOutError:
            logger.warning("RequestTimedOutError for %s - %d", *place)
        else:
            return True
        return False

    def _check_known(self, topic: bytes, partition: int) -> None:
        if topic not in self._client.topic_partitions:
            raise UnknownTopicOrPartitionError(f"Topic {topic!r} not found in broker metadata")
        if partition not in self._client.topic_partitions[topic]:
            raise UnknownTopicOrPartitionError(f"Partition {partition} not found in Topic {topic!r} in broker metadata")
        logger.info("Configuring consumer to fetch topic '%s', partition %d", topic, partition)

    def _stored(self, topic: bytes, partition: int) -> int | None:
        """Returns the group's committed offset."""
        group = kafka_bytestring(self._config["group_id"])
        (response,) = self._client.send_offset_fetch_request(
            group, [OffsetFetchRequest(topic, partition)], fail_on_error=False
        )
        try:
            check_error(response)
        except UnknownTopicOrPartitionError:
            return None
        return None if response.offset == NOT_STORED else response.offset

    def _reset_partition_offset(self, place: tuple[bytes, int]) -> int:
        """Returns the offset that `auto_offset_reset` names.

        Raises:
            OffsetOutOfRangeError: `auto_offset_reset` names none; or else the exception that is being handled.
        """
        time_of = TIMES.get(self._config["auto_offset_reset"])
        if time_of is None:
            # The exception that is being handled says more.
            if sys.exc_info()[1] is not None:
                raise  # noqa: PLE0704
            raise OffsetOutOfRangeError(
                "Cannot reset partition offsets without a valid auto_offset_reset setting (largest|smallest)"
            )
        return self.get_partition_offsets(*place, time_of, max_num_offsets=1)[0]

    def _refresh_metadata(self, limit: float | None) -> None:
        """Fetches metadata until a broker answers, each time after a pause."""
        while True:
            time.sleep(self._config["refresh_leader_backoff_ms"] * random.uniform(0.9, 1.1) / 1000)  # noqa: S311  no secret
            try:
                self._client.load_metadata_for_topics()
            except KafkaUnavailableError:
                logger.warning("Unable to refresh topic metadata... cluster unavailable")
                self._check_timeout(limit)
            else:
                return

    def _timeout_at(self) -> float | None:
        milliseconds = self._config["consumer_timeout_ms"]
        return None if milliseconds < 0 else time.monotonic() + milliseconds / 1000

    def _check_timeout(self, limit: float | None) -> None:
        if limit is not None and time.monotonic() > limit:
            raise ConsumerTimeout(f"Consumer timed out after {self._config['consumer_timeout_ms']} ms")
