"""Percentiles (`kafka.metrics.stats.percentiles`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from kafkars.compat.kafka.metrics.compound_stat import AbstractCompoundStat, NamedMeasurable
from kafkars.compat.kafka.metrics.measurable import AnonMeasurable
from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.stats.histogram import BinScheme, Histogram
from kafkars.compat.kafka.metrics.stats.percentile import Percentile
from kafkars.compat.kafka.metrics.stats.sampled_stat import AbstractSampledStat

__all__ = ["BucketSizing", "Percentiles"]

BYTES_EACH = 4


class BucketSizing:
    """Whether buckets have one width, or each is wider than the previous one."""

    CONSTANT = 0
    LINEAR = 1


class Percentiles(AbstractSampledStat, AbstractCompoundStat):
    """Percentiles of the values of the last samples.

    Args:
        size_in_bytes: The number of buckets times four.
        bucketing: A number of `BucketSizing`.
        max_val: Greater values go to the last bucket.
        min_val: Lesser values go to the first bucket; 0 with linear buckets.
        percentiles: The percentiles to register as metrics.

    Raises:
        ValueError: There is no such bucketing, there are too few buckets, or linear ones do not begin at 0.
    """

    def __init__(
        self,
        size_in_bytes: int,
        bucketing: int,
        max_val: float,
        min_val: float = 0.0,
        percentiles: Sequence[Percentile] | None = None,
    ) -> None:
        super().__init__(0.0)
        self._percentiles = list(percentiles or ())
        self._buckets = size_in_bytes // BYTES_EACH
        self._bin_scheme: BinScheme
        if bucketing == BucketSizing.CONSTANT:
            self._bin_scheme = Histogram.ConstantBinScheme(self._buckets, min_val, max_val)
        elif bucketing != BucketSizing.LINEAR:
            raise ValueError(f"there is no bucketing {bucketing}")
        elif min_val:
            raise ValueError("linear buckets begin at 0")
        else:
            self._bin_scheme = Histogram.LinearBinScheme(self._buckets, max_val)

    def stats(self) -> list[NamedMeasurable]:
        """Returns the percentiles that are registered."""
        return [NamedMeasurable(each.name, self._measurable(each.percentile / 100.0)) for each in self._percentiles]

    def _measurable(self, quantile: float) -> AnonMeasurable:
        return AnonMeasurable(lambda config, now: self.value(config, now, quantile))

    def value(self, config: MetricConfig, now: float, quantile: float) -> float:
        """Returns the lower bound of the bucket of a quantile (between 0 and 1); NaN if nothing was recorded."""
        self.purge_obsolete_samples(config, now)
        count = sum(sample.event_count for sample in self._samples)
        if not count:
            return math.nan
        seen = 0.0
        histograms = [cast("Percentiles.HistogramSample", sample).histogram.counts for sample in self._samples]
        for bucket in range(self._buckets):
            seen += sum(counts[bucket] for counts in histograms)
            if seen / count > float(quantile):
                return self._bin_scheme.from_bin(bucket)
        return math.inf

    def combine(self, samples: Sequence[AbstractSampledStat.Sample], config: MetricConfig, now: float) -> float:
        """Returns the median."""
        del samples
        return self.value(config, now, 0.5)

    def new_sample(self, time_ms: float) -> Percentiles.HistogramSample:
        """Returns a new sample that begins at `time_ms`."""
        return self.HistogramSample(self._bin_scheme, time_ms)

    def update(self, sample: Percentiles.HistogramSample, config: MetricConfig, value: float, time_ms: float) -> None:
        """Counts the value in its bucket."""
        del config, time_ms
        sample.histogram.record(value)

    class HistogramSample(AbstractSampledStat.Sample):
        """The values of one time window, by bucket."""

        def __init__(self, scheme: BinScheme, now: float) -> None:
            self.histogram = Histogram(scheme)
            super().__init__(0.0, now)

        def reset(self, now: float) -> None:
            """Empties the sample, which begins at `now`."""
            super().reset(now)
            self.histogram.clear()
