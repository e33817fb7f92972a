"""Transactions of `AIOKafkaProducer`."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run


def test_a_block_is_committed_and_one_that_raises_is_not(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        async with library.producer(transactional_id=library.group()) as producer:
            async with producer.transaction():
                await producer.send_and_wait(topic, b"first")
            with pytest.raises(ZeroDivisionError):
                async with producer.transaction():
                    await producer.send_and_wait(topic, b"aborted")
                    raise ZeroDivisionError
            await producer.begin_transaction()
            await producer.send(topic, b"second")
            await producer.commit_transaction()
            await producer.begin_transaction()
            await producer.send(topic, b"aborted as well")
            await producer.abort_transaction()
            async with producer.transaction():
                await producer.send(topic, b"third")
        async with library.consumer(topic, isolation_level="read_committed") as consumer:
            assert [(await consumer.getone()).value for _ in range(3)] == [b"first", b"second", b"third"]

    run(test)


@pytest.mark.parametrize("isolation_level", ["read_uncommitted", "read_committed"])
def test_what_is_committed_is_told_while_a_transaction_is_open(
    library: Library, run: Run, isolation_level: str
) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 3)
        group, partition = library.group(), library.partition(topic)
        async with (
            library.consumer(group_id=group, isolation_level=isolation_level, enable_auto_commit=False) as consumer,
            library.producer(transactional_id=library.group()) as producer,
        ):
            consumer.assign([partition])
            async with producer.transaction():
                await producer.send_offsets_to_transaction({partition: 2}, group)
                first = await consumer.committed(partition)
            assert first is None

            async def is_committed(offset: int) -> None:
                # Kafka has ended a transaction before its offsets can be seen.
                while await consumer.committed(partition) != offset:
                    pass

            await asyncio.wait_for(is_committed(2), 20)
            async with producer.transaction():
                await producer.send_offsets_to_transaction({partition: 3}, group)
                assert await consumer.committed(partition) == 2
                assert await consumer.seek_to_committed(partition) == {partition: 2}
                assert await consumer.position(partition) == 2
            await asyncio.wait_for(is_committed(3), 20)

    run(test)


def test_offsets_are_part_of_the_transaction(library: Library, run: Run) -> None:
    topic, out = library.broker.new_topic(), library.broker.new_topic()

    async def test() -> None:
        await library.fill(topic, 3)
        group, partition = library.group(), library.partition(topic)
        async with (
            library.consumer(topic, group_id=group, enable_auto_commit=False) as consumer,
            library.producer(transactional_id=library.group()) as producer,
        ):
            async with producer.transaction():
                record = await consumer.getone()
                await producer.send(out, record.value)
                await producer.send_offsets_to_transaction({partition: record.offset + 1}, group)
            # Kafka tells the group's coordinator after it has answered; the original does not wait for that.
            while await consumer.committed(partition) != 1:  # noqa: ASYNC110  the coordinator is asked each time
                await asyncio.sleep(0.01)
            with pytest.raises(ZeroDivisionError):
                async with producer.transaction():
                    await producer.send_offsets_to_transaction({partition: (3, "text")}, group)
                    raise ZeroDivisionError
            assert await consumer.committed(partition) == 1

    run(test)


def test_steps_out_of_order(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        operation = embedded.errors.IllegalOperation
        async with embedded.producer() as producer:
            for step in (producer.begin_transaction, producer.commit_transaction, producer.abort_transaction):
                with pytest.raises(operation):
                    await step()
            with pytest.raises(operation):
                await producer.send_offsets_to_transaction({}, "group")
            with pytest.raises(operation):
                async with producer.transaction():
                    pass
        offsets = {embedded.partition(topic): 1}
        async with embedded.producer(transactional_id=embedded.group()) as producer:
            with pytest.raises(operation):
                await producer.send(topic, b"value")
            with pytest.raises(operation):
                await producer.send_offsets_to_transaction(offsets, "group")
            for step in (producer.commit_transaction, producer.abort_transaction):
                with pytest.raises((operation, AssertionError)):
                    await step()
            await producer.begin_transaction()
            with pytest.raises((operation, AssertionError)):
                await producer.begin_transaction()
            for wrong, group, error in (
                ({}, "group", ValueError),
                (offsets, "", ValueError),
                (offsets, 5, ValueError),
                ({topic: 1}, "group", TypeError),
            ):
                with pytest.raises(error):
                    await producer.send_offsets_to_transaction(wrong, group)
            await producer.abort_transaction()

    run(test)


def test_the_newer_producer_of_an_id_fences_the_older(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()

    async def test() -> None:
        name = library.group()
        old: Any = library.producer(transactional_id=name)
        await old.start()
        await old.begin_transaction()
        await old.send_and_wait(topic, b"old")
        async with library.producer(transactional_id=name) as new:
            with pytest.raises(library.errors.ProducerFenced):
                await old.send_and_wait(topic, b"too late")
            async with new.transaction():
                await new.send(topic, b"new")
        await old.stop()
        async with library.consumer(topic, isolation_level="read_committed") as consumer:
            assert (await consumer.getone()).value == b"new"

    run(test)


@pytest.mark.parametrize("step", ["commit_transaction", "abort_transaction"])
def test_an_end_that_is_cancelled_goes_on(embedded: Library, run: Run, step: str) -> None:
    """And while it does, no record and no batch is taken."""
    topic = embedded.broker.new_topic()

    async def test() -> None:
        operation = embedded.errors.IllegalOperation
        async with embedded.producer(transactional_id=embedded.group()) as producer:
            await producer.begin_transaction()
            await producer.send_and_wait(topic, b"first")
            batch = producer.create_batch()
            batch.append(timestamp=None, key=None, value=b"refused")
            with embedded.broker.handle.intercept("EndTxn", "delay", seconds=3):
                ending = asyncio.create_task(getattr(producer, step)())
                for _ in range(3):
                    await asyncio.sleep(0)
                with pytest.raises(operation):
                    await producer.send_batch(batch, topic, partition=0)
                with pytest.raises(operation):
                    await producer.send(topic, b"refused")
                ending.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await ending
            await begin_when_it_can(producer, (operation, AssertionError))
            await producer.send_and_wait(topic, b"second")
            await producer.commit_transaction()
        wanted = [b"first", b"second"] if step == "commit_transaction" else [b"second"]
        async with embedded.consumer(topic, isolation_level="read_committed") as consumer:
            assert [(await consumer.getone()).value for _ in wanted] == wanted

    run(test)


async def begin_when_it_can(producer: Any, refused: tuple[type[Exception], ...]) -> None:
    """Begins a transaction as soon as the one before has ended; the original asserts what may follow what."""
    for _ in range(1_500):
        with suppress(*refused):
            await producer.begin_transaction()
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the transaction before does not end")


@pytest.mark.timeout(90)
def test_a_transaction_may_take_all_of_its_time(library: Library, run: Run) -> None:
    async def commits_late(seconds: float) -> bool:
        """Commits when nearly all of a transaction's time is over. False if it was over before the commit."""
        topic = library.broker.new_topic()
        settings = {"transactional_id": library.group(), "transaction_timeout_ms": int(seconds * 1_000)}
        async with library.producer(**settings) as producer:
            await producer.begin_transaction()
            begun = time.monotonic()
            try:
                while time.monotonic() - begun < 0.93 * seconds:
                    await producer.send_and_wait(topic, b"late")
                await producer.commit_transaction()
            except library.errors.ProducerFenced:
                if time.monotonic() - begun > seconds:
                    return False
                raise
        async with library.consumer(topic, isolation_level="read_committed") as consumer:
            return bool((await consumer.getone()).value == b"late")

    async def test() -> None:
        # A slow machine may need longer than the shorter one.
        assert await commits_late(3) or await commits_late(12)

    run(test)


def test_a_transaction_whose_time_is_over_is_fenced_and_can_be_aborted(face: Library, run: Run) -> None:
    """In the original it goes on until the coordinator has found it, and then the producer is fenced for good."""
    topic = face.broker.new_topic()

    async def test() -> None:
        settings = {"transactional_id": face.group(), "transaction_timeout_ms": 1_000}
        async with face.producer(**settings) as producer:
            await producer.begin_transaction()
            with pytest.raises(face.errors.ProducerFenced, match="transaction_timeout_ms=1000"):
                while True:
                    await producer.send_and_wait(topic, b"dropped")
            await producer.abort_transaction()
            async with producer.transaction():
                await producer.send_and_wait(topic, b"kept")
        async with face.consumer(topic, isolation_level="read_committed") as consumer:
            assert (await consumer.getone()).value == b"kept"

    run(test)
