"""The waits of a producer's `close()`, which Ctrl+C ends when it comes again."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable

from kafkars.compat.confluent_kafka.error import KafkaException

log = logging.getLogger("kafkars.compat")


class Ending:
    """As in the library, the first interrupt ends none of the waits, because the program often ends right after it.

    Args:
        seconds: How long they may take together.
        queued: Gives how many messages are not delivered.
    """

    def __init__(self, seconds: float, queued: Callable[[], int]) -> None:
        self._end = time.monotonic() + seconds
        self._queued = queued
        self.interrupt: BaseException | None = None
        """The exception of the first interrupt, of whatever signal."""

    def wait(self, call: Callable[[float], object], at_most: float = math.inf) -> None:
        """Makes a call that is given its seconds, and makes it again where the first interrupt has ended it."""
        try:
            call(self._left(at_most))
        except KafkaException:
            raise
        except BaseException as interrupt:
            if self.interrupt is not None:
                raise
            self.interrupt = interrupt
            log.warning(
                "interrupted; close() goes on, %d messages are not delivered yet, and Ctrl+C again ends it",
                self._queued(),
            )
            call(self._left(at_most))

    def _left(self, at_most: float) -> float:
        return min(at_most, max(0.0, self._end - time.monotonic()))
