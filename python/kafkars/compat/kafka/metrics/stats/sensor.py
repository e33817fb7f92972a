"""Sensors, which record values (`kafka.metrics.stats.sensor`)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kafkars.compat.kafka.errors import QuotaViolationError
from kafkars.compat.kafka.metrics.compound_stat import AbstractCompoundStat
from kafkars.compat.kafka.metrics.kafka_metric import KafkaMetric
from kafkars.compat.kafka.metrics.measurable import AbstractMeasurable
from kafkars.compat.kafka.metrics.measurable_stat import AbstractMeasurableStat
from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.metric_name import MetricName
from kafkars.compat.kafka.metrics.stat import AbstractStat

if TYPE_CHECKING:
    from kafkars.compat.kafka.metrics.metrics import Metrics

__all__ = ["Sensor"]


class Sensor:
    """Gives the values that it records to its statistics and to its parents. `Metrics.sensor()` makes it.

    Raises:
        ValueError: The name is empty, or an ancestor is reached in two ways.
    """

    def __init__(
        self,
        registry: Metrics,
        name: str,
        parents: Sequence[Sensor] | None,
        config: MetricConfig,
        inactive_sensor_expiration_time_seconds: float,
    ) -> None:
        if not name:
            raise ValueError("name must be non-empty")
        self._lock = threading.RLock()
        self._registry = registry
        self._name = name
        self._parents = tuple(parents or ())
        self._metrics: list[KafkaMetric] = []
        self._stats: list[AbstractStat] = []
        self._config = config
        self._longest_idle_ms = inactive_sensor_expiration_time_seconds * 1000
        self._last_record_ms = registry.METRIC.now()
        self._check_ancestors(set())

    def _check_ancestors(self, seen: set[Sensor]) -> None:
        if self in seen:
            raise ValueError(f"sensor {self.name!r} would record what reaches it in two ways")
        seen.add(self)
        for parent in self._parents:
            parent._check_ancestors(seen)

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def metrics(self) -> tuple[KafkaMetric, ...]:
        """The metrics that it feeds."""
        return tuple(self._metrics)

    def record(self, value: float = 1.0, time_ms: float | None = None) -> None:
        """Records a value.

        Args:
            value: The value.
            time_ms: Its time in milliseconds; now without.

        Raises:
            QuotaViolationError: A metric breaks its bound. The value is recorded; parents do not hear of it.
        """
        now = self._registry.METRIC.now() if time_ms is None else time_ms
        self._last_record_ms = now
        with self._lock:
            for stat in self._stats:
                stat.record(self._config, value, now)
            self._check_quotas(now)
        for parent in self._parents:
            parent.record(value, now)

    def _check_quotas(self, now: float) -> None:
        for metric in self._metrics:
            quota = metric.config.quota
            if quota is None:
                continue
            value = metric.value(now)
            if not quota.is_acceptable(value):
                raise QuotaViolationError(f"{metric.metric_name} is {value}, beyond its bound {quota.bound}")

    def add_compound(self, compound_stat: AbstractCompoundStat, config: MetricConfig | None = None) -> None:
        """Feeds a statistic of several values.

        Raises:
            ValueError: None is given, or there is a metric of a name.
        """
        given: Any = compound_stat
        if not given:
            raise ValueError("compound_stat must be given")
        with self._lock:
            for each in compound_stat.stats():
                self._register(each.name, each.stat, config)
            self._stats.append(compound_stat)

    def add(self, metric_name: MetricName, stat: AbstractMeasurableStat, config: MetricConfig | None = None) -> None:
        """Feeds a statistic and registers it as a metric.

        Raises:
            ValueError: There is a metric of that name.
        """
        with self._lock:
            self._register(metric_name, stat, config)
            self._stats.append(stat)

    def _register(self, name: MetricName, measurable: AbstractMeasurable, config: MetricConfig | None) -> None:
        metric = self._registry.METRIC(name, measurable, config or self._config)
        self._registry.register_metric(metric)
        self._metrics.append(metric)

    def has_expired(self) -> bool:
        """True if nothing was recorded for as long as it may be idle."""
        return self._registry.METRIC.now() - self._last_record_ms > self._longest_idle_ms
