"""Messages that a consumer has taken and not returned, because a deserializer failed or the call was cancelled: they do
not count as read, and come with the next calls only where these would read them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.compat.confluent.conftest import SECONDS, Clients
from tests.compat.confluent.test_serdes import opened, run
from tests.kafka.cluster import wait_until

BAD = 3
COUNT = 10


def strict(given: bytes, _context: Any) -> int:
    number = int(given.split(b"-")[1])
    if number == BAD:
        raise LookupError("no such schema")
    return number


async def reader(clients: Clients, topic: str, conf: dict[str, Any] | None = None) -> Any:
    """A consumer of all messages, whose deserializer fails for one of them."""
    settings = {"value": strict, "enable.auto.commit": False, **(conf or {})}
    consumer = await opened(clients, "AsyncDeserializingConsumer", settings)
    await consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
    return consumer


async def until_it_raises(clients: Clients, consumer: Any) -> list[int]:
    """What is read before the message that cannot be deserialized."""
    found: list[int] = []
    with pytest.raises(clients.ck.error.ValueDeserializationError) as caught:
        while True:
            found += [each.value() for each in await consumer.consume(COUNT, 3)]
    assert caught.value.kafka_message.offset() == BAD
    return found


async def offsets(consumer: Any, count: int, seconds: float = SECONDS) -> list[int]:
    return [each.offset() for each in await consumer.consume(count, seconds)]


def test_no_message_is_committed_that_was_not_returned(clients: Clients) -> None:
    topic = clients.topic(messages=COUNT)
    place = clients.ck.TopicPartition(topic, 0)

    async def work() -> None:
        consumer = await reader(clients, topic)
        found: list[int] = []
        with pytest.raises(clients.ck.error.ValueDeserializationError):
            while True:
                messages = await consumer.consume(COUNT, 3)
                found += [each.value() for each in messages]
                assert [each.offset for each in await consumer.position([place])] == [len(found)]
                (committed,) = await consumer.commit(asynchronous=False)
                assert committed.offset == len(found)
        stored = [each.offset for each in await consumer.committed([place], SECONDS)]
        assert stored == [len(found) or clients.ck.OFFSET_INVALID]
        await consumer.close()

    run(work)


@pytest.mark.parametrize("start", [BAD + 1, 7])
def test_what_is_assigned_anew_begins_at_its_offset(clients: Clients, start: int) -> None:
    topic = clients.topic(messages=COUNT)

    async def work() -> None:
        consumer = await reader(clients, topic)
        await until_it_raises(clients, consumer)
        await consumer.incremental_unassign([clients.ck.TopicPartition(topic, 0)])
        await consumer.incremental_assign([clients.ck.TopicPartition(topic, 0, start)])
        assert await offsets(consumer, COUNT - start) == list(range(start, COUNT))
        assert await offsets(consumer, 1, 0.1) == []
        await consumer.close()

    run(work)


def test_what_is_paused_is_not_returned(clients: Clients) -> None:
    topic = clients.topic(messages=COUNT)
    place = clients.ck.TopicPartition(topic, 0)

    async def work() -> None:
        consumer = await reader(clients, topic)
        await until_it_raises(clients, consumer)
        await consumer.pause([place])
        assert await offsets(consumer, COUNT, 0.5) == []
        await consumer.close()

    run(work)


# --- the face alone: in the library a thread goes on reading, and its messages are lost


@pytest.fixture(params=["plain", "deserializing"])
def cancelled(request: pytest.FixtureRequest, clients: Clients) -> Callable[[str], Awaitable[Any]]:
    """Makes a consumer that has given up a `consume()` in which it had all messages."""
    if clients.ck.__name__ == "confluent_kafka":
        pytest.skip("the library loses them")

    async def make(topic: str) -> Any:
        may_go = asyncio.Event()

        async def slow(given: bytes, _context: Any) -> bytes:
            await may_go.wait()
            return given

        consumer = await reader(clients, topic, {"value": slow if request.param == "deserializing" else None})
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(consumer.consume(COUNT if request.param == "deserializing" else 99, SECONDS), 0.7)
        may_go.set()
        return consumer

    return make


def test_a_cancelled_call_has_read_nothing(clients: Clients, cancelled: Callable[[str], Awaitable[Any]]) -> None:
    topic = clients.topic(messages=COUNT)
    place = clients.ck.TopicPartition(topic, 0)

    async def work() -> None:
        consumer = await cancelled(topic)
        assert [each.offset for each in await consumer.position([place])] == [clients.ck.OFFSET_INVALID]
        with pytest.raises(clients.ck.KafkaException) as caught:
            await consumer.commit(asynchronous=False)
        assert caught.value.args[0] == clients.ck.KafkaError._NO_OFFSET
        assert await offsets(consumer, COUNT) == list(range(COUNT))
        assert [each.offset for each in await consumer.position([place])] == [COUNT]
        await consumer.close()

    run(work)


def test_what_a_cancelled_call_had_can_be_paused(clients: Clients, cancelled: Callable[[str], Awaitable[Any]]) -> None:
    topic = clients.topic(messages=COUNT)
    place = clients.ck.TopicPartition(topic, 0)

    async def work() -> None:
        consumer = await cancelled(topic)
        await consumer.pause([place])
        assert await offsets(consumer, COUNT, 0.3) == []
        await consumer.resume([place])
        assert await offsets(consumer, COUNT) == list(range(COUNT))
        await consumer.close()

    run(work)


def test_an_error_that_a_cancelled_call_has_met_is_told(clients: Clients) -> None:
    if clients.ck.__name__ == "confluent_kafka" or not hasattr(clients.broker.handle, "intercept"):
        pytest.skip("the library loses it; needs the embedded broker's faults")
    topic = clients.topic(messages=COUNT)

    async def work() -> None:
        consumer = await opened(clients, "AsyncDeserializingConsumer", {"enable.auto.commit": False})
        await consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
        gathering = asyncio.ensure_future(consumer.consume(99, SECONDS))

        def held() -> list[Any]:
            return [each for call in consumer._consumer._gatherings_ for each in call.messages]

        await asyncio.to_thread(wait_until, lambda: len(held()) == COUNT, SECONDS, "the call has all messages")
        fault = clients.broker.handle.intercept("Fetch", "TOPIC_AUTHORIZATION_FAILED")
        await asyncio.to_thread(wait_until, lambda: len(held()) > COUNT, SECONDS, "and the error")
        gathering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gathering
        with pytest.raises(clients.ck.error.ConsumeError) as caught:
            await consumer.poll(SECONDS)
        assert caught.value.code == clients.ck.KafkaError.TOPIC_AUTHORIZATION_FAILED
        fault.remove()
        assert await offsets(consumer, COUNT) == list(range(COUNT))
        await consumer.close()

    run(work)


def test_what_a_cancelled_call_had_goes_with_the_assignment(
    clients: Clients, cancelled: Callable[[str], Awaitable[Any]]
) -> None:
    topic = clients.topic(messages=COUNT)

    async def work() -> None:
        consumer = await cancelled(topic)
        await consumer.incremental_unassign([clients.ck.TopicPartition(topic, 0)])
        await consumer.incremental_assign([clients.ck.TopicPartition(topic, 0, 4)])
        assert await offsets(consumer, COUNT - 4) == list(range(4, COUNT))
        assert await offsets(consumer, 1, 0.1) == []
        await consumer.close()

    run(work)


def test_ctrl_c_within_a_deserializer_reads_nothing(clients: Clients) -> None:
    if clients.ck.__name__ == "confluent_kafka":
        pytest.skip("the library loses the message")
    topic = clients.topic(messages=2)
    interrupts = [KeyboardInterrupt()]

    def interrupted(given: bytes, _context: Any) -> bytes:
        if interrupts:
            raise interrupts.pop()
        return given

    async def work() -> None:
        consumer = await opened(clients, "DeserializingConsumer", {"value": interrupted})
        consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
        with pytest.raises(KeyboardInterrupt):
            consumer.poll(SECONDS)
        assert [consumer.poll(SECONDS).offset() for _ in range(2)] == [0, 1]
        consumer.close()

    run(work)
