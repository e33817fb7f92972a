"""`KafkaMetric`, a registered metric (`kafka.metrics.kafka_metric`)."""

from __future__ import annotations

import time

from kafkars.compat.kafka.metrics.kafka_metric import KafkaMetric as Older

__all__ = ["KafkaMetric"]


class KafkaMetric(Older):
    """A metric: a name and the measurable that returns its value. Times are those of `time.monotonic()`.

    Raises:
        ValueError: The name or the measurable is missing.
    """

    __slots__ = ()

    @staticmethod
    def now() -> float:
        """Returns the current time in milliseconds, on the clock of the metrics."""
        return time.monotonic() * 1000
