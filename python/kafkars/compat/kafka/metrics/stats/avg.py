"""Averages (`kafka.metrics.stats.avg`)."""

from __future__ import annotations

from collections.abc import Sequence

from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.stats.sampled_stat import AbstractSampledStat

__all__ = ["Avg"]


class Avg(AbstractSampledStat):
    """The average of the values; 0 if there are none."""

    def __init__(self) -> None:
        super().__init__(0.0)

    def update(self, sample: AbstractSampledStat.Sample, config: MetricConfig, value: float, now: float) -> None:
        """Adds a value to a sample."""
        del config, now
        sample.value += value

    def combine(self, samples: Sequence[AbstractSampledStat.Sample], config: MetricConfig, now: float) -> float:
        """Returns the sum of the samples divided by the number of values."""
        del config, now
        count = sum(sample.event_count for sample in samples)
        return sum(sample.value for sample in samples) / count if count else 0.0
