"""Spans and measurements in memory."""

from __future__ import annotations

from typing import Any

from kafkars.opentelemetry import instrument
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.support.waiting import eventually


class Collected:
    """Where the clients of a test send what they say."""

    def __init__(self) -> None:
        self._spans = InMemorySpanExporter()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self._reader = InMemoryMetricReader()
        self.meters = MeterProvider([self._reader])

    def instrument(self, client: Any) -> Any:
        """Instruments a client of whatever flavour; answers it as it was given."""
        native = getattr(client, "_client", client)
        assert instrument(native, tracer_provider=self.tracers, meter_provider=self.meters) is native
        return client

    def spans(self, operation: str, count: int) -> list[ReadableSpan]:
        """The spans of an operation, once there are so many; no more may come."""
        found: list[ReadableSpan] = []

        def look() -> bool:
            found[:] = [each for each in self._spans.get_finished_spans() if each.name.split()[0] == operation]
            return len(found) >= count

        eventually(look, f"{count} spans of {operation}")
        assert len(found) == count
        return found

    def forget(self) -> None:
        self._spans.clear()

    def points(self) -> dict[str, list[tuple[dict[str, Any], Any]]]:
        """What instruments measured: attributes and value, of histograms the number of measurements."""
        data = self._reader.get_metrics_data()
        found: dict[str, list[tuple[dict[str, Any], Any]]] = {}
        for resource in data.resource_metrics if data is not None else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    found[metric.name] = [
                        (dict(point.attributes or {}), measured(point)) for point in metric.data.data_points
                    ]
        return found

    def close(self) -> None:
        self.tracers.shutdown()
        self.meters.shutdown()


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def traceparent(span: ReadableSpan) -> bytes:
    """The header that tells of a span."""
    context = span.context
    assert context is not None
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}".encode()


def measured(point: Any) -> Any:
    return point.count if hasattr(point, "count") else point.value
