"""Exceptions of the handlers of signals at any line of a face, and what becomes of the call then."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from kafkars.compat.confluent_kafka import KafkaError, KafkaException


class Interrupted(BaseException):
    """What the handler of a signal raises, as that of Ctrl+C does."""


class OwnError(Exception):
    """What the handler of a signal raises in many a program."""


class Interrupt:
    """An exception that is raised at some line of some modules, wherever a signal could come.

    Args:
        line: Which of the lines that are run, from 1 on.
        raised: The exception.
        modules: The ends of the names of their files.
    """

    def __init__(self, line: int, raised: BaseException, modules: tuple[str, ...]) -> None:
        self.raised = raised
        self.where = ""
        self._left = line
        self._modules = (*modules, "contextlib.py")
        # Kept: Python 3.11 does not keep a function that is set by `sys.settrace()` while the function raises.
        self._functions = {"any": self._trace, "entry": self._trace_entry}

    def is_raised_by(self, call: Callable[[], object]) -> bool:
        """Makes a call, and tells whether it was interrupted; then it has raised just that."""
        before = sys.gettrace()
        # What is collected meanwhile ends with code of the face, too.
        gc.disable()
        sys.settrace(self._functions["any"])
        try:
            next(apart(call))
        except BaseException as problem:
            sys.settrace(before)
            if problem is not self.raised:
                raise
            return True
        finally:
            sys.settrace(before)
            gc.enable()
        assert not self.where, f"nobody has heard of an exception at {self.where}"
        return False

    def _trace(self, frame: FrameType, event: str, _: object) -> Any:
        code = frame.f_code
        if not code.co_filename.endswith(self._modules):
            return None
        if event == "call" and code.co_name in ENTRIES:
            return self._functions["entry"]
        if event == "line":
            self._left -= 1
            if self._left == 0:
                self.where = f"{code.co_filename.rpartition('/')[2]}:{frame.f_lineno} {code.co_name}"
                raise self.raised
        return self._functions["any"]

    def _trace_entry(self, *_: object) -> Any:
        """Lets the first line be."""
        return self._functions["any"]


def apart(call: Callable[[], object]) -> Iterator[object]:
    """Makes a call in a generator, with which ends what it leaves in `sys.exc_info()`: Python 3.11 forgets to take out
    an exception that is handled where a trace function raises, and later tests of the process would find it.
    """
    yield call()


ENTRIES = {"told", "revoked", "lost", "whole"}
"""Functions that native code calls, which looks for signals just before: none comes at their first line."""

LINES = range(1, 2_000)
"""Enough for every call."""

MADE: dict[str, Callable[[], BaseException]] = {
    "as of Ctrl+C": Interrupted,
    "own": OwnError,
    "of the face": lambda: KafkaException(KafkaError(KafkaError._FAIL, "raised by a handler")),
}
"""What handlers raise."""
