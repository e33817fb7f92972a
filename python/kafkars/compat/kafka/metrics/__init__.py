"""Figures (`kafka.metrics`): names of figures, and what reporters derive from. Figures themselves are `metrics()` of
clients.
"""

from __future__ import annotations

from kafkars.compat.kafka.metrics.metric_name import MetricName
from kafkars.compat.kafka.metrics.metrics_reporter import AbstractMetricsReporter

INSTEAD = "figures are counted by the engine; KafkaConsumer.metrics() and KafkaProducer.metrics() have them"


def __getattr__(name: str) -> object:
    raise AttributeError(f"kafka.metrics.{name} is not offered by kafkars: {INSTEAD}")


__all__ = ["AbstractMetricsReporter", "MetricName"]
