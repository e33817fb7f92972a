"""Minima (`kafka.metrics.stats.min_stat`)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.stats.sampled_stat import AbstractSampledStat

__all__ = ["Min"]


class Min(AbstractSampledStat):
    """The minimum of the values; `sys.maxsize` if there are none."""

    def __init__(self) -> None:
        super().__init__(float(sys.maxsize))

    def update(self, sample: AbstractSampledStat.Sample, config: MetricConfig, value: float, now: float) -> None:
        """Keeps the lesser of the value and the sample's."""
        del config, now
        sample.value = min(sample.value, value)

    def combine(self, samples: Sequence[AbstractSampledStat.Sample], config: MetricConfig, now: float) -> float:
        """Returns the minimum of the samples."""
        del config, now
        return float(min((sample.value for sample in samples), default=self._initial_value))
