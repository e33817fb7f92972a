"""Calls on threads with futures for their results, as the library's `AdminClient` returns them."""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Any, TypeVar

from kafkars import errors
from kafkars.compat.confluent_kafka._translate import of_engine, refusal
from kafkars.compat.confluent_kafka.error import KafkaException

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

THREAD = "kafkars-admin"
"""What names of threads begin with."""

THREADS = 4
"""The most calls that run at the same time; others wait."""


class Questions:
    """Runs calls on a few threads.

    Args:
        end: Ends the calls that are under way.
    """

    def __init__(self, end: Callable[[], object] = lambda: None) -> None:
        self.end = end
        self._threads: ThreadPoolExecutor | None = None
        self.is_closed = False
        self._open: set[Future[Any]] = set()

    def __len__(self) -> int:
        return len(self._open)

    def ask_each(
        self,
        keys: Mapping[K, Any],
        ask: Callable[[], Mapping[Any, Any]],
        answer: Callable[[Any], Any] = lambda _: None,
        unknown: str | None = None,
    ) -> dict[K, Future[Any]]:
        """One future for each thing asked about.

        Args:
            keys: The program's name of each, and the engine's.
            ask: Returns for each of the engine's names what was found, or the error.
            answer: Makes the future's result of what was found.
            unknown: The library's name for a partition that does not exist, where it is not that of the brokers.
        """
        futures: dict[K, Future[Any]] = {key: self._future() for key in keys}

        def run() -> None:
            try:
                found = ask()
            except BaseException as problem:  # noqa: BLE001  it belongs to the futures
                for future in futures.values():
                    future.set_exception(failure(problem))
                return
            for key, future in futures.items():
                settle(future, lambda key=key: answered(found[keys[key]], answer), unknown)  # type: ignore[misc]

        self._start(run)
        return futures

    def ask(self, ask: Callable[[], Any]) -> Future[Any]:
        """Runs one call, and returns its future."""
        future = self._future()
        self._start(lambda: settle(future, ask))
        return future

    def open(self) -> list[Future[Any]]:
        """Returns the futures without a result."""
        return list(self._open)

    def close(self) -> None:
        """Accepts no further calls; those that are running are completed."""
        self.is_closed = True
        if self._threads is not None:
            self._threads.shutdown(wait=False)

    def _future(self) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        self._open.add(future)
        future.add_done_callback(self._open.discard)
        return future

    def _start(self, run: Callable[[], None]) -> None:
        if self.is_closed:
            raise RuntimeError("AdminClient has been closed")
        if self._threads is None:
            self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix=THREAD)
            RUNNING.add(self)
        try:
            self._threads.submit(run)
        except RuntimeError:
            # Executors begin nothing more once the main thread has ended: other threads go on, and functions of
            # `atexit`, where newer Pythons begin no thread either.
            try:
                threading.Thread(target=run, name=THREAD, daemon=True).start()
            except RuntimeError:
                run()


RUNNING: weakref.WeakSet[Questions] = weakref.WeakSet()
"""Those that have threads."""


GRACE = 0.5
"""Seconds that calls have for the answer when the program has ended."""


def end_with_the_program() -> None:
    """Ends calls that a program leaves behind: the interpreter waits for their threads, and no broker may answer."""
    here = threading.current_thread()
    if any(not each.daemon and each is not here and not each.name.startswith(THREAD) for each in threading.enumerate()):
        # The program goes on, in threads that the interpreter waits for, too.
        return
    running = list(RUNNING)
    wait([future for questions in running for future in questions.open()], GRACE)
    for questions in running:
        if len(questions):
            questions.end()


# `atexit` is too late: the interpreter waits before. What executors themselves use is called in the opposite order.
# Not once the main thread has ended.
with suppress(RuntimeError):
    getattr(threading, "_register_atexit", lambda _: None)(end_with_the_program)


def of_distinct(names: Iterable[Hashable], ask: Callable[[], T]) -> Callable[[], T]:
    """The same question, whose answer refuses what is named twice, as in the library."""
    named = list(names)

    def checked() -> T:
        for name, times in Counter(named).items():
            if times > 1:
                raise refusal("_INVALID_ARG", f"{name} is there twice")
        return ask()

    return checked


def answered(found: Any, answer: Callable[[Any], Any]) -> Any:
    if isinstance(found, BaseException):
        raise found
    return answer(found)


def settle(future: Future[Any], work: Callable[[], Any], unknown: str | None = None) -> None:
    try:
        result = work()
    except BaseException as problem:  # noqa: BLE001  it belongs to the future
        future.set_exception(failure(problem, unknown))
    else:
        future.set_result(result)


def failure(problem: BaseException, unknown: str | None = None) -> BaseException:
    """Translates an error of kafkars for the program."""
    if not isinstance(problem, errors.KafkaError):
        return problem
    if unknown is not None and isinstance(problem, errors.UnknownTopicOrPartitionError):
        raised = refusal(unknown, str(problem))
    else:
        raised = KafkaException(of_engine(problem))
    raised.__cause__ = problem
    return raised
