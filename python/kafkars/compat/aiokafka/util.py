"""Helper functions that programs import (`aiokafka.util`)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Mapping
from typing import Any, TypeVar

from kafkars.compat.aiokafka.structs import OffsetAndMetadata, TopicPartition

T = TypeVar("T")

__all__ = [
    "INTEGER_MAX_VALUE",
    "INTEGER_MIN_VALUE",
    "NO_EXTENSIONS",
    "create_future",
    "create_task",
    "parse_kafka_version",
    "wait_for",
]

INTEGER_MAX_VALUE = 2**31 - 1
INTEGER_MIN_VALUE = -(2**31)
NO_EXTENSIONS = False
"""Always False: here there is always an extension module."""


async def wait_for(fut: Awaitable[T], timeout: float | None = None) -> T:
    """Waits for at most `timeout` seconds.

    Raises:
        asyncio.TimeoutError: They are over.
    """
    return await asyncio.wait_for(fut, timeout)


def parse_kafka_version(api_version: str) -> tuple[int, int, int]:
    """Returns the three numbers of a release of Kafka; the last is 0 if it is missing.

    Raises:
        ValueError: There are not two or three numbers, or they are not between 0.9 and 2.x, which aiokafka knows.
    """
    given: object = api_version
    parts = given.split(".") if isinstance(given, str) and given.isascii() else []
    if not 2 <= len(parts) <= 3 or not all(part.isdecimal() for part in parts):  # noqa: PLR2004  major, minor, patch
        raise ValueError(api_version)
    major, minor, *patch = (int(part) for part in parts)
    if not (0, 9) <= (major, minor) < (3, 0):
        raise ValueError(api_version)
    return major, minor, patch[0] if patch else 0


def create_task(coro: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Makes a task on the running loop."""
    return asyncio.get_running_loop().create_task(coro)


def create_future(loop: asyncio.AbstractEventLoop | None = None) -> asyncio.Future[T]:
    """Makes a future of a loop, by default the running one."""
    return (loop or asyncio.get_running_loop()).create_future()


def get_running_loop() -> asyncio.AbstractEventLoop:
    """Returns the running loop.

    Raises:
        RuntimeError: None runs, or the loop is closed.
    """
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        raise RuntimeError("no event loop runs here; make the object in a coroutine") from None


def commit_structure_validate(
    offsets: Mapping[TopicPartition, int | tuple[int, str] | OffsetAndMetadata],
) -> dict[TopicPartition, OffsetAndMetadata]:
    """Checks offsets to commit, and returns them in one form.

    Raises:
        ValueError: There are none, or a value is neither a number nor a number with text.
        TypeError: A key is no partition, or what stands beside a number is no text.
    """
    if not offsets or not isinstance(offsets, Mapping):
        raise ValueError(offsets)
    checked = {}
    for partition, value in offsets.items():
        if not isinstance(partition, TopicPartition):
            raise TypeError(f"Key should be TopicPartition instance, not {partition!r}")
        if isinstance(value, int):
            checked[partition] = OffsetAndMetadata(value, "")
            continue
        try:
            offset, metadata = value
        except (TypeError, ValueError):
            raise ValueError(offsets) from None
        if not isinstance(metadata, str):
            raise TypeError(f"Metadata should be a string, not {metadata!r}")
        checked[partition] = OffsetAndMetadata(offset, metadata)
    return checked
