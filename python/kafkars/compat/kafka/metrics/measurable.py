"""The base of values that can be measured (`kafka.metrics.measurable`)."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kafkars.compat.kafka.metrics.metric_config import MetricConfig

__all__ = ["AbstractMeasurable", "AnonMeasurable"]


class AbstractMeasurable:
    """A quantity that can be registered as a metric."""

    @abc.abstractmethod
    def measure(self, config: MetricConfig, now: float) -> float:
        """Returns the current value.

        Args:
            config: The metric's configuration.
            now: The current time in milliseconds.
        """
        raise NotImplementedError


class AnonMeasurable(AbstractMeasurable):
    """A quantity that a function gives, which is called with the configuration and the time in milliseconds."""

    def __init__(self, measure_fn: Callable[[Any, float], float]) -> None:
        self._measure_fn = measure_fn

    def measure(self, config: MetricConfig, now: float) -> float:
        """Returns the function's result."""
        return float(self._measure_fn(config, now))
