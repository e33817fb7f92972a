"""Statistics of one value (`kafka.metrics.measurable_stat`)."""

from __future__ import annotations

from kafkars.compat.kafka.metrics.measurable import AbstractMeasurable
from kafkars.compat.kafka.metrics.stat import AbstractStat

__all__ = ["AbstractMeasurableStat"]


class AbstractMeasurableStat(AbstractStat, AbstractMeasurable):
    """A statistic with one value, such as an average."""
