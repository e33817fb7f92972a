"""The least values (`kafka.metrics.stats.min_stat`)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.stats.sampled_stat import AbstractSampledStat

__all__ = ["Min"]


class Min(AbstractSampledStat):
    """The least of the values; `sys.maxsize` where there are none."""

    def __init__(self) -> None:
        super().__init__(float(sys.maxsize))

    def update(self, sample: AbstractSampledStat.Sample, config: MetricConfig, value: float, now: float) -> None:
        """Keeps the leaster."""
        del config, now
        sample.value = min(sample.value, value)

    def combine(self, samples: Sequence[AbstractSampledStat.Sample], config: MetricConfig, now: float) -> float:
        """The least of the samples."""
        del config, now
        return float(min((sample.value for sample in samples), default=self._initial_value))
