"""The registry of metrics and sensors (`kafka.metrics.metrics`)."""

from __future__ import annotations

from kafkars.compat.kafka.metrics.metrics import Metrics as Older
from kafkars.compat.kafka_3.metrics.kafka_metric import KafkaMetric

__all__ = ["Metrics"]


class Metrics(Older):
    """A registry of metrics by name, the sensors that feed them, and the reporters that hear of them."""

    METRIC = KafkaMetric
