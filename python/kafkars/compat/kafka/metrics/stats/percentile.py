"""Names of percentiles (`kafka.metrics.stats.percentile`)."""

from __future__ import annotations

from kafkars.compat.kafka.metrics.metric_name import MetricName

__all__ = ["Percentile"]


class Percentile:
    """A percentile (between 0 and 100) and the name of its metric."""

    __slots__ = ("_metric_name", "_percentile")

    def __init__(self, metric_name: MetricName, percentile: float) -> None:
        self._metric_name = metric_name
        self._percentile = float(percentile)

    @property
    def name(self) -> MetricName:
        """The metric's name."""
        return self._metric_name

    @property
    def percentile(self) -> float:
        """The percentile."""
        return self._percentile
