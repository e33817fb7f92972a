"""Keeps secrets that were passed to a call out of the tracebacks of the errors that it raises."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

C = TypeVar("C", bound=Callable[..., Any])

OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep  # noqa: PTH100, PTH120  keeps `import kafkars` quick
SUSPENDABLE = 0x20 | 0x80 | 0x200
"""Flags of code objects whose frames can be resumed: generators, coroutines and asynchronous generators."""


def discreet(call: C) -> C:
    """Decorates a function that takes settings, secrets among them, and may raise errors about other settings.

    Tools that report errors (Sentry, Rich, `pytest --showlocals`) show the local variables of frames that an error has
    come through, and the errors that were raised before it. They find no secrets there: frames of this package forget
    their variables, and what `from None` hides is dropped.
    """

    def called(*args: Any, **kwargs: Any) -> Any:
        before = sys.exc_info()[1]
        try:
            return call(*args, **kwargs)
        except Exception as error:
            del args, kwargs
            forget(error, before)
            del before
            raise

    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(called, name, getattr(call, name))
    called.__wrapped__ = call  # type: ignore[attr-defined]
    return called  # type: ignore[return-value]


def forget(error: BaseException, before: BaseException | None) -> None:
    """Clears the local variables of this package's frames in the tracebacks of an error and of its causes.

    Args:
        error: The exception that is about to be raised.
        before: The exception that the program was handling already, which is not touched.
    """
    waiting: list[BaseException | None] = [error]
    seen: list[BaseException] = []
    while waiting:
        each = waiting.pop()
        if each is None or each is before or each in seen:
            continue
        seen.append(each)
        trace = each.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if code.co_filename.startswith(OWN) and not code.co_flags & SUSPENDABLE:
                clear(trace.tb_frame)
            trace = trace.tb_next
        if each.__suppress_context__ and each.__context__ is not before:
            each.__context__ = each.__cause__
        waiting += [each.__cause__, each.__context__]


def clear(frame: FrameType) -> None:
    """Clears the local variables of a frame, unless it is still running."""
    try:  # noqa: SIM105  keeps `import kafkars` quick
        frame.clear()
    except RuntimeError:
        pass
