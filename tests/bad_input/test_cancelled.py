"""An awaiting task that is cancelled, at each await there is: the client goes on and no acknowledged record is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from kafkars.aio import Consumer, Producer
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support import peers
from tests.support.awaits import cancel, gate, run
from tests.support.waiting import SECONDS

pytestmark = pytest.mark.usefixtures("nothing_left")


async def send_and_flush(producer: Producer[Any, Any], topic: str) -> None:
    sent = producer.send(topic, b"cancelled")
    await producer.flush()
    await sent


# Each call that can be awaited, with nothing there that could answer it at once.
PRODUCER_AWAITS: dict[str, Callable[[Producer[Any, Any], str], Any]] = {
    "send": lambda producer, topic: producer.send(topic, b"cancelled"),
    "send_nowait": lambda producer, topic: producer.send_nowait(topic, b"cancelled"),
    "enqueue": lambda producer, topic: producer.enqueue(topic, b"cancelled"),
    "flush": send_and_flush,
    "partitions_for": lambda producer, topic: producer.partitions_for(topic),
}
CONSUMER_AWAITS: dict[str, Callable[[Consumer[Any, Any], str], Any]] = {
    "poll": lambda consumer, _: consumer.poll(None),
    "poll_batch": lambda consumer, _: consumer.poll_batch(timeout=None),
    "iteration": lambda consumer, _: anext(consumer),
    "position": lambda consumer, topic: consumer.position((topic, 0)),
    "beginning_offsets": lambda consumer, topic: consumer.beginning_offsets([(topic, 0)]),
    "end_offsets": lambda consumer, topic: consumer.end_offsets([(topic, 0)]),
    "offsets_for_times": lambda consumer, topic: consumer.offsets_for_times({(topic, 0): 0}),
    "partitions_for": lambda consumer, topic: consumer.partitions_for(topic),
    "topics": lambda consumer, _: consumer.topics(),
}


@pytest.mark.parametrize("call", PRODUCER_AWAITS)
def test_a_producers_await_before_first_contact(broker: Broker, topic: str, call: str) -> None:
    async def test() -> None:
        async with gate(broker) as (address, opened), Producer(bootstrap_servers=address) as producer:
            for _ in range(3):
                await cancel(PRODUCER_AWAITS[call](producer, topic))
            opened.set()
            assert (await producer.send(topic, b"goes on")).topic == topic
            await producer.close()
            await assert_reads(broker, topic, last=b"goes on")

    run(test())


@pytest.mark.parametrize("call", CONSUMER_AWAITS)
def test_a_consumers_await_before_first_contact(broker: Broker, topic: str, call: str) -> None:
    async def test() -> None:
        await fill(broker, topic, 3)
        async with (
            gate(broker) as (address, opened),
            Consumer(bootstrap_servers=address, auto_offset_reset="earliest") as consumer,
        ):
            consumer.assign([(topic, 0)])
            for _ in range(3):
                await cancel(CONSUMER_AWAITS[call](consumer, topic))
            opened.set()
            assert [(await next_of(consumer)).offset for _ in range(3)] == [0, 1, 2]
            assert (topic, 0) in await consumer.end_offsets([(topic, 0)])
            await consumer.close()

    run(test())


@pytest.mark.parametrize(("call", "api"), [("send", "Produce"), ("flush", "Produce"), ("partitions_for", "Metadata")])
def test_a_producers_await_while_a_request_is_under_way(call: str, api: str) -> None:
    async def test() -> None:
        with EmbeddedBroker(topics={"topic": 1, "other": 1}) as broker:
            async with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=0) as producer:
                await producer.send("topic", b"first")
                broker.intercept(api, "delay", seconds=0.2, times=1)
                asked = "other" if call == "partitions_for" else "topic"
                await cancel(PRODUCER_AWAITS[call](producer, asked))
                assert (await producer.send("topic", b"last")).offset >= 1
            stored = broker.offsets("topic", 0)[1]
            assert stored == (2 if call == "partitions_for" else 3)

    run(test())


@pytest.mark.parametrize(
    ("call", "api"),
    [
        ("poll", "Fetch"),
        ("poll_batch", "Fetch"),
        ("iteration", "Fetch"),
        ("beginning_offsets", "ListOffsets"),
        ("end_offsets", "ListOffsets"),
        ("offsets_for_times", "ListOffsets"),
        ("topics", "Metadata"),
    ],
)
def test_a_consumers_await_while_a_request_is_under_way(call: str, api: str) -> None:
    async def test() -> None:
        with EmbeddedBroker(topics={"topic": 1}) as broker:
            async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
                await producer.send("topic", b"0")
                async with Consumer(
                    bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest"
                ) as consumer:
                    consumer.assign([("topic", 0)])
                    assert (await next_of(consumer)).value == b"0"
                    broker.intercept(api, "delay", seconds=0.2, times=1)
                    await cancel(CONSUMER_AWAITS[call](consumer, "topic"))
                    for number in range(1, 4):
                        await producer.send("topic", str(number))
                        assert (await next_of(consumer)).value == str(number).encode()
                    assert await consumer.topics() == ["topic"]
                    assert await consumer.end_offsets([("topic", 0)]) == {("topic", 0): 4}

    run(test())


def test_a_close_that_is_cancelled_can_be_waited_for_again_or_not() -> None:
    async def test() -> None:
        with EmbeddedBroker(topics={"topic": 1}) as broker:
            producer = Producer(bootstrap_servers=broker.bootstrap_servers)
            await producer.send("topic", b"first")
            broker.intercept("Produce", "delay", seconds=0.2, times=1)
            sent = producer.send("topic", b"last")
            await cancel(producer.close())
            await producer.close()
            # Sent before the close: it is reported one way or the other.
            await asyncio.wait([asyncio.ensure_future(outcome(sent))], timeout=SECONDS)
            assert sent.done()

    run(test())


async def outcome(awaitable: Any) -> object:
    try:
        return await awaitable
    except Exception as error:  # noqa: BLE001  whatever it was
        return error


def test_sends_that_are_cancelled_before_they_enter_are_not_sent(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with gate(broker) as (address, opened), Producer(bootstrap_servers=address) as producer:
            kept = producer.send(topic, b"kept")
            for _ in range(5):
                await cancel(producer.send(topic, b"cancelled"))
            opened.set()
            assert (await kept).offset == 0
            assert (await producer.send(topic, b"last")).offset == 1
            assert producer.metrics()["unacknowledged"] == 0
            await producer.close()

    run(test())


def test_a_cancelled_block_closes_its_client() -> None:
    async def test() -> None:
        with peers.silent_server() as address:
            clients: list[Any] = []
            entered = asyncio.Event()

            async def work() -> None:
                async with (
                    Producer(bootstrap_servers=address) as producer,
                    Consumer(bootstrap_servers=address) as consumer,
                ):
                    clients.extend([producer, consumer])
                    entered.set()
                    await asyncio.Event().wait()

            task = asyncio.create_task(work())
            await entered.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert all(client.closed for client in clients)

    run(test())


async def assert_reads(broker: Broker, topic: str, last: bytes) -> None:
    async with Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        seen = []
        async for record in consumer:
            seen.append(record.value)
            if record.value == last:
                break
        assert set(seen) <= {last, b"cancelled"}


async def next_of(consumer: Consumer[Any, Any]) -> Any:
    record = await consumer.poll(None)
    assert record is not None
    return record


async def fill(broker: Broker, topic: str, count: int) -> None:
    async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(count):
            producer.send_nowait(topic, str(number))
