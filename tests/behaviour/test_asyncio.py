"""The awaitables of the asyncio clients do what asyncio does with futures."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import pytest
from kafkars import RecordMetadata
from kafkars.aio import Consumer, Future, Producer
from kafkars.errors import BufferFullError, ClosedError, MessageTooLargeError

from tests.brokers import Broker
from tests.support.clients import numbers
from tests.support.waiting import SECONDS, Stopwatch

T = TypeVar("T")


def run(test: Coroutine[Any, Any, T]) -> T:
    """Runs a test on a loop of its own, and not for ever."""
    return asyncio.run(asyncio.wait_for(test, 2 * SECONDS))


@asynccontextmanager
async def reading(broker: Broker, topic: str, **settings: Any) -> AsyncIterator[Consumer[Any, Any]]:
    """A consumer at the beginning of a topic."""
    settings.setdefault("auto_offset_reset", "earliest")
    async with Consumer(bootstrap_servers=broker.bootstrap_servers, **settings) as consumer:
        consumer.assign([(topic, 0)])
        yield consumer


def test_an_awaited_send_gives_the_metadata(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            assert isinstance(await producer.send(topic, b"value"), RecordMetadata)
            assert (await producer.send(topic, b"value")).offset == 1

    run(test())


def test_gather_takes_what_was_cancelled(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with reading(broker, topic) as consumer:
            waiting = consumer.poll(None)
            asyncio.get_running_loop().call_soon(waiting.cancel)
            (outcome,) = await asyncio.gather(waiting, return_exceptions=True)
            assert isinstance(outcome, asyncio.CancelledError)

    run(test())


@pytest.mark.parametrize("name", ["send", "enqueue", "send_many", "enqueue_many", "send_batch"])
def test_a_send_that_nobody_could_await_raises_and_sends_nothing(broker: Broker, topic: str, name: str) -> None:
    """A synchronous program with the wrong import: what becomes of its records would be nobody's."""

    async def main() -> None:
        async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            await producer.partitions_for(topic)
            with ThreadPoolExecutor(1) as elsewhere:
                arguments: tuple[Any, ...] = (topic, [b"value"] if name.endswith("many") else b"value")
                more = {}
                if name == "send_batch":
                    batch = producer.create_batch()
                    batch.append(b"value")
                    arguments, more = (batch, topic), {"partition": 0}
                made = elsewhere.submit(getattr(producer, name), *arguments, **more)
                with pytest.raises(
                    RuntimeError, match=rf"{name}\(\) of an asyncio producer needs a running event loop"
                ):
                    made.result()
                assert len(producer) == 0
                # From any thread, and heard of where it can be awaited.
                delivery = elsewhere.submit(producer.send_nowait, topic, b"value").result()
            assert (await delivery).offset == 0

    run(main())


def test_run_until_complete_takes_a_call_that_was_made_before_the_loop_ran(broker: Broker, topic: str) -> None:
    """asyncio takes a future for one of a loop that runs; what belongs to no loop yet, it has to wrap in a task."""
    loop = asyncio.new_event_loop()
    try:
        producer: Producer[Any, Any] = Producer(bootstrap_servers=broker.bootstrap_servers)
        assert loop.run_until_complete(producer.send_nowait(topic, b"value")).offset == 0
        loop.run_until_complete(producer.close())
        consumer: Consumer[Any, Any] = Consumer(
            bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest"
        )
        consumer.assign([(topic, 0)])
        record = loop.run_until_complete(consumer.poll(SECONDS))
        assert record is not None
        assert record.value == b"value"
        loop.run_until_complete(consumer.close())
    finally:
        loop.close()


def test_sends_are_gathered_in_their_order(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            stored = await asyncio.gather(*(producer.send(topic, number) for number in numbers(1_000)))
            assert [metadata.offset for metadata in stored] == list(range(1_000))
        async with reading(broker, topic) as consumer:
            assert [(await anext(aiter(consumer))).value for _ in range(1_000)] == numbers(1_000)

    run(test())


def test_a_record_is_on_its_way_before_it_is_awaited(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            sent = [producer.send(topic, number) for number in numbers(10)]
            assert await producer.flush() == 0
            assert all(each.done() for each in sent)
            assert [each.result().offset for each in reversed(sent)] == list(range(9, -1, -1))

    run(test())


def test_enqueue_waits_for_room_and_gives_the_delivery(broker: Broker, topic: str) -> None:
    async def test() -> None:
        limits: dict[str, Any] = {"buffer_memory": 20_000, "max_request_size": 5_000}
        async with Producer(bootstrap_servers=broker.bootstrap_servers, **limits) as producer:
            deliveries = [await producer.enqueue(topic, bytes(1_000)) for _ in range(200)]
            stored = [await delivery for delivery in deliveries]
            assert [metadata.offset for metadata in stored] == list(range(200))

    run(test())


def test_send_nowait_gives_the_delivery_and_refuses_to_wait_for_room(broker: Broker, topic: str) -> None:
    async def test() -> None:
        limits: dict[str, Any] = {"buffer_memory": 20_000, "max_request_size": 5_000}
        async with Producer(bootstrap_servers=broker.bootstrap_servers, **limits) as producer:
            assert (await producer.send_nowait(topic, b"value")).offset == 0
            taken = []

            def send_faster_than_any_broker_answers() -> None:
                while True:
                    taken.append(producer.send_nowait(topic, bytes(1_000)))

            with pytest.raises(BufferFullError, match="buffer_memory"):
                send_faster_than_any_broker_answers()
            stored = await asyncio.gather(*taken)
            assert [metadata.offset for metadata in stored] == list(range(1, len(taken) + 1))

    run(test())


@pytest.mark.parametrize("wrap", [asyncio.ensure_future, asyncio.shield, asyncio.create_task])
def test_asyncio_takes_it_as_future_and_as_coroutine(
    broker: Broker, topic: str, wrap: Callable[[Any], Awaitable[RecordMetadata]]
) -> None:
    async def test() -> None:
        async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            assert (await wrap(producer.send(topic, b"value"))).offset == 0

    run(test())


def test_asyncio_hands_them_over_as_they_complete(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            sent = [producer.send(topic, number) for number in numbers(10)]
            offsets = [(await each).offset for each in asyncio.as_completed(sent)]
            assert sorted(offsets) == list(range(10))
            tasks = [asyncio.create_task(producer.send(topic, number)) for number in numbers(10)]
            done, pending = await asyncio.wait(tasks)
            assert sorted(each.result().offset for each in done) == list(range(10, 20))
            assert pending == set()

    run(test())


def test_a_timeout_around_a_send_gives_up_waiting_and_not_the_record(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=60_000) as producer:
            await producer.partitions_for(topic)
            with Stopwatch() as watch, pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(producer.send(topic, b"value"), 0.1)
            assert watch.seconds < 5
            assert await producer.flush() == 0
        async with reading(broker, topic) as consumer:
            record = await consumer.poll(SECONDS)
            assert record is not None
            assert record.value == b"value"

    run(test())


def test_a_failure_is_raised_where_it_is_awaited(broker: Broker) -> None:
    topic = broker.new_topic(settings={"max.message.bytes": "1000"})

    async def test() -> None:
        # Nothing leaves before a flush.
        async with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=60_000) as producer:
            sent = [producer.send(topic, b"small"), producer.send(topic, bytes(5_000))]
            await producer.flush(SECONDS)
            outcomes = await asyncio.gather(*sent, return_exceptions=True)
            assert isinstance(outcomes[0], RecordMetadata)
            assert isinstance(outcomes[1], MessageTooLargeError)
            future = producer.send(topic, bytes(5_000))
            with pytest.raises(asyncio.InvalidStateError):
                future.result()
            await producer.flush(SECONDS)
            assert isinstance(future.exception(), MessageTooLargeError)
            for _ in range(2):
                with pytest.raises(MessageTooLargeError):
                    await future

    run(test())


def test_callbacks_run_on_the_loop_in_their_context(broker: Broker, topic: str) -> None:
    variable = contextvars.ContextVar("variable", default="none")

    async def test() -> None:
        seen: list[tuple[bool, str]] = []
        happened = asyncio.Event()

        def note(future: Future[RecordMetadata]) -> None:
            assert asyncio.get_running_loop() is loop
            seen.append((future.done(), variable.get()))
            happened.set()

        loop = asyncio.get_running_loop()
        # Nothing leaves before a flush.
        async with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=60_000) as producer:
            future = producer.send(topic, b"value")
            variable.set("here")
            future.add_done_callback(note)
            assert await producer.flush(SECONDS) == 0
            await happened.wait()
            assert seen == [(True, "here")]
            # One that comes late runs as well, and not before the loop's next turn.
            happened.clear()
            future.add_done_callback(note)
            assert len(seen) == 1
            await happened.wait()
            assert len(seen) == 2
            # One that is taken back does not.
            future = producer.send(topic, b"value")
            future.add_done_callback(note)
            assert future.remove_done_callback(note) == 1
            assert await producer.flush(SECONDS) == 0
            await future
            assert len(seen) == 2

    run(test())


def test_one_future_may_be_awaited_by_many(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            future = producer.send(topic, b"value")

            async def wait() -> int:
                return (await future).offset

            assert await asyncio.gather(*(wait() for _ in range(10))) == [0] * 10

    run(test())


def test_waiting_tasks_share_the_records(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with reading(broker, topic) as consumer:

            async def take() -> bytes | None:
                record = await consumer.poll(SECONDS)
                assert record is not None
                value: bytes | None = record.value
                return value

            takers = [asyncio.create_task(take()) for _ in range(10)]
            async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
                for number in numbers(10):
                    await producer.send(topic, number)
            assert sorted(await asyncio.gather(*takers), key=lambda value: int(value or 0)) == numbers(10)

    run(test())


def test_buffered_records_are_handed_over_without_suspending(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for number in numbers(100):
                producer.send_nowait(topic, number)
        async with reading(broker, topic) as consumer:
            first = await consumer.poll(SECONDS)
            assert first is not None
            turns = 0

            def count() -> None:
                nonlocal turns
                turns += 1
                loop.call_soon(count)

            loop = asyncio.get_running_loop()
            loop.call_soon(count)
            for _ in range(99):
                assert await consumer.poll(SECONDS) is not None
            assert turns == 0

    run(test())


def test_the_loop_goes_on_while_a_poll_waits(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with reading(broker, topic) as consumer:
            waiting = asyncio.create_task(consumer.poll(SECONDS))
            for _ in range(10):
                await asyncio.sleep(0.01)
            assert not waiting.done()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

    run(test())


def test_closing_ends_who_waits(broker: Broker, topic: str) -> None:
    async def test() -> None:
        async with reading(broker, topic) as consumer:

            async def iterate() -> int:
                return len([record async for record in consumer])

            polling = asyncio.ensure_future(consumer.poll(None))
            batching = asyncio.ensure_future(consumer.poll_batch(timeout=None))
            iterating = asyncio.create_task(iterate())
            await asyncio.sleep(0)
            await consumer.close()
            for waiting in (polling, batching):
                with pytest.raises(ClosedError):
                    await asyncio.wait_for(waiting, SECONDS)
            assert await asyncio.wait_for(iterating, SECONDS) == 0

    run(test())


def test_a_client_serves_one_loop_after_the_other(broker: Broker, topic: str) -> None:
    producer = Producer(bootstrap_servers=broker.bootstrap_servers)
    consumer = Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest")
    consumer.assign([(topic, 0)])

    async def send_and_read(number: int) -> None:
        assert (await producer.send(topic, str(number))).offset == number
        record = await consumer.poll(SECONDS)
        assert record is not None
        assert record.value == str(number).encode()

    for number in range(3):
        run(send_and_read(number))

    async def close() -> None:
        await producer.close()
        await consumer.close()

    run(close())


def test_clients_can_be_made_before_the_loop(broker: Broker, topic: str) -> None:
    producer = Producer(bootstrap_servers=broker.bootstrap_servers)

    async def test() -> None:
        async with producer:
            assert (await producer.send(topic, b"value")).offset == 0

    run(test())


def test_a_failure_that_nobody_looked_at_is_reported_to_the_loop(broker: Broker) -> None:
    topic = broker.new_topic(settings={"max.message.bytes": "1000"})

    async def test() -> None:
        reports: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        asyncio.get_running_loop().set_exception_handler(lambda _, report: reports.put_nowait(report))
        async with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            future = producer.send(topic, bytes(5_000))
            future.add_done_callback(lambda _: None)
            await producer.flush()
            del future
        # The callback holds the future until the loop has run it.
        report = await reports.get()
        assert isinstance(report["exception"], MessageTooLargeError)
        assert reports.empty()

    run(test())
