"""Metrics, sensors and reporters (`kafka.metrics`).

A client's metrics are in `KafkaConsumer.metrics(raw=True)` and passed to `metric_reporters`; programs may have
registries of their own.
"""

from __future__ import annotations

from kafkars.compat.kafka.metrics.compound_stat import NamedMeasurable
from kafkars.compat.kafka.metrics.dict_reporter import DictReporter
from kafkars.compat.kafka.metrics.kafka_metric import KafkaMetric
from kafkars.compat.kafka.metrics.measurable import AnonMeasurable
from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.metric_name import MetricName
from kafkars.compat.kafka.metrics.metrics import Metrics
from kafkars.compat.kafka.metrics.metrics_reporter import AbstractMetricsReporter
from kafkars.compat.kafka.metrics.quota import Quota

__all__ = [
    "AbstractMetricsReporter",
    "AnonMeasurable",
    "DictReporter",
    "KafkaMetric",
    "MetricConfig",
    "MetricName",
    "Metrics",
    "NamedMeasurable",
    "Quota",
]
