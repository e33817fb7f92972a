"""Counts of values (`kafka.metrics.stats.count`)."""

from __future__ import annotations

from collections.abc import Sequence

from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.stats.sampled_stat import AbstractSampledStat

__all__ = ["Count"]


class Count(AbstractSampledStat):
    """The number of recorded values."""

    def __init__(self) -> None:
        super().__init__(0.0)

    def update(self, sample: AbstractSampledStat.Sample, config: MetricConfig, value: float, now: float) -> None:
        """Adds one to a sample."""
        del config, value, now
        sample.value += 1.0

    def combine(self, samples: Sequence[AbstractSampledStat.Sample], config: MetricConfig, now: float) -> float:
        """Returns the sum of the samples."""
        del config, now
        return float(sum(sample.value for sample in samples))
