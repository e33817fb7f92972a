"""A reporter that keeps values in a dict (`kafka.metrics.dict_reporter`)."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from kafkars.compat.kafka.metrics.kafka_metric import KafkaMetric
from kafkars.compat.kafka.metrics.metrics_reporter import AbstractMetricsReporter

__all__ = ["DictReporter"]


class DictReporter(AbstractMetricsReporter):
    """Keeps metrics by category and name.

    Args:
        prefix: Stands before every category.
    """

    def __init__(self, prefix: str | None = "") -> None:
        self._prefix = prefix or ""
        self._lock = threading.Lock()
        self._metrics: dict[str, dict[str, KafkaMetric]] = {}

    def snapshot(self) -> dict[str, dict[str, float]]:
        """Returns the current values: `{category: {name: value}}`."""
        with self._lock:
            listed = [(category, list(metrics.items())) for category, metrics in self._metrics.items()]
        return {category: {name: metric.value() for name, metric in metrics} for category, metrics in listed}

    def init(self, metrics: Iterable[KafkaMetric]) -> None:
        """Adds the existing metrics."""
        for metric in metrics:
            self.metric_change(metric)

    def metric_change(self, metric: KafkaMetric) -> None:
        """Adds a metric."""
        with self._lock:
            self._metrics.setdefault(self.get_category(metric), {})[metric.metric_name.name] = metric

    def metric_removal(self, metric: KafkaMetric) -> KafkaMetric | None:
        """Removes a metric and returns it."""
        category = self.get_category(metric)
        with self._lock:
            known = self._metrics.get(category, {})
            removed = known.pop(metric.metric_name.name, None)
            if not known:
                self._metrics.pop(category, None)
            return removed

    def get_category(self, metric: KafkaMetric) -> str:
        """Returns prefix, group and tags of a metric, such as "prefix.group.a=1,b=2"; empty parts are left out."""
        tags = ",".join(f"{name}={value}" for name, value in sorted(metric.metric_name.tags.items()))
        return ".".join(part for part in (self._prefix, metric.metric_name.group, tags) if part)

    def configure(self, configs: Any) -> None:
        """Does nothing: the reporter has no settings."""

    def close(self) -> None:
        """Does nothing: the reporter holds no resources."""
