"""What reporters of figures derive from (`kafka.metrics.metrics_reporter`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["AbstractMetricsReporter"]


class AbstractMetricsReporter(abc.ABC):
    """Named in `metric_reporters`, which is accepted and without effect: nothing calls it."""

    @abc.abstractmethod
    def init(self, metrics: Any) -> None:
        """Takes the figures that there are."""

    @abc.abstractmethod
    def metric_change(self, metric: Any) -> None:
        """A figure was added or replaced."""

    @abc.abstractmethod
    def metric_removal(self, metric: Any) -> None:
        """A figure was taken away."""

    @abc.abstractmethod
    def configure(self, configs: Any) -> None:
        """Takes settings."""

    @abc.abstractmethod
    def close(self) -> None:
        """The client was closed."""
