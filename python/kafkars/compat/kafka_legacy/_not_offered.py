"""Modules of later releases of kafka-python, and their alternatives."""

from __future__ import annotations

LATER = 'it came with kafka-python 1.0; kafkars.compat.install("kafka") gives the face of today\'s releases'

NOT_OFFERED: dict[str, str] = dict.fromkeys(
    (
        "admin",
        "cluster",
        "consumer.fetcher",
        "consumer.group",
        "coordinator",
        "errors",
        "future",
        "metrics",
        "producer.future",
        "producer.kafka",
        "record",
        "sasl",
        "serializer",
        "structs",
    ),
    LATER,
)
"""Alternatives by the modules' names below `kafka.`."""
