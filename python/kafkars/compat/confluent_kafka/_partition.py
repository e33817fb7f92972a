"""`confluent_kafka.TopicPartition`."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kafkars.compat.confluent_kafka.error import KafkaError


class TopicPartition:
    """A partition of a topic, and what a call says about it.

    Comparison and hash go by topic and partition alone.

    Args:
        topic: The topic's name; cannot be changed later.
        partition: Its number; -1 stands for none.
        offset: A position, one of the `OFFSET_...` numbers, or milliseconds since 1970 for `offsets_for_times()`.
        metadata: Text that is committed along with the offset.
        leader_epoch: Of the leader that stored the last record that was read; None where it is not known.
    """

    __slots__ = ("_error", "_leader_epoch", "_metadata", "_offset", "_partition", "_topic")

    def __init__(
        self,
        topic: str,
        partition: int = -1,
        offset: int = -1001,
        metadata: str | None = None,
        leader_epoch: int | None = None,
    ) -> None:
        """See the class."""
        if not isinstance(topic, str):
            raise TypeError(f"topic must be str, not {type(topic).__name__}")
        if metadata is not None and not isinstance(metadata, str):
            raise TypeError(f"metadata must be str or None, not {type(metadata).__name__}")
        for text in (topic, metadata or ""):
            check_text(text)
        self._topic = topic
        self._partition = number(partition, 32)
        self._offset = number(offset, 64)
        self._metadata = metadata
        self._leader_epoch = epoch(leader_epoch)
        self._error: KafkaError | None = None

    @property
    def topic(self) -> str:
        """The topic's name."""
        return self._topic

    @property
    def partition(self) -> int:
        """The partition's number, or -1."""
        return self._partition

    @partition.setter
    def partition(self, partition: int) -> None:
        self._partition = number(partition, 32)

    @property
    def offset(self) -> int:
        """The position, or one of the `OFFSET_...` numbers."""
        return self._offset

    @offset.setter
    def offset(self, offset: int) -> None:
        self._offset = number(offset, 64)

    @property
    def metadata(self) -> str | None:
        """The text committed along with the offset."""
        return self._metadata

    @property
    def leader_epoch(self) -> int | None:
        """The epoch of the leader that stored the last record read."""
        return self._leader_epoch

    @property
    def error(self) -> KafkaError | None:
        """The error of this partition in the call that returned it."""
        return self._error

    def __repr__(self) -> str:
        return (
            f"TopicPartition{{topic={self._topic},partition={self._partition},offset={self._offset},"
            f"leader_epoch={self._leader_epoch},error={self._error}}}"
        )

    def __hash__(self) -> int:
        return hash((self._topic, self._partition))

    def __eq__(self, other: object) -> bool:
        return self._place() == other._place() if isinstance(other, TopicPartition) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._place() < other._place() if isinstance(other, TopicPartition) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self._place() <= other._place() if isinstance(other, TopicPartition) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self._place() > other._place() if isinstance(other, TopicPartition) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self._place() >= other._place() if isinstance(other, TopicPartition) else NotImplemented

    def __reduce__(self) -> Any:
        arguments = (self._topic, self._partition, self._offset, self._metadata, self._leader_epoch)
        return _restored, (*arguments, self._error)

    def _place(self) -> tuple[str, int]:
        return self._topic, self._partition

    def _answer(
        self,
        offset: int | None = None,
        error: KafkaError | None = None,
        metadata: str | None = None,
        leader_epoch: int | None = None,
    ) -> TopicPartition:
        """Returns a copy with the result of a call."""
        made = TopicPartition(
            self._topic, self._partition, self._offset if offset is None else offset, metadata, leader_epoch
        )
        made._error = error
        return made


def check_text(given: str) -> None:
    """Checks a text that is a text of C in the library.

    Raises:
        ValueError: It contains the NUL with which such a text ends.
    """
    if "\0" in given:
        raise ValueError("embedded null character")


def number(given: int, bits: int) -> int:
    """Checks for a whole number that fits its field of the protocol.

    Raises:
        OverflowError: It does not fit.
        TypeError: It is no whole number.
    """
    value = operator.index(given)
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise OverflowError(f"{value} does not fit {bits} bits")
    return value


def epoch(given: int | None) -> int | None:
    """Returns the epoch of a leader; a negative number stands for none."""
    value = None if given is None else number(given, 32)
    return None if value is None or value < 0 else value


def _restored(
    topic: str, partition: int, offset: int, metadata: str | None, leader_epoch: int | None, error: KafkaError | None
) -> TopicPartition:
    """Makes one when it is unpickled."""
    return TopicPartition(topic, partition)._answer(offset, error, metadata, leader_epoch)
