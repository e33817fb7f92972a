"""The span for the handling of records."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from opentelemetry import context, trace
from opentelemetry.trace import SpanKind

from kafkars.opentelemetry import conventions
from kafkars.opentelemetry.headers import context_of, links_of
from kafkars.opentelemetry.telemetry import MeasuredSpan, Telemetry, of_records, providers_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opentelemetry.trace import Span

    from kafkars import Consumer, Record, RecordBatch, aio


@contextmanager
def process(
    records: Record[Any, Any] | RecordBatch[Any, Any] | Sequence[Record[Any, Any]],
    consumer: Consumer[Any, Any] | aio.Consumer[Any, Any] | None = None,
) -> Iterator[Span]:
    """Makes a span for the handling of one or several records, which is current within the `with` block.

    It links to the contexts in which the records were sent. For a single record that context is also the parent, with
    its baggage, unless another span is current.

    Args:
        records: The record or records to be handled.
        consumer: The consumer that has read them: it gives the span group, client and cluster, and its providers if it
            is instrumented.

    Yields:
        The span. An exception that leaves the block ends it with the status "error".
    """
    is_batch = isinstance(records, Sequence)
    handled: Sequence[Any] = records if isinstance(records, Sequence) else [records]
    found = getattr(consumer, "_telemetry", None)
    if not isinstance(found, Telemetry):
        found = Telemetry(providers_of(None, None), None if consumer is None else consumer._identity)  # noqa: SLF001
    topics = {record.topic for record in handled}
    attributes = of_records(handled, is_batch=is_batch)
    partitions = {(record.topic, record.partition) for record in handled}
    if len(partitions) == 1:
        attributes[conventions.PARTITION] = str(handled[0].partition)
    is_alone = not trace.get_current_span().get_span_context().is_valid
    outer = context.attach(context_of(handled[0].headers, context.get_current())) if is_alone and not is_batch else None
    try:
        operation = found.begin(
            "process", topics.pop() if len(topics) == 1 else None, SpanKind.CONSUMER, attributes, links_of(handled)
        )
        inner = context.attach(trace.set_span_in_context(operation.span))
        try:
            yield operation.span
        except BaseException as error:
            _fail(operation, error)
            raise
        else:
            operation.end(is_processing=True)
        finally:
            context.detach(inner)
    finally:
        if outer is not None:
            context.detach(outer)


def _fail(operation: MeasuredSpan, error: BaseException) -> None:
    if isinstance(error, Exception):
        operation.span.record_exception(error)
    operation.end(error, is_processing=True)
