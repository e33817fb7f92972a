"""Coordinators that are slow to answer, and steps of a transaction that are cancelled, repeated or left out."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run

IMPATIENT_MS = 500
MANY = 10
"""Tries whose pauses last longer than that."""


@pytest.mark.parametrize(
    ("api", "fault", "times"),
    [("InitProducerId", "drop", 1), ("FindCoordinator", "COORDINATOR_NOT_AVAILABLE", MANY)],
)
def test_start_waits_for_the_coordinator(embedded: Library, run: Run, api: str, fault: str, times: int) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        settings = {"transactional_id": embedded.group(), "request_timeout_ms": IMPATIENT_MS}
        with embedded.broker.handle.intercept(api, fault, times=times):
            async with embedded.producer(**settings) as producer, producer.transaction():
                await producer.send_and_wait(topic, b"value")

    run(test)


@pytest.mark.parametrize("api", ["AddOffsetsToTxn", "TxnOffsetCommit"])
def test_offsets_wait_for_the_coordinator(embedded: Library, run: Run, api: str) -> None:
    topic, group = embedded.broker.new_topic(), embedded.group()
    partition = embedded.partition(topic)

    async def test() -> None:
        settings = {"transactional_id": embedded.group(), "request_timeout_ms": IMPATIENT_MS}
        async with embedded.producer(**settings) as producer:
            async with producer.transaction():
                await producer.send_and_wait(topic, b"value")
                with embedded.broker.handle.intercept(api, "COORDINATOR_NOT_AVAILABLE", times=MANY):
                    await producer.send_offsets_to_transaction({partition: 5}, group)
            async with embedded.consumer(group_id=group) as consumer:
                assert await consumer.committed(partition) == 5

    run(test)


def test_a_begin_that_is_cancelled_has_begun_nothing(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer(transactional_id=embedded.group()) as producer:
            beginning = asyncio.ensure_future(producer.begin_transaction())
            await asyncio.sleep(0)
            beginning.cancel()
            with pytest.raises(asyncio.CancelledError):
                await beginning
            async with producer.transaction():
                await producer.send_and_wait(topic, b"value")

    run(test)


@pytest.mark.parametrize("first", ["commit_transaction", "abort_transaction"])
@pytest.mark.parametrize("second", ["commit_transaction", "abort_transaction", "begin_transaction"])
def test_a_transaction_that_is_ending_is_not_ended_again(embedded: Library, run: Run, first: str, second: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.producer(transactional_id=embedded.group()) as producer:
            await producer.begin_transaction()
            await producer.send_and_wait(topic, b"value")
            with embedded.broker.handle.intercept("EndTxn", "delay", seconds=1, times=1):
                ending = asyncio.ensure_future(getattr(producer, first)())
                await asyncio.sleep(0)
                with pytest.raises(AssertionError):
                    await getattr(producer, second)()
                await ending
            await producer.begin_transaction()
            await producer.abort_transaction()

    run(test)


@pytest.mark.parametrize("sends", ["send", "send_batch"])
def test_stop_sends_what_is_open_of_a_transaction(embedded: Library, run: Run, sends: str) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        producer: Any = embedded.producer(transactional_id=embedded.group(), linger_ms=50)
        await producer.start()
        await producer.begin_transaction()
        if sends == "send":
            future = await producer.send(topic, b"value")
        else:
            batch = producer.create_batch()
            batch.append(key=None, value=b"value", timestamp=None)
            future = await producer.send_batch(batch, topic, partition=0)
        await producer.stop()
        assert (await future).offset == 0

    run(test)


def test_a_transaction_that_stop_has_left_is_not_read(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        name = embedded.group()
        left: Any = embedded.producer(transactional_id=name)
        await left.start()
        await left.begin_transaction()
        await left.send(topic, b"left")
        await left.stop()
        async with embedded.producer(transactional_id=name) as producer, producer.transaction():
            await producer.send_and_wait(topic, b"kept")
        async with embedded.consumer(topic, isolation_level="read_committed") as consumer:
            assert (await consumer.getone()).value == b"kept"

    run(test)


def test_stop_in_a_transaction_that_cannot_be_delivered_ends(face: Library, run: Run) -> None:
    """The original waits for ever."""
    topic = face.broker.new_topic()

    async def test() -> None:
        producer: Any = face.producer(transactional_id=face.group(), request_timeout_ms=IMPATIENT_MS)
        await producer.start()
        await producer.begin_transaction()
        with face.broker.handle.intercept("Produce", "NOT_ENOUGH_REPLICAS"):
            future = await producer.send(topic, b"value")
            await producer.stop()
        with pytest.raises(face.errors.KafkaError):
            await future

    run(test)


@pytest.mark.parametrize("way", ["send", "send_batch"])
def test_nothing_is_taken_after_offsets_were_refused(embedded: Library, run: Run, way: str) -> None:
    """Who throws the futures of batches away would hear of it at the commit only."""
    topic, group = embedded.broker.new_topic(), embedded.group()

    async def test() -> None:
        async with embedded.producer(transactional_id=embedded.group()) as producer:
            await producer.begin_transaction()
            with (
                embedded.broker.handle.intercept("TxnOffsetCommit", "GROUP_AUTHORIZATION_FAILED"),
                pytest.raises(embedded.errors.GroupAuthorizationFailedError),
            ):
                await producer.send_offsets_to_transaction({embedded.partition(topic): 1}, group)
            batch = producer.create_batch()
            batch.append(key=None, value=b"value", timestamp=None)
            refused = (
                embedded.errors.GroupAuthorizationFailedError if embedded.is_face else embedded.errors.IllegalOperation
            )
            with pytest.raises(refused):
                await (
                    producer.send(topic, b"value") if way == "send" else producer.send_batch(batch, topic, partition=0)
                )
            await producer.abort_transaction()
            async with producer.transaction():
                await producer.send_and_wait(topic, b"value")

    run(test)
