"""Offsets that are committed when a `with` block ends well, and taken back when it does not (`kafka.context`)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from kafkars.compat.kafka_legacy.common import OffsetCommitRequest, OffsetOutOfRangeError, check_error

if TYPE_CHECKING:
    from typing_extensions import Self

    from kafkars.compat.kafka_legacy.consumer.simple import SimpleConsumer

__all__ = ["OffsetCommitContext"]


class OffsetCommitContext:
    """Reads with a `SimpleConsumer` that does not commit by itself, and marks what is done.

    ```python
    consumer = SimpleConsumer(client, group, topic, auto_commit=False)
    consumer.provide_partition_info()
    with OffsetCommitContext(consumer) as context:
        for partition, message in consumer.get_messages(count=100, block=False):
            handle(message)
            context.mark(partition, message.offset)
    ```

    At the end of the block what was marked is committed, and the consumer stands behind it: what was read and not
    marked is read again. After an exception it stands where it stood at the beginning.

    Args:
        consumer: What reads.
    """

    def __init__(self, consumer: SimpleConsumer) -> None:
        self.consumer = consumer
        self.initial_offsets: dict[int, int] = {}
        self.high_water_mark: dict[int, int] = {}
        self.logger = logging.getLogger("kafka.context")

    def mark(self, partition: int, offset: int) -> None:
        """Says that a message, and all before it, are done.

        Args:
            partition: The message's partition.
            offset: Its offset.
        """
        self.high_water_mark[partition] = max(offset + 1, self.high_water_mark.get(partition, 0))
        self.logger.debug("Setting high-water mark to: %s", self.high_water_mark)

    def __bool__(self) -> bool:
        """True if something is marked."""
        return bool(self.high_water_mark)

    __nonzero__ = __bool__

    def __enter__(self) -> Self:
        """Remembers where the consumer stands, and forgets marks."""
        self.initial_offsets = dict(self.consumer.offsets)
        self.high_water_mark = {}
        self.logger.debug("Starting context at: %s", self.initial_offsets)
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        """Commits; or rolls back; or, when the consumer stood outside the log, goes to its beginning and says
        nothing.
        """
        if exc_type is None:
            self.commit()
        elif isinstance(exc_value, OffsetOutOfRangeError):
            self.handle_out_of_range()
            return True
        else:
            self.rollback()
        return False

    def commit(self) -> None:
        """Commits what is marked and goes there; back to where the block began, when nothing is."""
        if self.high_water_mark:
            self.logger.info("Committing offsets: %s", self.high_water_mark)
            self.commit_partition_offsets(self.high_water_mark)
            self.update_consumer_offsets(self.high_water_mark)
        else:
            self.update_consumer_offsets(self.initial_offsets)

    def rollback(self) -> None:
        """Goes back to where the block began."""
        self.logger.info("Rolling back context: %s", self.initial_offsets)
        self.update_consumer_offsets(self.initial_offsets)

    def commit_partition_offsets(self, partition_offsets: Mapping[int, int]) -> None:
        """Commits offsets by partition.

        Raises:
            KafkaError: One was not taken.
        """
        self.logger.debug("Committing partition offsets: %s", partition_offsets)
        requests = [
            OffsetCommitRequest(self.consumer.topic, partition, offset, None)
            for partition, offset in partition_offsets.items()
        ]
        for response in self.consumer.client.send_offset_commit_request(self.consumer.group, requests):
            check_error(response)

    def update_consumer_offsets(self, partition_offsets: Mapping[int, int]) -> None:
        """Puts the consumer at offsets by partition."""
        self.logger.debug("Updating consumer offsets to: %s", partition_offsets)
        self.consumer.offsets.update(partition_offsets)
        # It has read on; seeking to where it stands makes it forget that.
        self.consumer.seek(0, 1)

    def handle_out_of_range(self) -> None:
        """Goes to the beginning of the log, for nobody steps out of it at its end."""
        self.logger.info("Seeking beginning of partition on out of range error")
        self.consumer.seek(0, 0)
