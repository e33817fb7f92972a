"""Waits that Ctrl+C ends when it comes again: those of `close()`, and of the end of a transaction."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

log = logging.getLogger("kafkars.compat")


class Ending:
    """As in the library, the first interrupt ends none of the waits, because the program often ends right after it.

    Args:
        seconds: How long they may take together.
        goes_on: What happens meanwhile, for the log.
        raised: What ends a call for good. Any other exception is one of the handler of a signal.
    """

    def __init__(self, seconds: float, goes_on: str, raised: type[Exception]) -> None:
        self._end = time.monotonic() + seconds
        self._goes_on = goes_on
        self._raised = raised
        self.interrupt: BaseException | None = None
        """The exception of the first interrupt, of whatever signal."""
        self.is_given_up = False
        """Whether the second one has ended a wait."""

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
        except self._raised:
            raise
        except BaseException as interrupt:
            if self.interrupt is not None:
                self.is_given_up = True
                raise
            self.interrupt = interrupt
            self.wait(lambda left: self._go_on(again or call, left), at_most)

    def through(self, steps: Callable[[], object], raised: type[Exception]) -> None:
        """Takes steps with waits in them; if the first interrupt comes between waits, again from the first one.

        Args:
            steps: What can be done again as far as it is done.
            raised: What ends them for good, beside that of the waits.
        """
        try:
            steps()
        except (self._raised, raised):
            raise
        except BaseException as interrupt:
            if self.interrupt is not None:
                raise
            self.interrupt = interrupt
            steps()

    def _go_on(self, call: Callable[[float], object], seconds: float) -> None:
        log.warning("interrupted; %s, and Ctrl+C again ends that", self._goes_on)
        call(seconds)

    def _left(self, at_most: float) -> float:
        return min(at_most, max(0.0, self._end - time.monotonic()))


@contextmanager
def keeping(raised: list[BaseException]) -> Iterator[None]:
    """Keeps what the block raises, for the end; an interrupt is raised at once."""
    try:
        yield
    except Exception as problem:  # noqa: BLE001  whatever the program's callbacks raise
        raised.append(problem)
