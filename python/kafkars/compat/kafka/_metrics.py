"""kafkars' metrics under kafka-python's groups and names, and the reporters that get them.

What kafka-python samples per request the engine counts, so a rate is that of a counter since earlier reads,
within the windows of `metrics_num_samples` and `metrics_sample_window_ms`, and an average is over the client's life.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from kafkars.compat.kafka.metrics import AnonMeasurable, MetricConfig, Metrics
from kafkars.compat.kafka.metrics.measurable import AbstractMeasurable

Counter = Callable[[], float]
POINTS_PER_WINDOW = 10


class RateOfCounter(AbstractMeasurable):
    """The rate of a counter, per second.

    Args:
        counter: The counter.
        began_ms: When it was 0, on the clock of the metrics.
    """

    def __init__(self, counter: Counter, began_ms: float) -> None:
        self._counter = counter
        self._lock = threading.Lock()
        self._points = deque([(began_ms, 0.0)])

    def measure(self, config: MetricConfig, now: float) -> float:
        """Returns the growth per second over at least all windows but one, as in kafka-python."""
        total = self._counter()
        window = config.time_window_ms
        with self._lock:
            points = self._points
            while len(points) > 1 and now - points[1][0] >= config.samples * window:
                points.popleft()
            since, before = points[0]
            if now - points[-1][0] >= window / POINTS_PER_WINDOW:
                points.append((now, total))
        elapsed = now - since
        missing = config.samples - 1 - int(elapsed / window)
        elapsed += max(missing, 0) * window
        return (total - before) / elapsed * 1000 if elapsed > 0 else 0.0


class Engine:
    """Reads counters of an engine's client without keeping it alive: they are NaN once it is gone."""

    def __init__(self, engine: Any) -> None:
        self._engine = weakref.ref(engine)

    def __call__(self, *path: str) -> Counter:
        """Returns a counter by name, or by group and name."""
        return lambda: self._value(path)

    def _value(self, path: tuple[str, ...]) -> float:
        engine = self._engine()
        if engine is None:
            return math.nan
        found = engine.metrics()
        for name in path:
            found = found[name]
        return float(found)

    def ratio(self, one: Counter, other: Counter) -> Counter:
        """Returns one counter divided by another; NaN if that is 0."""

        def value() -> float:
            divisor = other()
            return one() / divisor if divisor else math.nan

        return value

    def longest_lag(self) -> float:
        """Returns the largest lag of a partition, in records."""
        engine = self._engine()
        lags = [] if engine is None else [lag for lag in engine.lags().values() if lag is not None]
        return float(max(lags, default=math.nan))


def registry(config: Mapping[str, Any], kind: type[Metrics]) -> Metrics:
    """Creates a client's registry, with the reporters that its settings name."""
    return kind(
        MetricConfig(
            samples=config["metrics_num_samples"],
            time_window_ms=config["metrics_sample_window_ms"],
            tags={"client-id": config["client_id"]},
        ),
        [reporter() for reporter in config["metric_reporters"]],
    )


def of_client(metrics: Metrics, group: str, engine: Engine, began_ms: float) -> None:
    """Registers the metrics that consumers and producers share."""
    requests, responses = engine("client", "requests_sent"), engine("client", "responses_received")
    sent, received = engine("client", "bytes_sent"), engine("client", "bytes_received")
    _values(
        metrics,
        group,
        {
            "connection-count": engine("client", "connections_open"),
            "request-size-avg": engine.ratio(sent, requests),
        },
    )
    _rates(
        metrics,
        group,
        began_ms,
        {
            "connection-creation-rate": engine("client", "connections_made"),
            "request-rate": requests,
            "response-rate": responses,
            "network-io-rate": lambda: requests() + responses(),
            "outgoing-byte-rate": sent,
            "incoming-byte-rate": received,
        },
    )


def of_consumer(metrics: Metrics, prefix: str, client: Any, began_ms: float) -> None:
    """Registers a consumer's metrics."""
    engine = Engine(client)
    records, read, fetches = engine("records_consumed"), engine("bytes_fetched"), engine("fetches")
    group = f"{prefix}-fetch-manager-metrics"
    of_client(metrics, f"{prefix}-metrics", engine, began_ms)
    _values(
        metrics,
        group,
        {
            "records-consumed-total": records,
            "bytes-consumed-total": read,
            "fetch-total": fetches,
            "records-lag-max": engine.longest_lag,
            "fetch-size-avg": engine.ratio(read, fetches),
            "records-per-request-avg": engine.ratio(records, fetches),
        },
    )
    _rates(
        metrics,
        group,
        began_ms,
        {"records-consumed-rate": records, "bytes-consumed-rate": read, "fetch-rate": fetches},
    )
    _values(metrics, f"{prefix}-coordinator-metrics", {"assigned-partitions": engine("assigned")})


def of_producer(metrics: Metrics, client: Any, began_ms: float) -> None:
    """Registers a producer's metrics: those of kafka-python, and the engine's under their own names."""
    engine = Engine(client)
    group = "producer-metrics"
    records, batches, size = engine("records_sent"), engine("batches_sent"), engine("bytes_sent")
    own = {name.replace("_", "-"): engine(name) for name, value in client.metrics().items() if is_number(value)}
    of_client(metrics, group, engine, began_ms)
    _values(
        metrics,
        group,
        {
            **own,
            "requests-in-flight": engine("client", "requests_in_flight"),
            "batch-size-avg": engine.ratio(size, batches),
            "compression-rate-avg": engine.ratio(size, engine("bytes_uncompressed")),
            "record-size-avg": engine.ratio(engine("bytes_uncompressed"), records),
        },
    )
    _rates(
        metrics,
        group,
        began_ms,
        {
            "record-send-rate": records,
            "byte-rate": size,
            "record-error-rate": engine("records_failed"),
            "record-retry-rate": engine("retries"),
        },
    )


def is_number(value: object) -> bool:
    """True if a value can be a metric."""
    return isinstance(value, (int, float))


def by_group(metrics: Metrics) -> dict[str, dict[str, float]]:
    """Returns `{group: {name: value}}`."""
    found: dict[str, dict[str, float]] = {}
    for name, metric in metrics.metrics.copy().items():
        found.setdefault(name.group, {})[name.name] = metric.value()
    return found


def _values(metrics: Metrics, group: str, counters: Mapping[str, Counter]) -> None:
    for name, counter in counters.items():
        metrics.add_metric(metrics.metric_name(name, group), AnonMeasurable(_ignoring(counter)))


def _rates(metrics: Metrics, group: str, began_ms: float, counters: Mapping[str, Counter]) -> None:
    for name, counter in counters.items():
        metrics.add_metric(metrics.metric_name(name, group), RateOfCounter(counter, began_ms))


def _ignoring(counter: Counter) -> Callable[[Any, float], float]:
    return lambda _config, _now: counter()
