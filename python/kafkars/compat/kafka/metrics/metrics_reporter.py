"""The base of metrics reporters (`kafka.metrics.metrics_reporter`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["AbstractMetricsReporter"]


class AbstractMetricsReporter(abc.ABC):
    """A class of these is named in `metric_reporters`: each client makes one and tells it of its metrics."""

    @abc.abstractmethod
    def init(self, metrics: Any) -> object:
        """Takes a list of the metrics that there are."""

    @abc.abstractmethod
    def metric_change(self, metric: Any) -> object:
        """Takes a `KafkaMetric` that was added."""

    @abc.abstractmethod
    def metric_removal(self, metric: Any) -> object:
        """Takes a `KafkaMetric` that was taken away."""

    @abc.abstractmethod
    def configure(self, configs: Any) -> object:
        """Takes settings."""

    @abc.abstractmethod
    def close(self) -> object:
        """The client, or the registry, was closed."""
