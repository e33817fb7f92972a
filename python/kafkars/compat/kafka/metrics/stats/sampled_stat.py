"""Statistics of the last samples (`kafka.metrics.stats.sampled_stat`)."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

from kafkars.compat.kafka.metrics.measurable_stat import AbstractMeasurableStat
from kafkars.compat.kafka.metrics.metric_config import MetricConfig

__all__ = ["AbstractSampledStat"]


class AbstractSampledStat(AbstractMeasurableStat):
    """A statistic over a ring of samples.

    A sample is complete after its time window or its number of values; then the oldest one is reused.

    Args:
        initial_value: The value of an empty sample.
    """

    def __init__(self, initial_value: float) -> None:
        self._initial_value = initial_value
        self._samples: list[AbstractSampledStat.Sample] = []
        self._current = 0

    @abc.abstractmethod
    def update(self, sample: Any, config: MetricConfig, value: float, now: float) -> None:
        """Adds a value to a sample."""

    @abc.abstractmethod
    def combine(self, samples: Sequence[Any], config: MetricConfig, now: float) -> float:
        """Returns the combined value of the samples."""

    def record(self, config: MetricConfig, value: float, time_ms: float) -> None:
        """Adds a value to the sample of its time."""
        sample = self.current(time_ms)
        if sample.is_complete(time_ms, config):
            sample = self._next(config, time_ms)
        self.update(sample, config, float(value), time_ms)
        sample.event_count += 1

    def new_sample(self, time_ms: float) -> AbstractSampledStat.Sample:
        """Returns a new sample that begins at `time_ms`."""
        return self.Sample(self._initial_value, time_ms)

    def measure(self, config: MetricConfig, now: float) -> float:
        """Returns the combined value of the samples that are not obsolete."""
        self.purge_obsolete_samples(config, now)
        return float(self.combine(self._samples, config, now))

    def current(self, time_ms: float) -> AbstractSampledStat.Sample:
        """Returns the current sample; the first one begins at `time_ms`."""
        if not self._samples:
            self._samples.append(self.new_sample(time_ms))
        return self._samples[self._current]

    def oldest(self, now: float) -> AbstractSampledStat.Sample:
        """Returns the oldest sample."""
        self.current(now) if not self._samples else None
        return min(self._samples, key=lambda sample: sample.last_window_ms)

    def purge_obsolete_samples(self, config: MetricConfig, now: float) -> None:
        """Empties samples older than all time windows."""
        for sample in self._samples:
            if now - sample.last_window_ms >= config.samples * config.time_window_ms:
                sample.reset(now)

    def _next(self, config: MetricConfig, time_ms: float) -> AbstractSampledStat.Sample:
        self._current = (self._current + 1) % config.samples
        if self._current == len(self._samples):
            self._samples.append(self.new_sample(time_ms))
        else:
            self._samples[self._current].reset(time_ms)
        return self._samples[self._current]

    class Sample:
        """The values of one time window."""

        def __init__(self, initial_value: float, now: float) -> None:
            self.initial_value = initial_value
            self.reset(now)

        def reset(self, now: float) -> None:
            """Empties the sample, which begins at `now`."""
            self.event_count = 0
            self.last_window_ms = now
            self.value = self.initial_value

        def is_complete(self, time_ms: float, config: MetricConfig) -> bool:
            """True if the sample is complete."""
            is_over = time_ms - self.last_window_ms >= config.time_window_ms
            return is_over or self.event_count >= config.event_window
