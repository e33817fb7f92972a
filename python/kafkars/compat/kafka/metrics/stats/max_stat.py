"""Maxima (`kafka.metrics.stats.max_stat`)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.stats.sampled_stat import AbstractSampledStat

__all__ = ["Max"]


class Max(AbstractSampledStat):
    """The maximum of the values; minus infinity if there are none."""

    def __init__(self) -> None:
        super().__init__(-math.inf)

    def update(self, sample: AbstractSampledStat.Sample, config: MetricConfig, value: float, now: float) -> None:
        """Keeps the greater of the value and the sample's."""
        del config, now
        sample.value = max(sample.value, value)

    def combine(self, samples: Sequence[AbstractSampledStat.Sample], config: MetricConfig, now: float) -> float:
        """Returns the maximum of the samples."""
        del config, now
        return float(max((sample.value for sample in samples), default=self._initial_value))
