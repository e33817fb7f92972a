"""The thread of a producer that runs callbacks: one, so that no two run at once, in the order of the
deliveries.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import queue
import threading
import time
from typing import Any

import kafkars
from kafkars.compat.kafka.producer.future import FutureRecordMetadata
from kafkars.errors import KafkaError as EngineError

MOST_LOOKED_AT = 1000
"""The number of undelivered records that are checked for each callback: a partition without leader may have many."""


class Reporter:
    """Starts its threads when the first callback is added.

    One thread polls the engine, so that deliveries complete without a `flush()`; the other runs the callbacks.
    """

    def __init__(self, engine: kafkars.Producer[Any, Any], name: str) -> None:
        self._engine = engine
        self._name = name
        self._lock = threading.Lock()
        self._watched: dict[int, FutureRecordMetadata] = {}
        self._decided: queue.SimpleQueue[FutureRecordMetadata | None] = queue.SimpleQueue()
        self._numbers = itertools.count()
        self._threads: list[threading.Thread] = []
        # The future whose callbacks are running.
        self._telling: FutureRecordMetadata | None = None
        self._has_ended = False

    def watch(self, future: FutureRecordMetadata, delivery: kafkars.DeliveryFuture) -> bool:
        """Queues a future with callbacks; False if the producer is closed and all outcomes are known."""
        with self._lock:
            if self._has_ended:
                return False
            future.number = next(self._numbers)
            self._watched[future.number] = future
            if not self._threads:
                self._threads = [
                    threading.Thread(target=work, name=f"{self._name}-{what}", daemon=True)
                    for work, what in ((self._poll, "deliveries"), (self._tell, "callbacks"))
                ]
                for thread in self._threads:
                    thread.start()
        # The engine tells on whatever thread polls or flushes, or here where the outcome is there. No Python runs
        # between its turn and the queue's. The queue takes the delivery for `block`, which it does not look at.
        put: Any = functools.partial(self._decided.put, future)
        delivery.add_done_callback(put)
        return True

    def is_here(self) -> bool:
        """True on the thread that runs callbacks."""
        return len(self._threads) > 1 and threading.current_thread() is self._threads[1]

    def wait_told(self, timeout: float | None) -> bool:
        """Waits until the callbacks of all earlier records have run; False after the time limit."""
        if self.is_here():
            return True
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._lock:
            watched = [*([self._telling] if self._telling is not None else []), *self._watched.values()]
        for future in watched:
            left = None if deadline is None else max(deadline - time.monotonic(), 0)
            if not future.wait_told(left):
                return False
        return True

    def close(self, timeout: float) -> None:
        """Runs the callbacks of the last records and ends the threads; the engine is closed by now."""
        with contextlib.suppress(EngineError):
            self._engine.poll(0)
        with self._lock:
            self._has_ended = True
        if self._threads:
            self._decided.put(None)
            if not self.is_here():
                self._threads[1].join(timeout)

    def _poll(self) -> None:
        with contextlib.suppress(EngineError):
            while not self._engine.closed:
                self._engine.poll(1.0)

    def _tell(self) -> None:
        while True:
            decided = self._decided.get()
            if decided is None:
                # What was watched while the producer closed may come to the queue later than its end.
                for future in list(self._watched.values()):
                    self._tell_one(future)
                return
            for future in [*self._ahead_of(decided), decided]:
                self._tell_one(future)

    def _tell_one(self, future: FutureRecordMetadata) -> None:
        with self._lock:
            if self._watched.pop(future.number, None) is None:
                return
            self._telling = future
        try:
            future.tell()
        finally:
            self._telling = None

    def _ahead_of(self, decided: FutureRecordMetadata) -> list[FutureRecordMetadata]:
        """Returns the earlier futures whose outcome is known as well.

        The engine reports a batch shortly after it is done; a future that is watched in between would come first.
        """
        found = []
        with self._lock:
            for number, future in itertools.islice(self._watched.items(), MOST_LOOKED_AT):
                if number >= decided.number:
                    break
                if future.is_done:
                    found.append(future)
        return found
