"""Settings of parallel consumers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from kafkars.config.checks import is_coroutine_function
from kafkars.config.consumer import ConsumerConfig
from kafkars.errors import ConfigError

Ordering = Literal["key", "partition", "unordered"]

LONGEST_WAIT = 0.1
"""Seconds between two checks whether to stop, to commit or to let the group rebalance."""


@dataclass(frozen=True, kw_only=True)
class ParallelSettings:
    """The settings of the threaded and the asyncio parallel consumer, checked."""

    workers: int
    ordering: Ordering
    max_in_flight: int
    max_in_flight_bytes: int
    drain_timeout: float
    commit_interval: float

    def __post_init__(self) -> None:
        for name in ("workers", "max_in_flight", "max_in_flight_bytes"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ConfigError.of(name, f"{value!r} is not a whole number above 0")
        for name in ("drain_timeout", "commit_interval"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise ConfigError.of(name, f"{value!r} is not a number of seconds")
        if self.ordering not in get_args(Ordering):
            raise ConfigError.of("ordering", f"{self.ordering!r} is none of {', '.join(map(repr, get_args(Ordering)))}")


class ParallelStatus(NamedTuple):
    """The state of a parallel consumer at one moment."""

    in_flight: int
    """Records that were fetched and are not finished."""
    bytes_in_flight: int
    """The size of their keys and values, in bytes."""
    finished: int
    """Records finished since the start."""
    oldest: float | None
    """Seconds since the handler was called for the oldest record under way; None if there is none."""


def consumer_config(
    config: ConsumerConfig | Mapping[str, object] | None, settings: Mapping[str, Any], drain_timeout: float
) -> ConsumerConfig:
    """Returns the settings of the consumer that is used inside.

    Raises:
        ConfigError: A setting is wrong, or is one that the parallel consumer decides itself.
    """
    given = ConsumerConfig.of(config, settings)
    if given.group_id is None:
        raise ConfigError.of("group_id", "missing; records are shared and positions committed by a group")
    if given.enable_auto_commit:
        raise ConfigError.of("enable_auto_commit", "leave it out; what is committed is what the handler has finished")
    if drain_timeout * 1000 >= given.max_poll_interval_ms:
        raise ConfigError.of(
            "drain_timeout",
            f"{drain_timeout:g} s is not less than max_poll_interval_ms ({given.max_poll_interval_ms:g} ms), in which "
            "the group expects partitions to be given up",
        )
    return ConsumerConfig.of(given, {"enable_auto_commit": False})


def topics_of(topics: str | Iterable[str]) -> list[str]:
    """Returns the topics of an argument that is one topic or several."""
    return [topics] if isinstance(topics, str) else list(topics)


ErrorHandler = Callable[[Any, Exception], object]


def check_function(function: object, name: str) -> None:
    """Checks that an argument can be called.

    Raises:
        ConfigError: It cannot.
    """
    if not callable(function):
        raise ConfigError.of(name, f"expected a function, not {type(function).__name__}")


def check_not_awaited(function: object, name: str) -> None:
    """Checks that an argument is no coroutine function, whose coroutine nothing would await.

    Raises:
        TypeError: It is one.
    """
    if is_coroutine_function(function):
        raise TypeError(
            f"{name}: {function!r} is a coroutine function, and nobody awaits what it returns; "
            "use kafkars.aio.ParallelConsumer"
        )


def check_ran(result: object, name: str) -> None:
    """Checks that a function of the application has run, and not returned a coroutine, which nothing awaits.

    Raises:
        TypeError: It has returned a coroutine.
    """
    if not hasattr(result, "__await__"):
        return
    close = getattr(result, "close", None)
    if close is not None:
        # Closed, so that the interpreter does not warn that it was never awaited.
        close()
    raise TypeError(
        f"{name} returned a {type(result).__name__}, which nothing awaits: it has not run. "
        "kafkars.aio.ParallelConsumer takes coroutine functions"
    )
