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
    """Passes the recorded values to its statistics and its parents. Created by `Metrics.sensor()`.

    Raises:
        ValueError: The name is empty, or two paths lead to one ancestor.
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
        """The sensor's name."""
        return self._name

    @property
    def metrics(self) -> tuple[KafkaMetric, ...]:
        """The metrics that the sensor feeds."""
        return tuple(self._metrics)

    def record(self, value: float = 1.0, time_ms: float | None = None) -> None:
        """Records a value.

        Args:
            value: The value.
            time_ms: Its time in milliseconds; defaults to now.

        Raises:
            QuotaViolationError: A metric exceeds its quota. The value is recorded, but not passed to the parents.
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
        """Adds a compound statistic and registers its metrics.

        Raises:
            ValueError: The statistic is None, or one of its names is taken.
        """
        given: Any = compound_stat
        if not given:
            raise ValueError("compound_stat must be given")
        with self._lock:
            for each in compound_stat.stats():
                self._register(each.name, each.stat, config)
            self._stats.append(compound_stat)

    def add(self, metric_name: MetricName, stat: AbstractMeasurableStat, config: MetricConfig | None = None) -> None:
        """Adds a statistic and registers it as a metric.

        Raises:
            ValueError: The name is taken.
        """
        with self._lock:
            self._register(metric_name, stat, config)
            self._stats.append(stat)

    def _register(self, name: MetricName, measurable: AbstractMeasurable, config: MetricConfig | None) -> None:
        metric = self._registry.METRIC(name, measurable, config or self._config)
        self._registry.register_metric(metric)
        self._metrics.append(metric)

    def has_expired(self) -> bool:
        """True if the sensor has recorded nothing for its expiration time."""
        return self._registry.METRIC.now() - self._last_record_ms > self._longest_idle_ms
