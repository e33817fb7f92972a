"""A backend of metrics that keeps what it is told."""

from __future__ import annotations

from typing import Any, NamedTuple


class Increment(NamedTuple):
    """A counter went up."""

    name: str
    value: float
    tags: Any


class Gauge(NamedTuple):
    """A gauge stands at a value."""

    name: str
    value: float
    tags: Any


class Timing(NamedTuple):
    """Something took so long."""

    name: str
    value: float
    tags: Any


MetricCall = Increment | Gauge | Timing


class _TestingMetricsBackend:
    def __init__(self) -> None:
        self.calls: list[MetricCall] = []

    def increment(self, name: str, value: float = 1, tags: Any = None) -> None:
        """See `Increment`."""
        self.calls.append(Increment(name, value, tags))

    def gauge(self, name: str, value: float, tags: Any = None) -> None:
        """See `Gauge`."""
        self.calls.append(Gauge(name, value, tags))

    def timing(self, name: str, value: float, tags: Any = None) -> None:
        """See `Timing`."""
        self.calls.append(Timing(name, value, tags))


TestingMetricsBackend = _TestingMetricsBackend()
