"""Offsets that are committed when a `with` block succeeds, and rolled back when it raises (`kafka.context`)."""

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
    """Reads with a `SimpleConsumer` without automatic commits, and commits the messages that were marked.

    ```python
    consumer = SimpleConsumer(client, group, topic, auto_commit=False)
    consumer.provide_partition_info()
    with OffsetCommitContext(consumer) as context:
        for partition, message in consumer.get_messages(count=100, block=False):
            handle(message)
            context.mark(partition, message.offset)
    ```

    The end of the block commits the marked messages and sets the consumer's position after them: messages that were
    read and not marked are read again. After an exception the consumer returns to its position at the beginning.

    Args:
        consumer: The kafkars consumer.
    """

    def __init__(self, consumer: SimpleConsumer) -> None:
        self.consumer = consumer
        self.initial_offsets: dict[int, int] = {}
        self.high_water_mark: dict[int, int] = {}
        self.logger = logging.getLogger("kafka.context")

    def mark(self, partition: int, offset: int) -> None:
        """Marks a message, and all before it, as done.

        Args:
            partition: The message's partition.
            offset: The message's offset.
        """
        self.high_water_mark[partition] = max(offset + 1, self.high_water_mark.get(partition, 0))
        self.logger.debug("Setting high-water mark to: %s", self.high_water_mark)

    def __bool__(self) -> bool:
        """True if a message is marked."""
        return bool(self.high_water_mark)

    __nonzero__ = __bool__

    def __enter__(self) -> Self:
        """Stores the consumer's position, and removes all marks."""
        self.initial_offsets = dict(self.consumer.offsets)
        self.high_water_mark = {}
        self.logger.debug("Starting context at: %s", self.initial_offsets)
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        """Commits, or rolls back after an exception; after `OffsetOutOfRangeError` goes to the beginning of the log and
        raises nothing.
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
        """Commits the marked messages and sets the position after them; rolls back if nothing is marked."""
        if self.high_water_mark:
            self.logger.info("Committing offsets: %s", self.high_water_mark)
            self.commit_partition_offsets(self.high_water_mark)
            self.update_consumer_offsets(self.high_water_mark)
        else:
            self.update_consumer_offsets(self.initial_offsets)

    def rollback(self) -> None:
        """Returns to the position at the beginning of the block."""
        self.logger.info("Rolling back context: %s", self.initial_offsets)
        self.update_consumer_offsets(self.initial_offsets)

    def commit_partition_offsets(self, partition_offsets: Mapping[int, int]) -> None:
        """Commits offsets by partition.

        Raises:
            KafkaError: A commit failed.
        """
        self.logger.debug("Committing partition offsets: %s", partition_offsets)
        requests = [
            OffsetCommitRequest(self.consumer.topic, partition, offset, None)
            for partition, offset in partition_offsets.items()
        ]
        for response in self.consumer.client.send_offset_commit_request(self.consumer.group, requests):
            check_error(response)

    def update_consumer_offsets(self, partition_offsets: Mapping[int, int]) -> None:
        """Sets the consumer's positions by partition."""
        self.logger.debug("Updating consumer offsets to: %s", partition_offsets)
        self.consumer.offsets.update(partition_offsets)
        # It has read on; seeking to where it stands makes it forget that.
        self.consumer.seek(0, 1)

    def handle_out_of_range(self) -> None:
        """Goes to the beginning of the log, because reading never passes the end of it."""
        self.logger.info("Seeking beginning of partition on out of range error")
        self.consumer.seek(0, 0)
