"""The metrics of one client."""

from __future__ import annotations

import importlib
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kafkars.compat.kafka.metrics import Metrics


class ClientMetrics:
    """A client's registry of metrics, created on first use, or at once if there are reporters, so
    that programs without metrics do not wait for it.

    Args:
        engine: The engine's client.
        config: The face's settings.
        package: The module that has `Metrics`.
        kind: "consumer" or "producer".
    """

    def __init__(self, engine: Any, config: Mapping[str, Any], package: str, kind: str) -> None:
        self._engine = engine
        self._config = config
        self._package = package
        self._kind = kind
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._closed = False
        self._registry: Metrics | None = None
        if config["metrics_enabled"] and config["metric_reporters"]:
            self._get()

    def told(self, *, raw: bool) -> dict[Any, Any] | None:
        """Returns `{group: {name: value}}`, or with `raw` metrics by `MetricName`; None if `metrics_enabled` is off."""
        if not self._config["metrics_enabled"]:
            return None
        if self._closed:
            return {}
        registry = self._get()
        from kafkars.compat.kafka import _metrics  # noqa: PLC0415  few programs ask for figures

        return registry.metrics.copy() if raw else _metrics.by_group(registry)

    def close(self) -> None:
        """Closes the reporters; later calls return None."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self._registry is not None:
            self._registry.close()

    def _get(self) -> Metrics:
        with self._lock:
            if self._registry is None:
                self._registry = self._made()
            return self._registry

    def _made(self) -> Metrics:
        from kafkars.compat.kafka import _metrics  # noqa: PLC0415

        kind: type[Metrics] = importlib.import_module(self._package).Metrics
        registry = _metrics.registry(self._config, kind)
        began_ms = kind.METRIC.now() - (time.monotonic() - self._began) * 1000
        if self._kind == "consumer":
            prefix = self._config["metric_group_prefix"]
            _metrics.of_consumer(registry, prefix, self._engine, began_ms)
        else:
            _metrics.of_producer(registry, self._engine, began_ms)
        return registry
