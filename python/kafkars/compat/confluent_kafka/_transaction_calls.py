"""Calls of the transactional API of one producer: one at a time, as in the library, also where threads make them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from kafkars.compat.confluent_kafka.error import LOCAL, KafkaError, KafkaException


class TransactionCalls:
    """Lets one call in, and no other until it has ended: also where its time limit was over before that."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running: str | None = None
        self.cut: str | None = None
        """The call whose time limit was over before it had ended: it is to be made again first."""

    @contextmanager
    def take(self, call: str) -> Iterator[None]:
        """The time of a call.

        Raises:
            KafkaException: Another one has not ended; a later try may succeed.
        """
        with self._changed:
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
            self._running = call
        try:
            yield
        finally:
            with self._changed:
                self._running = None
                self._changed.notify_all()

    def wait(self, seconds: float) -> None:
        """Waits until no call runs."""
        with self._changed:
            self._changed.wait_for(lambda: self._running is None, min(seconds, threading.TIMEOUT_MAX))


def later(name: str, text: str) -> KafkaException:
    """Returns the exception of a call that may succeed later."""
    return KafkaException(KafkaError(LOCAL[name], text, retriable=True))
