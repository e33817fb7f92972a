"""Figures of the engine under kafka-python's groups and names."""

from __future__ import annotations

from typing import Any

import kafkars


def of_consumer(engine: kafkars.Consumer[Any, Any], *, raw: bool) -> dict[Any, Any]:
    """`{group: {name: value}}` of a consumer."""
    found = engine.metrics()
    if raw:
        return {**found}
    lags = [lag for lag in engine.lags().values() if lag is not None]
    made: dict[str, dict[str, Any]] = {
        "consumer-metrics": {"connection-count": int(engine.health().connected)},
        "consumer-fetch-manager-metrics": {
            "records-consumed-total": found.get("records_consumed", 0),
            "bytes-consumed-total": found.get("bytes_fetched", 0),
            "fetch-total": found.get("fetches", 0),
            "records-lag-max": max(lags, default=float("nan")),
        },
        "consumer-coordinator-metrics": {"assigned-partitions": len(engine.assignment())},
    }
    return {"kafka-metrics-count": {"count": sum(map(len, made.values()))}, **made}


def of_producer(engine: kafkars.Producer[Any, Any], *, raw: bool) -> dict[Any, Any]:
    """`{group: {name: value}}` of a producer."""
    found = engine.metrics()
    if raw:
        return {**found}
    made: dict[str, dict[str, Any]] = {
        "producer-metrics": {
            name.replace("_", "-"): value for name, value in found.items() if isinstance(value, (int, float))
        }
    }
    return {"kafka-metrics-count": {"count": sum(map(len, made.values()))}, **made}
