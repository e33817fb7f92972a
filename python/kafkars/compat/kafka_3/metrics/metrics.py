"""The registry of metrics and sensors (`kafka.metrics.metrics`)."""

from __future__ import annotations

from kafkars.compat.kafka.metrics.metrics import Metrics as Older
from kafkars.compat.kafka_3.metrics.kafka_metric import KafkaMetric

__all__ = ["Metrics"]


class Metrics(Older):
    """Metrics by their names, the sensors that feed them, and the reporters that are told of them."""

    METRIC = KafkaMetric
