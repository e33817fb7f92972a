"""Each call that gives records to the application makes a span with links to those who sent them; so do handlers."""

from __future__ import annotations

import asyncio
from typing import Any

import kafkars
import pytest
from kafkars import aio
from kafkars.opentelemetry import process
from kafkars.testing import EmbeddedBroker
from opentelemetry import baggage, context, trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode

from tests.observability.spans import Collected, attributes
from tests.support.clients import Clients, read
from tests.support.waiting import SECONDS, eventually


def links(span: ReadableSpan) -> list[tuple[int, dict[str, Any]]]:
    return [(link.context.span_id, dict(link.attributes or {})) for link in span.links]


def ids(spans: list[ReadableSpan]) -> list[int]:
    return [span.context.span_id for span in spans if span.context is not None]


def test_a_poll(clients: Clients, topic: str, collected: Collected) -> None:
    producer = collected.instrument(clients.producer())
    consumer = collected.instrument(clients.consumer([(topic, 0)], group_id="billing", client_id="till"))
    assert consumer.poll(0) is None
    producer.send(topic, b"apples", key=b"k").result(SECONDS)
    (sent,) = collected.spans("send", 1)
    record = eventually(lambda: consumer.poll(1.0), "a record")
    (span,) = collected.spans("receive", 1)
    host, _, port = clients.broker.bootstrap_servers.split(",")[0].rpartition(":")
    assert (span.name, span.kind, span.parent) == (f"receive {topic}", SpanKind.CLIENT, None)
    assert attributes(span) == {
        "messaging.system": "kafka",
        "messaging.operation.name": "receive",
        "messaging.operation.type": "receive",
        "messaging.destination.name": topic,
        "messaging.destination.partition.id": "0",
        "messaging.kafka.offset": record.offset,
        "messaging.kafka.message.key": "k",
        "messaging.message.body.size": 6,
        "messaging.consumer.group.name": "billing",
        "messaging.client.id": "till",
        "server.address": host,
        "server.port": int(port),
    }
    at = {"messaging.destination.partition.id": "0", "messaging.kafka.offset": record.offset}
    assert links(span) == [(ids([sent])[0], at)]
    ((labels, count),) = collected.points()["messaging.client.consumed.messages"]
    assert (labels["messaging.destination.name"], count) == (topic, 1)


@pytest.mark.parametrize("way", ["poll_batch", "poll_arrow", "read_until_end", "iteration"])
def test_every_way_to_read(clients: Clients, topic: str, collected: Collected, way: str) -> None:
    producer = collected.instrument(clients.producer())
    producer.send_many(topic, [b"a", b"b", b"c"], partitions=0).result(SECONDS)
    producer.send(topic, b"d", partition=0).result(SECONDS)
    sent = ids(collected.spans("send", 2))
    consumer = collected.instrument(clients.consumer([(topic, 0)]))
    if way == "iteration":
        for _ in range(4):
            next(iter(consumer))
        # Records of one context do not say where each is.
        assert [span for received in collected.spans("receive", 4) for span, _ in links(received)] == [
            sent[0],
            sent[0],
            sent[0],
            sent[1],
        ]
        return
    if way == "read_until_end":
        batches = list(consumer.read_until_end(timeout=SECONDS))
        assert sum(map(len, batches)) == 4
    else:
        batches = []
        while sum(map(len, batches)) < 4:
            batches += [batch for batch in [getattr(consumer, way)(timeout=SECONDS)] if len(batch)]
    spans = collected.spans("receive", len(batches))
    assert {span.name for span in spans} == {f"receive {topic}"}
    assert [attributes(span)["messaging.batch.message_count"] for span in spans] == [len(batch) for batch in batches]
    assert {number for span in spans for number, _ in links(span)} == set(sent)


def test_a_batch_of_several_topics(clients: Clients, collected: Collected) -> None:
    topics = [clients.broker.new_topic() for _ in range(2)]
    producer = collected.instrument(clients.producer())
    for name in topics:
        producer.send(name, b"value").result(SECONDS)
    consumer = collected.instrument(clients.consumer([(name, 0) for name in topics]))
    batches: list[Any] = []
    while sum(map(len, batches)) < 2:
        batches += [batch for batch in [consumer.poll_batch(timeout=SECONDS)] if batch]
    for span, batch in zip(collected.spans("receive", len(batches)), batches, strict=True):
        (topic, *others) = {record.topic for record in batch}
        assert span.name == ("receive" if others else f"receive {topic}")
        assert attributes(span).get("messaging.destination.name") == (None if others else topic)
        assert attributes(span)["messaging.batch.message_count"] == len(batch)
    counted = collected.points()["messaging.client.consumed.messages"]
    assert sorted((labels["messaging.destination.name"], count) for labels, count in counted) == sorted(
        (name, 1) for name in topics
    )


def test_records_without_a_context(clients: Clients, topic: str, collected: Collected) -> None:
    clients.fill(topic, range(3), headers={"traceparent": b"nonsense", "other": None})
    consumer = collected.instrument(clients.consumer([(topic, 0)]))
    for _ in range(3):
        next(iter(consumer))
    assert not [link for span in collected.spans("receive", 3) for link in span.links]


def test_a_handler(clients: Clients, topic: str, collected: Collected) -> None:
    producer = collected.instrument(clients.producer())
    token = context.attach(baggage.set_baggage("customer", "7"))
    producer.send(topic, b"value").result(SECONDS)
    context.detach(token)
    (sent,) = collected.spans("send", 1)
    consumer = collected.instrument(clients.consumer([(topic, 0)], group_id="billing"))
    (record,) = read(consumer, 1)
    native = getattr(consumer, "_client", consumer)
    with process(record, native) as span:
        assert trace.get_current_span() is span
        assert baggage.get_baggage("customer") == "7"
    assert baggage.get_baggage("customer") is None
    (handled,) = collected.spans("process", 1)
    assert (handled.name, handled.kind) == (f"process {topic}", SpanKind.CONSUMER)
    # Nothing else is current: the sender's span is the parent, and linked as well.
    assert handled.parent is not None
    assert handled.parent.span_id == ids([sent])[0]
    assert [number for number, _ in links(handled)] == ids([sent])
    assert attributes(handled)["messaging.consumer.group.name"] == "billing"
    assert attributes(handled)["messaging.kafka.offset"] == record.offset
    ((labels, count),) = collected.points()["messaging.process.duration"]
    assert (labels["messaging.operation.name"], count) == ("process", 1)


def test_a_handler_within_another_span(clients: Clients, topic: str, collected: Collected) -> None:
    producer = collected.instrument(clients.producer())
    producer.send(topic, b"value").result(SECONDS)
    consumer = collected.instrument(clients.consumer([(topic, 0)]))
    batch = eventually(lambda: consumer.poll_batch(timeout=1.0), "a record")
    native = getattr(consumer, "_client", consumer)
    with (
        collected.tracers.get_tracer("test").start_as_current_span("job") as job,
        pytest.raises(ValueError, match="wrong"),
        process(batch, native),
    ):
        raise ValueError("wrong")
    (handled,) = collected.spans("process", 1)
    assert handled.parent == job.get_span_context()
    assert [number for number, _ in links(handled)] == ids(collected.spans("send", 1))
    assert attributes(handled)["messaging.batch.message_count"] == 1
    assert attributes(handled)["error.type"] == "ValueError"
    assert handled.status.status_code is StatusCode.ERROR
    assert [event.name for event in handled.events] == ["exception"]


def test_a_handler_without_providers_costs_no_error(clients: Clients, topic: str) -> None:
    clients.fill(topic, range(1))
    (record,) = read(clients.consumer([(topic, 0)]), 1)
    with process(record) as span:
        assert not span.is_recording()
    with process([]):
        pass


def test_a_cancelled_read_takes_nothing(collected: Collected) -> None:
    async def main(broker: EmbeddedBroker) -> None:
        async with (
            collected.instrument(
                aio.Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest")
            ) as consumer,
            aio.Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
        ):
            consumer.assign([("t", 0)])
            found = []
            for number in range(20):
                waiting = asyncio.create_task(consumer.poll(None))
                await asyncio.sleep(0)
                if number % 2:
                    await producer.send("t", str(number).encode())
                waiting.cancel()
                found += [
                    each for each in await asyncio.gather(waiting, return_exceptions=True) if hasattr(each, "value")
                ]
            while len(found) < 10:
                found.append(await anext(consumer))
            assert [record.value for record in found] == [str(number).encode() for number in range(1, 20, 2)]
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(consumer.poll(None), 0)

    with EmbeddedBroker(topics={"t": 1}) as broker:
        asyncio.run(main(broker))
    collected.spans("receive", 10)


def test_iterations_end_with_the_consumer(collected: Collected) -> None:
    async def main(broker: EmbeddedBroker) -> None:
        async with collected.instrument(aio.Consumer(bootstrap_servers=broker.bootstrap_servers)) as consumer:
            consumer.assign([("t", 0)])
            reading = asyncio.create_task(everything(consumer))
            await asyncio.sleep(0)
            await consumer.close()
            assert await reading == []

    async def everything(consumer: Any) -> list[Any]:
        return [record async for record in consumer]

    with EmbeddedBroker(topics={"t": 1}) as broker:
        asyncio.run(main(broker))
        with collected.instrument(kafkars.Consumer(bootstrap_servers=broker.bootstrap_servers)) as consumer:
            consumer.assign([("t", 0)])
            consumer.close()
            assert list(consumer) == []


def test_figures_of_clients(collected: Collected) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings: dict[str, Any] = {"bootstrap_servers": broker.bootstrap_servers}
        producers = [collected.instrument(kafkars.Producer(**settings, client_id="shop")) for _ in range(2)]
        consumer = collected.instrument(kafkars.Consumer(**settings, group_id="g", auto_offset_reset="earliest"))
        consumer.assign([("t", 0)])
        for number, producer in enumerate(producers, 1):
            producer.send_many("t", [b"v"] * number).result(SECONDS)
        read(consumer, 3)
        points = collected.points()
        by_client = {labels["messaging.client.id"]: value for labels, value in points["kafkars.producer.records_sent"]}
        assert by_client == {"shop": 1, "shop-2": 2}
        ((labels, value),) = points["kafkars.consumer.records_consumed"]
        assert (labels["kafkars.client.type"], labels["messaging.consumer.group.name"], value) == ("consumer", "g", 3)
        assert len(points["kafkars.client.connections_open"]) == 3
        ((labels, value),) = points["kafkars.consumer.lag"]
        assert (labels["messaging.destination.partition.id"], value) == ("0", consumer.lags()["t", 0])
        assert [count for _, count in points["messaging.client.operation.duration"]]
        for client in (*producers, consumer):
            client.close()
        assert not [name for name in collected.points() if name.startswith("kafkars.")]
