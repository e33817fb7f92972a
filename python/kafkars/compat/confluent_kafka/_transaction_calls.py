"""Calls of the transactional API of one producer: one at a time, as in the library, also where threads make them."""

from __future__ import annotations

import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from kafkars import errors
from kafkars.compat.confluent_kafka import _arguments as arguments
from kafkars.compat.confluent_kafka._arguments import Place
from kafkars.compat.confluent_kafka._ending import Ending
from kafkars.compat.confluent_kafka._translate import of_engine, refusal
from kafkars.compat.confluent_kafka.error import LOCAL, KafkaError, KafkaException
from kafkars.types import OffsetAndMetadata

RESUMED = frozenset({"init_transactions", "commit_transaction", "abort_transaction"})
"""The calls that go on after their time limit, and are made again; after another one the transaction is aborted."""

WAITING = RESUMED | {"send_offsets_to_transaction"}
"""The calls that wait, and that an interrupt does not end."""

ABORT_SECONDS = 30.0
"""Seconds for which `close()` waits for a call that is under way, and then for the abort of an open transaction."""
PAUSE_BETWEEN_LOOKS = 0.01


class Turn:
    """A call that runs.

    Args:
        call: Its name.
        thread: Its thread; None for a call of asyncio.
    """

    def __init__(self, call: str, thread: int | None) -> None:
        self.call = call
        self.thread = thread


class TransactionCalls:
    """Lets one call in, and no other until it has ended: also where its time limit was over before that.

    What the engine says of a call decides what may follow it. Exceptions of other origin, such as those of the
    program's callbacks, go through and change nothing, whatever their class.
    """

    def __init__(self) -> None:
        # The call that runs, under the only key: who it is comes with its turn, in one step.
        self._running: dict[None, Turn] = {}
        self._is_ending = False
        self.cut: str | None = None
        """The call whose time limit was over before it had ended: it is to be made again first."""
        self.fatal: KafkaError | None = None
        """What has ended the producer: all calls fail with it."""
        self.abortable: KafkaError | None = None
        """What has cut a call short that is not resumed: all but an abort fail with it."""

    def run(
        self,
        call: str,
        step: Callable[[], object],
        ending: Ending,
        *,
        failure: Exception | None = None,
        check: Callable[[], object] = lambda: None,
        ended: Callable[[], object] = lambda: None,
    ) -> None:
        """Makes a call of a thread, which an interrupt may end anywhere.

        Args:
            call: Its name.
            step: What the engine does; calls that wait make it again after an interrupt.
            ending: The waits of `step`, which go on where the first interrupt has ended them, as the library's calls
                do. It has the interrupt then.
            failure: Why the transaction can only be aborted, if that forbids the call.
            check: Refuses it in its turn, which says nothing of one that is to be made again.
            ended: What follows in the turn of the call, unless it is to be made again.

        Raises:
            KafkaException: Another one has not ended, and a later try may succeed; or this one has failed.
            RuntimeError: The producer is being closed.
        """
        turn = Turn(call, threading.get_ident())
        try:
            self._take_turn(turn)
            self._enter(call)
            check()
            try:
                with self.step(call):
                    if failure is not None:
                        raise failure
                    if call in WAITING:
                        ending.through(step)
                    else:
                        step()
            finally:
                if ending.is_given_up and call in RESUMED:
                    self.cut = call
                if self.cut is None:
                    ended()
        finally:
            self._end_turn(turn)

    @contextmanager
    def take(self, call: str, failure: Exception | None = None) -> Iterator[None]:
        """The time of a call of asyncio: its turn, and its only step. See `run()`."""
        turn = Turn(call, None)
        self._take_turn(turn)
        try:
            self._enter(call)
            with self.step(call):
                if failure is not None:
                    raise failure
                yield
        finally:
            self._end_turn(turn)

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
        running = self._turn()
        if running is not None and running.thread == threading.get_ident():
            raise refusal("_STATE", f"{running.call}() has not ended: it has called this")
        self._is_ending = True

    def wait(self, seconds: float) -> None:
        """Waits until no call runs: that of another thread, which seldom closes meanwhile."""
        until = time.monotonic() + seconds
        while self._turn() is not None and time.monotonic() < until:
            time.sleep(PAUSE_BETWEEN_LOOKS)

    def _take_turn(self, turn: Turn) -> None:
        """Lets a call in, or refuses what may not be called beside the call that runs."""
        self._check_alive()
        while (running := self._running.setdefault(None, turn)) is not turn:
            if self._turn() is None:
                continue
            if running.call == turn.call:
                text = f"{turn.call}() runs already, in another thread or within a report of its own"
                raise later("_PREV_IN_PROGRESS", text)
            text = f"{running.call}() has not ended: it runs in another thread, or has called this"
            raise later("_CONFLICT", text)

    def _end_turn(self, turn: Turn) -> None:
        if self._running.get(None) is turn:
            del self._running[None]

    def _turn(self) -> Turn | None:
        """Returns the call that runs. One that an interrupt has ended within the last of its steps does not."""
        running = self._running.get(None)
        if running is not None and running.thread == threading.get_ident() and not has_called(running):
            self._end_turn(running)
            return None
        return running

    def _enter(self, call: str) -> None:
        """Refuses what may not follow what was called before."""
        self._check_alive()
        if self.cut not in {None, call}:
            text = f"{self.cut}() has not ended when its time limit was over: call it again first"
            raise later("_CONFLICT", text)
        if self.abortable is not None and call != "abort_transaction":
            raise KafkaException(self.abortable)

    def _check_alive(self) -> None:
        if self._is_ending:
            raise RuntimeError("Producer has been closed")
        if self.fatal is not None:
            raise KafkaException(self.fatal)


def has_called(turn: Turn) -> bool:
    """Whether the call that has this turn has called this."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code is TransactionCalls.run.__code__ and frame.f_locals.get("turn") is turn:
            return True
        frame = frame.f_back
    return False


def warn_of_open_transaction(problem: KafkaException) -> None:
    """Warns whoever closes a producer that its transaction could not be aborted."""
    text = f"Producer abort_transaction failed during close: {problem.args[0].str()}"
    warnings.warn(text, RuntimeWarning, stacklevel=3)


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
