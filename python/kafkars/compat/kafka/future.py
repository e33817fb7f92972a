"""`Future`: the outcome of a call, with callbacks (`kafka.future`)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

log = logging.getLogger("kafka.future")


class Future:
    """The outcome of a call, now or later. Callbacks run on the thread that completes the future."""

    error_on_callbacks = False
    """For tests: True raises exceptions of callbacks instead of logging them."""

    def __init__(self) -> None:
        self.is_done = False
        self.value: Any = None
        self.exception: BaseException | None = None
        self._callbacks: list[Callable[[Any], object]] = []
        self._errbacks: list[Callable[[Any], object]] = []
        self._lock = threading.Lock()

    def succeeded(self) -> bool:
        """True if the call has succeeded."""
        return self.is_done and self.exception is None

    def failed(self) -> bool:
        """True if the call has failed."""
        return self.is_done and self.exception is not None

    def __await__(self) -> Generator[Future, None, Any]:
        """Yields itself to a runner of kafka-python 3's coroutines, then returns the value or raises the exception.

        Raises:
            RuntimeError: The runner continues before the future is done.
        """
        if not self.is_done:
            yield self
        if not self.is_done:
            raise RuntimeError("the future has no outcome yet")
        if self.exception is not None:
            raise self.exception
        return self.value

    def retriable(self) -> bool:
        """True if the call has failed with a retriable error."""
        return bool(getattr(self.exception, "retriable", False))

    def success(self, value: Any) -> Self:
        """Completes the future with a value."""
        with self._lock:
            assert not self.is_done, "the future has its outcome"  # noqa: S101  as in kafka-python
            self.value = value
            self.is_done = True
        self._run(self._callbacks, value)
        return self

    def failure(self, e: BaseException | type[BaseException]) -> Self:
        """Completes the future with an error; a class is instantiated."""
        error = e() if isinstance(e, type) else e
        assert isinstance(error, BaseException), "failure() takes an exception"  # noqa: S101  likewise
        with self._lock:
            assert not self.is_done, "the future has its outcome"  # noqa: S101  likewise
            self.exception = error
            self.is_done = True
        self._run(self._errbacks, error)
        return self

    def add_callback(self, f: Callable[..., object], *args: Any, **kwargs: Any) -> Self:
        """Calls `f(*args, value, **kwargs)` on success, at once if the call has succeeded already."""
        return self._add(self._callbacks, f, args, kwargs, is_now=self.succeeded, outcome=lambda: self.value)

    def add_errback(self, f: Callable[..., object], *args: Any, **kwargs: Any) -> Self:
        """Calls `f(*args, error, **kwargs)` on failure, at once if the call has failed already."""
        return self._add(self._errbacks, f, args, kwargs, is_now=self.failed, outcome=lambda: self.exception)

    def add_both(self, f: Callable[..., object], *args: Any, **kwargs: Any) -> Self:
        """Calls `f(*args, value or error, **kwargs)` in either case."""
        self.add_callback(f, *args, **kwargs)
        return self.add_errback(f, *args, **kwargs)

    def chain(self, future: Future) -> Self:
        """Completes another future with the same outcome."""
        self.add_callback(future.success)
        return self.add_errback(future.failure)

    def _add(
        self,
        waiting: list[Callable[[Any], object]],
        f: Callable[..., object],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        is_now: Callable[[], bool],
        outcome: Callable[[], Any],
    ) -> Self:
        def call(result: Any) -> object:
            return f(*args, result, **kwargs)

        with self._lock:
            if not self._runs_at_once():
                waiting.append(call)
                return self
        if is_now():
            self._run([call], outcome())
        return self

    def _runs_at_once(self) -> bool:
        """True if a callback that is added now must run at once."""
        return self.is_done

    def _run(self, waiting: list[Callable[[Any], object]], outcome: Any) -> None:
        for call in waiting:
            try:
                call(outcome)
            except Exception:  # noqa: PERF203  one that fails leaves the others alone
                log.exception("a callback of a future failed")
                if self.error_on_callbacks:
                    raise
