"""A registered value (`kafka.metrics.kafka_metric`)."""

from __future__ import annotations

import time

from kafkars.compat.kafka.metrics.kafka_metric import KafkaMetric as Older

__all__ = ["KafkaMetric"]


class KafkaMetric(Older):
    """A value under its name; reporters are told of it. Its time is that of `time.monotonic()`.

    Raises:
        ValueError: The name or what gives the value is missing.
    """

    __slots__ = ()

    @staticmethod
    def now() -> float:
        """The time that values are asked for at, in milliseconds."""
        return time.monotonic() * 1000
