"""Ctrl+C and SIGTERM, by which terminals and process managers end a command."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable

OF_A_SIGNAL = 128
"""Shells add a signal's number to this for the exit status of a program that it has ended."""


class TerminatedError(KeyboardInterrupt):
    """SIGTERM has come: everything is left as by Ctrl+C."""


def on_signals(numbers: tuple[signal.Signals, ...], function: Callable[[int], None]) -> None:
    """Calls a function with the number of each of these signals that comes."""
    if threading.current_thread() is threading.main_thread():
        for number in numbers:
            signal.signal(number, lambda number, _: function(number))


def raise_terminated(_: int) -> None:
    """Ends the command as by Ctrl+C."""
    raise TerminatedError
