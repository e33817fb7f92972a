"""Totals (`kafka.metrics.stats.total`)."""

from __future__ import annotations

from kafkars.compat.kafka.metrics.measurable_stat import AbstractMeasurableStat
from kafkars.compat.kafka.metrics.metric_config import MetricConfig

__all__ = ["Total"]


class Total(AbstractMeasurableStat):
    """The sum of all recorded values.

    Args:
        value: The initial sum.
    """

    def __init__(self, value: float = 0.0) -> None:
        self._total = value

    def record(self, config: MetricConfig, value: float, now: float) -> None:
        """Adds a value."""
        del config, now
        self._total += value

    def measure(self, config: MetricConfig, now: float) -> float:
        """Returns the sum."""
        del config, now
        return float(self._total)
