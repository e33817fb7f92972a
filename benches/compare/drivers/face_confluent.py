"""`kafkars.compat.confluent_kafka`, by the driver of confluent-kafka."""

from __future__ import annotations

from benches.compare.drivers import face

version = face.version_of("confluent_kafka")
JOBS = face.jobs(
    "confluent_kafka",
    "confluent",
    "consume-batch",
    "consume-one",
    "consume-one-asyncio",
    "produce",
    "produce-asyncio",
    "latency",
)
