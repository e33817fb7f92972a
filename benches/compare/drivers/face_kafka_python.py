"""`kafkars.compat.kafka_3`, by the driver of kafka-python 3."""

from __future__ import annotations

from benches.compare.drivers import face

version = face.version_of("kafka-python")
JOBS = face.jobs("kafka", "kafka_python", "consume-batch", "consume-one", "produce", "latency", version=3)
