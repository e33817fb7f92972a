"""Calls of the transactional API of one producer: one at a time, as in the library, also where threads make them."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from kafkars import errors
from kafkars.compat.confluent_kafka import _arguments as arguments
from kafkars.compat.confluent_kafka._arguments import Place
from kafkars.compat.confluent_kafka._translate import of_engine, refusal
from kafkars.compat.confluent_kafka.error import LOCAL, KafkaError, KafkaException
from kafkars.types import OffsetAndMetadata

RESUMED = frozenset({"init_transactions", "commit_transaction", "abort_transaction"})
"""The calls that go on after their time limit, and are made again; after another one the transaction is aborted."""


ABORT_SECONDS = 30.0
"""Seconds for which `close()` waits for a call that is under way, and then for the abort of an open transaction."""


class TransactionCalls:
    """Lets one call in, and no other until it has ended: also where its time limit was over before that.

    What the engine says of a call decides what may follow it. Exceptions of other origin, such as those of the
    program's callbacks, go through and change nothing, whatever their class.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: str | None = None
        # The thread of that call.
        self._thread: int | None = None
        self._is_ending = False
        self.cut: str | None = None
        """The call whose time limit was over before it had ended: it is to be made again first."""
        self.fatal: KafkaError | None = None
        """What has ended the producer: all calls fail with it."""
        self.abortable: KafkaError | None = None
        """What has cut a call short that is not resumed: all but an abort fail with it."""

    @contextmanager
    def take(self, call: str, failure: Exception | None = None) -> Iterator[None]:
        """The time of a call: its turn, and its only step.

        Args:
            call: Its name.
            failure: Why the transaction can only be aborted, if that forbids the call.

        Raises:
            KafkaException: Another one has not ended, and a later try may succeed; or this one has failed.
            RuntimeError: The producer is being closed.
        """
        with self.turn(call), self.step(call):
            if failure is not None:
                raise failure
            yield

    @contextmanager
    def turn(self, call: str) -> Iterator[None]:
        """The time in which no other call is let in."""
        self._begin(call)
        try:
            yield
        finally:
            with self._changed:
                self._running = None
                self._changed.notify_all()

    @contextmanager
    def step(self, call: str) -> Iterator[None]:
        """What the engine does, in the turn of a call: its error is translated, and decides what may follow."""
        self.cut = None
        try:
            yield
        except errors.KafkaError as problem:
            error = of_engine(problem, transactional=True)
            if error.code() == LOCAL["_TIMED_OUT"] and error.retriable():
                if call in RESUMED:
                    self.cut = call
                else:
                    error = self.abortable = KafkaError(error.code(), error.str(), txn_requires_abort=True)
            if error.fatal():
                self.fatal = error
            raise KafkaException(error) from problem
        if call == "abort_transaction":
            self.abortable = None

    @contextmanager
    def take_init(self, failure: Exception | None) -> Iterator[None]:
        """The time of `init_transactions()`, which can have ended since it was cut short."""
        is_again = self.cut == "init_transactions"
        with self.take("init_transactions", failure):
            try:
                yield
            except errors.TransactionStateError:
                if not is_again:
                    raise

    def end(self) -> None:
        """Lets no further call in.

        Raises:
            KafkaException: It was called by a callback that runs within a call.
        """
        with self._changed:
            if self._running is not None and self._thread == threading.get_ident():
                raise refusal("_STATE", f"{self._running}() has not ended: it has called this")
            self._is_ending = True

    def wait(self, seconds: float) -> None:
        """Waits until no call runs."""
        with self._changed:
            self._changed.wait_for(lambda: self._running is None, min(seconds, threading.TIMEOUT_MAX))

    def _begin(self, call: str) -> None:
        with self._changed:
            if self._is_ending:
                raise RuntimeError("Producer has been closed")
            if self.fatal is not None:
                raise KafkaException(self.fatal)
            if self._running == call:
                raise later(
                    "_PREV_IN_PROGRESS", f"{call}() runs already, in another thread or within a report of its own"
                )
            if self._running is not None:
                raise later(
                    "_CONFLICT", f"{self._running}() has not ended: it runs in another thread, or has called this"
                )
            if self.cut not in {None, call}:
                text = f"{self.cut}() has not ended when its time limit was over: call it again first"
                raise later("_CONFLICT", text)
            if self.abortable is not None and call != "abort_transaction":
                raise KafkaException(self.abortable)
            self._running, self._thread = call, threading.get_ident()


def warn_of_open_transaction(problem: KafkaException) -> None:
    """Warns whoever closes a producer that its transaction could not be aborted."""
    text = f"Producer abort_transaction failed during close: {problem.args[0].str()}"
    warnings.warn(text, RuntimeWarning, stacklevel=4)


def later(name: str, text: str) -> KafkaException:
    """Returns the exception of a call that may succeed later."""
    return KafkaException(KafkaError(LOCAL[name], text, retriable=True))


def offsets_to_send(positions: object) -> dict[Place, OffsetAndMetadata]:
    """Returns what `send_offsets_to_transaction()` sends: partitions without an offset are left out."""
    return {
        arguments.place(each): arguments.offset_and_metadata(each)
        for each in arguments.partitions(positions)
        if each.offset >= 0
    }


@contextmanager
def raising_at_the_end() -> Iterator[list[Exception]]:
    """Keeps what the program's callbacks have raised until the calls of the block have ended, and raises the last of it
    then, also where the producer has failed: no exception of a report, of `error_cb`, `stats_cb` or `throttle_cb` keeps
    a transaction from its end.
    """
    kept: list[Exception] = []
    try:
        yield kept
    except Exception:
        if kept:
            raise kept[-1]  # noqa: B904  the other one is its context
        raise
    if kept:
        raise kept[-1]
