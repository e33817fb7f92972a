"""Methods with spans for instrumented producers: mixed in before the producer's own class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentelemetry import propagate, trace
from opentelemetry.trace import Link, SpanKind

from kafkars.opentelemetry import conventions
from kafkars.opentelemetry.deliveries import AsyncDelivery, DeliveryWatch, FailureLog
from kafkars.opentelemetry.headers import SETTER, pairs, span_context_of
from kafkars.opentelemetry.telemetry import MeasuredSpan, Providers, Telemetry

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from kafkars.config.client import ClientIdentity


class ProducerTelemetry(Telemetry):
    """Begins the spans of a producer's sends."""

    def __init__(self, providers: Providers, identity: ClientIdentity) -> None:
        """Starts without sends."""
        super().__init__(providers, identity)
        self.failures = FailureLog(is_silent=identity.is_transactional)
        self.deliveries = DeliveryWatch(self.failures)

    def send_one(
        self, topic: str, value: object, key: object, partition: int | None, given: Any
    ) -> tuple[MeasuredSpan, Any]:
        """Returns the span of a record, and the headers that carry its context."""
        attributes = conventions.of_key(key)
        if isinstance(partition, int):
            attributes[conventions.PARTITION] = str(partition)
        if value is None:
            attributes[conventions.TOMBSTONE] = True
        sent = pairs(given)
        made = span_context_of(sent) if sent else None
        if made is not None:
            # The application has set the context of the record itself: it stays in the headers and is linked.
            return self.begin("send", topic, SpanKind.CLIENT, attributes, [Link(made)]), sent
        operation = self.begin("send", topic, SpanKind.PRODUCER, attributes)
        return operation, given if sent is None else carry(operation, sent)

    def send_many(self, topic: str, count: int, given: Any) -> tuple[MeasuredSpan, Any]:
        """Returns the span of several records of a topic, and the headers of each."""
        operation = self.begin("send", topic, SpanKind.PRODUCER, {conventions.COUNT: count})
        if given is None:
            return operation, [carry(operation, [])] * count
        sent = []
        for each in given:
            headers = pairs(each)
            made = span_context_of(headers) if headers else None
            if made is not None:
                operation.span.add_link(made)
            sent.append(each if headers is None or made is not None else carry(operation, headers))
        return operation, sent

    def send_other(self, topic: str, count: int | None) -> MeasuredSpan:
        """Returns the span of records whose headers are written already."""
        return self.begin("send", topic, SpanKind.CLIENT, {} if count is None else {conventions.COUNT: count})


def carry(operation: MeasuredSpan, headers: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Adds the context of a span to headers."""
    propagate.inject(headers, trace.set_span_in_context(operation.span), SETTER)
    return headers


def counted(values: Any) -> Any:
    """Returns values that can be counted: an iterator is read into a list."""
    return values if hasattr(values, "__len__") or not hasattr(values, "__iter__") else list(values)


class SyncSends:
    """Sending methods of a synchronous producer, with spans."""

    __slots__ = ()
    _telemetry: ProducerTelemetry

    def send(
        self,
        topic: Any,
        value: Any = None,
        key: Any = None,
        *,
        headers: Any = None,
        on_delivery: Any = None,
        **others: Any,
    ) -> Any:
        """Calls the producer's own method."""
        own: Any = super()
        if not isinstance(topic, str):
            return own.send(topic, value, key, headers=headers, on_delivery=on_delivery, **others)
        operation, headers = self._telemetry.send_one(topic, value, key, others.get("partition"), headers)
        return self._watched(
            operation, lambda: own.send(topic, value, key, headers=headers, on_delivery=on_delivery, **others)
        )

    def send_many(self, topic: Any, values: Any, keys: Any = None, *, headers: Any = None, **others: Any) -> Any:
        """Calls the producer's own method."""
        own: Any = super()
        values = counted(values)
        if not isinstance(topic, str) or not hasattr(values, "__len__"):
            return own.send_many(topic, values, keys, headers=headers, **others)
        operation, headers = self._telemetry.send_many(topic, len(values), headers)
        return self._watched(operation, lambda: own.send_many(topic, values, keys, headers=headers, **others))

    def send_arrow(self, topic: Any, data: Any, **others: Any) -> Any:
        """Calls the producer's own method."""
        own: Any = super()
        operation = self._telemetry.send_other(str(topic), getattr(data, "num_rows", None))
        return self._watched(operation, lambda: own.send_arrow(topic, data, **others))

    def send_batch(self, batch: Any, topic: Any, **others: Any) -> Any:
        """Calls the producer's own method."""
        own: Any = super()
        count = batch.record_count() if hasattr(batch, "record_count") else 0
        operation = self._telemetry.send_other(str(topic), count)
        return self._watched(operation, lambda: own.send_batch(batch, topic, **others))

    def flush(self, *arguments: Any, **others: Any) -> Any:
        """Calls the producer's own method, and ends the spans of deliveries that are done."""
        own: Any = super()
        try:
            return own.flush(*arguments, **others)
        finally:
            self._telemetry.deliveries.settle()

    def close(self, *arguments: Any, **others: Any) -> Any:
        """Calls the producer's own method, and ends all spans."""
        own: Any = super()
        try:
            return own.close(*arguments, **others)
        finally:
            self._telemetry.deliveries.settle()
            self._telemetry.deliveries.end()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> Any:
        """As `close()`."""
        own: Any = super()
        try:
            return own.__exit__(kind, error, traceback)
        finally:
            self._telemetry.deliveries.settle()
            self._telemetry.deliveries.end()

    def _watched(self, operation: MeasuredSpan, call: Callable[[], Any]) -> Any:
        try:
            delivery = call()
        except BaseException as error:
            operation.end(error)
            raise
        self._telemetry.deliveries.add(delivery, operation)
        return delivery


class AsyncSends:
    """Sending methods of an asyncio producer, with spans."""

    __slots__ = ()
    _telemetry: ProducerTelemetry

    def send(self, *arguments: Any, **others: Any) -> Any:
        """Calls the producer's own method."""
        return self._one("send", *arguments, **others)

    def send_nowait(self, *arguments: Any, **others: Any) -> Any:
        """Calls the producer's own method."""
        return self._one("send_nowait", *arguments, **others)

    def enqueue(self, *arguments: Any, **others: Any) -> Any:
        """Calls the producer's own method."""
        return self._one("enqueue", *arguments, **others)

    def send_many(self, *arguments: Any, **others: Any) -> Any:
        """Calls the producer's own method."""
        return self._many("send_many", *arguments, **others)

    def enqueue_many(self, *arguments: Any, **others: Any) -> Any:
        """Calls the producer's own method."""
        return self._many("enqueue_many", *arguments, **others)

    def send_arrow(self, topic: Any, data: Any, **others: Any) -> Any:
        """Calls the producer's own method."""
        own: Any = super()
        count = getattr(data, "num_rows", None)
        operation = self._telemetry.send_other(str(topic), count)
        return _awaited(operation, count, self._telemetry.failures, lambda: own.send_arrow(topic, data, **others))

    def enqueue_arrow(self, topic: Any, data: Any, **others: Any) -> Any:
        """Calls the producer's own method."""
        own: Any = super()
        count = getattr(data, "num_rows", None)
        operation = self._telemetry.send_other(str(topic), count)
        return _awaited(operation, count, self._telemetry.failures, lambda: own.enqueue_arrow(topic, data, **others))

    def send_batch(self, batch: Any, topic: Any, **others: Any) -> Any:
        """Calls the producer's own method."""
        own: Any = super()
        count = batch.record_count() if hasattr(batch, "record_count") else 0
        operation = self._telemetry.send_other(str(topic), count)
        return _awaited(operation, count, self._telemetry.failures, lambda: own.send_batch(batch, topic, **others))

    def _one(
        self,
        name: str,
        topic: Any,
        value: Any = None,
        key: Any = None,
        *,
        headers: Any = None,
        **others: Any,
    ) -> Any:
        own = getattr(super(), name)
        if not isinstance(topic, str):
            return own(topic, value, key, headers=headers, **others)
        operation, headers = self._telemetry.send_one(topic, value, key, others.get("partition"), headers)
        return _awaited(
            operation, 1, self._telemetry.failures, lambda: own(topic, value, key, headers=headers, **others)
        )

    def _many(
        self,
        name: str,
        topic: Any,
        values: Any,
        keys: Any = None,
        *,
        headers: Any = None,
        **others: Any,
    ) -> Any:
        own = getattr(super(), name)
        values = counted(values)
        if not isinstance(topic, str) or not hasattr(values, "__len__"):
            return own(topic, values, keys, headers=headers, **others)
        operation, headers = self._telemetry.send_many(topic, len(values), headers)
        return _awaited(
            operation,
            len(values),
            self._telemetry.failures,
            lambda: own(topic, values, keys, headers=headers, **others),
        )


def _awaited(operation: MeasuredSpan, count: int | None, failures: FailureLog, call: Callable[[], Any]) -> Any:
    try:
        future = call()
    except BaseException as error:
        operation.end(error)
        raise
    future.add_done_callback(AsyncDelivery(operation, count, failures))
    return future
