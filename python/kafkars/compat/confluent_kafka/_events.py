"""Callbacks for a client as a whole: statistics, log lines, throttling. They run when the program polls."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from kafkars import _logging
from kafkars.compat.confluent_kafka._face import Face
from kafkars.compat.confluent_kafka._model import ThrottleEvent
from kafkars.compat.confluent_kafka._statistics import Statistics
from kafkars.compat.confluent_kafka._values import Values

if TYPE_CHECKING:
    from kafkars.compat.confluent_kafka._commits import Commits

MOST_WAITING = 10_000
"""The most calls that wait for the program to poll; a further one drops the oldest."""

THROTTLE_LOOK = 1.0
"""Seconds between two checks whether brokers have throttled the client."""


class Flag(Protocol):
    """Makes the client call `serve()` at its next poll."""

    def set(self) -> None:
        """Once."""

    def set_every(self, seconds: float) -> None:
        """Again and again."""


class Events:
    """Calls of callbacks that wait for the program to poll.

    Args:
        face: The callbacks.
        pending: Set when something waits.
        statistics: Makes the text for `stats_cb`.
        throttled: How long brokers have made the client wait so far, in seconds.
        client: What log lines call the client.
        address: The name of the cluster for `ThrottleEvent`.
    """

    def __init__(
        self,
        face: Face,
        pending: Flag,
        *,
        statistics: Callable[[], str] | None = None,
        throttled: Callable[[], float] | None = None,
        client: str = "",
        address: str = "",
    ) -> None:
        self._client = client
        self._pending = pending
        self._waiting: deque[Callable[[], object]] = deque(maxlen=MOST_WAITING)
        self._lock = threading.Lock()
        self._every: list[Every] = []
        if face.stats_cb is not None and statistics is not None and face.statistics_interval > 0:
            self._every.append(Every(face.statistics_interval, told(face.stats_cb, statistics)))
        if face.throttle_cb is not None and throttled is not None:
            self._every.append(Every(THROTTLE_LOOK, pauses(face.throttle_cb, throttled, address)))
        if self._every:
            pending.set_every(min(each.seconds for each in self._every))
        if face.logger is not None:
            self._listen(face.logger, face.log_level)

    def push(self, call: Callable[[], object]) -> None:
        """Leaves a call for the program's next poll. Any thread may do so."""
        self._waiting.append(call)
        self._pending.set()

    def tell(self, logger: logging.Logger, level: int, about: str, text: str) -> None:
        """Leaves a line for the program's logger, in the form of the library: with the client's name in its second
        place.
        """
        # Without `self`: what waits must not keep a client alive that is dropped before it polls.
        self.push(partial(logger.log, level, "%s [%s] %s", about, self._client, text))

    def serve(self) -> int:
        """Makes the waiting calls, on this thread, and returns their number.

        What one of them raises comes through, and the rest waits for the next poll.
        """
        now = time.monotonic()
        with self._lock:
            due = [each.call for each in self._every if each.is_due(now)]
        self._waiting.extend(due)
        served = 0
        # Only those that wait now: log lines about callbacks could keep the program here for ever.
        for _ in range(len(self._waiting)):
            try:
                call = self._waiting.popleft()
            except IndexError:
                break
            try:
                served += call() is not NOTHING
            except BaseException:
                if self._waiting:
                    self._pending.set()
                raise
        return served

    def close(self) -> None:
        """Stops taking log lines; calls that wait can still be served."""
        _logging.ignore(self._client)
        self._every.clear()

    def _listen(self, logger: logging.Logger, level: int) -> None:
        # A weak reference: the listener must not keep a client alive that was dropped.
        me = weakref.ref(self)

        def heard(record: logging.LogRecord) -> None:
            events = me()
            if events is not None:
                events.tell(logger, record.levelno, record.name, record.getMessage())

        _logging.listen(self._client, level, heard)
        weakref.finalize(self, _logging.ignore, self._client)


NOTHING = object()
"""The result of a call that had nothing to report: it does not count as served."""


class Every:
    """A call that is made again and again."""

    def __init__(self, seconds: float, call: Callable[[], object]) -> None:
        self.seconds = seconds
        self.call = call
        self._next = time.monotonic() + seconds

    def is_due(self, now: float) -> bool:
        """True if its time has come; then the next one is set."""
        # The flag, which is set in the same period, may be a moment early.
        if now < self._next - min(0.1 * self.seconds, 0.05):
            return False
        self._next = max(self._next, now) + self.seconds
        return True


def told(callback: Callable[[str], object], statistics: Callable[[], str]) -> Callable[[], object]:
    return lambda: callback(statistics())


def pauses(callback: Callable[[Any], object], throttled: Callable[[], float], address: str) -> Callable[[], object]:
    before = 0.0

    def look() -> object:
        nonlocal before
        so_far = throttled()
        pause, before = so_far - before, so_far
        return callback(ThrottleEvent(address, -1, pause)) if pause > 0 else NOTHING

    return look


def events_of(
    face: Face,
    values: Values,
    engine: Any,
    pending: Flag,
    commits: Commits | None = None,
    *,
    is_admin: bool = False,
) -> Events:
    """The events of a client.

    Args:
        face: The program's callbacks.
        values: The program's configuration.
        engine: The native client.
        pending: Set when something waits.
        commits: What a consumer stores and commits.
        is_admin: Whether it is an administrator, which librdkafka makes of a producer.
    """
    # kafkars' public classes do this; the face uses the native classes below them.
    _logging.start()
    address = values["metadata.broker.list"] or ""
    limits = (values["queue.buffering.max.messages"], values["queue.buffering.max.kbytes"] * 1024)
    statistics = Statistics(
        engine,
        client_id=values["client.id"] or "",
        kind="admin" if is_admin else values.client,
        limits=limits if values.client == "producer" else (0, 0),
        is_idempotent=bool(values["enable.idempotence"] or values["transactional.id"]),
        **({} if commits is None else {"stored": commits.pending, "committed": commits.known}),
    )
    events = Events(
        face,
        pending,
        statistics=statistics.text,
        throttled=lambda: engine.metrics()["client"]["throttle_time_ms"] / 1000,
        client=engine._client_name(),
        address=address,
    )
    if face.logger is not None and values["debug"]:
        # The first line of the library: by it programs see that their logger works.
        events.tell(face.logger, logging.DEBUG, "INIT", f"[thrd:app]: initialized (debug={values['debug']})")
    return events
