"""From giving back partitions until the group gives others: as in aiokafka a program goes on seeing what it had, and
what it changes of that ends with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import until

RECORDS = 4


class Waiting:
    """A member between two assignments, the partition that it had and has read one record of, and what ends that."""

    def __init__(self, consumer: Any, partition: Any, ends: Callable[[], Awaitable[None]]) -> None:
        self.consumer = consumer
        self.partition = partition
        self.ends = ends


@asynccontextmanager
async def between(library: Library) -> AsyncIterator[Waiting]:
    """A member whose coordinator has told it to join again, and refuses to let it join for now."""
    topic, broker = library.broker.new_topic(), library.broker.handle
    partition = library.partition(topic)
    await library.fill(topic, RECORDS)
    gave_back, assigned = asyncio.Event(), asyncio.Event()

    class Listener(library.module("abc").ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
        async def on_partitions_revoked(self, partitions: Any) -> None:
            if partitions:
                assigned.clear()
                gave_back.set()

        async def on_partitions_assigned(self, _: Any) -> None:
            assigned.set()

    async with library.consumer(
        group_id=library.group(),
        client_id=topic,
        enable_auto_commit=False,
        heartbeat_interval_ms=50,
        retry_backoff_ms=20,
    ) as consumer:
        consumer.subscribe([topic], listener=Listener())
        await consumer.getone()
        with ExitStack() as faults:
            faults.enter_context(broker.intercept("JoinGroup", "COORDINATOR_LOAD_IN_PROGRESS"))
            faults.enter_context(broker.intercept("OffsetCommit", "REBALANCE_IN_PROGRESS"))
            broker.intercept("Heartbeat", "REBALANCE_IN_PROGRESS", times=1)
            joins = len(broker.requests("JoinGroup", client_id=topic))
            await gave_back.wait()
            await until(lambda: len(broker.requests("JoinGroup", client_id=topic)) > joins)

            async def ends() -> None:
                faults.close()
                await assigned.wait()

            yield Waiting(consumer, partition, ends)


def test_what_was_given_back_can_be_asked_for_and_changed(embedded: Library, run: Run) -> None:
    async def test() -> None:
        async with between(embedded) as waiting:
            consumer, partition = waiting.consumer, waiting.partition
            assert consumer.assignment() == {partition}
            consumer.pause(partition)
            assert consumer.paused() == {partition}
            consumer.resume(partition)
            assert consumer.paused() == set()
            assert consumer.highwater(partition) == RECORDS
            assert consumer.last_stable_offset(partition) == RECORDS
            assert consumer.last_poll_timestamp(partition) is not None
            assert await consumer.position(partition) == 1
            consumer.seek(partition, 2)
            assert await consumer.position(partition) == 2
            assert await consumer.seek_to_end(partition)
            assert await consumer.position(partition) == RECORDS
            assert await consumer.seek_to_beginning()
            assert await consumer.position(partition) == 0
            assert await consumer.seek_to_committed(partition) == {partition: None}
            with pytest.raises(embedded.errors.IllegalStateError):
                consumer.pause(embedded.partition(partition.topic, 1))
            with pytest.raises(embedded.errors.CommitFailedError):
                await consumer.commit()

    run(test)


def test_what_is_changed_of_it_ends_with_it(embedded: Library, run: Run) -> None:
    """Whoever has the partition next reads from what is committed, and has not paused it."""

    async def test() -> None:
        async with between(embedded) as waiting:
            consumer, partition = waiting.consumer, waiting.partition
            consumer.seek(partition, 3)
            consumer.pause(partition)
            await waiting.ends()
            assert consumer.paused() == set()
            assert await consumer.position(partition) == 0
            assert (await consumer.getone()).offset == 0

    run(test)


def test_a_consumer_that_stops_there_tells_where_it_stood(embedded: Library, run: Run) -> None:
    async def test() -> None:
        async with between(embedded) as waiting:
            consumer, partition = waiting.consumer, waiting.partition
            await consumer.stop()
            assert consumer.assignment() == {partition}
            assert await consumer.position(partition) == 1

    run(test)


@pytest.mark.parametrize("has_listener", [False, True])
def test_what_is_assigned_by_hand_is_not_what_the_group_takes(
    embedded: Library, run: Run, *, has_listener: bool
) -> None:
    """The group is left in the background, and takes its partitions after others were assigned."""
    topic, group = embedded.broker.new_topic(), embedded.group()
    partition = embedded.partition(topic)

    class Listener(embedded.module("abc").ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
        async def on_partitions_revoked(self, partitions: Any) -> None:
            pass

        async def on_partitions_assigned(self, partitions: Any) -> None:
            pass

    async def test() -> None:
        await embedded.fill(topic, RECORDS)
        async with embedded.consumer(group_id=group, client_id=topic, enable_auto_commit=False) as consumer:
            consumer.subscribe([topic], listener=Listener() if has_listener else None)
            await consumer.getone()
            consumer.unsubscribe()
            consumer.assign([partition])
            await until(lambda: embedded.broker.handle.requests("LeaveGroup", client_id=topic))
            while (await consumer.getone()).offset < RECORDS - 1:
                pass
            consumer.pause(partition)
            assert consumer.paused() == {partition}
            await consumer.commit()
            assert await consumer.committed(partition) == RECORDS
            consumer.seek(partition, 1)
            consumer.resume(partition)
            assert (await consumer.getone()).offset == 1
            await consumer.commit({partition: 2})
            assert await consumer.committed(partition) == 2

    run(test)
