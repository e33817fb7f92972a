"""`kafkars.compat.aiokafka`, by the driver of aiokafka."""

from __future__ import annotations

from benches.compare.drivers import face

version = face.version_of("aiokafka")
JOBS = face.jobs(
    "aiokafka",
    "aiokafka",
    "consume-batch",
    "consume-one-asyncio",
    "produce-asyncio",
    "produce-gathered-asyncio",
    "latency-asyncio",
)
