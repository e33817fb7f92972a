"""The base of statistics, which take recorded values (`kafka.metrics.stat`)."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafkars.compat.kafka.metrics.metric_config import MetricConfig

__all__ = ["AbstractStat"]


class AbstractStat(abc.ABC):
    """A statistic of the values that a sensor records."""

    @abc.abstractmethod
    def record(self, config: MetricConfig, value: float, time_ms: float) -> None:
        """Records a value.

        Args:
            config: The number of samples to keep, and their length.
            value: The value.
            time_ms: Its time in milliseconds.
        """
