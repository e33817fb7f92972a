"""Lines of standard input, until it ends or a signal ends it."""

from __future__ import annotations

import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from kafkars.cli._signals import on_signals

SIGNALS = (signal.SIGINT, signal.SIGTERM)

CHUNK = 65_536
"""Bytes that are read at once, at most."""

LONGEST_WAIT = 0.1
"""Seconds between two checks whether a signal has come."""


class _EndedError(BaseException):
    """A signal has come during a call that may be left."""


class Lines:
    """The lines of standard input, without their ends. Ctrl+C and SIGTERM end it once; the second time they do what
    they did before.

    A thread reads, because a read that waits for input cannot be left without losing what it has read.
    """

    def __init__(self) -> None:
        self.signal = 0
        """The signal that has ended the input, or 0."""
        self._chunks: queue.Queue[bytes | OSError] = queue.Queue(maxsize=4)
        self._may_be_left = False
        self._before: dict[int, Any] = {number: signal.getsignal(number) for number in SIGNALS}
        on_signals(SIGNALS, self._end)
        threading.Thread(target=self._read, name="kafkars-stdin", daemon=True).start()

    def __iter__(self) -> Iterator[bytes]:
        begun: list[bytes] = []
        while not self.is_ended():
            try:
                chunk = self._chunks.get(timeout=LONGEST_WAIT)
            except queue.Empty:
                continue
            if isinstance(chunk, OSError):
                raise chunk
            if not chunk:
                if last := b"".join(begun):
                    yield last.rstrip(b"\r")
                return
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                if self.is_ended():
                    return
                yield b"".join([*begun, line]).rstrip(b"\r")
                begun = []
            begun.append(rest)

    def is_ended(self) -> bool:
        """True once a signal has come."""
        return self.signal != 0

    def unless_ended(self, call: Callable[[], object]) -> None:
        """Makes a call that a signal ends at once."""
        try:
            self._may_be_left = True
            if not self.is_ended():
                call()
            self._may_be_left = False
        except _EndedError:
            pass
        finally:
            self._may_be_left = False

    def _end(self, number: int) -> None:
        self.signal = number
        for each, before in self._before.items():
            signal.signal(each, before)
        if self._may_be_left:
            self._may_be_left = False
            raise _EndedError

    def _read(self) -> None:
        # Without the lock of the buffered stream, which the interpreter could not take at its end.
        source: Any = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        try:
            while chunk := source.read(CHUNK):
                self._chunks.put(chunk)
            self._chunks.put(b"")
        except OSError as error:
            self._chunks.put(error)
