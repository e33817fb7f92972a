"""Every way to send makes a span that ends with the delivery, and carries its context in the record."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import kafkars
import pyarrow as pa
import pytest
from kafkars import aio
from kafkars.errors import RecordTooLargeError, TopicAuthorizationFailedError
from kafkars.opentelemetry import uninstrument
from kafkars.testing import EmbeddedBroker
from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.propagators.textmap import Getter, Setter, TextMapPropagator
from opentelemetry.trace import SpanContext, SpanKind, StatusCode, TraceFlags

from tests.observability.spans import Collected, attributes, traceparent
from tests.support.clients import Clients, read
from tests.support.waiting import SECONDS, eventually

TOO_LARGE = b"x" * 2_000_000


def test_a_send(clients: Clients, topic: str, collected: Collected) -> None:
    producer = collected.instrument(clients.producer(client_id="shop"))
    with collected.tracers.get_tracer("test").start_as_current_span("request") as request:
        metadata = producer.send(topic, b"apples", key=b"customer 7", headers={"kind": b"fruit"}).result(SECONDS)
    (span,) = collected.spans("send", 1)
    host, _, port = clients.broker.bootstrap_servers.split(",")[0].rpartition(":")
    assert span.name == f"send {topic}"
    assert span.kind is SpanKind.PRODUCER
    assert span.status.status_code is StatusCode.UNSET
    assert span.parent == request.get_span_context()
    assert attributes(span) == {
        "messaging.system": "kafka",
        "messaging.operation.name": "send",
        "messaging.operation.type": "send",
        "messaging.destination.name": topic,
        "messaging.destination.partition.id": str(metadata.partition),
        "messaging.kafka.offset": metadata.offset,
        "messaging.kafka.message.key": "customer 7",
        "messaging.message.body.size": 6,
        "messaging.client.id": "shop",
        "server.address": host,
        "server.port": int(port),
    }
    (record,) = read(clients.consumer([(topic, 0)]), 1)
    assert record.headers == (("kind", b"fruit"), ("traceparent", traceparent(span)))


def test_a_batch_filled_by_hand_and_a_tombstone(clients: Clients, topic: str, collected: Collected) -> None:
    producer = collected.instrument(clients.producer())
    batch = producer.create_batch()
    batch.append(b"one")
    batch.append(b"two")
    producer.send_batch(batch, topic, partition=0).result(SECONDS)
    producer.send(topic, None, key=b"\xff").result(SECONDS)
    by_hand, tombstone = collected.spans("send", 2)
    # The records were written before the span began: they cannot tell of it.
    assert by_hand.kind is SpanKind.CLIENT
    assert attributes(by_hand)["messaging.batch.message_count"] == 2
    assert attributes(tombstone)["messaging.kafka.message.tombstone"] is True
    assert "messaging.kafka.message.key" not in attributes(tombstone)


def test_many_records_of_one_call(clients: Clients, topic: str, collected: Collected) -> None:
    producer = collected.instrument(clients.producer())
    made = {"traceparent": b"00-" + b"1" * 32 + b"-" + b"2" * 16 + b"-01"}
    producer.send_many(topic, iter([b"a", b"b", b"c"]), headers=[None, {"kind": b"x"}, made]).result(SECONDS)
    producer.send_many(topic, [b"d"]).result(SECONDS)
    span, single = collected.spans("send", 2)
    assert (span.kind, attributes(span)["messaging.batch.message_count"]) == (SpanKind.PRODUCER, 3)
    assert [link.context.span_id for link in span.links] == [int("2" * 16, 16)]
    own = ("traceparent", traceparent(span))
    headers = [record.headers for record in read(clients.consumer([(topic, 0)]), 4)]
    assert headers == [
        (own,),
        (("kind", b"x"), own),
        tuple(made.items()),
        (("traceparent", traceparent(single)),),
    ]


def test_arrow_tables(clients: Clients, topic: str, collected: Collected) -> None:
    producer = collected.instrument(clients.producer())
    producer.send_arrow(topic, pa.table({"value": ["a", "b"]})).result(SECONDS)
    (span,) = collected.spans("send", 1)
    assert span.kind is SpanKind.CLIENT
    eventually(lambda: collected.points()["messaging.client.sent.messages"], "records are counted")
    assert [value for _, value in collected.points()["messaging.client.sent.messages"]] == [2]


async def awaited_twice(call: Awaitable[Any]) -> None:
    outcome = await call
    if isinstance(outcome, Awaitable):
        await outcome


ASYNC_WAYS: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "send": lambda producer: producer.send("t", b"v"),
    "send_nowait": lambda producer: producer.send_nowait("t", b"v"),
    "enqueue": lambda producer: producer.enqueue("t", b"v"),
    "send_many": lambda producer: producer.send_many("t", [b"v"]),
    "enqueue_many": lambda producer: producer.enqueue_many("t", [b"v"]),
    "send_arrow": lambda producer: producer.send_arrow("t", pa.table({"value": ["v"]})),
    "enqueue_arrow": lambda producer: producer.enqueue_arrow("t", pa.table({"value": ["v"]})),
}


@pytest.mark.parametrize("way", ASYNC_WAYS)
@pytest.mark.parametrize("fault", [None, "refused", "cancelled"])
def test_every_asyncio_way_ends_its_span(way: str, fault: str | None, collected: Collected) -> None:
    async def main(broker: EmbeddedBroker) -> None:
        async with aio.Producer(bootstrap_servers=broker.bootstrap_servers, max_block_ms=60_000) as producer:
            await producer.partitions_for("t")
            collected.instrument(producer)
            if fault == "refused":
                broker.intercept("Produce", TopicAuthorizationFailedError)
            if fault != "cancelled":
                try:
                    await awaited_twice(ASYNC_WAYS[way](producer))
                except TopicAuthorizationFailedError:
                    assert fault == "refused"
                return
            with broker.intercept("Produce", "drop"):
                call: Any = ASYNC_WAYS[way](producer)
                if way.startswith("enqueue"):
                    call = await call
                if hasattr(call, "failures"):
                    producer.purge()
                    await call.failures()
                    return
                call.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await call
                producer.purge()

    with EmbeddedBroker(topics={"t": 1}) as broker:
        asyncio.run(main(broker))
    (span,) = collected.spans("send", 1)
    failure = {
        None: None,
        "refused": "TopicAuthorizationFailedError",
        "cancelled": "PurgedError" if way in {"enqueue_many", "enqueue_arrow"} else "CancelledError",
    }[fault]
    assert attributes(span).get("error.type") == failure
    assert span.status.status_code is (StatusCode.ERROR if fault else StatusCode.UNSET)
    counted = collected.points().get("messaging.client.sent.messages", [])
    assert [(labels.get("error.type"), value) for labels, value in counted] in ([(failure, 1)], [])


def test_a_failed_delivery(clients: Clients, topic: str, collected: Collected) -> None:
    producer = collected.instrument(clients.producer(max_request_size=10_000_000, buffer_memory=100_000_000))
    sent = producer.send(topic, TOO_LARGE)
    with pytest.raises(kafkars.errors.MessageTooLargeError) as failure:
        sent.result(SECONDS)
    (span,) = collected.spans("send", 1)
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == str(failure.value)
    assert attributes(span)["error.type"] == "MessageTooLargeError"
    eventually(lambda: collected.points()["messaging.client.sent.messages"], "records are counted")
    ((labels, count),) = collected.points()["messaging.client.sent.messages"]
    assert (labels["error.type"], count) == ("MessageTooLargeError", 1)


def test_a_record_that_is_refused_at_once(clients: Clients, topic: str, collected: Collected) -> None:
    producer = collected.instrument(clients.producer())
    with pytest.raises(RecordTooLargeError):
        producer.send(topic, TOO_LARGE).result(SECONDS)
    (span,) = collected.spans("send", 1)
    assert attributes(span)["error.type"] == "RecordTooLargeError"


@pytest.mark.parametrize("headers", [5, "text", ["text"], [("name",)], [(1, b"x")], {"name": object()}])
def test_wrong_headers_are_the_errors_that_they_were(
    clients: Clients, topic: str, collected: Collected, headers: Any
) -> None:
    producer = clients.producer()
    errors = []
    for _ in range(2):
        with pytest.raises(Exception, match=r".") as caught:
            producer.send(topic, b"value", headers=headers).result(SECONDS)
        errors.append((type(caught.value), str(caught.value)))
        collected.instrument(producer)
    assert errors[0] == errors[1]
    collected.spans("send", 1)


def test_a_context_of_the_application_stays(clients: Clients, topic: str, collected: Collected) -> None:
    producer = collected.instrument(clients.producer())
    own = [("TraceParent", b"00-" + b"1" * 32 + b"-" + b"2" * 16 + b"-01")]
    producer.send(topic, b"value", headers=iter(own)).result(SECONDS)
    (span,) = collected.spans("send", 1)
    assert span.kind is SpanKind.CLIENT
    assert [link.context.trace_id for link in span.links] == [int("1" * 32, 16)]
    (record,) = read(clients.consumer([(topic, 0)]), 1)
    assert list(record.headers) == own


class Reversed(TextMapPropagator):
    """A propagator of the test's own."""

    @property
    def fields(self) -> set[str]:
        return {"own-trace"}

    def inject(self, carrier: Any, context: Context | None = None, setter: Setter[Any] = None) -> None:  # type: ignore[assignment]
        found = trace.get_current_span(context).get_span_context()
        setter.set(carrier, "own-trace", f"{found.span_id}:{found.trace_id}")

    def extract(self, carrier: Any, context: Context | None = None, getter: Getter[Any] = None) -> Context:  # type: ignore[assignment]
        for value in getter.get(carrier, "own-trace") or ():
            span, number = map(int, value.split(":"))
            made = SpanContext(number, span, is_remote=True, trace_flags=TraceFlags(1))
            return trace.set_span_in_context(trace.NonRecordingSpan(made), context)
        return context or Context()


def test_the_configured_propagator_writes_and_reads(
    clients: Clients, topic: str, collected: Collected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(propagate, "_HTTP_TEXT_FORMAT", Reversed())
    producer = collected.instrument(clients.producer())
    consumer = collected.instrument(clients.consumer([(topic, 0)]))
    producer.send(topic, b"value").result(SECONDS)
    (sent,) = collected.spans("send", 1)
    (record,) = read(consumer, 1)
    assert sent.context is not None
    assert record.headers == (("own-trace", f"{sent.context.span_id}:{sent.context.trace_id}".encode()),)
    (received,) = collected.spans("receive", 1)
    assert [link.context.span_id for link in received.links] == [sent.context.span_id]


def test_sends_may_be_gathered_waited_for_and_made_tasks(collected: Collected) -> None:
    async def main(broker: EmbeddedBroker) -> None:
        async with collected.instrument(aio.Producer(bootstrap_servers=broker.bootstrap_servers)) as producer:
            metadata = await asyncio.gather(*(producer.send("t", b"v") for _ in range(10)))
            assert [each.offset for each in metadata] == list(range(10))
            await asyncio.wait_for(producer.send("t", b"v"), SECONDS)
            await asyncio.shield(producer.send("t", b"v"))
            task = asyncio.create_task(producer.send("t", b"v"))
            await asyncio.wait([task])
            done = producer.send_nowait("t", b"v")
            await done
            await asyncio.gather(done)

    with EmbeddedBroker(topics={"t": 1}) as broker:
        asyncio.run(main(broker))
    collected.spans("send", 14)


def test_order_is_kept_by_several_threads(collected: Collected) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with collected.instrument(kafkars.Producer(bootstrap_servers=broker.bootstrap_servers)) as producer:

            def send(who: int) -> None:
                for number in range(100):
                    producer.send("t", f"{who} {number}".encode())

            threads = [threading.Thread(target=send, args=(who,)) for who in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(SECONDS)
        # Closed: every span has ended.
        collected.spans("send", 400)
        with kafkars.Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
            consumer.assign([("t", 0)])
            found = [record.value.decode().split() for record in read(consumer, 400)]
    for who in range(4):
        assert [int(number) for name, number in found if name == str(who)] == list(range(100))


def test_a_forgotten_producer_is_collected_and_its_thread_ends(collected: Collected) -> None:
    others = set(threading.enumerate())
    with EmbeddedBroker(topics={"t": 1}) as broker:
        producer = collected.instrument(kafkars.Producer(bootstrap_servers=broker.bootstrap_servers))
        producer.send("t", b"value").result(SECONDS)
        (thread,) = {each for each in threading.enumerate() if each.name == "kafkars-spans"} - others
        known = weakref.ref(producer)
        del producer
        gc.collect()
        assert known() is None
        thread.join(SECONDS)
        assert not thread.is_alive()
    collected.spans("send", 1)


def test_failures_are_logged_for_the_span_has_asked_about_them(
    clients: Clients, topic: str, collected: Collected, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "kafkars")
    producer = collected.instrument(clients.producer(max_request_size=10_000_000, buffer_memory=100_000_000))
    for _ in range(5):
        producer.send(topic, TOO_LARGE)
        assert producer.flush(SECONDS) == 0
        gc.collect()
    collected.spans("send", 5)

    def lines() -> list[str]:
        return [line for line in caplog.messages if "records were not stored" in line and topic in line]

    # The 1st, the 2nd and the 4th.
    assert len(eventually(lines, "lines in the log")) == 3
    assert "records=1, sends=4, cause=MESSAGE_TOO_LARGE" in lines()[-1]


def test_an_aborted_transaction(
    clients: Clients, topic: str, collected: Collected, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "kafkars")
    producer = collected.instrument(clients.producer(transactional_id=f"t-{topic}", linger_ms=60_000))
    producer.init_transactions()
    producer.begin_transaction()
    producer.send(topic, b"value")
    producer.abort_transaction()
    (span,) = collected.spans("send", 1)
    assert span.status.status_code is StatusCode.ERROR
    producer.begin_transaction()
    producer.send(topic, b"value")
    producer.commit_transaction()
    collected.spans("send", 2)
    # The program has given the first one up itself.
    assert not [line for line in caplog.messages if "not stored" in line and topic in line]


def test_nothing_is_left_of_it_when_it_is_switched_off(clients: Clients, topic: str, collected: Collected) -> None:
    producer = clients.producer()
    native = getattr(producer, "_client", producer)
    before = type(native), repr(native)
    collected.instrument(collected.instrument(producer))
    assert repr(native) == before[1]
    assert isinstance(native, before[0])
    producer.send(topic, b"value").result(SECONDS)
    collected.spans("send", 1)
    uninstrument(native)
    uninstrument(native)
    assert type(native) is before[0]
    producer.send(topic, b"value").result(SECONDS)
    collected.spans("send", 1)
    assert not [name for name in collected.points() if name.startswith("kafkars.")]


def test_classes_of_the_application_keep_what_they_do(collected: Collected) -> None:
    class Prefixed(kafkars.Producer[Any, Any]):
        def send(self, topic: str, *arguments: Any, **others: Any) -> Any:
            return super().send("own." + topic, *arguments, **others)

    with (
        EmbeddedBroker(topics={"own.t": 1}) as broker,
        collected.instrument(Prefixed(bootstrap_servers=broker.bootstrap_servers)) as producer,
    ):
        assert isinstance(producer, Prefixed)
        assert producer.send("t", b"value").result(SECONDS).topic == "own.t"
    (span,) = collected.spans("send", 1)
    assert span.name == "send t"
