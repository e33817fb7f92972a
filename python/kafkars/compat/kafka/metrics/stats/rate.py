"""Rates (`kafka.metrics.stats.rate`)."""

from __future__ import annotations

from collections.abc import Sequence

from kafkars.compat.kafka.metrics.measurable_stat import AbstractMeasurableStat
from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.stats.sampled_stat import AbstractSampledStat

__all__ = ["Rate", "SampledTotal", "TimeUnit"]

UNITS = ("nanosecond", "microsecond", "millisecond", "second", "minute", "hour", "day")
MILLISECONDS_EACH = (1e-6, 1e-3, 1.0, 1e3, 60e3, 3600e3, 86400e3)


class TimeUnit:
    """The units of time."""

    NANOSECONDS, MICROSECONDS, MILLISECONDS, SECONDS, MINUTES, HOURS, DAYS = range(7)

    @staticmethod
    def get_name(time_unit: int) -> str:
        """Returns the name of a unit."""
        return UNITS[time_unit]


class SampledTotal(AbstractSampledStat):
    """The sum of the values of the last samples.

    Raises:
        ValueError: An initial value is given.
    """

    def __init__(self, initial_value: None = None) -> None:
        if initial_value is not None:
            raise ValueError("initial_value cannot be set")
        super().__init__(0.0)

    def update(self, sample: AbstractSampledStat.Sample, config: MetricConfig, value: float, now: float) -> None:
        """Adds a value to a sample."""
        del config, now
        sample.value += value

    def combine(self, samples: Sequence[AbstractSampledStat.Sample], config: MetricConfig, now: float) -> float:
        """Returns the sum of the samples."""
        del config, now
        return float(sum(sample.value for sample in samples))


class Rate(AbstractMeasurableStat):
    """A statistic of the last samples, divided by the time they cover.

    Args:
        time_unit: A number of `TimeUnit`.
        sampled_stat: The statistic to divide; defaults to the sum of the values.
    """

    def __init__(self, time_unit: int = TimeUnit.SECONDS, sampled_stat: AbstractSampledStat | None = None) -> None:
        self._stat = sampled_stat or SampledTotal()
        self._unit = time_unit

    def unit_name(self) -> str:
        """Returns the name of the rate's unit of time."""
        return TimeUnit.get_name(self._unit)

    def record(self, config: MetricConfig, value: float, time_ms: float) -> None:
        """Records a value."""
        self._stat.record(config, value, time_ms)

    def measure(self, config: MetricConfig, now: float) -> float:
        """Returns the statistic divided by the time."""
        value = self._stat.measure(config, now)
        return float(value) / self.convert(self.window_size(config, now))

    def window_size(self, config: MetricConfig, now: float) -> float:
        """Returns the milliseconds that the samples cover: since the oldest one began, and never less than all windows
        but one, so that the rate of a short time does not pass for that of a long one.
        """
        self._stat.purge_obsolete_samples(config, now)
        elapsed = now - self._stat.oldest(now).last_window_ms
        missing = config.samples - 1 - int(elapsed / config.time_window_ms)
        return elapsed + max(missing, 0) * config.time_window_ms

    def convert(self, time_ms: float) -> float:
        """Converts milliseconds to the rate's unit.

        Raises:
            ValueError: There is no such unit.
        """
        if not 0 <= self._unit < len(MILLISECONDS_EACH):
            raise ValueError(f"there is no unit of time {self._unit}")
        return time_ms / MILLISECONDS_EACH[self._unit]
