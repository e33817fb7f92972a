"""What programs pass to the methods of clients, checked as the library checks it."""

from __future__ import annotations

from typing import Any

from kafkars._kafkars import Message
from kafkars.compat.confluent_kafka._partition import TopicPartition
from kafkars.types import OffsetAndMetadata

Place = tuple[str, int]


def partitions(given: object) -> list[TopicPartition]:
    """A list of TopicPartition, and nothing else.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(given, list):
        raise TypeError(f"requires list of TopicPartition, not {type(given).__name__}")
    return [partition(each) for each in given]


def partition(given: object) -> TopicPartition:
    """A TopicPartition.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(given, TopicPartition):
        raise TypeError(f"expected TopicPartition, not {type(given).__name__}")
    return given


def topic(given: object) -> None:
    """Fails where a topic is neither a name nor None.

    Raises:
        TypeError: It is something else.
    """
    if given is not None and not isinstance(given, str):
        raise TypeError(f"topic must be str, not {type(given).__name__}")


def message(given: object) -> Message:
    """A Message.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(given, Message):
        raise TypeError(f"expected Message, not {type(given).__name__}")
    return given


def place(of: TopicPartition) -> Place:
    """The key of a partition in the dicts of the engine."""
    return of.topic, of.partition


def function(name: str, given: object) -> Any:
    """A callback.

    Raises:
        TypeError: It cannot be called.
    """
    if not callable(given):
        raise TypeError(f"{name} expects a callable, not a value of type {type(given).__name__}")
    return given


def seconds(timeout: Any) -> float | None:
    """A time limit for the engine: None for -1, None and every negative number.

    Raises:
        TypeError: It is no number.
    """
    if timeout is None:
        return None
    if isinstance(timeout, str) or not hasattr(timeout, "__float__"):
        raise TypeError(f"timeout must be real number, not {type(timeout).__name__}")
    limit = float(timeout)
    return None if limit < 0 else limit


def offset_and_metadata(of: TopicPartition) -> OffsetAndMetadata:
    """What is committed for a partition."""
    # librdkafka commits the NUL of its text too, and without one it reads on in its memory.
    metadata = "" if of.metadata is None else f"{of.metadata}\0"
    return OffsetAndMetadata(of.offset, metadata, of.leader_epoch)


def committed_text(metadata: str) -> str | None:
    """The metadata that was committed with an offset: text of C, as librdkafka reads and writes it."""
    return metadata.split("\0", 1)[0] if metadata else None
