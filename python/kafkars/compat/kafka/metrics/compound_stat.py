"""Statistics of several values (`kafka.metrics.compound_stat`)."""

from __future__ import annotations

import abc

from kafkars.compat.kafka.metrics.measurable import AbstractMeasurable
from kafkars.compat.kafka.metrics.metric_name import MetricName
from kafkars.compat.kafka.metrics.stat import AbstractStat

__all__ = ["AbstractCompoundStat", "NamedMeasurable"]


class NamedMeasurable:
    """One value of a compound statistic, and the name of its metric."""

    __slots__ = ("_name", "_stat")

    def __init__(self, metric_name: MetricName, measurable_stat: AbstractMeasurable) -> None:
        self._name = metric_name
        self._stat = measurable_stat

    @property
    def name(self) -> MetricName:
        """The metric's name."""
        return self._name

    @property
    def stat(self) -> AbstractMeasurable:
        """The measurable that returns the value."""
        return self._stat


class AbstractCompoundStat(AbstractStat):
    """A statistic whose records feed several metrics, as a histogram feeds percentiles."""

    @abc.abstractmethod
    def stats(self) -> list[NamedMeasurable]:
        """Returns the statistic's values."""
