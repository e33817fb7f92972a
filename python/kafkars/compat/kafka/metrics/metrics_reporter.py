"""The base of metrics reporters (`kafka.metrics.metrics_reporter`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["AbstractMetricsReporter"]


class AbstractMetricsReporter(abc.ABC):
    """Derive a class from it and name the class in `metric_reporters`: each client creates one reporter for its
    metrics.
    """

    @abc.abstractmethod
    def init(self, metrics: Any) -> object:
        """Called first, with a list of the existing `KafkaMetric`s."""

    @abc.abstractmethod
    def metric_change(self, metric: Any) -> object:
        """Called with a `KafkaMetric` that was added."""

    @abc.abstractmethod
    def metric_removal(self, metric: Any) -> object:
        """Called with a `KafkaMetric` that was removed."""

    @abc.abstractmethod
    def configure(self, configs: Any) -> object:
        """Called with the reporter's settings."""

    @abc.abstractmethod
    def close(self) -> object:
        """Called when the client or the registry is closed."""
