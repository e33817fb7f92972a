"""A consumer before `start()`, after `stop()`, and while its listener runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run


@pytest.mark.parametrize("undone", [False, True])
def test_a_pause_before_the_start_is_kept(library: Library, run: Run, undone: bool) -> None:
    topic = library.broker.new_topic()
    partition = library.partition(topic)

    async def test() -> None:
        await library.fill(topic, 1)
        consumer = library.consumer()
        consumer.assign([partition])
        consumer.pause(partition)
        assert consumer.paused() == {partition}
        assert consumer.highwater(partition) is consumer.last_stable_offset(partition) is None
        if undone:
            consumer.resume(partition)
        await consumer.start()
        assert consumer.paused() == (set() if undone else {partition})
        assert bool(await consumer.getmany(timeout_ms=10_000 if undone else 200)) is undone
        await consumer.stop()

    run(test)


@pytest.mark.parametrize("way", ["assign", "subscribe"])
def test_a_stopped_consumer_tells_where_it_stood(library: Library, run: Run, way: str) -> None:
    topic = library.broker.new_topic(partitions=2)
    partition, other = library.partition(topic), library.partition(topic, 1)

    async def test() -> None:
        await library.fill(topic, 3)
        consumer = library.consumer(group_id=library.group())
        await consumer.start()
        consumer.assign([partition, other]) if way == "assign" else consumer.subscribe([topic])
        await consumer.getone(partition)
        consumer.pause(other)
        await consumer.stop()
        assert consumer.assignment() == {partition, other}
        assert consumer.paused() == {other}
        assert await consumer.position(partition) == 1
        assert consumer.highwater(partition) == consumer.last_stable_offset(partition) == 3
        assert consumer.last_poll_timestamp(partition) > 10**12
        with pytest.raises(library.errors.IllegalStateError):
            await consumer.position(library.partition("none"))
        with pytest.raises(AssertionError):
            consumer.highwater(library.partition("none"))

    run(test)


@pytest.mark.parametrize("timeout_ms", [0, 50])
def test_a_read_with_a_time_limit_does_not_wait_for_a_listener(embedded: Library, run: Run, timeout_ms: int) -> None:
    topic = embedded.broker.new_topic()
    entered, may_end = asyncio.Event(), asyncio.Event()

    class Listener(embedded.module("abc").ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
        def on_partitions_revoked(self, revoked: Any) -> None:
            assert not revoked

        async def on_partitions_assigned(self, assigned: Any) -> None:
            assert len(assigned) == 1
            entered.set()
            await may_end.wait()

    async def test() -> None:
        consumer = embedded.consumer(group_id=embedded.group())
        consumer.subscribe([topic], listener=Listener())
        starts = asyncio.ensure_future(consumer.start())
        await entered.wait()
        assert await consumer.getmany(timeout_ms=timeout_ms) == {}
        reads = asyncio.ensure_future(consumer.getone())
        may_end.set()
        await starts
        await embedded.fill(topic, 1)
        assert (await reads).offset == 0
        await consumer.stop()

    run(test)


def test_what_programs_use_of_the_subscription(library: Library, run: Run) -> None:
    topic = library.broker.new_topic()
    partition = library.partition(topic)

    async def test() -> None:
        await library.fill(topic, 2)
        async with library.consumer(topic, group_id=library.group()) as consumer:
            subscription = consumer._subscription
            assert subscription.topics == subscription.subscription.topics == {topic}
            assert subscription.assigned_partitions() == subscription.subscription.assignment.tps == {partition}
            assert subscription.is_assigned(partition)
            assert subscription.partitions_auto_assigned()
            assert subscription.subscribed_pattern is subscription.listener is subscription._listener is None
            with subscription.fetch_context():
                assert (await consumer._fetcher.next_record([])).offset == 0
            subscription.pause(partition)
            assert subscription.paused_partitions() == consumer.paused() == {partition}
            assert subscription.subscription.assignment.state_value(partition).paused
            subscription.resume(partition)
            assert (await consumer._fetcher.next_record((partition,))).offset == 1
            consumer.unsubscribe()
            assert subscription.subscription is None
            assert not subscription.topics
            assert not subscription.partitions_auto_assigned()

    run(test)


def test_a_shutdown_by_parts(face: Library, run: Run) -> None:
    topic = face.broker.new_topic()

    async def test() -> None:
        consumer = face.consumer(topic, group_id=face.group())
        await consumer.start()
        await consumer._coordinator.close()
        await consumer._fetcher.close()
        await consumer._client.close()
        with pytest.raises(face.errors.ConsumerStoppedError):
            await consumer.getone()

    run(test)


def test_a_position_that_is_waited_for_ends_with_the_consumer(face: Library, run: Run) -> None:
    """In the original it is waited for for ever."""
    topic = face.broker.new_topic()

    async def test() -> None:
        with face.broker.handle.intercept("OffsetFetch", "COORDINATOR_LOAD_IN_PROGRESS"):
            consumer = face.consumer(topic, group_id=face.group(), enable_auto_commit=False)
            await consumer.start()
            waits = asyncio.ensure_future(consumer.position(face.partition(topic)))
            await asyncio.sleep(0)
            await consumer.stop()
            with pytest.raises(face.errors.ConsumerStoppedError):
                await asyncio.wait_for(waits, 10)

    run(test)
