"""Checks of arguments of clients' methods, as the library makes them."""

from __future__ import annotations

from typing import Any

from kafkars._kafkars import Message
from kafkars.compat.confluent_kafka._partition import TopicPartition, check_text
from kafkars.types import OffsetAndMetadata

Place = tuple[str, int]


def partitions(given: object) -> list[TopicPartition]:
    """Checks for a list of TopicPartition.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(given, list):
        raise TypeError(f"requires list of TopicPartition, not {type(given).__name__}")
    return [partition(each) for each in given]


def partition(given: object) -> TopicPartition:
    """Checks for a TopicPartition.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(given, TopicPartition):
        raise TypeError(f"expected TopicPartition, not {type(given).__name__}")
    return given


def topic(given: object) -> None:
    """Checks for the name of a topic, or None.

    Raises:
        TypeError: It is something else.
        ValueError: It contains NUL.
    """
    if given is None:
        return
    if not isinstance(given, str):
        raise TypeError(f"topic must be str, not {type(given).__name__}")
    check_text(given)


def message(given: object) -> Message:
    """Checks for a Message.

    Raises:
        TypeError: It is something else.
    """
    if not isinstance(given, Message):
        raise TypeError(f"expected Message, not {type(given).__name__}")
    return given


def place(of: TopicPartition) -> Place:
    """Returns the key of a partition in kafkars' dicts."""
    return of.topic, of.partition


def function(name: str, given: object) -> Any:
    """Checks for a callback.

    Raises:
        TypeError: It cannot be called.
    """
    if not callable(given):
        raise TypeError(f"{name} expects a callable, not a value of type {type(given).__name__}")
    return given


def seconds(timeout: Any) -> float | None:
    """Returns a time limit for kafkars: None for -1 and every negative number.

    Raises:
        TypeError: It is no number; None is none either.
    """
    if isinstance(timeout, str) or not hasattr(timeout, "__float__"):
        raise TypeError(f"timeout must be real number, not {type(timeout).__name__}")
    limit = float(timeout)
    return None if limit < 0 else limit


def first_time(client: Any, engine: str = "_engine_") -> None:
    """Checks that a client is not initialised yet.

    Args:
        client: The client.
        engine: The name of what it has from then on.

    Raises:
        RuntimeError: It is, or was before it was closed: its native half has one engine.
    """
    if getattr(client, engine, None) is not None:
        raise RuntimeError(f"{type(client).__name__} is already initialised: make another one")


def credentials(username: object, password: object) -> None:
    """Checks for the texts of a login.

    Raises:
        TypeError: One is no text.
        ValueError: One contains NUL.
    """
    for name, given in (("username", username), ("password", password)):
        if not isinstance(given, str):
            raise TypeError(f"{name} must be str, not {type(given).__name__}")
        check_text(given)


def offset_and_metadata(of: TopicPartition) -> OffsetAndMetadata:
    """Returns the offset and metadata to commit for a partition."""
    # librdkafka commits the NUL at the end of its text, too, and reads beyond the text if there is none.
    metadata = "" if of.metadata is None else f"{of.metadata}\0"
    return OffsetAndMetadata(of.offset, metadata, of.leader_epoch)


def committed_text(metadata: str) -> str | None:
    """Returns the metadata that was committed with an offset: up to its NUL, as librdkafka reads it."""
    return metadata.split("\0", 1)[0] if metadata else None
