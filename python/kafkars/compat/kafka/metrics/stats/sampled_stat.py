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

    A sample is complete when its time is over or it has its number of values; then the oldest one is begun anew.

    Args:
        initial_value: The value of a sample that has recorded nothing.
    """

    def __init__(self, initial_value: float) -> None:
        self._initial_value = initial_value
        self._samples: list[AbstractSampledStat.Sample] = []
        self._current = 0

    @abc.abstractmethod
    def update(self, sample: Any, config: MetricConfig, value: float, now: float) -> None:
        """Puts a value into a sample."""

    @abc.abstractmethod
    def combine(self, samples: Sequence[Any], config: MetricConfig, now: float) -> float:
        """The value of all samples together."""

    def record(self, config: MetricConfig, value: float, time_ms: float) -> None:
        """Puts a value into the sample of its time."""
        sample = self.current(time_ms)
        if sample.is_complete(time_ms, config):
            sample = self._next(config, time_ms)
        self.update(sample, config, float(value), time_ms)
        sample.event_count += 1

    def new_sample(self, time_ms: float) -> AbstractSampledStat.Sample:
        """A sample that begins at a time."""
        return self.Sample(self._initial_value, time_ms)

    def measure(self, config: MetricConfig, now: float) -> float:
        """The value of all samples that are not too old."""
        self.purge_obsolete_samples(config, now)
        return float(self.combine(self._samples, config, now))

    def current(self, time_ms: float) -> AbstractSampledStat.Sample:
        """The sample that takes values; the first one begins at the time given."""
        if not self._samples:
            self._samples.append(self.new_sample(time_ms))
        return self._samples[self._current]

    def oldest(self, now: float) -> AbstractSampledStat.Sample:
        """The sample that began first."""
        self.current(now) if not self._samples else None
        return min(self._samples, key=lambda sample: sample.last_window_ms)

    def purge_obsolete_samples(self, config: MetricConfig, now: float) -> None:
        """Empties samples whose time has passed without values."""
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
        """Values of one window of time."""

        def __init__(self, initial_value: float, now: float) -> None:
            self.initial_value = initial_value
            self.reset(now)

        def reset(self, now: float) -> None:
            """Begins anew."""
            self.event_count = 0
            self.last_window_ms = now
            self.value = self.initial_value

        def is_complete(self, time_ms: float, config: MetricConfig) -> bool:
            """True if it takes no more values."""
            is_over = time_ms - self.last_window_ms >= config.time_window_ms
            return is_over or self.event_count >= config.event_window
