"""A task may be cancelled at every await: it ends with CancelledError, and no record is lost or held back."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import pytest
from kafkars.errors import BufferFullError, ClosedError
from kafkars.testing import EmbeddedBroker

from tests.python.conftest import aio_consumer, aio_producer, returned

CONSUMER_CALLS: dict[str, Callable[[Any], Any]] = {
    "poll": lambda consumer: consumer.poll(None),
    "poll with a limit": lambda consumer: consumer.poll(10),
    "poll_batch": lambda consumer: consumer.poll_batch(timeout=None),
    "anext": anext,
}


async def cancel(awaitable: Any) -> None:
    """Cancels a task that waits for something, after it has begun to wait."""
    task = asyncio.ensure_future(returned(awaitable))
    await asyncio.sleep(0.01)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("call", CONSUMER_CALLS)
def test_waiting_for_records(faulty_broker: EmbeddedBroker, call: str) -> None:
    async def main() -> None:
        async with aio_consumer(faulty_broker) as consumer, aio_producer(faulty_broker) as producer:
            for _ in range(3):
                await cancel(CONSUMER_CALLS[call](consumer))
            await producer.send("t", b"value")
            record = await consumer.poll(5)
            assert record is not None
            assert record.offset == 0

    asyncio.run(main())


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "position": lambda consumer: consumer.position(("t", 0)),
    "beginning_offsets": lambda consumer: consumer.beginning_offsets([("t", 0)]),
    "end_offsets": lambda consumer: consumer.end_offsets([("t", 0)]),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times({("t", 0): 1}),
    "topics": lambda consumer: consumer.topics(),
    "partitions_for": lambda consumer: consumer.partitions_for("t"),
}


@pytest.mark.parametrize("call", QUESTIONS)
def test_questions(faulty_broker: EmbeddedBroker, call: str) -> None:
    faulty_broker.intercept("ListOffsets", "drop")
    faulty_broker.intercept("Metadata", "drop")

    async def main() -> None:
        async with aio_consumer(faulty_broker) as consumer:
            await cancel(QUESTIONS[call](consumer))

    asyncio.run(main())


def test_a_record_on_its_way_is_sent_although_the_task_was_cancelled(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> None:
        async with aio_producer(faulty_broker, linger_ms=60_000) as producer:
            await cancel(producer.send("t", b"value"))
            await cancel(await producer.enqueue("t", b"value"))
            assert await producer.flush() == 0
        assert faulty_broker.offsets("t", 0) == (0, 2)

    asyncio.run(main())


def test_flush_and_close(faulty_broker: EmbeddedBroker) -> None:
    faulty_broker.intercept("Produce", "drop")

    async def main() -> None:
        async with aio_producer(faulty_broker) as producer:
            delivery = producer.send("t", b"value")
            await cancel(producer.flush())
            await cancel(producer.close())
            # A close that is cancelled ends at once: what is not acknowledged is given up.
            with pytest.raises(ClosedError):
                await delivery

    asyncio.run(main())


def test_a_record_that_waits_for_room_is_withdrawn(faulty_broker: EmbeddedBroker) -> None:
    small = {"buffer_memory": 20_000, "max_request_size": 15_000, "batch_size": 15_000}

    async def main() -> None:
        async with aio_producer(faulty_broker, **small) as producer:
            faulty_broker.intercept("Produce", "delay", seconds=3.0, times=1)
            sent = []
            with pytest.raises(BufferFullError):
                while True:
                    sent.append(producer.send_nowait("t", bytes(4_000)))
            for call in (producer.send, producer.enqueue):
                await cancel(call("t", b"withdrawn" + bytes(4_000)))
            kept = producer.send("t", b"kept")
            offsets = [metadata.offset for metadata in await asyncio.gather(*sent, kept)]
            assert offsets == list(range(len(offsets)))
        assert faulty_broker.offsets("t", 0)[1] == len(sent) + 1

    asyncio.run(main())


def test_records_that_wait_for_their_topic_keep_their_order(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> None:
        async with aio_producer(faulty_broker) as producer:
            faulty_broker.intercept("Metadata", "delay", seconds=0.1, times=1)
            futures = [producer.send_nowait("new", str(number).encode()) for number in range(50)]
            cancelled = futures.pop(20)
            assert cancelled.cancel()
            offsets = [metadata.offset for metadata in await asyncio.gather(*futures)]
            assert offsets == list(range(49))
            with pytest.raises(asyncio.CancelledError):
                await cancelled

    asyncio.run(main())


def test_reading_while_cancelled_again_and_again_loses_nothing(faulty_broker: EmbeddedBroker) -> None:
    count = 2_000

    async def main() -> None:
        async with aio_producer(faulty_broker, linger_ms=0) as producer, aio_consumer(faulty_broker) as consumer:

            async def send() -> None:
                for number in range(count):
                    await producer.send("t", str(number).encode())

            sending = asyncio.create_task(send())
            seen: list[int] = []

            async def read() -> None:
                while True:
                    record = await consumer.poll(None)
                    assert record is not None
                    seen.append(record.offset)

            while len(seen) < count:
                task = asyncio.create_task(read())
                await asyncio.sleep(0.0005)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            await sending
            assert seen == list(range(count))

    asyncio.run(main())


def test_a_time_limit_around_a_poll_loses_nothing(faulty_broker: EmbeddedBroker) -> None:
    count = 500

    async def main() -> None:
        async with aio_producer(faulty_broker, linger_ms=0) as producer, aio_consumer(faulty_broker) as consumer:

            async def send() -> None:
                for number in range(count):
                    await producer.send("t", str(number).encode())

            sending = asyncio.create_task(send())
            seen: list[int] = []
            while len(seen) < count:
                try:
                    record = await asyncio.wait_for(consumer.poll(None), 0.001)
                except asyncio.TimeoutError:
                    continue
                assert record is not None
                seen.append(record.offset)
            await sending
            assert seen == list(range(count))

    asyncio.run(main())


def begin_to_wait(call: Any) -> None:
    """Takes the first step of awaiting, and the second where the first was a turn of the loop."""
    step = call.__await__()
    if next(step) is None:
        next(step)


def test_nothing_is_left_behind(faulty_broker: EmbeddedBroker) -> None:
    async def main() -> None:
        async with aio_consumer(faulty_broker) as consumer:
            waiting = consumer.poll(None)
            begin_to_wait(waiting)
            kept = sys.getrefcount(waiting)
            for _ in range(10):
                again = consumer.poll(None)
                begin_to_wait(again)
                assert sys.getrefcount(again) == kept
                again.cancel()
                assert sys.getrefcount(again) == kept - 1
            await cancel(consumer.poll(None))
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(consumer.poll(None), 0.001)
            assert asyncio.all_tasks() == {asyncio.current_task()}
            waiting.cancel()

    asyncio.run(main())


def test_records_that_wait_for_a_partition_function_keep_their_order(faulty_broker: EmbeddedBroker) -> None:
    asked: list[bytes | None] = []

    def choose(key: bytes | None, _count: int) -> int:
        asked.append(key)
        return 0

    async def main() -> None:
        async with aio_producer(faulty_broker, partitioner=choose) as producer:
            faulty_broker.intercept("Metadata", "delay", seconds=0.05, times=1)
            keys = [str(number).encode() for number in range(50)]
            futures = [producer.send_nowait("new", key, key) for key in keys]
            del keys[20]
            assert futures.pop(20).cancel()
            assert await producer.flush() == 0
            assert [future.result().offset for future in futures] == list(range(49))
            assert asked == keys

    asyncio.run(main())


def test_a_partition_function_that_fails_fails_its_record_alone(faulty_broker: EmbeddedBroker) -> None:
    def choose(key: bytes | None, _count: int) -> int:
        return int(key or 0)

    async def main() -> None:
        async with aio_producer(faulty_broker, partitioner=choose) as producer:
            # Otherwise the topic may be known before the second send, which then raises on the spot.
            faulty_broker.intercept("Metadata", "delay", seconds=0.2)
            good, bad, late = (producer.send("new", b"value", key) for key in (b"0", b"none", b"0"))
            with pytest.raises(ValueError, match="none"):
                await bad
            assert [(await good).offset, (await late).offset] == [0, 1]

    asyncio.run(main())
