"""Metrics, sensors and reporters (`kafka.metrics`), on the clock of `time.monotonic()`."""

from __future__ import annotations

from kafkars.compat.kafka.metrics.compound_stat import NamedMeasurable
from kafkars.compat.kafka.metrics.dict_reporter import DictReporter
from kafkars.compat.kafka.metrics.measurable import AnonMeasurable
from kafkars.compat.kafka.metrics.metric_config import MetricConfig
from kafkars.compat.kafka.metrics.metric_name import MetricName
from kafkars.compat.kafka.metrics.metrics_reporter import AbstractMetricsReporter
from kafkars.compat.kafka.metrics.quota import Quota
from kafkars.compat.kafka_3.metrics.kafka_metric import KafkaMetric
from kafkars.compat.kafka_3.metrics.metrics import Metrics

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
