"""Trace contexts in the headers of records, by the propagator that is configured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.propagators.textmap import Getter, Setter
from opentelemetry.trace import Link

from kafkars.opentelemetry import conventions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.trace import SpanContext

    Pairs = list[tuple[str, Any]]


class _Getter(Getter[Iterable[tuple[str, Any]]]):
    def get(self, carrier: Iterable[tuple[str, Any]], key: str) -> list[str] | None:
        found = [value for name, value in carrier if name.lower() == key and value is not None]
        return [value.decode(errors="replace") if isinstance(value, bytes) else str(value) for value in found] or None

    def keys(self, carrier: Iterable[tuple[str, Any]]) -> list[str]:
        return [name for name, _ in carrier]


class _Setter(Setter[list[tuple[str, Any]]]):
    def set(self, carrier: list[tuple[str, Any]], key: str, value: str) -> None:
        # A header that the application has set itself stays as it is.
        if all(name.lower() != key for name, _ in carrier):
            carrier.append((key, value.encode()))


GETTER = _Getter()
SETTER = _Setter()


def pairs(headers: object) -> Pairs | None:
    """Returns the headers that were given to `send()` as a list of pairs; None for what `send()` will refuse."""
    if headers is None:
        return []
    if isinstance(headers, Mapping):
        headers = headers.items()
    if isinstance(headers, (str, bytes)) or not isinstance(headers, Iterable):
        return None
    made: list[Any] = list(headers)
    is_sound = all(isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str) for each in made)  # noqa: PLR2004
    return made if is_sound else None


def context_of(headers: Iterable[tuple[str, Any]], base: Context | None = None) -> Context:
    """Returns a context, by default an empty one, with the trace context and baggage of headers."""
    return propagate.extract(headers, Context() if base is None else base, GETTER)


def span_context_of(headers: Iterable[tuple[str, Any]]) -> SpanContext | None:
    """Returns the span context in which a record was sent; None if its headers have none."""
    found = trace.get_current_span(context_of(headers)).get_span_context()
    return found if found.is_valid else None


def links_of(records: Sequence[Any]) -> list[Link]:
    """Makes a link for each context in which records were sent, with partition and offset if it sent one record."""
    names = propagate.get_global_textmap().fields
    found: dict[tuple[int, int], tuple[SpanContext, Any]] = {}
    times: Counter[tuple[int, int]] = Counter()
    for record in records:
        headers = record.headers
        if headers and any(name.lower() in names for name, _ in headers):
            context = span_context_of(headers)
            if context is not None:
                key = (context.trace_id, context.span_id)
                found.setdefault(key, (context, record))
                times[key] += 1
    return [
        Link(
            context,
            {conventions.PARTITION: str(record.partition), conventions.OFFSET: record.offset}
            if times[key] == 1
            else None,
        )
        for key, (context, record) in found.items()
    ]
