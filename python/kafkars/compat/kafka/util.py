"""Small helpers of kafka-python (`kafka.util`)."""

from __future__ import annotations

import binascii
import contextlib
import functools
import math
import re
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kafkars.compat.kafka.errors import KafkaTimeoutError

if TYPE_CHECKING:
    from types import MethodType

    from typing_extensions import Self

__all__ = [
    "TOPIC_LEGAL_CHARS",
    "TOPIC_MAX_LENGTH",
    "Dict",
    "EnumHelper",
    "Timer",
    "WeakMethod",
    "crc32",
    "ensure_valid_topic_name",
    "synchronized",
]

TOPIC_MAX_LENGTH = 249
TOPIC_LEGAL_CHARS = re.compile("^[a-zA-Z0-9._-]+$")


def ensure_valid_topic_name(topic: object) -> None:
    """Refuses invalid topic names.

    Raises:
        TypeError: The name is not a `str`.
        ValueError: The name is empty, ".", "..", longer than 249, or has characters other than letters, digits, ".", "_", "-".
    """
    if topic is None:
        raise TypeError("a topic's name is needed, not None")
    if not isinstance(topic, str):
        raise TypeError(f"a topic's name is text, not {topic!r}")
    if not topic:
        raise ValueError("a topic's name cannot be empty")
    if topic in {".", ".."}:
        raise ValueError('a topic\'s name cannot be "." or ".."')
    if len(topic) > TOPIC_MAX_LENGTH:
        raise ValueError(
            f"a topic's name has at most {TOPIC_MAX_LENGTH} characters: {topic[:40]!r}... has {len(topic)}"
        )
    if not TOPIC_LEGAL_CHARS.match(topic):
        raise ValueError(f'{topic!r}: a topic\'s name has letters, digits, ".", "_" and "-" only')


def crc32(data: bytes) -> int:
    """Returns the CRC-32 as a signed int32, as in old message formats."""
    crc = binascii.crc32(data)
    return crc - (1 << 32) if crc >= 1 << 31 else crc


class Timer:
    """Measures the remaining part of a time limit.

    Args:
        timeout_ms: The limit in milliseconds; None for none.
        error_message: The message of `maybe_raise()`.
        start_at: The beginning on the clock of `time.monotonic()`; defaults to now.
    """

    __slots__ = ("_error_message", "_expire_at", "_start_at", "_timeout_ms")

    def __init__(
        self, timeout_ms: float | None, error_message: str | None = None, start_at: float | None = None
    ) -> None:
        self._timeout_ms = timeout_ms
        self._start_at = time.monotonic() if start_at is None else start_at
        self._expire_at = math.inf if timeout_ms is None else self._start_at + timeout_ms / 1000
        self._error_message = error_message

    @property
    def expired(self) -> bool:
        """True if the limit has passed."""
        return time.monotonic() >= self._expire_at

    @property
    def timeout_ms(self) -> float | None:
        """The remaining milliseconds, at least 0; None without a limit."""
        if self._timeout_ms is None:
            return None
        left = self._expire_at - time.monotonic()
        return left if math.isinf(left) else max(0, int(left * 1000))

    @property
    def timeout_secs(self) -> float | None:
        """The remaining seconds, at least 0; None without a limit."""
        left = self.timeout_ms
        return None if left is None else left / 1000

    @property
    def elapsed_ms(self) -> int:
        """The milliseconds since the beginning."""
        return int(1000 * (time.monotonic() - self._start_at))

    def maybe_raise(self) -> None:
        """Raises if the limit has passed.

        Raises:
            KafkaTimeoutError: The limit has passed.
        """
        if self.expired:
            raise KafkaTimeoutError(self._error_message)

    def __str__(self) -> str:
        return f"Timer({self.timeout_ms} ms remaining)"


class WeakMethod:
    """A weak reference to a bound method: it keeps neither the object nor the function alive."""

    def __init__(self, object_dot_method: MethodType) -> None:
        self.target = weakref.ref(object_dot_method.__self__)
        self.method = weakref.ref(object_dot_method.__func__)
        self._key = (id(object_dot_method.__self__), id(object_dot_method.__func__))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the method."""
        method: Any = self.method()
        return method(self.target(), *args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WeakMethod) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


class Dict(dict[Any, Any]):
    """A dict that weak references may refer to."""


def synchronized(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a method to hold the object's `_lock`."""

    @functools.wraps(func)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            return func(self, *args, **kwargs)

    return wrapper


class EnumHelper:
    """An enumeration whose members can be found by member, value or name."""

    @classmethod
    def build_from(cls, val: Any) -> Self:
        """Returns a member by member, value or name.

        Raises:
            ValueError: There is no such member.
        """
        members: Any = cls
        if isinstance(val, cls):
            return val
        with contextlib.suppress(ValueError):
            found: Self = members(val)
            return found
        return cls._named(str(val).strip())

    @classmethod
    def value_for(cls, val: Any) -> Any:
        """Returns the value of a member, given by member, value or name.

        Raises:
            ValueError: There is no such member.
        """
        members: Any = cls
        if isinstance(val, cls):
            return members(val).value
        found: Any = members(val) if isinstance(val, int) else cls._named(str(val))
        return found.value

    @classmethod
    def _named(cls, name: str) -> Self:
        members: Any = cls
        try:
            found: Self = members[name.upper().replace("-", "_")]
        except KeyError:
            raise ValueError(f"Unrecognized {cls.__name__}: {name}") from None
        return found
