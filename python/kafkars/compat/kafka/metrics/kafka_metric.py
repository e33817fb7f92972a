"""`KafkaMetric`, a registered metric (`kafka.metrics.kafka_metric`)."""

from __future__ import annotations

import time
from typing import Any

from kafkars.compat.kafka.metrics.measurable import AbstractMeasurable
from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.metric_name import MetricName

__all__ = ["KafkaMetric"]


class KafkaMetric:
    """A metric: a name and the measurable that returns its value.

    Raises:
        ValueError: The name or the measurable is missing.
    """

    __slots__ = ("_config", "_measurable", "_metric_name")

    def __init__(self, metric_name: MetricName, measurable: AbstractMeasurable, config: MetricConfig) -> None:
        name: Any = metric_name
        source: Any = measurable
        if not name:
            raise ValueError("metric_name must be given")
        if not source:
            raise ValueError("measurable must be given")
        self._metric_name = metric_name
        self._measurable = measurable
        self._config = config

    @staticmethod
    def now() -> float:
        """Returns the current time in milliseconds, on the clock of the metrics."""
        return time.time() * 1000

    @property
    def metric_name(self) -> MetricName:
        """The metric's name."""
        return self._metric_name

    @property
    def measurable(self) -> AbstractMeasurable:
        """The measurable that returns the value."""
        return self._measurable

    @property
    def config(self) -> MetricConfig:
        """How the metric is sampled; may be set."""
        return self._config

    @config.setter
    def config(self, config: MetricConfig) -> None:
        self._config = config

    def value(self, time_ms: float | None = None) -> float:
        """Returns the value now, or at `time_ms` (milliseconds)."""
        return self._measurable.measure(self._config, self.now() if time_ms is None else time_ms)
