"""The tracer, the instruments, and the spans of a client, whose duration is measured."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from opentelemetry import metrics, trace
from opentelemetry.trace import SpanKind, Status, StatusCode

from kafkars import __version__
from kafkars.opentelemetry import conventions, headers
from kafkars.opentelemetry.figures import ClientFigures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span, TracerProvider

    from kafkars.config.client import ClientIdentity
    from kafkars.opentelemetry.conventions import Attributes


class Providers:
    """The providers that spans and metrics of several clients go to."""

    def __init__(self, tracer_provider: TracerProvider | None, meter_provider: MeterProvider | None) -> None:
        """None stands for the application's global provider, also one that it sets later."""
        self.kept = (tracer_provider, meter_provider)
        self.tracer = trace.get_tracer("kafkars", __version__, tracer_provider, conventions.SCHEMA)
        meter = metrics.get_meter("kafkars", __version__, meter_provider, conventions.SCHEMA)
        self.sent = meter.create_counter(
            "messaging.client.sent.messages",
            "{message}",
            "Number of messages producer attempted to send to the broker.",
        )
        self.consumed = meter.create_counter(
            "messaging.client.consumed.messages",
            "{message}",
            "Number of messages that were delivered to the application.",
        )
        self.operation_duration = meter.create_histogram(
            "messaging.client.operation.duration",
            "s",
            "Duration of messaging operation initiated by a producer or consumer client.",
            explicit_bucket_boundaries_advisory=conventions.DURATIONS,
        )
        self.process_duration = meter.create_histogram(
            "messaging.process.duration",
            "s",
            "Duration of processing operation.",
            explicit_bucket_boundaries_advisory=conventions.DURATIONS,
        )
        self.figures = ClientFigures(meter)


_providers: dict[tuple[int, int], Providers] = {}
_lock = threading.Lock()


def providers_of(tracer_provider: TracerProvider | None, meter_provider: MeterProvider | None) -> Providers:
    """Returns one object for the same providers, so that instruments are made once. It keeps the providers alive, so
    that their ids stay theirs.
    """
    with _lock:
        key = (id(tracer_provider), id(meter_provider))
        found = _providers.get(key)
        if found is None:
            found = _providers[key] = Providers(tracer_provider, meter_provider)
        return found


class Telemetry:
    """Begins the spans of one client."""

    def __init__(self, providers: Providers, identity: ClientIdentity | None) -> None:
        """Without an identity, spans have no attributes of a client."""
        self.providers = providers
        self.common = conventions.of_client(identity)
        self.client_id: Attributes = {} if identity is None else {conventions.CLIENT_ID: identity.client_id}

    def begin(
        self, name: str, topic: str | None, kind: SpanKind, attributes: Attributes, links: Sequence[trace.Link] = ()
    ) -> MeasuredSpan:
        """Begins a span in the current context."""
        return MeasuredSpan(self, name, topic, kind, attributes, links, time.time_ns())

    def received(self, records: Sequence[Any], began: int, *, is_batch: bool) -> None:
        """Makes the span of a call that has returned records to the application."""
        topics: dict[str, int] = {}
        partitions = set()
        for record in records:
            topics[record.topic] = topics.get(record.topic, 0) + 1
            partitions.add((record.topic, record.partition))
        (topic, *others) = topics
        attributes = of_records(records, is_batch=is_batch)
        if len(partitions) == 1:
            attributes[conventions.PARTITION] = str(records[0].partition)
        only = None if others else topic
        links = headers.links_of(records)
        MeasuredSpan(self, "receive", only, SpanKind.CLIENT, attributes, links, began).end()
        for each, count in topics.items():
            measured = {**self.common, **conventions.of_operation("receive"), conventions.TOPIC: each}
            self.providers.consumed.add(count, measured)


def of_records(records: Sequence[Any], *, is_batch: bool) -> Attributes:
    """Returns attributes of records that were read: their number for a batch, the offset for a single one."""
    if is_batch:
        return {conventions.COUNT: len(records)}
    (record,) = records
    made = conventions.of_key(record.raw_key)
    made |= {conventions.OFFSET: record.offset, conventions.BODY_SIZE: max(record.serialized_value_size, 0)}
    if record.raw_value is None:
        made[conventions.TOMBSTONE] = True
    return made


class MeasuredSpan:
    """A span that records its metrics when it ends; it ends once."""

    __slots__ = ("_began", "_is_over", "_measured", "_telemetry", "span", "topic")

    def __init__(  # noqa: PLR0917  as they are said of a span
        self,
        telemetry: Telemetry,
        name: str,
        topic: str | None,
        kind: SpanKind,
        attributes: Attributes,
        links: Sequence[trace.Link],
        began: int,
    ) -> None:
        """Begins the span; `began` is in nanoseconds since 1970."""
        self._telemetry = telemetry
        self._began = began
        self._is_over = False
        self.topic = topic
        self._measured = {**telemetry.common, **conventions.of_operation(name)}
        if topic is not None:
            self._measured[conventions.TOPIC] = topic
        self.span: Span = telemetry.providers.tracer.start_span(
            name if topic is None else f"{name} {topic}",
            kind=kind,
            attributes={**self._measured, **telemetry.client_id, **attributes},
            links=links,
            start_time=began,
        )

    def end(self, error: BaseException | None = None, *, is_processing: bool = False) -> bool:
        """Ends the span, with an error if the operation has failed. False if it has ended before."""
        if self._is_over:
            return False
        self._is_over = True
        ended = max(time.time_ns(), self._began)
        if error is not None:
            self._measured[conventions.ERROR] = conventions.of_error(error)
            self.span.set_attribute(conventions.ERROR, conventions.of_error(error))
            self.span.set_status(Status(StatusCode.ERROR, str(error)))
        self.span.end(ended)
        providers = self._telemetry.providers
        duration = providers.process_duration if is_processing else providers.operation_duration
        duration.record((ended - self._began) / 1e9, self._measured)
        return True

    def sent(self, count: int, error: BaseException | None = None) -> None:
        """Counts the records of a send, stored or not."""
        measured = dict(self._measured)
        measured.pop(conventions.ERROR, None)
        if error is not None:
            measured[conventions.ERROR] = conventions.of_error(error)
        if count:
            self._telemetry.providers.sent.add(count, measured)
