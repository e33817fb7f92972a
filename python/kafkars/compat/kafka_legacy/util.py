"""Helper functions of kafka-python 0.9 (`kafka.util`)."""

from __future__ import annotations

import binascii
import struct
from collections import defaultdict
from collections.abc import Callable, Iterable
from threading import Event, Thread, current_thread
from typing import Any, Protocol, TypeVar

from kafkars.compat.kafka_legacy.common import BufferUnderflowError

__all__ = [
    "ReentrantTimer",
    "crc32",
    "group_by_topic_and_partition",
    "kafka_bytestring",
    "read_int_string",
    "read_short_string",
    "relative_unpack",
    "write_int_string",
    "write_short_string",
]


class OfPartition(Protocol):
    """Any request or response for one partition."""

    @property
    def topic(self) -> bytes:
        """The topic's name."""
        raise NotImplementedError

    @property
    def partition(self) -> int:
        """The partition's number."""
        raise NotImplementedError


P = TypeVar("P", bound=OfPartition)


def crc32(data: bytes) -> int:
    """Returns the CRC-32 of bytes, not negative."""
    return binascii.crc32(data) & 0xFFFFFFFF


def write_int_string(s: bytes | None) -> bytes:
    """Encodes bytes after their length as an int32; None has the length -1.

    Raises:
        TypeError: The argument is of another type.
    """
    return _with_length(">i", s)


def write_short_string(s: bytes | None) -> bytes:
    """Encodes bytes after their length as an int16; None has the length -1.

    Raises:
        TypeError: The argument is of another type.
        struct.error: `s` is longer than 32,767 bytes.
    """
    return _with_length(">h", s)


def read_short_string(data: bytes, cur: int) -> tuple[bytes | None, int]:
    """Decodes the bytes of `write_short_string` at `cur`, and returns their end, too.

    Raises:
        BufferUnderflowError: `data` is truncated.
    """
    return _behind_length(">h", data, cur)


def read_int_string(data: bytes, cur: int) -> tuple[bytes | None, int]:
    """Decodes the bytes of `write_int_string` at `cur`, and returns their end, too.

    Raises:
        BufferUnderflowError: `data` is truncated.
    """
    return _behind_length(">i", data, cur)


def relative_unpack(fmt: str, data: bytes, cur: int) -> tuple[tuple[Any, ...], int]:
    """Unpacks the bytes at `cur` with `struct.unpack`, and returns their end, too.

    Raises:
        BufferUnderflowError: `data` is truncated.
    """
    end = cur + struct.calcsize(fmt)
    if len(data) < end:
        raise BufferUnderflowError("Not enough data left")
    return struct.unpack(fmt, data[cur:end]), end


def group_by_topic_and_partition(tuples: Iterable[P]) -> dict[bytes, dict[int, P]]:
    """Groups requests or responses by topic and partition.

    Raises:
        AssertionError: A partition occurs twice.
    """
    groups: dict[bytes, dict[int, P]] = defaultdict(dict)
    for each in tuples:
        if each.partition in groups[each.topic]:
            raise AssertionError(f"Duplicate {type(each).__name__}s for {each.topic!r} {each.partition}")
        groups[each.topic][each.partition] = each
    return groups


def kafka_bytestring(s: str | bytes) -> bytes:
    """Returns bytes unchanged, and text encoded as UTF-8.

    Raises:
        TypeError: The argument is of another type.
    """
    if isinstance(s, bytes):
        return s
    if isinstance(s, str):
        return s.encode("utf-8")
    raise TypeError(s)


class ReentrantTimer:
    """Calls a function periodically, in a thread of its own.

    Args:
        t: Milliseconds between calls.
        fn: The function.
        *args: The function's arguments.
        **kwargs: The function's keyword arguments.

    Raises:
        ValueError: `t` is not positive, or `fn` is not callable.
    """

    def __init__(self, t: float, fn: Callable[..., object], *args: Any, **kwargs: Any) -> None:
        # Set before anything can fail: `__del__` runs for half-made objects, too.
        self.thread: Thread | None = None
        if t <= 0:
            raise ValueError("Invalid timeout value")
        if not callable(fn):
            raise ValueError("fn must be callable")  # noqa: TRY004  as the original says
        self.t = t / 1000.0
        self.fn: Callable[..., object] | None = fn
        self.args = args
        self.kwargs = kwargs
        self.active: Event | None = None

    def start(self) -> None:
        """Starts or restarts the timer."""
        function = self.fn
        if self.thread is not None:
            self.stop()
            self.fn = function
        self.active = Event()
        self.thread = Thread(target=self._timer, args=(self.active,), daemon=True, name="kafka.util.ReentrantTimer")
        self.thread.start()

    def stop(self) -> None:
        """Stops the timer, and waits for a running call for at most one interval and a second."""
        if self.thread is None or self.active is None:
            return
        self.active.set()
        # A function may stop its own timer.
        if self.thread is not current_thread():
            self.thread.join(self.t + 1)
        self.thread = None
        self.fn = None

    def _timer(self, active: Event) -> None:
        while not active.wait(self.t):
            function = self.fn
            if function is None:
                return
            function(*self.args, **self.kwargs)

    def __del__(self) -> None:
        """Stops the timer."""
        self.stop()


def _with_length(fmt: str, s: bytes | None) -> bytes:
    if s is None:
        return struct.pack(fmt, -1)
    if not isinstance(s, bytes):
        raise TypeError(f'Expected "{type(s)}" to be bytes\ndata={s!r}')
    return struct.pack(fmt, len(s)) + s


def _behind_length(fmt: str, data: bytes, cur: int) -> tuple[bytes | None, int]:
    (length,), cur = relative_unpack(fmt, data, cur)
    if length == -1:
        return None, cur
    if length < -1 or len(data) < cur + length:
        raise BufferUnderflowError("Not enough data left")
    return data[cur : cur + length], cur + length
