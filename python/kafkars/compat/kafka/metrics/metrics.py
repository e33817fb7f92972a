"""The registry of metrics and sensors (`kafka.metrics.metrics`)."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Sequence
from typing import Any, ClassVar

from kafkars.compat.kafka.metrics.kafka_metric import KafkaMetric
from kafkars.compat.kafka.metrics.measurable import AbstractMeasurable, AnonMeasurable
from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.metric_name import MetricName
from kafkars.compat.kafka.metrics.metrics_reporter import AbstractMetricsReporter
from kafkars.compat.kafka.metrics.stats.sensor import Sensor

__all__ = ["Metrics"]

SECONDS_BETWEEN_PURGES = 30.0


class Metrics:
    """A registry of metrics by name, the sensors that feed them, and the reporters that hear of them.

    One metric always exists: "count" of the group "kafka-metrics-count", the number of metrics.

    Args:
        default_config: The configuration of sensors and metrics that have none of their own.
        reporters: Hear of every metric that is added or removed.
        enable_expiration: True removes sensors that have recorded nothing for their
            `inactive_sensor_expiration_time_seconds`.
    """

    METRIC: ClassVar[type[KafkaMetric]] = KafkaMetric

    def __init__(
        self,
        default_config: MetricConfig | None = None,
        reporters: Sequence[AbstractMetricsReporter] | None = None,
        enable_expiration: bool = False,
    ) -> None:
        self._lock = threading.RLock()
        self._config = default_config or MetricConfig()
        self._sensors: dict[str, Sensor] = {}
        self._metrics: dict[MetricName, KafkaMetric] = {}
        self._children_sensors: dict[Sensor, list[Sensor]] = {}
        self._reporters = list(reporters or ())
        self._closed = threading.Event()
        for reporter in self._reporters:
            reporter.init([])
        # A weak reference, so that a registry that is dropped is freed with all that its metrics hold.
        this = weakref.ref(self)
        if enable_expiration:
            threading.Thread(target=_purge, args=(this, self._closed), daemon=True).start()
        self.add_metric(
            self.metric_name("count", "kafka-metrics-count", "total number of registered metrics"),
            AnonMeasurable(lambda _config, _now: len(known.metrics) if (known := this()) is not None else 0),
        )

    @property
    def config(self) -> MetricConfig:
        """The configuration of sensors and metrics that have none of their own."""
        return self._config

    @property
    def metrics(self) -> dict[MetricName, KafkaMetric]:
        """All metrics."""
        return self._metrics

    def metric_name(
        self, name: str, group: str, description: str = "", tags: dict[Any, Any] | None = None
    ) -> MetricName:
        """Returns a name with the given tags and those of the registry's configuration; the given ones win."""
        return MetricName(name, group, description, {**self._config.tags, **(tags or {})})

    def get_sensor(self, name: str) -> Sensor | None:
        """Returns the sensor of this name; None if there is none.

        Raises:
            ValueError: The name is empty.
        """
        if not name:
            raise ValueError("name must be non-empty")
        return self._sensors.get(name)

    def sensor(
        self,
        name: str,
        config: MetricConfig | None = None,
        inactive_sensor_expiration_time_seconds: float = sys.maxsize,
        parents: Sequence[Sensor] | None = None,
    ) -> Sensor:
        """Returns the sensor of this name, created if there is none.

        Args:
            name: The sensor's name.
            config: The configuration of its metrics; defaults to the registry's.
            inactive_sensor_expiration_time_seconds: Seconds after its last record after which it may be removed.
            parents: Sensors that record what this one records.

        Raises:
            ValueError: The name is empty, or two paths lead to one ancestor.
        """
        with self._lock:
            known = self.get_sensor(name)
            if known is not None:
                return known
            made = Sensor(self, name, parents, config or self._config, inactive_sensor_expiration_time_seconds)
            self._sensors[name] = made
            for parent in parents or ():
                self._children_sensors.setdefault(parent, []).append(made)
            return made

    def remove_sensor(self, name: str) -> None:
        """Removes a sensor with its metrics and its children; does nothing if there is none of this name."""
        with self._lock:
            sensor = self._sensors.pop(name, None)
            if sensor is None:
                return
            for metric in sensor.metrics:
                self.remove_metric(metric.metric_name)
            for siblings in self._children_sensors.values():
                if sensor in siblings:
                    siblings.remove(sensor)
            for child in self._children_sensors.pop(sensor, ()):
                self.remove_sensor(child.name)

    def add_metric(
        self, metric_name: MetricName, measurable: AbstractMeasurable, config: MetricConfig | None = None
    ) -> None:
        """Registers a measurable that no sensor feeds.

        Raises:
            ValueError: The name is taken.
        """
        self.register_metric(self.METRIC(metric_name, measurable, config or self._config))

    def remove_metric(self, metric_name: MetricName) -> KafkaMetric | None:
        """Removes a metric, tells the reporters, and returns it; None if there is none."""
        with self._lock:
            metric = self._metrics.pop(metric_name, None)
            if metric is not None:
                for reporter in self._reporters:
                    reporter.metric_removal(metric)
            return metric

    def add_reporter(self, reporter: AbstractMetricsReporter) -> None:
        """Adds a reporter, which hears of existing and later metrics."""
        with self._lock:
            reporter.init(list(self._metrics.values()))
            self._reporters.append(reporter)

    def register_metric(self, metric: KafkaMetric) -> None:
        """Registers a metric and tells the reporters.

        Raises:
            ValueError: The name is taken.
        """
        with self._lock:
            if metric.metric_name in self._metrics:
                raise ValueError(f"there is a metric of the name {metric.metric_name} already")
            self._metrics[metric.metric_name] = metric
            for reporter in self._reporters:
                reporter.metric_change(metric)

    def close(self) -> None:
        """Closes the reporters and removes all metrics."""
        self._closed.set()
        for reporter in self._reporters:
            reporter.close()
        self._metrics.clear()

    class ExpireSensorTask:
        """Removes expired sensors."""

        @staticmethod
        def run(metrics: Metrics) -> None:
            """Removes the expired sensors of a registry once."""
            for name, sensor in list(metrics._sensors.items()):
                if sensor.has_expired():
                    metrics.remove_sensor(name)


def _purge(registry: weakref.ref[Metrics], closed: threading.Event) -> None:
    """Removes expired sensors until the registry is closed or garbage-collected."""
    while not closed.wait(SECONDS_BETWEEN_PURGES):
        known = registry()
        if known is None:
            return
        known.ExpireSensorTask.run(known)
        del known
