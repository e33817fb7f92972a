"""Waits that Ctrl+C ends when it comes again: those of `close()`, and of the end of a transaction."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kafkars import errors

log = logging.getLogger("kafkars.compat")

TRIES = 16
"""How often callbacks that wait may raise before the rest is left: they may cause others, again and again."""


class Ending:
    """As in the library, the first interrupt ends none of the waits, because the program often ends right after it.

    The handler of a signal may raise anything, also exceptions of the face, so that no class tells where an exception
    comes from. What ends a wait for good are the errors of the engine, which are translated outside of it; what
    callbacks of the program raise is kept where they are called; and all else is an interrupt.

    Args:
        seconds: How long they may take together.
        goes_on: What happens meanwhile, for the log.
    """

    def __init__(self, seconds: float, goes_on: str) -> None:
        self._end = time.monotonic() + seconds
        self._goes_on = goes_on
        self.interrupt: BaseException | None = None
        """The exception of the first interrupt, of whatever signal."""
        self.is_given_up = False
        """Whether the second one has ended a wait."""
        self.kept: list[BaseException] = []
        """What callbacks of the program have raised, which ends nothing."""

    def wait(
        self,
        call: Callable[[float], object],
        at_most: float = math.inf,
        again: Callable[[float], object] | None = None,
    ) -> None:
        """Makes a call that is given its seconds, and makes it again where the first interrupt has ended it.

        Args:
            call: What may take long.
            at_most: How many seconds it may take.
            again: What is called instead of it after an interrupt, when it may have ended already.
        """
        if self.interrupt is not None and again is not None:
            call = again
        try:
            call(self._left(at_most))
        except errors.KafkaError:
            raise
        except BaseException as interrupt:
            if self.interrupt is not None:
                self.is_given_up = True
                raise
            self.interrupt = interrupt
            self.wait(lambda left: self._go_on(again or call, left), at_most)

    def through(self, steps: Callable[[], object]) -> None:
        """Takes steps with waits in them; if the first interrupt comes between waits, again from the first one.

        Args:
            steps: What can be done again as far as it is done.
        """
        try:
            steps()
        except errors.KafkaError:
            raise
        except BaseException as interrupt:
            if self.interrupt is not None:
                raise
            self.interrupt = interrupt
            steps()

    def keep(self, step: Callable[[], object]) -> None:
        """Makes a call that runs callbacks which wait, and goes on with the rest of them after one that raises."""
        for _ in range(TRIES):
            try:
                step()
            except Exception as problem:  # noqa: BLE001, PERF203  whatever callbacks raise
                self.kept.append(problem)
            else:
                return

    @contextmanager
    def raising_at_the_end(self) -> Iterator[None]:
        """Raises the first interrupt when the block has ended, however it has, or else what a callback has raised last:
        also where the block itself fails, whose exception is the context then.
        """
        try:
            yield
        except BaseException as problem:
            found = self._found(is_interrupted=not isinstance(problem, Exception))
            if found is None or found is problem:
                raise
            raise found  # noqa: B904  the other one is its context
        found = self._found()
        if found is not None:
            raise found

    def _found(self, *, is_interrupted: bool = False) -> BaseException | None:
        if self.interrupt is not None:
            return self.interrupt
        return self.kept[-1] if self.kept and not is_interrupted else None

    def _go_on(self, call: Callable[[float], object], seconds: float) -> None:
        log.warning("interrupted; %s, and Ctrl+C again ends that", self._goes_on)
        call(seconds)

    def _left(self, at_most: float) -> float:
        return min(at_most, max(0.0, self._end - time.monotonic()))


def whole(begin: Callable[[], Callable[[], object]], steps: Callable[[], object] | None = None) -> None:
    """Makes a call of native code that is not repeated: to its end, wherever the handler of a signal raises.

    Args:
        begin: Returns the steps of the call, which can be taken again as far as they are done.
        steps: Never given.
    """
    try:
        steps = begin()
        steps()
    except BaseException:
        (steps or begin())()
        raise
